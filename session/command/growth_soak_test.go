//go:build soak

package command

import (
	"testing"

	"lathe/graphops/graphtest/growth"
)

// TestGrowthOfAll runs every command on models with 10,000 and 100,000 of everything. docs/reliability.md
// has what it found.
func TestGrowthOfAll(t *testing.T) {
	withoutRuntime(t)
	for _, b := range growth.Bombs {
		t.Run(b.Name, func(t *testing.T) { growthOf(t, b, growthLines, 10_000, 100_000) })
	}
}
