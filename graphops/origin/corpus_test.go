package origin

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/reference"
)

// TestCorpus reads the exporter metadata of the corpora. Every entry must be understood.
func TestCorpus(t *testing.T) {
	for _, corpus := range []reference.Corpus{reference.Testdata, reference.Others()} {
		t.Run(corpus.Name, func(t *testing.T) {
			for _, path := range corpus.Models(t) {
				m, err := graphops.Open(path, graphops.OpenOptions{})
				if err != nil {
					continue // a broken model
				}
				for g := range m.Graphs() {
					for _, w := range notUnderstood(g) {
						t.Errorf("%s: %s", path, w)
					}
				}
			}
		})
	}
}

func notUnderstood(g *graphops.Graph) []string {
	var out []string
	check := func(present, understood bool, raw string) {
		if present && !understood {
			out = append(out, raw)
		}
	}
	o := OfGraph(g)
	sig, symbols := o.Signature(), o.Ranges()
	check(sig.Present, sig.Understood, sig.Raw)
	check(symbols.Present, symbols.Understood, symbols.Raw)
	for _, n := range g.Nodes() {
		v := OfNode(n)
		modules, stack, fx := v.Modules(), v.Stack(), v.FX()
		check(modules.Present, modules.Understood, modules.Raw)
		check(stack.Present && stack.Raw != "", stack.Understood, stack.Raw)
		check(fx.Present, fx.Understood, fx.Raw)
	}
	x := g.Index()
	for id := range x.Values() {
		v := OfValue(ValueMetadata(x, graphops.ValueID(id)))
		in, folded := v.InputKind(), v.FoldedFrom()
		check(in.Present, in.Understood, in.Raw)
		check(folded.Present, folded.Understood, folded.Raw)
	}
	return out
}
