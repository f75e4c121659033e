package npz

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lathe/graphops/tensor"
)

// npy spells a .npy file of version 1 by hand.
func npy(dict string, data ...byte) []byte {
	raw := append([]byte(magic+"\x01\x00"), byte(len(dict)), byte(len(dict)>>8))
	return append(append(raw, dict...), data...)
}

func dict(descr, shape string) string {
	return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }"
}

func readBytes(raw []byte) (tensor.Tensor, error) {
	return readArray(bytes.NewReader(raw), int64(len(raw)), newBudget(Options{}))
}

func TestReadArray(t *testing.T) {
	tests := []struct {
		name string
		raw  []byte
		want tensor.Tensor
	}{
		{"little endian", npy(dict("<i2", "(2,)"), 1, 0, 0, 1), tensor.FromSlice([]int16{1, 256}, 2)},
		{"big endian", npy(dict(">i2", "(2,)"), 1, 0, 0, 1), tensor.FromSlice([]int16{256, 1}, 2)},
		{"big endian complex", npy(dict(">c8", "()"), 0x3F, 0x80, 0, 0, 0xC0, 0, 0, 0), tensor.FromSlice([]complex64{1 - 2i})},
		{"scalar", npy(dict("<f4", "()"), 0, 0, 0x80, 0x3F), tensor.FromSlice([]float32{1})},
		{"bool", npy(dict("|b1", "(2, 1)"), 1, 0), tensor.FromSlice([]bool{true, false}, 2, 1)},
		{"half", npy(dict("<f2", "(1,)"), 0, 0x3C), tensor.Tensor{DType: tensor.F16, Shape: []int64{1}, Data: []byte{0, 0x3C}}},
		{"empty", npy(dict("<f4", "(0, 9223372036854775807)")), tensor.Tensor{DType: tensor.F32, Shape: []int64{0, 1<<63 - 1}, Data: []byte{}}},
		{"Python 2", npy(`{"shape": (2L,), "fortran_order": False, "descr": "|u1"}`, 3, 4), tensor.FromSlice([]uint8{3, 4}, 2)},
		{"Fortran", npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", 1, 4, 2, 5, 3, 6), tensor.FromSlice([]uint8{1, 2, 3, 4, 5, 6}, 2, 3)},
		{
			"Fortran of rank 3", npy("{'descr': '>u2', 'fortran_order': True, 'shape': (2, 1, 2), }\n", 0, 1, 0, 2, 0, 3, 0, 4),
			tensor.FromSlice([]uint16{1, 3, 2, 4}, 2, 1, 2),
		},
		{"bytes", npy(dict("|S3", "(2,)"), 'a', 'b', 0, 'c', 0, 0), tensor.FromStrings([]string{"ab", "c"}, 2)},
		{"text", npy(dict("<U2", "(1,)"), 0xE9, 0, 0, 0, 0, 0, 0, 0), tensor.FromStrings([]string{"é"}, 1)},
		{"big endian text", npy(dict(">U1", "(1,)"), 0, 1, 0xF6, 0x00), tensor.FromStrings([]string{"😀"}, 1)},
	}
	for _, c := range tests {
		got, err := readBytes(c.raw)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestReadNewerVersions(t *testing.T) {
	for _, version := range []byte{2, 3} {
		d := dict("|u1", "(1,)")
		raw := append([]byte(magic), version, 0)
		raw = binary.LittleEndian.AppendUint32(raw, uint32(len(d)))
		raw = append(append(raw, d...), 7)
		got, err := readBytes(raw)
		if err != nil {
			t.Fatalf("version %d: %v", version, err)
		}
		if diff := cmp.Diff(tensor.FromSlice([]uint8{7}, 1), got); diff != "" {
			t.Errorf("version %d (-want +got):\n%s", version, diff)
		}
	}
}

func TestRefuseArray(t *testing.T) {
	tests := []struct {
		name string
		raw  []byte
		text string
	}{
		{"empty", nil, "not an .npy file"},
		{"text", []byte("hello, world"), "not an .npy file"},
		{"version", []byte(magic + "\x09\x00\x00\x00"), "version 9 is unknown"},
		{"cut in the length", []byte(magic + "\x02\x00\x01"), "cut off"},
		{"cut in the header", []byte(magic + "\x01\x00\x50\x00{'descr'"), "cut off"},
		{"huge header", []byte(magic + "\x02\x00\xFF\xFF\xFF\xFF"), "a header of 4294967295 bytes"},
		{"pickle", npy(dict("|O", "(1,)"), 0), "pickled Python objects are not read; save numbers"},
		{"pickle with size", npy(dict("|O8", "(1,)"), 0), "pickle"},
		{"structure", npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", 0), "structured type"},
		{"bfloat16", npy(dict("<V2", "(1,)"), 0, 0), "no meaning"},
		{"long double", npy(dict("<f16", "(1,)"), make([]byte, 16)...), "no counterpart"},
		{"time", npy(dict("<M8[ns]", "(1,)"), make([]byte, 8)...), "no counterpart"},
		{"no width", npy(dict("<U0", "(1000000000000,)")), "width of at least 1"},
		{"huge width", npy(dict("<U2147483648", "(1,)")), "width of at least 1"},
		{"too short", npy(dict("<f4", "(2,)"), 1, 2, 3), "needs 8 bytes, got 3"},
		{"too long", npy(dict("|u1", "(1,)"), 1, 2), "needs 1 bytes, got 2"},
		{"claims much", npy(dict("<f8", "(1152921504606846975,)")), "got 0"},
		{"overflow", npy(dict("<f8", "(4294967296, 4294967296)")), "more than 2^63 elements"},
		{"negative", npy(dict("<f8", "(-1,)")), "expected a dimension"},
		{"rank", npy(dict("|u1", "("+strings.Repeat("1,", 65)+")"), 0), "more than 64 dimensions"},
		{"no dictionary", npy("[]"), `expected "{"`},
		{"key twice", npy("{'shape': (), 'shape': (), 'descr': '|u1'}"), "twice"},
		{"unknown key", npy("{'shapes': ()}"), "unknown key"},
		{"key missing", npy("{'shape': (), 'descr': '|u1'}", 0), "expected the keys"},
		{"trailing", npy("{'descr': '|u1', 'fortran_order': False, 'shape': ()} x", 0), "after the dictionary"},
		{"escape", npy(`{'des\x63r': '|u1'}`), "expected a string"},
		{"open string", npy(`{'descr`), "expected a string"},
		{"bool", npy("{'fortran_order': 0}"), "expected \"False\""},
		{"surrogate", npy(dict("<U1", "(1,)"), 0, 0xD8, 0, 0), "not a Unicode character"},
		{"beyond Unicode", npy(dict("<U1", "(1,)"), 0, 0, 0xFF, 0xFF), "not a Unicode character"},
	}
	for _, c := range tests {
		_, err := readBytes(c.raw)
		if err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.text)
		}
	}
}

// sample holds an array of every type that numpy has.
func sample(t *testing.T) []Entry {
	t.Helper()
	half, err := tensor.FromFloat64s(tensor.F16, []float64{1, -2}, 2)
	if err != nil {
		t.Fatal(err)
	}
	return []Entry{
		{"f32", tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)},
		{"f64", tensor.FromSlice([]float64{0.1}, 1)},
		{"f16", half},
		{"bool", tensor.FromSlice([]bool{true, false}, 1, 2)},
		{"i8", tensor.FromSlice([]int8{-1}, 1)},
		{"u8", tensor.FromSlice([]uint8{255}, 1)},
		{"i16", tensor.FromSlice([]int16{-2}, 1)},
		{"u16", tensor.FromSlice([]uint16{2}, 1)},
		{"i32", tensor.FromSlice([]int32{-3}, 1)},
		{"u32", tensor.FromSlice([]uint32{3}, 1)},
		{"i64", tensor.FromSlice([]int64{-4})},
		{"u64", tensor.FromSlice([]uint64{4}, 1)},
		{"c64", tensor.FromSlice([]complex64{1 + 2i}, 1)},
		{"c128", tensor.FromSlice([]complex128{3 + 4i}, 1)},
		{"none", tensor.FromSlice([]float32{}, 0, 3)},
		{"text", tensor.FromStrings([]string{"", "día", "😀"}, 3)},
		{"input:0", tensor.FromSlice([]float32{1}, 1)},
	}
}

func TestWriteThenRead(t *testing.T) {
	want := sample(t)
	var file bytes.Buffer
	if err := Write(&file, want); err != nil {
		t.Fatal(err)
	}
	got, err := readArchive(bytes.NewReader(file.Bytes()), int64(file.Len()), newBudget(Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWriteRefuses(t *testing.T) {
	bf16, err := tensor.FromFloat64s(tensor.BF16, []float64{1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	long := make([]string, 1<<20)
	long[0] = strings.Repeat("x", 1<<10)
	one := tensor.FromSlice([]float32{1}, 1)
	for _, c := range []struct {
		name    string
		entries []Entry
		text    string
	}{
		{"type", []Entry{{"a", bf16}}, "numpy has no type for bf16"},
		{"not UTF-8", []Entry{{"a", tensor.FromStrings([]string{"\xFF"}, 1)}}, "is not text"},
		{"trailing zero", []Entry{{"a", tensor.FromStrings([]string{"a\x00"}, 1)}}, "is not text"},
		{"wide", []Entry{{"a", tensor.FromStrings(long, 1<<20)}}, "in numpy's form"},
		{"name twice", []Entry{{"a", one}, {"a", one}}, "occurs twice"},
		{"broken", []Entry{{"a", tensor.Tensor{DType: tensor.F32, Shape: []int64{9}}}}, "needs 36 bytes"},
	} {
		err := Write(&bytes.Buffer{}, c.entries)
		if err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.text)
		}
	}
}

// archive makes a zip file of named members, compressed.
func archive(t *testing.T, members map[string][]byte) []byte {
	t.Helper()
	var file bytes.Buffer
	w := zip.NewWriter(&file)
	for name, data := range members {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// rawArchive makes a zip file of one deflated member that claims sizes of its
// own.
func rawArchive(t *testing.T, h zip.FileHeader, data []byte) []byte {
	t.Helper()
	var file bytes.Buffer
	w := zip.NewWriter(&file)
	h.Name = "a.npy"
	f, err := w.CreateRaw(&h)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestRefuseArchive(t *testing.T) {
	good := npy(dict("|u1", "(3,)"), 1, 2, 3)
	zeros := npy(dict("|u1", "(100000,)"), make([]byte, 100000)...)
	size := uint64(len(good))
	tests := []struct {
		name string
		raw  []byte
		text string
	}{
		{"not an archive", []byte("PK not really"), "not a valid zip file"},
		{"other files", archive(t, map[string][]byte{"data.pkl": good}), `entry "data.pkl" is not an array`},
		{"broken array", archive(t, map[string][]byte{"x.npy": good[:20]}), `array "x": the header is cut off`},
		{"over the limit", archive(t, map[string][]byte{"x.npy": zeros, "y.npy": zeros}), "more than the 150000 bytes allowed"},
		{"bomb", rawArchive(t, zip.FileHeader{Method: zip.Deflate, CompressedSize64: 100, UncompressedSize64: 1 << 40}, make([]byte, 100)), "more than compression can yield"},
		{"claims bytes that are not there", rawArchive(t, zip.FileHeader{Method: zip.Store, CompressedSize64: 1 << 40, UncompressedSize64: 1 << 40}, good), "but the archive has only"},
		{"stored but larger", rawArchive(t, zip.FileHeader{Method: zip.Store, CompressedSize64: size, UncompressedSize64: size + 1}, good), "more than compression can yield"},
		{"checksum", rawArchive(t, zip.FileHeader{Method: zip.Store, CompressedSize64: size, UncompressedSize64: size, CRC32: crc32.ChecksumIEEE(good) + 1}, good), "checksum error"},
		{"encrypted", rawArchive(t, zip.FileHeader{Method: zip.Store, Flags: 1, CompressedSize64: size, UncompressedSize64: size}, good), "encrypted"},
	}
	for _, c := range tests {
		_, err := readArchive(bytes.NewReader(c.raw), int64(len(c.raw)), newBudget(Options{MaxBytes: 150_000}))
		if err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.text)
		}
	}
}

func TestOpen(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one := npy(dict("|u1", "(1,)"), 1)
	file := write("b.npy", one)
	write("a:0.npy", one)
	write("notes.txt", []byte("x"))
	packed := write("set.npz", archive(t, map[string][]byte{"x.npy": one}))

	for _, c := range []struct {
		path string
		want []string
	}{
		{file, []string{"b"}},
		{folder, []string{"a:0", "b"}},
		{packed, []string{"x"}},
	} {
		entries, err := Open(c.path, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name)
		}
		if diff := cmp.Diff(c.want, names); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.path, diff)
		}
	}
	for _, path := range []string{filepath.Join(folder, "none"), t.TempDir(), write("empty.npy", nil), os.DevNull} {
		if _, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(npy(dict("<f4", "(2,)"), 0, 0, 0, 0, 0, 0, 0, 0))
	f.Add(npy("{'descr': '>U1', 'fortran_order': True, 'shape': (1, 2), }", 0, 0, 0, 65, 0, 0, 0, 66))
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		o := Options{MaxBytes: 1 << 20}
		if got, err := readArray(bytes.NewReader(raw), int64(len(raw)), newBudget(o)); err == nil {
			if err := got.Check(); err != nil {
				t.Errorf("an array was accepted: %v", err)
			}
			again(t, got)
		}
		if entries, err := readArchive(bytes.NewReader(raw), int64(len(raw)), newBudget(o)); err == nil {
			for _, e := range entries {
				if err := e.Tensor.Check(); err != nil {
					t.Errorf("array %q was accepted: %v", e.Name, err)
				}
			}
		}
	})
}

// again writes an array that was read and reads it once more.
func again(t *testing.T, want tensor.Tensor) {
	t.Helper()
	var file bytes.Buffer
	if err := WriteArray(&file, want); err != nil {
		return // text that is not UTF-8 has no way back
	}
	got, err := readBytes(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestOpenPipe guards against waiting for a writer that never comes.
func TestOpenPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.npz")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v", err)
	}
}
