package shape_test

import "testing"

func TestVision(t *testing.T) {
	const image = "opset 20\ninput x f32[n,3,h,w]\n"
	check(t, []example{
		{name: "sampled", model: image + "input g f32[n,p,q,2]\ny = GridSample(x, g)", want: map[string]string{"y": "f32 n×3×p×q"}},
		{name: "sampled volumes", model: "opset 20\ninput x f32[n,3,d,h,w]\ninput g f32[m,p,q,r,3]\ny = GridSample(x, g)", want: map[string]string{"y": "f32 n×3×p×q×r"}, demands: []string{"n = m"}},
		{name: "sampled at points of three axes", model: image + "input g f32[n,p,q,3]\ny = GridSample(x, g)", want: map[string]string{"y": "f32 n×3×p×q"}, problems: []string{"should be 2 (the axes of an image)"}},
		{name: "sampled at points of another rank", model: image + "input g f32[n,p,2]\ny = GridSample(x, g)", want: map[string]string{"y": "f32 n×3×?×?"}, problems: []string{"should have rank 4"}},
		{name: "sampled at unknown points", model: image + "input g f32\ny = GridSample(x, g)", want: map[string]string{"y": "f32 n×3×?×?"}},
		{name: "unknown images", model: "input x f32\ninput g f32[n,p,q,2]\ny = GridSample(x, g)", want: map[string]string{"y": "f32 n×?×p×q"}},
		{name: "nothing known", model: "input x f32\ninput g f32\ny = GridSample(x, g)", want: map[string]string{"y": "f32 ?"}},
		{name: "a grid for an image", model: image + "input t f32[m,2,3]\ns = Shape(x)\ny = AffineGrid(t, s)", want: map[string]string{"y": "f32 n×h×w×2"}, demands: []string{"m = n"}},
		{name: "a grid for volumes", model: "opset 20\ninput t f32[m,3,4]\ninit s i64[5] 2 3 4 5 6\ny = AffineGrid(t, s)", want: map[string]string{"y": "f32 2×4×5×6×3"}, demands: []string{"m = 2"}},
		{name: "a grid of a size from data", model: "opset 20\ninput t f32[m,3,4]\ninput s i64\ny = AffineGrid(t, s)", want: map[string]string{"y": "f32 m×?×?×?×3"}},
		{
			name: "a grid by too small matrices", model: "opset 20\ninput t f32[2,2,3]\ninit s i64[5] 2 3 4 5 6\ny = AffineGrid(t, s)", want: map[string]string{"y": "f32 2×4×5×6×3"},
			problems: []string{"should be 3 (the axes of an image)", "should be 4 (the axes of an image, and an offset)"},
		},
		{
			name: "a grid for a matrix", model: "opset 20\ninput t f32[2,2,3]\ninit s i64[2] 2 3\ny = AffineGrid(t, s)", want: map[string]string{"y": "f32 ?"},
			problems: []string{"axes of an image", "axes of an image", "rank 4 or 5"},
		},
		{name: "decoded", model: "opset 20\ninput x u8[n]\ny = ImageDecoder(x)\ng = ImageDecoder(x) pixel_format='Grayscale'", want: map[string]string{"y": "u8 ?×?×3", "g": "u8 ?×?×1"}},
		{name: "decoded to something", model: "opset 20\ninput x u8[n]\ny = ImageDecoder(x) pixel_format='CMYK'", want: map[string]string{"y": "u8 ?×?×?"}, problems: []string{`pixel_format is "CMYK"`}},
		{name: "without a border", model: "opset 1\ninput x f32[n,3,h,w]\ny = Crop(x) border=[1,2,3,4]\nz = Crop(x) border=[1,2,3,4] scale=[5,6]", want: map[string]string{"y": "f32 n×3×(h-6)×(w-4)", "z": "f32 n×3×5×6"}},
		{name: "without half a border", model: "opset 1\ninput x f32[n,3,h,w]\ny = Crop(x) border=[1,2]", want: map[string]string{"y": "f32 n×3×?×?"}, problems: []string{"border is [1 2] and scale is []"}},
	})
}

func TestBoxes(t *testing.T) {
	const boxes = "input b f32[n,k,4]\ninput s f32[n,c,l]\ninit m i64[] 7\n"
	check(t, []example{
		{name: "selected", model: boxes + "y = NonMaxSuppression(b, s, m)", want: map[string]string{"y": "i64 ?×3"}, demands: []string{"k = l"}},
		{name: "without a limit none is", model: boxes + "y = NonMaxSuppression(b, s)", want: map[string]string{"y": "i64 0×3"}, demands: []string{"k = l"}},
		{name: "with five corners", model: "input b f32[1,9,5]\ninput s f32[1,2,9]\ninput m i64[]\ny = NonMaxSuppression(b, s, m)", want: map[string]string{"y": "i64 ?×3"}, problems: []string{"should be 4 (the corners of a box)"}},
		{name: "of another number of scores", model: "input b f32[1,9,4]\ninput s f32[1,2,8]\ninput m i64[]\ny = NonMaxSuppression(b, s, m)", want: map[string]string{"y": "i64 ?×3"}, problems: []string{"should be equal"}},
	})
}
