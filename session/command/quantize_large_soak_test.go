//go:build soak && linux

package command

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/graphops/reference"
	"lathe/session/command/commandtest"
)

// Limits for the quantization of a large model.
const (
	largeMemory  = 400 << 20 // memory of the process that quantizes
	largeRoom    = 6 << 30   // disk space for the model, both results and temporary files of the reference
	largeSpeedup = 8         // times faster than the reference
	largeSide    = 4096      // rows and columns of a weight, which has 64 MiB
)

// TestQuantizeLarge quantizes models with more weights than the process may use memory. One of them
// is larger than a protobuf message can be. If the reference is installed, Lathe must be several
// times as fast and compute the same weights.
func TestQuantizeLarge(t *testing.T) {
	for _, matrices := range []int{16, 36} { // 1 and 2.25 GiB
		for _, mode := range []string{"dynamic", "float16", "bfloat16"} {
			t.Run(fmt.Sprintf("%s of %d MiB", mode, 64*matrices), func(t *testing.T) {
				dir := roomyDir(t)
				model, ours := filepath.Join(dir, "m.onnx"), filepath.Join(dir, "ours.onnx")
				largeModel(t, model, matrices)
				took := quantizeLarge(t, mode, model, ours)
				for range 2 { // the faster run was disturbed less by other processes
					took = min(took, quantizeLarge(t, mode, model, ours))
				}
				if mode == "dynamic" {
					t.Run("reference", func(t *testing.T) { compareLarge(t, model, ours, took) })
				}
			})
		}
	}
}

// roomyDir returns a folder with enough free disk space, or skips the test.
func roomyDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		t.Fatal(err)
	}
	if free := int64(disk.Bavail) * disk.Bsize; free < largeRoom {
		t.Skipf("%s has %d MiB of room, the test takes %d", dir, free>>20, largeRoom>>20)
	}
	return dir
}

// largeModel writes a model of matrix products with square weights in a file of external data. The
// file is sparse except for the first and last numbers of each weight.
func largeModel(t *testing.T, path string, matrices int) {
	t.Helper()
	text := []string{fmt.Sprintf("input x f32[n,%d]", largeSide), fmt.Sprintf("output v%d f32[n,%d]", matrices-1, largeSide)}
	last := "x"
	for i := range matrices {
		next := fmt.Sprintf("v%d", i)
		text = append(text, fmt.Sprintf("init w%d f32[1,1]", i))
		if i%4 == 3 { // its quantized weight is stored transposed
			text = append(text, fmt.Sprintf("g%d: %s = Gemm(%s, w%d) transB=1", i, next, last, i))
		} else {
			text = append(text, fmt.Sprintf("m%d: %s = MatMul(%s, w%d)", i, next, last, i))
		}
		last = next
	}
	const each = 4 * largeSide * largeSide
	f, err := os.Create(filepath.Join(filepath.Dir(path), "w.bin"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := graphtest.Proto(t, strings.Join(text, "\n"))
	for i, w := range p.Graph.Initializer {
		w.Dims, w.RawData, w.DataLocation = []int64{largeSide, largeSide}, nil, onnxpb.TensorProto_EXTERNAL.Enum()
		for key, value := range map[string]int64{"offset": int64(i) * each, "length": each} {
			w.ExternalData = append(w.ExternalData, &onnxpb.StringStringEntryProto{Key: &key, Value: proto.String(fmt.Sprint(value))})
		}
		w.ExternalData = append(w.ExternalData, &onnxpb.StringStringEntryProto{Key: proto.String("location"), Value: proto.String("w.bin")})
		var some []byte
		for n := range 1000 {
			some = binary.LittleEndian.AppendUint32(some, math.Float32bits(float32(math.Sin(float64(n*(i+1))))/64))
		}
		for _, at := range []int64{0, each - int64(len(some))} {
			if _, err := f.WriteAt(some, int64(i)*each+at); err != nil {
				t.Fatal(err)
			}
		}
	}
	b, err := proto.Marshal(p)
	if err := errors.Join(err, os.WriteFile(path, b, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// quantizeLarge runs lathe quantize in a process whose memory and time are measured.
func quantizeLarge(t *testing.T, mode, model, out string) time.Duration {
	t.Helper()
	args := []string{"quantize", mode, model, "-o", out, "--no-check", "--force"}
	if mode == "float16" {
		args = append(args, "--no-scan")
	}
	c := commandtest.Process(t, args...)
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	start := time.Now()
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	took, processor := time.Since(start), c.ProcessState.UserTime()+c.ProcessState.SystemTime()
	peak := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	t.Logf("%s: %.1f s, %.1f s of the processor, %d MiB of memory", mode, took.Seconds(), processor.Seconds(), peak>>20)
	if peak > largeMemory {
		t.Errorf("%d MiB of memory, expected %d at most", peak>>20, largeMemory>>20)
	}
	return took
}

// compareLarge runs the reference on the same model, and compares time and weights.
func compareLarge(t *testing.T, model, ours string, took time.Duration) {
	python := reference.Start(t, "graphops/quant/testdata/reference.py")
	python.Read(t, &struct{}{})
	theirs := filepath.Join(filepath.Dir(ours), "theirs.onnx")
	var answer struct {
		Error   *string
		Seconds float64
	}
	start := time.Now()
	python.Ask(t, map[string]any{"model": model, "out": theirs, "options": map[string]any{
		"WeightType": "i8", "PerChannel": false, "ReduceRange": false, "WeightSymmetric": nil, "MinimumRealRange": 0,
		"MatMulConstBOnly": true, "EnableSubgraph": false, "OpTypes": nil, "Include": nil, "Exclude": nil,
	}}, &answer)
	if answer.Error != nil {
		t.Fatalf("the reference refuses: %s", *answer.Error)
	}
	longer := time.Since(start)
	factor := longer.Seconds() / took.Seconds()
	t.Logf("the reference takes %.1f s, %.1f s of the processor, %.1f times as long", longer.Seconds(), answer.Seconds, factor)
	if factor < largeSpeedup {
		t.Errorf("%.1f times as fast as the reference, expected %d", factor, largeSpeedup)
	}
	a, b := digests(t, theirs), digests(t, ours)
	if len(a) != len(b) {
		t.Errorf("%d constants, the reference has %d", len(b), len(a))
	}
	for name, sum := range a {
		if b[name] != sum {
			t.Errorf("%s is another than the reference's", name)
		}
	}
}

// digests returns a digest of type, shape and data for each constant of a model.
func digests(t *testing.T, path string) map[string][sha256.Size]byte {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][sha256.Size]byte{}
	for _, x := range m.Graph().Initializers() {
		sum := sha256.New()
		fmt.Fprint(sum, x.DType(), x.Dims())
		data, err := x.Data()
		if err == nil {
			_, err = io.Copy(sum, data.Reader())
		}
		if err != nil {
			t.Fatal(err)
		}
		out[x.Name()] = [sha256.Size]byte(sum.Sum(nil))
	}
	return out
}
