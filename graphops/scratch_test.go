package graphops_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// Payloads of a scratch file are read, saved and given to a runtime as if they were
// in memory, and no file is left where they were.
func TestScratch(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var s graphops.Scratch
	first, err := s.Keep([]byte{1, 2, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.Keep(bytes.Repeat([]byte{9}, 8000))
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
	runtime.GC()
	if b, err := first.Bytes(); err != nil || !bytes.Equal(b, []byte{1, 2, 3, 4}) || first.Unchanged() != nil {
		t.Errorf("the first is %v, %v", b, err)
	}
	if path, _, ok := first.Location(); ok {
		t.Errorf("it is said to lie in %q", path)
	}
	m := graphtest.Model(t, "input x f32[2000]\ny = Relu(x)\noutput y f32[2000]")
	e := graphops.Edit(m)
	e.Initializers = append(e.Initializers, graphops.NewTensor("w", tensor.F32, []int64{2000}, second))
	m = e.Model()
	image, err := graphops.ImageOf(m)
	if err != nil || !bytes.Contains(image.Bytes, bytes.Repeat([]byte{9}, 8000)) {
		t.Errorf("the image lacks the tensor: %v", err)
	}
	path := filepath.Join(t.TempDir(), "out.onnx")
	if _, err := graphops.Save(t.Context(), m, path, graphops.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	if file, err := os.ReadFile(path); err != nil || !bytes.Contains(file, bytes.Repeat([]byte{9}, 8000)) {
		t.Errorf("the file lacks the tensor: %v", err)
	}
}

// TestScratchWithoutRoom fills a scratch file in a process whose files may not grow that
// far: what is in it stays readable, and what still fits is kept.
func TestScratchWithoutRoom(t *testing.T) {
	out, err := child(t, "scratch").CombinedOutput()
	if said := strings.TrimPrefix(string(out), "ready\n"); err != nil || said != "" {
		t.Errorf("%v: %s", err, said)
	}
}

// scratchJob is the other process of TestScratchWithoutRoom.
func scratchJob([]string) error {
	const most = 1 << 20
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: most, Max: most}); err != nil {
		return err
	}
	var s graphops.Scratch
	first, err := s.Keep(bytes.Repeat([]byte{1}, most/2))
	if err != nil {
		return err
	}
	if _, err = s.Keep(make([]byte, most)); err == nil || !strings.Contains(err.Error(), os.TempDir()) || !strings.Contains(err.Error(), "set TMPDIR to a folder with room") {
		return fmt.Errorf("without room it says %w", err)
	}
	last, err := s.Keep(bytes.Repeat([]byte{2}, most/2))
	if err != nil {
		return err
	}
	a, errA := first.Bytes()
	b, errB := last.Bytes()
	if !bytes.Equal(a, bytes.Repeat([]byte{1}, most/2)) || !bytes.Equal(b, bytes.Repeat([]byte{2}, most/2)) {
		return errors.Join(errors.New("what was kept is other bytes"), errA, errB)
	}
	return nil
}
