//go:build cgo

package worker

import (
	"testing"

	"lathe/graphops/tensor"
	"lathe/session/ort/wire"
)

// Numbers go to a device, everything else stays in the host's memory.
func TestFitsDevice(t *testing.T) {
	for _, c := range []struct {
		kind  string
		dtype tensor.DType
		fits  bool
	}{
		{"tensor", tensor.F32, true},
		{"tensor", tensor.I64, true},
		{"tensor", tensor.Bool, true},
		{"tensor", tensor.String, false},
		{"seq(map(i64,f32))", 0, false},
		{"seq(tensor(f32))", 0, false},
		{"optional(tensor(f32))", 0, false},
	} {
		p := wire.Port{Kind: c.kind, DType: c.dtype}
		if got := fitsDevice(p); got != c.fits {
			t.Errorf("%s of %v fits a device: %v, want %v", c.kind, c.dtype, got, c.fits)
		}
	}
}
