package simplify

import (
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/mutate"
	"lathe/graphops/rewrite"
)

// TestAttentionMutants runs the passes over what is nearly attention: inputs left
// out, attributes of other kinds, other ranks. Nothing panics, and what comes out is
// sound.
func TestAttentionMutants(t *testing.T) {
	var bases []mutate.Base
	for name, text := range map[string]string{
		"plain":    attentionText{}.String(),
		"masked":   attentionText{opset: 23, head: "input m f32[batch,1,1,keys]", scores: "sm = Add(s, m)\np1 = Softmax(sm)\nn = IsNaN(p1)\np = Where(n, zero, p1)"}.String(),
		"replaced": attentionText{head: "input c bool[1,1,seq,keys]", scores: "sm = Where(c, s, low)\np = Softmax(sm)"}.String(),
		"rotary":   rotaryText{}.String(),
		"qkv":      qkvText(threeProjections, multiHeadOfTwo),
	} {
		bases = append(bases, mutate.Base{Name: name, Model: graphtest.Proto(t, text)})
	}
	with := []string{"fuse-rotary", "fuse-attention", "fuse-qkv"}
	ran := 0
	for seed := range uint64(300) {
		p, changes := mutate.New(bases[seed%uint64(len(bases))], bases, seed)
		if p.Graph == nil {
			continue
		}
		m := graphtest.Decode(t, p)
		_, _, err := Simplify(t.Context(), m, Options{With: with, Without: plainPasses(), MaxGrowth: 1 << 20, verify: func(pass string, m *rewrite.Model) {
			if err := m.Check(); err != nil {
				t.Errorf("seed %d, %s: after %s: %v", seed, changes, pass, err)
			}
		}})
		if err == nil {
			ran++
		}
	}
	t.Logf("%d mutants ran", ran)
	if ran < 80 {
		t.Errorf("only %d mutants ran", ran)
	}
}
