package shape_test

import "testing"

func TestConvolutions(t *testing.T) {
	const image = "input x f32[batch,3,h,w]\ninput k f32[8,3,3,5]\n"
	check(t, []example{
		{name: "no padding", model: image + "y = Conv(x, k)", want: map[string]string{"y": "f32 batch×8×(h-2)×(w-4)"}},
		{name: "as large as the image", model: image + "y = Conv(x, k) pads=[1,2,1,2] kernel_shape=[3,5]", want: map[string]string{"y": "f32 batch×8×h×w"}},
		{name: "strides", model: image + "y = Conv(x, k) pads=[1,2,1,2] strides=[2,4]", want: map[string]string{"y": "f32 batch×8×floor((h+1)/2)×floor((w+3)/4)"}},
		{
			name: "strides of whole multiples", model: "input x f32[1,3,32*h,32]\ninput k f32[8,3,3,3]\ny = Conv(x, k) pads=[1,1,1,1] strides=[2,2]",
			want: map[string]string{"y": "f32 1×8×(16*h)×16"},
		},
		{name: "dilations", model: image + "y = Conv(x, k) dilations=[2,3]", want: map[string]string{"y": "f32 batch×8×(h-4)×(w-12)"}},
		{name: "same", model: image + "y = Conv(x, k) auto_pad='SAME_LOWER' strides=[2,1]", want: map[string]string{"y": "f32 batch×8×floor((h+1)/2)×w"}},
		{name: "valid ignores pads", model: image + "y = Conv(x, k) auto_pad='VALID' pads=[9,9,9,9]", want: map[string]string{"y": "f32 batch×8×(h-2)×(w-4)"}},
		{name: "old version", model: "opset 1\n" + image + "y = Conv(x, k)", want: map[string]string{"y": "f32 batch×8×(h-2)×(w-4)"}},
		{
			name: "groups and bias", model: "input x f32[batch,c,h]\ninput k f32[c,1,1]\ninput b f32[n]\ny = Conv(x, k, b) group=8",
			want: map[string]string{"y": "f32 batch×c×h"}, demands: []string{"c = 8", "8 divides c", "c = n"},
		},
		{name: "weights without a rank", model: "input x f32[batch,3,h]\ninput k f32\ny = Conv(x, k) kernel_shape=[2]", want: map[string]string{"y": "f32 batch×?×(h-1)"}},
		{name: "an image without a rank", model: "input x f32\ninput k f32[8,3,3]\ny = Conv(x, k)", want: map[string]string{"y": "f32 ?×8×?"}},
		{name: "nothing with a rank", model: "input x f32\ninput k f32\ny = Conv(x, k)", want: map[string]string{"y": "f32 ?"}},
		{name: "integers", model: "input x u8[n,1,h]\ninput k i8[4,1,2]\ny = ConvInteger(x, k)", want: map[string]string{"y": "i32 n×4×(h-1)"}},
		{
			name: "quantized", model: "input x u8[n,1,h]\ninput s f32[]\ninput z u8[]\ninput k i8[4,1,2]\ninput kz i8[]\ninput yz i8[]\ny = QLinearConv(x, s, z, k, s, kz, s, yz)",
			want: map[string]string{"y": "i8 n×4×(h-1)"},
		},
		{
			name: "deformed", model: image + "input o f32[batch,60,oh,ow]\ninput m f32[batch,30,oh,ow]\nopset 19\ny = DeformConv(x, k, o, , m) offset_group=2",
			want: map[string]string{"y": "f32 batch×8×(h-2)×(w-4)"}, demands: []string{"oh = h-2", "ow = w-4", "oh = h-2", "ow = w-4"},
		},
		{name: "of the past", model: "opset 27\ninput x f32[n,c,len]\ninput k f32[c,1,4]\ny, p = CausalConvWithState(x, k)", want: map[string]string{"y": "f32 n×c×len", "p": "f32 n×c×3"}},
	})
}

func TestTransposedConvolutions(t *testing.T) {
	const image = "input x f32[batch,4,h,w]\ninput k f32[4,3,4,2]\n"
	check(t, []example{
		{name: "no padding", model: image + "y = ConvTranspose(x, k) group=2", want: map[string]string{"y": "f32 batch×6×(h+3)×(w+1)"}},
		{name: "doubles", model: image + "y = ConvTranspose(x, k) strides=[2,2] pads=[1,0,1,0]", want: map[string]string{"y": "f32 batch×3×(2*h)×(2*w)"}},
		{name: "more at the ends", model: image + "y = ConvTranspose(x, k) strides=[2,2] output_padding=[1,0]", want: map[string]string{"y": "f32 batch×3×(2*h+3)×(2*w)"}},
		{name: "dilations", model: image + "y = ConvTranspose(x, k) dilations=[3,3]", want: map[string]string{"y": "f32 batch×3×(h+9)×(w+3)"}},
		{name: "same takes away", model: image + "y = ConvTranspose(x, k) strides=[3,2] auto_pad='SAME_UPPER' output_padding=[1,0]", want: map[string]string{"y": "f32 batch×3×(3*h)×(2*w)"}},
		{name: "same never adds", model: image + "y = ConvTranspose(x, k) strides=[3,3] auto_pad='SAME_UPPER'", want: map[string]string{"y": "f32 batch×3×(3*h)×(3*w-1)"}},
		{name: "a given shape", model: image + "y = ConvTranspose(x, k) strides=[3,3] output_shape=[40,41] pads=[1,1,1,1]", want: map[string]string{"y": "f32 batch×3×40×41"}},
		{
			name: "a given shape with batch", model: image + "y = ConvTranspose(x, k) output_shape=[1,3,40,41]", want: map[string]string{"y": "f32 batch×3×?×?"},
			problems: []string{"output_shape is [1 3 40 41], expected 2 numbers"},
		},
		{name: "other channels", model: "input x f32[1,5,8]\ninput k f32[4,3,2]\ny = ConvTranspose(x, k)", want: map[string]string{"y": "f32 1×3×9"}, problems: []string{"axis 1, which is 5, and axis 0, which is 4, should be equal"}},
		{name: "nothing left", model: "input x f32[1,1,2]\ninput k f32[1,1,1]\ny = ConvTranspose(x, k) pads=[2,2]", want: map[string]string{"y": "f32 1×1×?"}, problems: []string{"would have the size -2"}},
		{name: "pads as data", model: "opset com.microsoft 1\n" + image + "init p i64[4] 1 0 1 0\ny = com.microsoft::ConvTransposeWithDynamicPads(x, k, p) strides=[2,2]", want: map[string]string{"y": "f32 batch×3×(2*h)×(2*w)"}},
	})
}

