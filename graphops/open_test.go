package graphops_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
)

// TestNotAFile opens what is there and is no file, without waiting for it.
func TestNotAFile(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	locked := filepath.Join(dir, "locked.onnx")
	err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.WriteFile(locked, []byte("\x08\x08"), 0o000))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{
		filepath.Join(dir, "gone.onnx"): "no such file",
		dir:                             "a directory",
		pipe:                            "a named pipe",
	}
	if os.Getuid() != 0 { // who may read anything
		tests[locked] = "permission denied"
	}
	for path, want := range tests {
		if _, err := graphops.Open(path, graphops.OpenOptions{}); err == nil || !strings.Contains(err.Error(), path+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", path, err, want)
		}
	}
}

// TestTruncated cuts a model at every byte. What is left is an error, or a model
// equal to what the generated code reads from it.
func TestTruncated(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	whole := graphtest.Bytes(t, allParts)
	path := filepath.Join(t.TempDir(), "m.onnx")
	accepted := 0
	for n := range len(whole) {
		if err := same(t, whole[:n]); err == nil {
			accepted++
		}
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		_, fromFile := graphops.Open(path, graphops.OpenOptions{})
		_, fromBytes := graphops.Decode(bytes.Clone(whole[:n]))
		if (fromFile == nil) != (fromBytes == nil) {
			t.Fatalf("cut at %d: %v from the file, %v from bytes", n, fromFile, fromBytes)
		}
	}
	if err := same(t, whole); err != nil || accepted > len(whole)/4 {
		t.Errorf("the whole model: %v; %d of %d cut ones are accepted", err, accepted, len(whole))
	}
}

// TestFlipped changes every byte of a model to some others.
func TestFlipped(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	whole := graphtest.Bytes(t, allParts)
	for i := range whole {
		for _, x := range []byte{0x00, 0x01, 0x7f, 0x80, 0xff, whole[i] ^ 0x08} {
			b := bytes.Clone(whole)
			b[i] = x
			_ = same(t, b)
		}
	}
}

// nested is a model with bodies in bodies, as deep as asked for.
func nested(t testing.TB, depth int) []byte {
	t.Helper()
	message := func(b []byte, num protowire.Number, v []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), v)
	}
	graph := []byte{}
	for range depth {
		attribute := message(message(nil, 1, []byte("body")), 6, graph)
		graph = message(nil, 1, message(message(nil, 4, []byte("If")), 5, attribute))
	}
	return message([]byte{0x08, 0x08}, 7, graph)
}

func TestDeepNesting(t *testing.T) {
	for depth, deep := range map[int]bool{0: false, 1: false, 33: false, 63: false, 64: true, 3000: true} {
		m, err := graphops.Decode(nested(t, depth))
		if (err != nil) != deep {
			t.Errorf("%d bodies deep: error %v", depth, err)
		}
		if err != nil {
			if !strings.Contains(err.Error(), "deeper than 64") || len(err.Error()) > 200 {
				t.Errorf("%d bodies deep: %.300s", depth, err)
			}
			continue
		}
		graphs := 0
		for range m.Graphs() {
			graphs++
		}
		if graphs != depth+1 {
			t.Errorf("%d bodies deep: %d graphs", depth, graphs)
		}
	}
}

// TestClaims makes lengths that the file does not have. They are refused before
// anything of their size is allocated.
func TestClaims(t *testing.T) {
	field := func(num protowire.Number, claimed uint64, content string) []byte {
		b := protowire.AppendVarint(protowire.AppendTag(nil, num, protowire.BytesType), claimed)
		return append(b, content...)
	}
	const huge = 1 << 40
	tests := map[string][]byte{
		"a graph":             field(7, huge, ""),
		"a graph beyond int":  field(7, 1<<63, ""),
		"all bits":            field(7, 1<<64-1, ""),
		"a name":              field(2, huge, ""),
		"a node":              field(7, 12, string(field(1, huge, "padding"))),
		"a weight":            field(7, 14, string(field(5, 12, string(field(9, huge, "pad"))))),
		"an endless number":   []byte("\x08" + strings.Repeat("\xff", 20)),
		"a number cut off":    []byte("\x08\xff"),
		"a fixed number":      []byte("\x0d\x01\x02"),
		"a group":             []byte("\x3b\x3c"),
		"field number 0":      []byte("\x00\x01"),
		"a tag beyond fields": []byte("\xff\xff\xff\xff\x7f\x00"),
	}
	for name, b := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "m.onnx")
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			var fromFile, fromBytes error
			n := allocated(func() {
				_, fromFile = graphops.Open(path, graphops.OpenOptions{})
				_, fromBytes = graphops.Decode(b)
			})
			if fromFile == nil || fromBytes == nil {
				t.Errorf("accepted: %v, %v", fromFile, fromBytes)
			}
			if n > 1<<20 {
				t.Errorf("%d bytes were allocated", n)
			}
		})
	}
}

