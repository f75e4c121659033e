package simplify

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/reference"
)

// TestOthersModels simplifies models that others made, and checks the invariants
// after every pass. What no runtime takes may be refused.
func TestOthersModels(t *testing.T) {
	for _, corpus := range []reference.Corpus{reference.Shared, reference.Debian} {
		t.Run(corpus.Name, func(t *testing.T) {
			for _, path := range corpus.Models(t) {
				m, err := graphops.Open(path, graphops.OpenOptions{})
				if err != nil {
					continue
				}
				if _, err := m.Graph().Order(); err != nil {
					continue
				}
				t.Run(path, func(t *testing.T) { simplified(t, m, Options{}) })
			}
		})
	}
}
