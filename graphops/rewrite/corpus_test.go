package rewrite

import (
	"bytes"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/reference"
)

// TestModels loads the models of the corpora and stores them again. No byte may differ in models that
// have no Constant nodes, which become initializers, and no unread parts, and whose nodes are in order.
func TestModels(t *testing.T) {
	same := 0
	for _, corpus := range []reference.Corpus{reference.Testdata, reference.Shared, reference.Debian} {
		t.Run(corpus.Name, func(t *testing.T) {
			for _, path := range corpus.SoundModels(t) {
				m, err := graphops.Open(path, graphops.OpenOptions{})
				if err != nil || m.HasExternalData() {
					continue
				}
				w, err := Load(m)
				if err != nil {
					continue
				}
				if err := w.Check(); err != nil {
					t.Errorf("%s: %v", path, err)
				}
				if plain(m) && !bytes.Equal(graphtest.Encode(t, m), graphtest.Encode(t, w.Store())) {
					t.Errorf("%s: other bytes", path)
				}
				same++
			}
		})
	}
	t.Logf("%d models", same)
}

// plain reports whether storing a model has nothing to change.
func plain(m *graphops.Model) bool {
	for g := range m.Graphs() {
		x := g.Index()
		for _, n := range g.Nodes() {
			if n.OpType() == "Constant" {
				return false
			}
		}
		for _, t := range g.Initializers() {
			if v, _ := x.Value(t.Name()); len(x.Readers(v)) == 0 && !x.IsOutput(v) {
				return false
			}
		}
		order, err := g.Order()
		for i, n := range order {
			if err != nil || i != n {
				return false
			}
		}
		defined := map[string]bool{}
		for _, n := range g.Nodes() {
			for _, o := range n.Outputs() {
				defined[o] = true
			}
		}
		for _, v := range g.ValueInfo() {
			if !defined[v.Name()] {
				return false
			}
		}
	}
	return true
}