// TestLargerThanAnyModel opens a file whose fields could be told apart and whose
// size protobuf does not allow. Nothing of that size may be read.
func TestLargerThanAnyModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.onnx")
	const size = 5 << 30
	head := binary.AppendUvarint([]byte{0x08, 0x08, 0x12}, size-8) // a producer's name of 5 GiB
	if err := errors.Join(os.WriteFile(path, head, 0o600), os.Truncate(path, size)); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	var err error
	n := allocated(func() { _, err = graphops.Open(path, graphops.OpenOptions{}) })
	if err == nil || !strings.Contains(err.Error(), "2 GiB") {
		t.Errorf("error %v", err)
	}
	if n > 1<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}

// TestElementsInPieces reads a tensor whose elements were written in very many
// pieces. The time must grow with their number, not with its square.
func TestElementsInPieces(t *testing.T) {
	const n = 200_000
	x := []byte{0x10, 0x07, 0x08} // int64
	x = binary.AppendUvarint(x, n)
	for i := range n {
		x = append(x, 0x3a, 1, byte(i%100)) // int64_data, packed, one element
	}
	m, err := graphops.Decode(withInitializer(x))
	if err != nil {
		t.Fatal(err)
	}
	data, err := m.Graph().Initializers()[0].Data()
	if err != nil || data.Len() != 8*n {
		t.Fatalf("%d bytes, %v", data.Len(), err)
	}
	b, err := data.Bytes()
	if err != nil || b[8*(n-1)] != byte((n-1)%100) {
		t.Errorf("last element %v, %v", b[8*(n-1):], err)
	}
	start := time.Now()
	if _, err := graphops.Decode(withInitializer(x)); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("decoding took %v", took)
	}
}

// withInitializer is a model with one initializer, given serialized.
func withInitializer(x []byte) []byte {
	graph := protowire.AppendBytes(protowire.AppendTag(nil, 5, protowire.BytesType), x)
	return protowire.AppendBytes([]byte{0x08, 0x08, 0x3a}, graph)
}

// TestTypedData reads elements from every field that may hold them, packed and
// not, and refuses those that do not belong there.
func TestTypedData(t *testing.T) {
	tests := []struct {
		x    *onnxpb.TensorProto
		want string // little endian, or part of the error
	}{
		{&onnxpb.TensorProto{DataType: proto.Int32(1), Dims: []int64{2}, FloatData: []float32{1, -2}}, "\x00\x00\x80\x3f\x00\x00\x00\xc0"},
		{&onnxpb.TensorProto{DataType: proto.Int32(11), Dims: []int64{1}, DoubleData: []float64{1}}, "\x00\x00\x00\x00\x00\x00\xf0\x3f"},
		{&onnxpb.TensorProto{DataType: proto.Int32(7), Dims: []int64{2}, Int64Data: []int64{1, -1}}, "\x01\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"},
		{&onnxpb.TensorProto{DataType: proto.Int32(6), Dims: []int64{2}, Int32Data: []int32{1, -1}}, "\x01\x00\x00\x00\xff\xff\xff\xff"},
		{&onnxpb.TensorProto{DataType: proto.Int32(3), Dims: []int64{3}, Int32Data: []int32{1, -1, 127}}, "\x01\xff\x7f"},
		{&onnxpb.TensorProto{DataType: proto.Int32(9), Dims: []int64{2}, Int32Data: []int32{1, 0}}, "\x01\x00"},
		{&onnxpb.TensorProto{DataType: proto.Int32(10), Dims: []int64{1}, Int32Data: []int32{0x3c00}}, "\x00\x3c"},
		{&onnxpb.TensorProto{DataType: proto.Int32(22), Dims: []int64{3}, Int32Data: []int32{0x21, 0x03}}, "\x21\x03"},
		{&onnxpb.TensorProto{DataType: proto.Int32(12), Dims: []int64{1}, Uint64Data: []uint64{7}}, "\x07\x00\x00\x00"},
		{&onnxpb.TensorProto{DataType: proto.Int32(13), Dims: []int64{1}, Uint64Data: []uint64{7}}, "\x07\x00\x00\x00\x00\x00\x00\x00"},
		{&onnxpb.TensorProto{DataType: proto.Int32(1), Dims: []int64{0}}, ""},

		{&onnxpb.TensorProto{DataType: proto.Int32(1), Dims: []int64{2}, Int32Data: []int32{1, 2}}, "must not be in field"},
		{&onnxpb.TensorProto{DataType: proto.Int32(7), Dims: []int64{2}, FloatData: []float32{1, 2}}, "must not be in field"},
		{&onnxpb.TensorProto{DataType: proto.Int32(6), Dims: []int64{3}, Int32Data: []int32{1, 2}}, "bytes less than"},
		{&onnxpb.TensorProto{DataType: proto.Int32(6), Dims: []int64{1}, Int32Data: []int32{1, 2}}, "bytes more than its type"},
		{&onnxpb.TensorProto{DataType: proto.Int32(1), Dims: []int64{3}, RawData: []byte("12345678")}, "needs 12 bytes, the file has 8"},
		{&onnxpb.TensorProto{DataType: proto.Int32(1), Dims: []int64{1 << 62, 4}}, "2^63"},
		{&onnxpb.TensorProto{DataType: proto.Int32(1), Dims: []int64{-2}}, "negative"},
		{&onnxpb.TensorProto{DataType: proto.Int32(99), Dims: []int64{1}}, "type(99)"},
		{&onnxpb.TensorProto{Dims: []int64{1}}, "undefined"},
		{&onnxpb.TensorProto{DataType: proto.Int32(8), Dims: []int64{1}, StringData: [][]byte{[]byte("a")}}, "its elements are strings"},
	}
	for i, tt := range tests {
		t.Run(fmt.Sprint(i, " ", tt.x.DataType), func(t *testing.T) {
			m := graphtest.Decode(t, &onnxpb.ModelProto{IrVersion: proto.Int64(8), Graph: &onnxpb.GraphProto{Initializer: []*onnxpb.TensorProto{tt.x}}})
			data, err := m.Graph().Initializers()[0].Data()
			var b []byte
			if err == nil {
				b, err = data.Bytes()
			}
			if err != nil {
				if !strings.Contains(err.Error(), tt.want) || tt.want == "" {
					t.Errorf("error %v, want %q", err, tt.want)
				}
				return
			}
			if string(b) != tt.want {
				t.Errorf("%x, want %x", b, tt.want)
			}
		})
	}
}

