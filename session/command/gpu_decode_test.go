//go:build gpu && device

package command

import (
	"testing"

	"lathe/session/generation"
)

// TestDeviceDecodeOnCUDA is a part of `make gpu`.
func TestDeviceDecodeOnCUDA(t *testing.T) {
	decodesOn(t, "cuda", generation.Shared, generation.Swapped)
}
