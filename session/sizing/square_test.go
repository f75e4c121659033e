package sizing_test

import (
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session/sizing"
)

// TestSquare: if a model fixes only the number of patches of an image, the image is square. Given sizes
// stay, and a model that fixes one side gets it.
func TestSquare(t *testing.T) {
	const patches = `
input x f32[batch,3,height,width]
init w f32[4,3,16,16] 1
init p f32[1,16,4] 1
init shape i64[3] 0 4 16
c = Conv(x, w) strides=[16,16]
r = Reshape(c, shape)
t = Transpose(r) perm=[0,2,1]
y = Add(t, p)
output y f32[batch,16,4]`
	for _, c := range []struct {
		name          string
		given         map[string]int64
		height, width int64
	}{
		{"nothing is given", nil, 64, 64},
		{"the height is given", map[string]int64{"height": 32}, 32, 128},
	} {
		for _, purpose := range []sizing.Purpose{sizing.Measure} {
			q := searchOf(t, graphtest.Model(t, patches), c.given, purpose)
			sizes, ok := q.Next(t.Context())
			if !ok || sizes["height"]/16 != c.height/16 || sizes["width"]/16 != c.width/16 {
				t.Errorf("%s: %v, want %d×%d", c.name, sizes, c.height, c.width)
			}
		}
	}
}
