//go:build soak

package tui

import (
	"maps"
	"slices"
	"testing"

	"lathe/graphops/graphtest/growth"
)

// TestGrowthOfAllKeys presses the keys of every pane and every dialog on models with 10,000 and
// 100,000 of everything. docs/reliability.md has what it found.
func TestGrowthOfAllKeys(t *testing.T) {
	names := slices.Sorted(maps.Keys(growthWalks(growthDesk(t, growth.Bombs[0], t.TempDir(), 2))))
	for _, b := range growth.Bombs {
		t.Run(b.Name, func(t *testing.T) { growthOfKeys(t, b, names, 10_000, 100_000) })
	}
}
