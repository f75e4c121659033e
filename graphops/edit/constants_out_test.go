package edit

import (
	"testing"

	"lathe/graphops/graphtest"
)

// TestInitializersOut: weights leave with their types known, shapes stay.
func TestInitializersOut(t *testing.T) {
	m := graphtest.Model(t, `
input x f32[2,3]
init w f32[3,4] 1
init shape i64[2] 8 1
init many i64[100] 1
a = MatMul(x, w)
y = Reshape(a, shape)
z = Gather(y, many)
output z f32[100,1]`)
	next, report, out, err := InitializersOut(m, m.Places()[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(out) != 2 || out[0].Name() != "w" || out[1].Name() != "many" || len(report.Changes) != 2 {
		t.Errorf("taken out: %v, %+v", len(out), report)
	}
	if left := next.Graph().Initializers(); len(left) != 1 || left[0].Name() != "shape" {
		t.Errorf("%d left", len(left))
	}
	types := map[string]string{}
	for _, v := range next.Graph().ValueInfo() {
		types[v.Name()] = v.Type().String() + " " + v.Type().Shape.String()
	}
	if types["w"] != "f32 3×4" || types["many"] != "i64 100" {
		t.Errorf("types %v", types)
	}
	again, _, out, err := InitializersOut(next, next.Places()[0], nil)
	if err != nil || len(out) != 0 || len(again.Graph().Initializers()) != 1 {
		t.Errorf("a second time %d more, %v", len(out), err)
	}
}
