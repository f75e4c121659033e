//go:build cgo && soak

package mixed

import (
	"testing"

	"lathe/session/sessiontest"
)

// TestEveryChoiceOfTen tries all 1024 choices for the ten nodes of twelve models.
func TestEveryChoiceOfTen(t *testing.T) {
	env := sessiontest.Env(t)
	for i, c := range many {
		c.compare(t, env, uint64(i), 1.0/3)
	}
}
