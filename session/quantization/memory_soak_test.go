//go:build cgo && soak && linux

package quantization

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/tensor/npz"
	"lathe/session/sessiontest"
)

// grown is how much more memory pools and collectors may use for 2 GiB of samples than for 32 MiB.
const grown = 96 << 20

// largeArchive writes an archive with a float32 array x of 520 rows of 4 MiB, with or without
// compression, as a stream.
func largeArchive(t *testing.T, method uint16) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "large.npz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := zip.NewWriter(f)
	to, err := w.CreateHeader(&zip.FileHeader{Name: "x.npy", Method: method})
	if err != nil {
		t.Fatal(err)
	}
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (520, 262144, 4), }"
	header += strings.Repeat(" ", 127-10-len(header)) + "\n"
	if _, err := fmt.Fprintf(to, "\x93NUMPY\x01\x00%c%c%s", len(header), 0, header); err != nil {
		t.Fatal(err)
	}
	row := make([]byte, 4<<20)
	for i := range row {
		row[i] = []byte{0, 0, byte(i >> 2), 0x3f}[i&3] // numbers from 0.5 to 2
	}
	for range 520 {
		if _, err := to.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCalibrationMemory checks that finding ranges on 512 samples does not take more memory
// of this process than on 8. The archive is larger than any that is read as a whole.
func TestCalibrationMemory(t *testing.T) {
	debug.SetGCPercent(20)
	env := sessiontest.Env(t)
	m := graphtest.Model(t, "input x f32[1,262144,4]\noutput y f32[1,262144,3]\ninit w f32[4,3] 1 -2 3 0.5\nmm: h = MatMul(x, w)\nre: y = Relu(h)")
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		path := largeArchive(t, method)
		if _, err := npz.Open(path, npz.Options{}); err == nil {
			t.Fatal("the archive can be read as a whole")
		}
		for _, calibration := range []string{"minmax", "entropy"} {
			before := int64(0)
			for _, n := range []int64{8, 512} {
				s := &Quantization{Mode: "static", rangeFlags: rangeFlags{Samples: n, Calibration: calibration}}
				s.Data = path
				_, r, err := s.findRanges(t.Context(), env, m, []string{"x", "h", "y"})
				if err != nil || int64(r.Cases) != n {
					t.Fatalf("%+v, %v", r, err)
				}
				most := highWater(t)
				t.Logf("method %d, %s, %d samples: %d MiB", method, calibration, n, most>>20)
				if before > 0 && most > before+grown {
					t.Errorf("%s: memory grew from %d to %d MiB", calibration, before>>20, most>>20)
				}
				before = most
			}
		}
	}
}

// highWater returns the peak memory of this process.
func highWater(t *testing.T) int64 {
	t.Helper()
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), "VmHWM:")
	var kib int64
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	return kib << 10
}
