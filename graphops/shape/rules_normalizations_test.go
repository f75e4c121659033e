package shape_test

import "testing"

func TestNormalizations(t *testing.T) {
	const image = "input x f16[n,c,h]\ninput s f32[c]\n"
	check(t, []example{
		{
			name: "batch", model: "opset 15\n" + image + "input p f16[c]\ny, m, v = BatchNormalization(x, p, p, s, s) training_mode=1",
			want: map[string]string{"y": "f16 n×c×h", "m": "f32 c", "v": "f32 c"},
		},
		{
			name: "batch with all that it saves", model: "opset 7\ninput x f32[n,4,h]\ninput s f32[c]\ny, m, v, a, b = BatchNormalization(x, s, s, s, s)",
			want:    map[string]string{"y": "f32 n×4×h", "m": "f32 4", "v": "f32 4", "a": "f32 4", "b": "f32 4"},
			demands: []string{"c = 4", "c = 4", "c = 4", "c = 4"},
		},
		{name: "batch of whole images", model: "opset 7\ninput x f32[n,4,h]\ninput s f32[4,h]\ny, m = BatchNormalization(x, s, s, s, s) spatial=0", want: map[string]string{"y": "f32 n×4×h", "m": "f32 4×h"}},
		{name: "batch without a rank", model: "opset 15\ninput x f32\ninput s f32[c]\ny, m = BatchNormalization(x, s, s, s, s) training_mode=1", want: map[string]string{"y": "f32 ?", "m": "f32 c"}},
		{
			name: "batch of other channels", model: "input x f32[n,4,h]\ninput a f32[4]\ninput b f32[5]\ny = BatchNormalization(x, a, b, a, a)", want: map[string]string{"y": "f32 n×4×h"},
			problems: []string{`input "b" (f32 5) should be one number for each channel, which is [4]: axis 0 is 5`},
		},
		{name: "instance", model: "input x f32[n,4,h]\ninput s f32[c]\ny = InstanceNormalization(x, s, s)", want: map[string]string{"y": "f32 n×4×h"}, demands: []string{"4 = c", "4 = c"}},
		{name: "a scale that is no vector", model: "input x f32[n,4,h]\ninput s f32[4,1]\ny = InstanceNormalization(x, s, s)", want: map[string]string{"y": "f32 n×4×h"}, problems: []string{"should have rank 1", "should have rank 1"}},
		{name: "groups", model: "opset 21\ninput x f32[n,8,h]\ninput s f32[8]\ny = GroupNormalization(x, s, s) num_groups=2", want: map[string]string{"y": "f32 n×8×h"}},
		{name: "groups that had a scale each", model: "opset 18\ninput x f32[n,8,h]\ninput s f32[2]\ny = GroupNormalization(x, s, s) num_groups=2", want: map[string]string{"y": "f32 n×8×h"}},
		{name: "groups that do not part", model: "opset 21\ninput x f32[n,8,h]\ninput s f32[8]\ny = GroupNormalization(x, s, s) num_groups=3", want: map[string]string{"y": "f32 n×8×h"}, problems: []string{"8 is not a multiple of 3"}},
		{name: "layer", model: "input x f16[n,seq,8]\ninput s f16[8]\ny, m, d = LayerNormalization(x, s)", want: map[string]string{"y": "f16 n×seq×8", "m": "f32 n×seq×1", "d": "f32 n×seq×1"}},
		{name: "layer of two axes", model: "input x f16[n,seq,8]\ninput s f16[seq,1]\ny, m = LayerNormalization(x, s, s) axis=1 stash_type=16", want: map[string]string{"m": "bf16 n×1×1"}},
		{name: "layer of another width", model: "input x f32[n,seq,8]\ninput s f32[9]\ny = LayerNormalization(x, s)", want: map[string]string{"y": "f32 n×seq×8"}, problems: []string{"axis 2, which is 8, and axis 0, which is 9, should be equal"}},
		{name: "a scale of more axes", model: "input x f32[8]\ninput s f32[1,8]\ny = LayerNormalization(x, s)", want: map[string]string{"y": "f32 8"}, problems: []string{"should have no more axes than"}},
		{name: "no such axis", model: "input x f32[n,8]\ninput s f32[8]\ny, m = LayerNormalization(x, s) axis=2", want: map[string]string{"y": "f32 n×8", "m": "f32 ?"}, problems: []string{"there is no axis 2"}},
		{name: "root mean square", model: "opset 23\ninput x f32[n,seq,8]\ninput s f32[w]\ny = RMSNormalization(x, s)", want: map[string]string{"y": "f32 n×seq×8"}, demands: []string{"w = 8"}},
		{name: "neighbours", model: "input x f32[n,4,h,w]\ny = LRN(x) size=3", want: map[string]string{"y": "f32 n×4×h×w"}},
		{name: "dropout", model: "input x f32[n,4]\ny, m = Dropout(x)", want: map[string]string{"y": "f32 n×4", "m": "bool n×4"}},
		{name: "dropout whose mask was of numbers", model: "opset 7\ninput x f32[n,4]\ny, m = Dropout(x)", want: map[string]string{"y": "f32 n×4", "m": "f32 n×4"}},
	})
}
