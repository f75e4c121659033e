package shape_test

import "testing"

func TestPools(t *testing.T) {
	const image = "input x f32[batch,3,h,w]\n"
	check(t, []example{
		{name: "halves", model: image + "y = AveragePool(x) kernel_shape=[2,2] strides=[2,2]", want: map[string]string{"y": "f32 batch×3×floor(h/2)×floor(w/2)"}},
		{name: "positions", model: image + "y, i = MaxPool(x) kernel_shape=[3,1] pads=[1,0,1,0]", want: map[string]string{"y": "f32 batch×3×h×w", "i": "i64 batch×3×h×w"}},
		{name: "dilations", model: image + "y = MaxPool(x) kernel_shape=[3,1] dilations=[2,2]", want: map[string]string{"y": "f32 batch×3×(h-4)×w"}},
		{name: "wider than the plane", model: "input x f32[1,1,1,2]\ny = AveragePool(x) kernel_shape=[3,3] strides=[3,2]\nz = AveragePool(x) kernel_shape=[4,3] strides=[3,1]", want: map[string]string{"y": "f32 1×1×1×1", "z": "f32 1×1×0×0"}},
		{name: "before there were positions", model: "opset 1\n" + image + "y = MaxPool(x) kernel_shape=[2,2]", want: map[string]string{"y": "f32 batch×3×(h-1)×(w-1)"}},
		{name: "norm", model: "opset 18\n" + image + "y = LpPool(x) kernel_shape=[2,2] ceil_mode=1 strides=[2,2]", want: map[string]string{"y": "f32 batch×3×floor((h+1)/2)×floor((w+1)/2)"}},
		{name: "same", model: image + "y = AveragePool(x) kernel_shape=[3,3] strides=[2,1] auto_pad='SAME_UPPER'", want: map[string]string{"y": "f32 batch×3×floor((h+1)/2)×w"}},
		{name: "same with gaps", model: image + "y, i = MaxPool(x) kernel_shape=[3,3] dilations=[2,1] auto_pad='SAME_UPPER'", want: map[string]string{"y": "f32 batch×3×?×?", "i": "i64 batch×3×?×?"}},
		{name: "without a rank", model: "input x f32\ny = MaxPool(x) kernel_shape=[3,3]", want: map[string]string{"y": "f32 ?×?×?×?"}},
		{name: "without a kernel", model: image + "y = MaxPool(x)", want: map[string]string{"y": "f32 batch×3×?×?"}},
		{name: "another rank", model: image + "y = MaxPool(x) kernel_shape=[2]", want: map[string]string{"y": "f32 batch×3×?×?"}, problems: []string{"kernel_shape is [2], expected 2 numbers"}},
		{name: "a kernel of 0", model: image + "y = AveragePool(x) kernel_shape=[0,2]", want: map[string]string{"y": "f32 batch×3×?×?"}, problems: []string{"kernel_shape is [0 2]"}},
		{name: "all of a plane", model: image + "a = GlobalAveragePool(x)\nm = GlobalMaxPool(x)\nl = GlobalLpPool(x)", want: map[string]string{"a": "f32 batch×3×1×1", "m": "f32 batch×3×1×1", "l": "f32 batch×3×1×1"}},
		{name: "no plane", model: "input x f32[1,2]\ny = GlobalMaxPool(x)", want: map[string]string{"y": "f32 ?"}, problems: []string{"should have a batch, channels and at least one more axis"}},
	})
}

// With ceil_mode a last window may end behind the padding and not begin there: the
// sizes are those that ONNX Runtime makes.
func TestCeilMode(t *testing.T) {
	for _, x := range []struct{ sizes, attributes, want string }{
		{"5", "kernel_shape=[2] strides=[3] pads=[1,1]", "2"}, // not 3
		{"6", "kernel_shape=[2] strides=[3] pads=[1,1]", "3"},
		{"7", "kernel_shape=[2] strides=[3] pads=[1,1]", "3"}, // not 4
		{"8", "kernel_shape=[3] strides=[3]", "3"},
		{"8", "kernel_shape=[3] strides=[3] auto_pad='VALID'", "3"},
		{"7", "kernel_shape=[3] strides=[3] dilations=[2]", "2"},
		{"n", "kernel_shape=[2] strides=[3] pads=[1,1]", "(floor(n/3)+1)"},
		{"n", "kernel_shape=[3] strides=[2]", "floor(n/2)"},
	} {
		check(t, []example{{
			name: x.sizes + " " + x.attributes, model: "opset 22\ninput x f32[1,1," + x.sizes + "]\ny = MaxPool(x) ceil_mode=1 " + x.attributes,
			want: map[string]string{"y": "f32 1×1×" + x.want},
		}})
	}
}

func TestUnpool(t *testing.T) {
	const pooled = "input x f32[n,3,h,w]\ninput i i64[n,3,h,w]\n"
	check(t, []example{
		{name: "by the kernel", model: pooled + "y = MaxUnpool(x, i) kernel_shape=[2,2] strides=[2,2]", want: map[string]string{"y": "f32 n×3×(2*h)×(2*w)"}},
		{name: "by a shape", model: pooled + "init s i64[4] 1 3 7 9\ny = MaxUnpool(x, i, s) kernel_shape=[2,2] strides=[2,2]", want: map[string]string{"y": "f32 1×3×7×9"}},
		{name: "by the shape of an image", model: pooled + "input o f32[n,3,H,W]\ns = Shape(o)\ny = MaxUnpool(x, i, s) kernel_shape=[2,2]", want: map[string]string{"y": "f32 n×3×H×W"}},
		{name: "by a shape of another rank", model: pooled + "init s i64[2] 7 9\ny = MaxUnpool(x, i, s) kernel_shape=[2,2]", want: map[string]string{"y": "f32 ?×?×?×?"}, problems: []string{"should be a shape of rank 4"}},
		{name: "other positions", model: "input x f32[n,3,h]\ninput i i64[n,4,h]\ny = MaxUnpool(x, i) kernel_shape=[2]", want: map[string]string{"y": "f32 n×3×(h+1)"}, problems: []string{"a position for each element"}},
	})
}

func TestRegions(t *testing.T) {
	const image = "input x f32[n,c,h,w]\n"
	check(t, []example{
		{name: "pooled", model: image + "input r f32[k,5]\ny = MaxRoiPool(x, r) pooled_shape=[7,6]", want: map[string]string{"y": "f32 k×c×7×6"}},
		{name: "pooled to nothing", model: image + "input r f32[k,5]\ny = MaxRoiPool(x, r) pooled_shape=[7]", want: map[string]string{"y": "f32 k×c×?×?"}, problems: []string{"pooled_shape is [7]"}},
		{name: "aligned", model: image + "input r f32[k,4]\ninput b i64[l]\ny = RoiAlign(x, r, b) output_height=7", want: map[string]string{"y": "f32 k×c×7×1"}, demands: []string{"k = l"}},
		{name: "aligned with five corners", model: image + "input r f32[k,5]\ninput b i64[k]\ny = RoiAlign(x, r, b)", want: map[string]string{"y": "f32 k×c×1×1"}, problems: []string{"should be 4 (the corners of a region)"}},
	})
}
