package simplify

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/reference"
)

// eachOthersModel calls f with the models that others made and that can be opened and
// ordered.
func eachOthersModel(t *testing.T, f func(t *testing.T, path string, m *graphops.Model)) {
	t.Helper()
	for _, corpus := range []reference.Corpus{reference.Shared, reference.Debian} {
		t.Run(corpus.Name, func(t *testing.T) {
			for _, path := range corpus.Models(t) {
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

// TestOthersModels simplifies models that others made, and checks the invariants
// after every pass. What no runtime takes may be refused.
func TestOthersModels(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	eachOthersModel(t, func(t *testing.T, path string, m *graphops.Model) {
		t.Run(path, func(t *testing.T) { simplified(t, m, Options{}) })
	})
}
