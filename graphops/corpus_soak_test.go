//go:build soak

package graphops_test

import (
	"testing"

	"lathe/graphops/reference"
)

// TestWholeCorpus is TestCorpus on every model, with more cuts.
func TestWholeCorpus(t *testing.T) {
	for _, c := range []reference.Corpus{reference.Testdata, reference.Shared, reference.Others()} {
		t.Run(c.Name, func(t *testing.T) { checkCorpus(t, c, 1, 50) })
	}
}
