package inputs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
)

func twoInputs() []graphops.NamedType {
	free := graphops.Shape{{Value: -1, Symbol: "batch"}, graphops.FixedDim(2)}
	return []graphops.NamedType{
		{Name: "x", Type: graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32, Shape: free}},
		{Name: "k", Type: graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.I64, Shape: free}},
	}
}

// printed writes a file with what a command prints for n cases: .npy files one after another.
func printed(t *testing.T, n int) string {
	t.Helper()
	var b bytes.Buffer
	for i := range n {
		for _, a := range []tensor.Tensor{tensor.FromSlice([]float32{float32(i), 1}, 1, 2), tensor.FromSlice([]int64{int64(i), 2}, 1, 2)} {
			if err := npz.WriteArray(&b, a); err != nil {
				t.Fatal(err)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "printed")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCommand reads what a command printed: arrays one after another, or an archive.
func TestCommand(t *testing.T) {
	types := twoInputs()
	var archive bytes.Buffer
	err := npz.Write(&archive, []npz.Entry{
		{Name: "k", Tensor: tensor.FromSlice(make([]int64, 24), 12, 2)},
		{Name: "x", Tensor: tensor.FromSlice([]float32{0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 1, 7, 1, 8, 1, 9, 1, 10, 1, 11, 1}, 12, 2)},
	})
	if err != nil {
		t.Fatal(err)
	}
	zip := filepath.Join(t.TempDir(), "archive")
	if err := os.WriteFile(zip, archive.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{printed(t, 12), zip} {
		var bytes int64
		path, err := Command{Line: "cat '" + file + "'", Types: types, Progress: func(n, _ int64) { bytes = n }}.Run(t.Context(), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		s, err := OpenStream(types, Request{Data: path, Files: FileOptions{Rows: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(file); err != nil || info.Size() != bytes {
			t.Errorf("%d bytes are told", bytes)
		}
		if s.Len() != 12 {
			t.Fatalf("%d cases", s.Len())
		}
		for i := range 12 {
			c, err := s.Case(i)
			if err != nil {
				t.Fatal(err)
			}
			if x, err := c.Feeds["x"].Tensor.Float64s(); err != nil || fmt.Sprint(x) != fmt.Sprintf("[%d 1]", i) {
				t.Errorf("case %d: %v, %v", i, x, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestCommandFails checks that errors say how a command ended, and quote its last message.
func TestCommandFails(t *testing.T) {
	file := printed(t, 2)
	for line, want := range map[string]string{
		"echo no data >&2; echo 'the disk is gone' >&2; exit 3": "exit status 3: the disk is gone",
		"true":                         "it printed nothing",
		"echo hello":                   "not an .npy file",
		"head -c 200 '" + file + "'":   "cut off",
		"head -c 144 '" + file + "'":   `case 0, input "k"`,
		"head -c 136 '" + file + "'":   `ends before the value of input "k"`,
		"cat '" + file + "'; exit 7":   "exit status 7",
		"head -c 9 '" + file + "'; no": "exit status 127: ",
	} {
		if _, err := (Command{Line: line, Types: twoInputs()}).Run(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", line, err, want)
		}
	}
}

// TestCommandEnds checks that the command and everything that it started are killed.
func TestCommandEnds(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("enough")
	go func() {
		for ctx.Err() == nil {
			if raw, err := os.ReadFile(pid); err == nil && len(raw) > 0 {
				cancel(reason)
			}
			time.Sleep(time.Millisecond)
		}
	}()
	start := time.Now()
	line := "sleep 60 & echo $! > '" + pid + ".part'; mv '" + pid + ".part' '" + pid + "'; sleep 60"
	if _, err := (Command{Line: line, Types: twoInputs()}).Run(ctx, t.TempDir()); !errors.Is(err, reason) || time.Since(start) > 30*time.Second {
		t.Errorf("%v after %s", err, time.Since(start))
	}
	raw, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	var child int
	if _, err := fmt.Sscan(string(raw), &child); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		state, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child))
		if errors.Is(syscall.Kill(child, 0), syscall.ESRCH) || strings.Contains(string(state), ") Z ") {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("child %d is alive", child)
}
