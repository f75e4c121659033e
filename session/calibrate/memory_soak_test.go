//go:build cgo && soak && linux

package calibrate_test

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/calibrate"
)

// settling is how much more memory a calibration may use on 512 samples than on 8. Pools and the
// garbage collector need that much until they settle; the additional samples take 2 GiB together.
const settling = 64 << 20

// many is a number of samples of 4 MiB each, which are made on request.
type many int

func (n many) Len() int { return int(n) }

func (n many) Sample(i int) (string, graphops.Feeds, error) {
	x := make([]float32, 1<<20)
	for k := range x {
		x[k] = float32((k*(i+3))%1001) - 500
	}
	return fmt.Sprint(i), graphops.Feeds{"x": graphops.TensorValue(tensor.FromSlice(x, 1<<18, 4))}, nil
}

// TestMemory checks that a calibration takes no more memory on 512 samples than on 8, in this
// process and in the worker.
func TestMemory(t *testing.T) {
	debug.SetGCPercent(20)
	m := graphtest.Model(t, network)
	var inWorker int64
	real := loader(t, m)
	load := func(ctx context.Context, values []string) (calibrate.Session, error) {
		s, err := real(ctx, values)
		return measured{s.(staying), &inWorker}, err
	}
	for _, method := range []calibration.Method{calibration.MethodMinMax, calibration.MethodEntropy} {
		var before [2]int64
		for _, n := range []many{8, 512} {
			if _, err := calibrate.Ranges(t.Context(), m, []string{"x", "h", "g", "y"}, n, load, calibrate.Defaults(method)); err != nil {
				t.Fatal(err)
			}
			now := [2]int64{peak(t), inWorker}
			t.Logf("%s, %d samples: %d MiB here, %d MiB in the worker", method, n, now[0]>>20, now[1]>>20)
			if n > 8 && (now[0] > before[0]+settling || now[1] > before[1]+settling) {
				t.Errorf("%s: memory grew with the samples", method)
			}
			before = now
		}
	}
}

// measured is a session that measures the worker's memory when the calibration ends.
type measured struct {
	staying
	most *int64
}

func (m measured) Close() error {
	use, err := m.Memory(context.Background())
	if err != nil {
		return err
	}
	*m.most = *use.Peak
	return nil
}

// peak returns the peak memory of this process.
func peak(t *testing.T) int64 {
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
