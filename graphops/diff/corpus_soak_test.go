//go:build soak

package diff_test

import (
	"os"
	"path/filepath"
	"testing"

	"lathe/graphops"
)

// TestPlantedSoak plants every kind of change in every model of a folder, with many
// seeds. LATHE_CORPUS names more folders of models.
func TestPlantedSoak(t *testing.T) {
	models := corpus(t)
	for _, folder := range filepath.SplitList(os.Getenv("LATHE_CORPUS")) {
		files, err := filepath.Glob(filepath.Join(folder, "*.onnx"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if m, err := graphops.Open(f, graphops.OpenOptions{}); err == nil && m.FileBytes() < 64<<20 {
				models[f] = m
			}
		}
	}
	for name, m := range models {
		if len(m.Graph().Nodes()) > 6000 {
			continue
		}
		for seed := range uint64(2) {
			checkPlanted(t, name, m, seed)
		}
	}
}

// TestLongChain plants changes in a chain of 100,000 equal nodes.
func TestLongChain(t *testing.T) {
	checkPlanted(t, "chain", chain(t, 100_000), 1)
}
