package graphops_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/durable"
	"lathe/graphops/graphtest"
)

// sized is a serialized model of so many bytes, and the weight in it.
func sized(t testing.TB, size int) (model, weight []byte) {
	t.Helper()
	p := graphtest.Proto(t, "opset 20\ninit w f32[2] 1 2\ny = Relu(w)\noutput y")
	weight = bytes.Repeat([]byte("\x01\x02\x03\x04\x05\x06\x07"), size/7+1)[:(size-300)/4*4]
	w := p.Graph.Initializer[0]
	w.RawData, w.Dims = weight, []int64{int64(len(weight) / 4)}
	for pad := range 300 {
		p.DocString = proto.String(strings.Repeat("-", pad))
		if proto.Size(p) == size {
			return []byte(serialized(t, p)), weight
		}
	}
	t.Fatalf("no model has %d bytes", size)
	return nil, nil
}

// TestRead reads models from streams of every kind and length, and writes what it
// has read.
func TestRead(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const chunk, spool = 1 << 20, 64 << 20
	tests := map[string]struct {
		size   int
		stream func(t *testing.T, b []byte) io.Reader
	}{
		"short":                {400, asBytes},
		"byte by byte":         {4000, func(_ *testing.T, b []byte) io.Reader { return iotest.OneByteReader(bytes.NewReader(b)) }},
		"less than a chunk":    {chunk - 1, asBytes},
		"a chunk":              {chunk, asBytes},
		"more than a chunk":    {chunk + 1, asBytes},
		"a file":               {5*chunk + 5, asFile},
		"a file, read in part": {4000, asFileReadInPart},
		"a pipe":               {3*chunk + 5, asPipe},
		"a long pipe":          {spool + 1, asPipe},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b, weight := sized(t, tt.size)
			temp := t.TempDir()
			m, err := graphops.Read(tt.stream(t, b), "standard input", graphops.OpenOptions{TempDir: temp})
			if err != nil {
				t.Fatal(err)
			}
			if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
				t.Errorf("%v is left in the temporary folder, %v", left, err)
			}
			if m.Path() != "" || m.FileBytes() != int64(len(b)) {
				t.Errorf("the path is %q, the size %d, want %d", m.Path(), m.FileBytes(), len(b))
			}
			checkWeight(t, m, string(weight), "")
			again, err := graphops.Decode(b)
			if err != nil {
				t.Fatal(err)
			}
			var fromStream, fromBytes bytes.Buffer
			err = errors.Join(graphops.Write(&fromStream, m), graphops.Write(&fromBytes, again))
			if !bytes.Equal(fromStream.Bytes(), fromBytes.Bytes()) || err != nil {
				t.Errorf("it is written otherwise than it was read, %v", err)
			}
		})
	}
}

func asBytes(_ *testing.T, b []byte) io.Reader { return bytes.NewReader(b) }

func asFile(t *testing.T, b []byte) io.Reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.onnx")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// asFileReadInPart is a file whose first line somebody has read.
func asFileReadInPart(t *testing.T, b []byte) io.Reader {
	t.Helper()
	f := asFile(t, append([]byte("header\n"), b...))
	if _, err := io.ReadFull(f, make([]byte, 7)); err != nil {
		t.Fatal(err)
	}
	return f
}

func asPipe(t *testing.T, b []byte) io.Reader {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	go func() {
		_, _ = w.Write(b) // the reader tells what is missing
		w.Close()
	}()
	return r
}

// TestReadHoldsLittle reads a stream of several times the bytes that it may hold.
func TestReadHoldsLittle(t *testing.T) {
	const size = 300 << 20
	// An initializer of one dimension, i8, called "w", up to its raw_data.
	head := append(binary.AppendUvarint([]byte("\x08"), size), "\x10\x03\x42\x01w\x4a"...)
	head = binary.AppendUvarint(head, size)
	head = append(binary.AppendUvarint([]byte("\x2a"), uint64(len(head)+size)), head...)
	head = append(binary.AppendUvarint([]byte("\x08\x08\x3a"), uint64(len(head)+size)), head...)
	var m *graphops.Model
	var err error
	n := allocated(func() {
		r := io.MultiReader(bytes.NewReader(head), io.LimitReader(endless{}, size))
		m, err = graphops.Read(r, "standard input", graphops.OpenOptions{TempDir: t.TempDir()})
	})
	if err != nil || m.FileBytes() != int64(len(head)+size) || n > 80<<20 {
		t.Errorf("%d bytes were allocated, %v", n, err)
	}
}

// endless reads zeros.
type endless struct{}

func (endless) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// TestReadFails tells what hinders reading a stream, in one line.
func TestReadFails(t *testing.T) {
	long, _ := sized(t, 65<<20)
	broken := errors.New("the cable was pulled")
	tests := map[string]struct {
		r    io.Reader
		temp string
		want []string
	}{
		"nothing":                 {strings.NewReader(""), "", []string{"standard input: the file is empty"}},
		"broken":                  {iotest.ErrReader(broken), "", []string{"standard input: the cable was pulled"}},
		"no folder to keep it":    {bytes.NewReader(long), "/nonexistent", []string{"standard input: ", "more than 64 MiB", "/nonexistent", "no such file", "TMPDIR"}},
		"broken while it is kept": {io.MultiReader(bytes.NewReader(long), iotest.ErrReader(broken)), "", []string{"standard input: ", "the cable was pulled"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := graphops.Read(tt.r, "standard input", graphops.OpenOptions{TempDir: tt.temp})
			for _, want := range tt.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v lacks %q", err, want)
				}
			}
		})
	}
}

// TestStreamIsNoOutput holds for a file on standard input what holds for one that
// was named: it is never written over.
func TestStreamIsNoOutput(t *testing.T) {
	b, _ := sized(t, 4000)
	f := asFile(t, b)
	m, err := graphops.Read(f, "standard input", graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	path := f.(*os.File).Name()
	o := graphops.SaveOptions{Options: durable.Options{Overwrite: true}}
	if _, err := graphops.Save(context.Background(), m, path, o); err == nil || !strings.Contains(err.Error(), "is the file that the model is read from") {
		t.Errorf("error %v", err)
	}
}
