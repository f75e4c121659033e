package graphops_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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
	first, err := s.Keep(bytes.Repeat([]byte{1, 2, 3, 4}, 20000))
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.Keep(bytes.Repeat([]byte{9}, 80000))
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
	runtime.GC()
	if b, err := first.Bytes(); err != nil || !bytes.Equal(b, bytes.Repeat([]byte{1, 2, 3, 4}, 20000)) || first.Unchanged() != nil {
		t.Errorf("the first is %v, %v", b, err)
	}
	if path, _, ok := first.Location(); ok {
		t.Errorf("it is said to lie in %q", path)
	}
	m := graphtest.Model(t, "input x f32[20000]\ny = Relu(x)\noutput y f32[20000]")
	e := graphops.Edit(m)
	e.Initializers = append(e.Initializers, graphops.NewTensor("w", tensor.F32, []int64{20000}, second))
	m = e.Model()
	image, err := graphops.ImageOf(m)
	if err != nil || !bytes.Contains(image.Bytes, bytes.Repeat([]byte{9}, 80000)) {
		t.Errorf("the image lacks the tensor: %v", err)
	}
	path := filepath.Join(t.TempDir(), "out.onnx")
	if _, err := graphops.Save(t.Context(), m, path, graphops.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	if file, err := os.ReadFile(path); err != nil || !bytes.Contains(file, bytes.Repeat([]byte{9}, 80000)) {
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
	if _, err = s.Keep(make([]byte, most)); err == nil || !strings.Contains(err.Error(), os.TempDir()) || !strings.Contains(err.Error(), "set TMPDIR to a folder with more space") {
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

// What is small stays in memory, until there is much of it; what fails leaves no trace.
func TestScratchMake(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var s graphops.Scratch
	of := func(n int, b byte) graphops.Payload {
		p, err := s.Make(int64(n), func(w io.Writer) error {
			_, err := w.Write(bytes.Repeat([]byte{b}, n))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if _, ok := of(1000, 1).InMemory(); !ok {
		t.Error("1000 bytes are not in memory")
	}
	for _, wrote := range []int{99999, 100001} {
		if _, err := s.Make(100000, func(w io.Writer) error { _, err := w.Write(make([]byte, wrote)); return err }); err == nil {
			t.Errorf("%d bytes in place of 100000 are no error", wrote)
		}
	}
	large := of(100000, 2)
	if _, ok := large.InMemory(); ok {
		t.Error("100000 bytes are in memory")
	}
	for range 1023 {
		of(64<<10, 3)
	}
	if _, ok := of(64<<10, 4).InMemory(); ok {
		t.Error("what goes beyond 64 MiB is in memory")
	}
	if b, err := large.Bytes(); err != nil || !bytes.Equal(b, bytes.Repeat([]byte{2}, 100000)) {
		t.Error("what was kept is another thing afterwards")
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	var full *graphops.ScratchError
	if _, err := (&graphops.Scratch{}).Keep(make([]byte, 100000)); !errors.As(err, &full) {
		t.Errorf("no folder gives %v", err)
	}
}
