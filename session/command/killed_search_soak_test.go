//go:build cgo && soak

package command

import "testing"

// TestKilledSearches kills twenty searches.
func TestKilledSearches(t *testing.T) { killSearches(t, 20) }