func TestColumnsToImage(t *testing.T) {
	check(t, []example{
		{
			name: "blocks", model: "opset 18\ninput x f32[n,12,len]\ninit s i64[2] 5 6\ninit b i64[2] 2 3\ny = Col2Im(x, s, b)",
			want: map[string]string{"y": "f32 n×2×5×6"}, demands: []string{"len = 16"},
		},
		{
			name: "a plane of the image", model: "opset 18\ninput x f32[n,c,len]\ninput i f32[n,2,h,w]\ns = Shape(i) start=2\ninit b i64[2] 1 5\ny = Col2Im(x, s, b)",
			want: map[string]string{"y": "f32 n×floor(c/5)×h×w"}, demands: []string{"5 divides c", "len = h*w-4*h"},
		},
		{
			name: "no whole channels", model: "opset 18\ninput x f32[1,7,16]\ninit s i64[2] 5 6\ninit b i64[2] 2 3\ny = Col2Im(x, s, b)",
			want: map[string]string{"y": "f32 1×?×5×6"}, problems: []string{"7 is not a multiple of 6"},
		},
		{
			name: "other axes", model: "opset 18\ninput x f32[1,7,16]\ninit s i64[2] 5 6\ninit b i64[1] 2\ny = Col2Im(x, s, b)",
			want: map[string]string{"y": "f32 1×?×5×6"}, problems: []string{"for each of the 2 axes of the image"},
		},
		{name: "sizes from data", model: "opset 18\ninput x f32[1,6,16]\ninput s i64[2]\ninit b i64[2] 2 3\ny = Col2Im(x, s, b)", want: map[string]string{"y": "f32 1×1×?×?"}},
	})
}

// What does not go together is named.
func TestConvolutionProblems(t *testing.T) {
	const image = "input x f32[batch,3,h,w]\ninput k f32[8,3,3,5]\n"
	for _, x := range []struct{ name, node, problem string }{
		{"strides", "strides=[2]", "strides is [2], expected 2 numbers of at least 1"},
		{"a stride of 0", "strides=[0,1]", "strides is [0 1], expected 2 numbers of at least 1"},
		{"negative pads", "pads=[0,0,-1,0]", "expected 4 numbers of at least 0"},
		{"auto_pad", "auto_pad='SOME'", `auto_pad is "SOME", expected NOTSET, SAME_UPPER, SAME_LOWER or VALID`},
	} {
		check(t, []example{{name: x.name, model: image + "y = Conv(x, k) " + x.node, want: map[string]string{"y": "f32 batch×8×?×?"}, problems: []string{x.problem}}})
	}
	check(t, []example{
		{name: "channels", model: "input x f32[1,4,9]\ninput k f32[8,3,3]\ny = Conv(x, k)", want: map[string]string{"y": "f32 1×8×7"}, problems: []string{`input "x" (f32 1×4×9) and input "k"`}},
		{name: "bias", model: "input x f32[1,3,9]\ninput k f32[8,3,3]\ninput b f32[7]\ny = Conv(x, k, b)", want: map[string]string{"y": "f32 1×8×7"}, problems: []string{`"b"`}},
		{name: "ranks", model: "input x f32[1,3,9]\ninput k f32[8,3,3,3]\ny = Conv(x, k)", want: map[string]string{"y": "f32 ?"}, problems: []string{`input "k" (f32 8×3×3×3) should have rank 3`}},
		{name: "no plane", model: "input x f32[1,3]\ninput k f32[8,3]\ny = Conv(x, k)", want: map[string]string{"y": "f32 ?"}, problems: []string{"should have a batch, channels and at least one more axis"}},
		{name: "kernel_shape", model: image + "y = Conv(x, k) kernel_shape=[3,3]", want: map[string]string{"y": "f32 batch×8×(h-2)×(w-4)"}, problems: []string{"kernel_shape is [3 3], but the weights have kernels of shape [3 5]"}},
		{name: "group", model: image + "y = Conv(x, k) group=0", want: map[string]string{"y": "f32 batch×8×(h-2)×(w-4)"}, problems: []string{"group is 0"}},
		{name: "too small an image", model: "input x f32[1,3,1]\ninput k f32[8,3,3]\ny = Conv(x, k)", want: map[string]string{"y": "f32 1×8×?"}, problems: []string{"would have the size -1"}},
	})
}
