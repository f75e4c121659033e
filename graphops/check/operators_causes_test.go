package check_test

import (
	"testing"

	"lathe/graphops/check"
	"lathe/graphops/graphtest"
)

// TestTypeCauses groups problems that follow from one Cast, also those that appear only once
// another one is solved, and leaves single ones alone.
func TestTypeCauses(t *testing.T) {
	const head = "opset 17\ninput x f32[2]\noutput y f32[2]\ninit one f32[] 1\ninit lo f32[] 0\ninit axes i64[1] 0\ncast: c = Cast(x) to=10\n"
	for _, tt := range []struct {
		name, body, text, step string
		problems               int
	}{
		{
			"three readers", "sub: s = Sub(one, c)\nmul: m = Mul(c, lo)\nclip: k = Clip(c, lo)\nsum: y = Sum(s, s)\nd = Neg(m)\ne = Neg(k)",
			`3 nodes read f16 from "cast" (to=f16) but need f32: "sub", "mul", "clip"`, "attribute", 3,
		},
		{
			"a chain", "sub: s = Sub(one, c)\nmul: m = Mul(s, lo)\ny = Neg(m)",
			`1 node reads f16 from "cast" (to=f16) but needs f32: "sub"; from this follow: "mul"`, "attribute", 1,
		},
		{
			"behind nodes that give the type on", "u = Unsqueeze(c, axes)\nsub: s = Sub(one, u)\nr = ReduceSum(c)\nclip: k = Clip(r, lo)\ny = Add(s, k)",
			`2 nodes read f16 that comes from "cast" (to=f16) but need f32: "sub", "clip"; from this follow: node 5 (Add)`, "attribute", 2,
		},
		{"one reader", "sub: y = Sub(one, c)", "", "insert", 1},
		{
			"another node needs the type", "init h f16[] 1\nf = Add(c, h)\nsub: s = Sub(one, c)\nmul: y = Mul(c, lo)\ng = Neg(s)\no = Neg(f)",
			`2 nodes read f16 from "cast" (to=f16) but need f32: "sub", "mul"`, "insert", 2,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, head+tt.body)
			found, err := check.Model(t.Context(), m, check.Options{})
			if err != nil {
				t.Fatal(err)
			}
			count := 0
			causes := map[*check.Cause]bool{}
			for _, p := range found {
				if p.Code != "type-mismatch" {
					continue
				}
				count++
				text := ""
				if p.Cause != nil {
					text = p.Cause.Text
					causes[p.Cause] = true
				}
				if text != tt.text || p.Fix == nil || p.Fix.Step != tt.step {
					t.Errorf("%s: cause %q, want %q; fix %v", p, text, tt.text, p.Fix)
				}
			}
			if count != tt.problems || len(causes) > 1 {
				t.Errorf("%d problems, want %d; %d causes", count, tt.problems, len(causes))
			}
		})
	}
}
