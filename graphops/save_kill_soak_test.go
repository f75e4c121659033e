//go:build soak

package graphops_test

import (
	"strings"
	"testing"
)

// TestKilledWhileSavingMuch is TestKilledWhileSaving with models whose saving
// takes a while.
func TestKilledWhileSavingMuch(t *testing.T) {
	for _, s := range storages {
		t.Run(strings.Join(s[:], " and "), func(t *testing.T) { killing{kills: 350, bytes: 64 << 20, storage: s}.run(t) })
	}
}
