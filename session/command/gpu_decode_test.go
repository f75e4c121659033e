//go:build gpu && device

package command

import (
	"testing"

	"lathe/session/generation"
)

// TestDeviceDecodeOnCUDA is a part of `make gpu`. CUDA has no GroupQueryAttention for f32, so that the
// cache of grouped is copied to the host in each run. A shared one is then wrong (docs/devices.md).
func TestDeviceDecodeOnCUDA(t *testing.T) {
	decodesOn(t, "cuda", map[string][]generation.Mode{
		"grouped": {generation.Swapped}, "joined": {generation.Swapped}, "encoded": {generation.Swapped},
	})
}