// TestElementsTwice reads tensors whose elements stand in several fields, in either
// order, as ONNX Runtime does, and writes them as they were.
func TestElementsTwice(t *testing.T) {
	one := func(x *onnxpb.TensorProto) *onnxpb.TensorProto { x.Dims = []int64{1}; return x }
	raw, float, ints := []byte("\x01\x02\x03\x04"), []float32{1}, []int32{5}
	tests := map[string]struct {
		x      *onnxpb.TensorProto
		want   string // little endian, or part of the error
		read   string // "" where it is the first of them
		unread []string
	}{
		"raw first":          {&onnxpb.TensorProto{DataType: proto.Int32(1), RawData: raw, FloatData: float}, string(raw), "raw_data", []string{"float_data"}},
		"the type's own":     {&onnxpb.TensorProto{DataType: proto.Int32(6), Int32Data: ints, FloatData: float}, "\x05\x00\x00\x00", "int32_data", []string{"float_data"}},
		"three":              {&onnxpb.TensorProto{DataType: proto.Int32(6), Int32Data: ints, FloatData: float, RawData: raw}, string(raw), "raw_data", []string{"float_data", "int32_data"}},
		"none of the type's": {&onnxpb.TensorProto{DataType: proto.Int32(7), Int32Data: ints, FloatData: float}, "must not be in field", "", nil},
		"raw, but empty":     {&onnxpb.TensorProto{DataType: proto.Int32(1), RawData: []byte{}, FloatData: float}, "needs 4 bytes, the file has 0", "raw_data", []string{"float_data"}},
		"strings":            {&onnxpb.TensorProto{DataType: proto.Int32(8), RawData: raw, StringData: [][]byte{[]byte("a")}}, "a", "string_data", []string{"raw_data"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b, err := proto.Marshal(one(tt.x))
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range [][]byte{b, reversed(b)} {
				if err := same(t, withInitializer(x)); err != nil {
					t.Fatal(err)
				}
				m, _ := graphops.Decode(withInitializer(x))
				w := m.Graph().Initializers()[0]
				if got, err := elements(w); got != tt.want && (err == nil || !strings.Contains(err.Error(), tt.want)) {
					t.Errorf("%x, %v, want %x", got, err, tt.want)
				}
				read, unread := w.ElementFields()
				if slices.Sort(unread); tt.read != "" && (read != tt.read || !slices.Equal(unread, tt.unread)) {
					t.Errorf("reads %q and not %q, want %q and %q", read, unread, tt.read, tt.unread)
				}
			}
		})
	}
}

// reversed is a message with its fields in the opposite order.
func reversed(b []byte) (out []byte) {
	for len(b) > 0 {
		_, _, n := protowire.ConsumeField(b)
		out = append(slices.Clone(b[:n]), out...)
		b = b[n:]
	}
	return out
}

// elements are those of a tensor, little endian, or its strings in one.
func elements(x *graphops.Tensor) (string, error) {
	if x.DType() == tensor.String {
		words, err := x.Strings()
		return strings.Join(words, ""), err
	}
	data, err := x.Data()
	if err != nil {
		return "", err
	}
	b, err := data.Bytes()
	return string(b), err
}

// TestBrokenFiles opens every broken file of testdata: an error, or a model
// whose tensors can be asked for.
func TestBrokenFiles(t *testing.T) {
	files, err := filepath.Glob("../testdata/broken/*")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil {
			if !strings.HasPrefix(err.Error(), path+": ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: error %q", path, err)
			}
			continue
		}
		for x := range m.Tensors() {
			if p, err := x.Data(); err == nil {
				_, _ = p.Bytes()
			}
		}
		_, _, _ = graphops.Prune(m, graphops.PruneOptions{})
	}
}
