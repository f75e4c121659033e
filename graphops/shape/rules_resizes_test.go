package shape_test

import "testing"

func TestResizes(t *testing.T) {
	const image = "input x f32[n,3,h,w]\n"
	check(t, []example{
		{name: "scales", model: image + "init s f32[4] 1 1 2 0.5\ny = Resize(x, , s)", want: map[string]string{"y": "f32 n×3×(2*h)×floor(w/2)"}},
		{name: "scales without a region, of version 10", model: "opset 10\n" + image + "init s f32[4] 1 1 1.5 2\ny = Resize(x, s)", want: map[string]string{"y": "f32 n×3×floor(3*h/2)×(2*w)"}},
		{name: "a scale that is no binary fraction", model: image + "init s f32[4] 1 1 0.6 1.3\ny = Resize(x, , s)", want: map[string]string{"y": "f32 n×3×?×?"}},
		{name: "such a scale of numbers", model: "input x f32[n,3,7,9]\ninit s f32[4] 1 1 0.6 1.3\ny = Resize(x, , s)", want: map[string]string{"y": "f32 n×3×4×11"}},
		{name: "sizes", model: image + "init e f32[0]\ninit z i64[4] 1 3 20 30\ny = Resize(x, , e, z)", want: map[string]string{"y": "f32 1×3×20×30"}},
		{name: "sizes of another image", model: image + "input o f32[n,c,H,W]\ns = Shape(x) end=2\nz = Shape(o) start=2\nall = Concat(s, z) axis=0\ny = Resize(x, , , all)", want: map[string]string{"y": "f32 n×3×H×W"}},
		{name: "sizes from data", model: image + "input z i64[4]\ny = Resize(x, , , z)", want: map[string]string{"y": "f32 ?×?×?×?"}},
		{name: "sizes of an unknown number", model: image + "input z i64\ny = Resize(x, , , z)", want: map[string]string{"y": "f32 ?×?×?×?"}},
		{name: "some axes", model: "opset 18\n" + image + "init z i64[2] 20 30\ny = Resize(x, , , z) axes=[-1,2]", want: map[string]string{"y": "f32 n×3×30×20"}},
		{name: "scales of some axes", model: "opset 18\n" + image + "init s f32[1] 2\ny = Resize(x, , s) axes=[3]", want: map[string]string{"y": "f32 n×3×h×(2*w)"}},
		{name: "not larger", model: "opset 18\ninput x f32[n,3,8,5]\ninit z i64[2] 4 9\ny = Resize(x, , , z) axes=[2,3] keep_aspect_ratio_policy='not_larger'", want: map[string]string{"y": "f32 n×3×4×3"}},
		{name: "not smaller", model: "opset 18\ninput x f32[n,3,7,9]\ninit z i64[2] 10 11\ny = Resize(x, , , z) axes=[2,3] keep_aspect_ratio_policy='not_smaller'", want: map[string]string{"y": "f32 n×3×10×13"}},
		{name: "not larger than a symbol tells", model: "opset 18\n" + image + "init z i64[2] 10 11\ny = Resize(x, , , z) axes=[2,3] keep_aspect_ratio_policy='not_larger'", want: map[string]string{"y": "f32 n×3×?×?"}},
		{name: "of a region", model: image + "init r f32[8] 0 0 0 0 1 1 1 1\ninit s f32[4] 1 1 2 2\ny = Resize(x, r, s) coordinate_transformation_mode='tf_crop_and_resize'", want: map[string]string{"y": "f32 n×3×?×?"}},
		{name: "neither", model: image + "y = Resize(x)", want: map[string]string{"y": "f32 ?×?×?×?"}, problems: []string{"either scales or sizes should be given"}},
		{name: "both", model: image + "init s f32[4] 1 1 2 2\ninit z i64[4] 1 3 5 6\ny = Resize(x, , s, z)", want: map[string]string{"y": "f32 ?×?×?×?"}, problems: []string{"either scales or sizes should be given"}},
		{name: "a scale of 0", model: image + "init s f32[4] 1 1 0 2\ny = Resize(x, , s)", want: map[string]string{"y": "f32 n×3×?×(2*w)"}, problems: []string{"axis 2 is scaled by 0"}},
		{name: "too few", model: image + "init z i64[2] 5 6\ny = Resize(x, , , z)", want: map[string]string{"y": "f32 ?×?×?×?"}, problems: []string{"there are 2 factors or sizes, but 4 axes"}},
		{name: "a policy that nobody knows", model: "opset 18\n" + image + "init z i64[2] 5 6\ny = Resize(x, , , z) axes=[2,3] keep_aspect_ratio_policy='some'", want: map[string]string{"y": "f32 n×3×?×?"}, problems: []string{`keep_aspect_ratio_policy is "some"`}},
		{name: "without a rank", model: "input x f32\ninit s f32[4] 1 1 2 2\ny = Resize(x, , s)", want: map[string]string{"y": "f32 ?×?×?×?"}},
	})
}

func TestUpsample(t *testing.T) {
	const image = "input x f32[n,3,h,w]\n"
	check(t, []example{
		{name: "of planes", model: "opset 1\n" + image + "y = Upsample(x) height_scale=2.0 width_scale=1.5", want: map[string]string{"y": "f32 n×3×(2*h)×floor(3*w/2)"}},
		{name: "by an attribute", model: "opset 7\n" + image + "y = Upsample(x) scales=[1.0,1.0,2.0,4.0]", want: map[string]string{"y": "f32 n×3×(2*h)×(4*w)"}},
		{name: "by an input", model: "opset 9\n" + image + "init s f32[4] 1 1 2 3\ny = Upsample(x, s)", want: map[string]string{"y": "f32 n×3×(2*h)×(3*w)"}},
		{name: "by data", model: "opset 9\n" + image + "input s f32[4]\ny = Upsample(x, s)", want: map[string]string{"y": "f32 ?×?×?×?"}},
		{name: "by nothing", model: "opset 7\n" + image + "y = Upsample(x)", want: map[string]string{"y": "f32 ?×?×?×?"}},
		{name: "too many factors", model: "opset 7\n" + image + "y = Upsample(x) scales=[1.0,1.0,2.0,4.0,5.0]", want: map[string]string{"y": "f32 ?×?×?×?"}, problems: []string{"there are 5 factors or sizes, but 4 axes"}},
	})
}
