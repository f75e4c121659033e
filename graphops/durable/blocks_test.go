package durable

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// TestBlocks writes pieces of many sizes, from memory and from a source, and
// compares the file with what it must hold.
func TestBlocks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 3*blockSize)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	path := filepath.Join(t.TempDir(), "noise")
	if err := os.WriteFile(path, noise, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sources := []Source{{ReaderAt: file, Path: path, File: file}, {ReaderAt: bytes.NewReader(noise)}}
	sizes := []int{0, 1, 7, 4095, 4096, 4097, blockSize - 1, blockSize, blockSize + 1, 2*blockSize + 5}
	shared := 0
	for range 10 {
		var want bytes.Buffer
		o := newOutput(t, filepath.Join(t.TempDir(), "f"))
		for range 20 {
			n := sizes[random.IntN(len(sizes))]
			from := random.IntN(len(noise) - n)
			if random.IntN(3) == 0 { // to where blocks can be shared
				from = from&^4095 + want.Len()%4096
				from = min(from, len(noise)-n)
			}
			want.Write(noise[from : from+n])
			var err error
			if i := random.IntN(3); i < 2 {
				if canShare(int64(from), o.written, int64(n)) {
					shared++
				}
				err = o.CopyRange(sources[i], int64(from), int64(n))
			} else {
				_, err = o.Write(noise[from : from+n])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if o.written != int64(want.Len()) {
			t.Errorf("%d bytes are counted, %d were written", o.written, want.Len())
		}
		checkPlaced(t, o, want.Bytes())
	}
	if shared == 0 {
		t.Error("no range began where blocks can be shared")
	}
}

func newOutput(t *testing.T, path string) *output {
	t.Helper()
	at, err := findTarget(path, false)
	if err != nil {
		t.Fatal(err)
	}
	o, err := createOutput(t.Context(), at, newTempName(at), roomIn(at.Folder(), 0), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.discard)
	return o
}

func checkPlaced(t *testing.T, o *output, want []byte) {
	t.Helper()
	if err := errors.Join(o.finish(), o.place()); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(o.target.Path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the file holds %d bytes, not the %d that were written, %v", len(got), len(want), err)
	}
}

// TestBlocksReportErrors writes to a file that takes nothing.
func TestBlocksReportErrors(t *testing.T) {
	for _, n := range []int{1, blockSize, 3 * blockSize} {
		o := newOutput(t, filepath.Join(t.TempDir(), "f"))
		if err := o.temp.file.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := o.Write(make([]byte, n))
		if (err != nil) != (n >= blockSize) {
			t.Errorf("%d bytes: error %v", n, err)
		}
		if err := o.finish(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("%d bytes, in the end: error %v", n, err)
		}
	}
}
