package simplify

import (
	"flag"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/mutate"
	"lathe/graphops/rewrite"
)

var (
	mutantsFrom = flag.Uint64("mutants-from", 0, "mutants: the first of the numbers that they are made from")
	mutants     = flag.Uint64("mutants", 300, "mutants: how many of each family")
)

// TestMutants runs the passes over what is nearly a model that they know: inputs left
// out, attributes of other kinds, other ranks. Nothing panics, and what comes out is
// sound.
func TestMutants(t *testing.T) {
	for _, family := range []struct {
		name    string
		bases   []mutate.Base
		options func() Options
		// least is how many of 300 the passes shall get through at least, lest the
		// mutants are refused before they are looked at.
		least uint64
	}{
		{"attention", attentionBases(t), func() Options {
			return Options{With: []string{"fuse-rotary", "fuse-attention", "fuse-qkv"}, Without: plainPasses()}
		}, 80},
		{"every pass", append(mutate.Bases(t), attentionBases(t)...), everyPass, 80},
	} {
		t.Run(family.name, func(t *testing.T) {
			t.Parallel()
			ran := uint64(0)
			for n := range *mutants {
				number := *mutantsFrom + n
				if mutantRuns(t, family.bases, number, family.options()) {
					ran++
				}
			}
			t.Logf("%d of %d mutants ran", ran, *mutants)
			if ran*300 < family.least**mutants {
				t.Errorf("only %d of %d mutants ran", ran, *mutants)
			}
		})
	}
}

// mutantRuns simplifies the mutant of a number, and reports whether it could be.
func mutantRuns(t *testing.T, bases []mutate.Base, number uint64, o Options) bool {
	p, changes := mutate.New(bases[number%uint64(len(bases))], bases, number)
	defer func() {
		if broken := recover(); broken != nil {
			t.Errorf("mutant %d, %s", number, changes)
			panic(broken)
		}
	}()
	if p.Graph == nil {
		return false
	}
	m := graphtest.Decode(t, p)
	o.MaxGrowth = 1 << 20
	loaded, err := rewrite.Load(m)
	sound := err == nil && loaded.Check() == nil
	o.verify = func(pass string, m *rewrite.Model) {
		if err := m.Check(); err != nil && sound {
			sound = false
			t.Errorf("mutant %d, %s: after %s: %v", number, changes, pass, err)
		}
	}
	_, _, err = Simplify(t.Context(), m, o)
	if err != nil && strings.Contains(err.Error(), "settle") {
		t.Errorf("mutant %d, %s: %v", number, changes, err)
	}
	return err == nil
}

func everyPass() Options {
	var o Options
	for _, p := range passes {
		if p.optional {
			o.With = append(o.With, p.name)
		}
	}
	return o
}

// attentionBases are always in the same order: a mutant's number shall mean the same
// mutant in every run.
func attentionBases(t *testing.T) []mutate.Base {
	var bases []mutate.Base
	for _, b := range []struct{ name, text string }{
		{"plain", attentionText{}.String()},
		{"masked", attentionText{opset: 23, head: "input m f32[batch,1,1,keys]", scores: "sm = Add(s, m)\np1 = Softmax(sm)\nn = IsNaN(p1)\np = Where(n, zero, p1)"}.String()},
		{"replaced", attentionText{head: "input c bool[1,1,seq,keys]", scores: "sm = Where(c, s, low)\np = Softmax(sm)"}.String()},
		{"rotary", rotaryText{}.String()},
		{"qkv", qkvText(threeProjections, multiHeadOfTwo)},
	} {
		bases = append(bases, mutate.Base{Name: b.name, Model: graphtest.Proto(t, b.text)})
	}
	return bases
}
