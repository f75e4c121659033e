package simplify

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/reference"
)

// eachModel calls f with the models of the corpora that can be opened and ordered.
func eachModel(t *testing.T, f func(t *testing.T, path string, m *graphops.Model)) {
	t.Helper()
	for _, corpus := range []reference.Corpus{reference.Testdata, reference.Shared, reference.Debian} {
		t.Run(corpus.Name, func(t *testing.T) {
			for _, path := range corpus.SoundModels(t) {
				m, err := graphops.Open(path, graphops.OpenOptions{})
				if err != nil {
					continue
				}
				if _, err := m.Graph().Order(); err == nil {
					f(t, path, m)
				}
			}
		})
	}
}

// TestModels simplifies the models of the corpora, and checks the invariants after every pass. A model
// that no runtime loads may be refused.
func TestModels(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	eachModel(t, func(t *testing.T, path string, m *graphops.Model) {
		t.Run(path, func(t *testing.T) { simplified(t, m, Options{}) })
	})
}
