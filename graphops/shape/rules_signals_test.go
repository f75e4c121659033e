package shape_test

import "testing"

func TestSignals(t *testing.T) {
	const signal = "input x f32[n,len,1]\n"
	check(t, []example{
		{name: "frequencies", model: signal + "y = DFT(x)", want: map[string]string{"y": "f32 n×len×2"}},
		{name: "one side", model: signal + "y = DFT(x) onesided=1", want: map[string]string{"y": "f32 n×(floor(len/2)+1)×2"}},
		{name: "back from one side", model: "opset 20\ninput x f32[n,f,2]\ny = DFT(x) onesided=1 inverse=1", want: map[string]string{"y": "f32 n×(2*f-2)×1"}},
		{name: "of a length", model: signal + "init l i64[] 16\ny = DFT(x, l) onesided=1\nz = DFT(x, l)", want: map[string]string{"y": "f32 n×9×2", "z": "f32 n×16×2"}},
		{name: "of a length from data", model: signal + "input l i64[]\ny = DFT(x, l)", want: map[string]string{"y": "f32 n×?×2"}},
		{name: "the axis is an attribute", model: "input x f32[n,h,w,1]\ny = DFT(x) axis=-2 onesided=1\nz = DFT(x) onesided=1", want: map[string]string{"y": "f32 n×h×(floor(w/2)+1)×2", "z": "f32 n×(floor(h/2)+1)×w×2"}},
		{name: "the axis is an input", model: "opset 20\ninput x f32[n,h,w,1]\ninit a i64[] 1\ny = DFT(x, , a) onesided=1\nz = DFT(x) onesided=1", want: map[string]string{"y": "f32 n×(floor(h/2)+1)×w×2", "z": "f32 n×h×(floor(w/2)+1)×2"}},
		{name: "the axis is data", model: "opset 20\ninput x f32[n,h,w,1]\ninput a i64[]\ny = DFT(x, , a)", want: map[string]string{"y": "f32 ?×?×?×2"}},
		{name: "the last axis", model: signal + "y = DFT(x) axis=2", want: map[string]string{"y": "f32 ?"}, problems: []string{"has the parts of complex numbers"}},
		{name: "one side of complex numbers", model: "input x f32[n,len,2]\ny = DFT(x) onesided=1", want: map[string]string{"y": "f32 n×(floor(len/2)+1)×2"}, problems: []string{"should be 1 (onesided)"}},
		{name: "numbers of three parts", model: "input x f32[n,len,3]\ny = DFT(x)", want: map[string]string{"y": "f32 n×len×2"}, problems: []string{"should have size 1 (real numbers)"}},
		{name: "too few axes", model: "input x f32[n]\ny = DFT(x)", want: map[string]string{"y": "f32 ?"}, problems: []string{"should have an axis for the signal"}},
		{name: "frames", model: signal + "init s i64[] 4\ninit l i64[] 16\ny = STFT(x, s, , l)\nz = STFT(x, s, , l) onesided=0", want: map[string]string{"y": "f32 n×(floor(len/4)-3)×9×2", "z": "f32 n×(floor(len/4)-3)×16×2"}},
		{name: "frames as long as the window", model: signal + "init s i64[] 4\ninput w f32[16]\ny = STFT(x, s, w)", want: map[string]string{"y": "f32 n×(floor(len/4)-3)×9×2"}},
		{name: "frames, and another window", model: signal + "init s i64[] 4\ninput w f32[k]\ninit l i64[] 16\ny = STFT(x, s, w, l)", want: map[string]string{"y": "f32 n×(floor(len/4)-3)×9×2"}, demands: []string{"k = 16"}},
		{name: "one frame", model: signal + "input s i64[]\ny = STFT(x, s)", want: map[string]string{"y": "f32 n×1×(floor(len/2)+1)×2"}},
		{name: "frames in unknown steps", model: signal + "input s i64[]\ninput w f32[16]\ny = STFT(x, s, w)", want: map[string]string{"y": "f32 n×?×9×2"}},
		{name: "no signal", model: "input x f32[n]\ninput s i64[]\ny = STFT(x, s)", want: map[string]string{"y": "f32 ?×?×?×2"}, problems: []string{"should have rank 2 or 3"}},
		{name: "mel", model: "init b i64[] 8\ninit l i64[] 16\ninput r i64[]\ninput e f32[]\ny = MelWeightMatrix(b, l, r, e, e)\nz = MelWeightMatrix(r, l, r, e, e) output_datatype=11", want: map[string]string{"y": "f32 9×8", "z": "f64 9×?"}},
	})
}
