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

// settling is what pools and collectors take more of the first time, of 2 GiB that the
// samples behind the first 8 are together.
const settling = 64 << 20

// many is samples of 4 MiB, made when they are asked for.
type many int

func (n many) Len() int { return int(n) }

func (n many) Sample(i int) (string, graphops.Feeds, error) {
	x := make([]float32, 1<<20)
	for k := range x {
		x[k] = float32((k*(i+3))%1001) - 500
	}
	return fmt.Sprint(i), graphops.Feeds{"x": graphops.TensorValue(tensor.FromSlice(x, 1<<18, 4))}, nil
}

// TestMemory takes no more memory on 512 samples than on 8, here and in the worker.
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

// measured asks for the worker's memory when a calibration ends.
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

// peak is the most memory that this process has had.
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
