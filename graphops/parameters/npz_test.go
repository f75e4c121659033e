package parameters_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"
)

// npy is an array in numpy's form.
func npy(descr string, fortran bool, shape string, data []byte) []byte {
	order := "False"
	if fortran {
		order = "True"
	}
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }\n", descr, order, shape)
	out := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	return append(append(out, head...), data...)
}

// member is a file of an archive.
type member struct {
	name   string
	data   []byte
	method uint16
	claim  uint64 // another size than it has, if it is not 0
}

func archive(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		if m.claim != 0 {
			h := &zip.FileHeader{Name: m.name, Method: m.method, CompressedSize64: uint64(len(m.data)), UncompressedSize64: m.claim, CRC32: crc32.ChecksumIEEE(m.data)}
			f, err := w.CreateRaw(h)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = f.Write(m.data)
			continue
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: m.name, Method: m.method})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = f.Write(m.data)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestNPZ reads arrays as they lie, and those that are made.
func TestNPZ(t *testing.T) {
	row := []byte{1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0} // 1 to 6
	big := []byte{0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6}
	columns := []byte{1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6, 0}
	s := open(t, put(t, "w.npz", archive(t,
		member{"stored.npy", npy("<i2", false, "2, 3", row), zip.Store, 0},
		member{"packed.npy", npy("<i2", false, "2, 3", row), zip.Deflate, 0},
		member{"big.npy", npy(">i2", false, "2, 3", big), zip.Store, 0},
		member{"fortran.npy", npy("<i2", true, "2, 3", columns), zip.Deflate, 0},
		member{"line.npy", npy("<i2", true, "6,", row), zip.Store, 0},
		member{"text.npy", npy("<U1", false, "1,", []byte("a\x00\x00\x00")), zip.Store, 0},
		member{"void.npy", npy("|V2", false, "1,", []byte("ab")), zip.Store, 0},
		member{"none.npy", npy("<f4", false, "0, 3", nil), zip.Deflate, 0},
	)))
	stored := map[string]bool{"stored": true, "line": true}
	for _, e := range s.Entries[:5] {
		if elements(t, e) != string(row) {
			t.Errorf("%s: % x", e.Name, elements(t, e))
		}
		if _, _, ok := e.Location(); ok != stored[e.Name] {
			t.Errorf("%s: lies in the file: %v", e.Name, ok)
		}
	}
	for i, want := range map[int]string{5: "contains text", 6: "no bfloat16"} {
		if _, err := s.Entries[i].Tensor(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", s.Entries[i].Name, err, want)
		}
	}
	if elements(t, s.Entries[7]) != "" {
		t.Error("an empty array has elements")
	}
}

// TestHostileNPZ has each archive refused for its reason.
func TestHostileNPZ(t *testing.T) {
	good := npy("<f4", false, "2,", ramp(8))
	// Both entries of the directory lead to the first file.
	overlapped := archive(t, member{"a.npy", good, zip.Store, 0}, member{"b.npy", good, zip.Store, 0})
	second := bytes.LastIndex(overlapped, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(overlapped[second+42:], 0)
	cut := archive(t, member{"a.npy", good, zip.Store, 0})
	tests := map[string]struct {
		file []byte
		want string
	}{
		"objects":             {archive(t, member{"o.npy", npy("|O", false, "1,", ramp(8)), zip.Store, 0}), "pickle"},
		"twice":               {archive(t, member{"a.npy", good, zip.Store, 0}, member{"a.npy", good, zip.Deflate, 0}), `array "a" occurs twice`},
		"in each other":       {overlapped, "overlap"},
		"no array":            {archive(t, member{"a.npy", good, zip.Store, 0}, member{"b.txt", good, zip.Store, 0}), "is not an array"},
		"a bomb":              {archive(t, member{"a.npy", good, zip.Deflate, 1 << 40}), "more than compression can yield"},
		"a lying size":        {archive(t, member{"a.npy", good, zip.Store, 1 << 20}), "more than compression can yield"},
		"another size":        {archive(t, member{"a.npy", npy("<f4", false, "3,", ramp(8)), zip.Store, 0}), "3 of type \"<f4\" needs 12 bytes, the entry has 8"},
		"a huge shape":        {archive(t, member{"a.npy", npy("<f4", false, "4611686018427387904, 4", ramp(8)), zip.Store, 0}), `entry "a.npy"`},
		"a long header":       {archive(t, member{"a.npy", append([]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), good...), zip.Store, 0}), "at most 10000 are read"},
		"no .npy":             {archive(t, member{"a.npy", []byte("hello"), zip.Store, 0}), "not an .npy file"},
		"another method":      {archive(t, member{"a.npy", good, 12, uint64(len(good))}), "unsupported compression"},
		"a cut archive":       {append([]byte("PK\x03\x04"), cut[4:len(cut)-30]...), ""},
		"a pickle of torch":   {archive(t, member{"m/data.pkl", nil, zip.Store, 0}, member{"m/data/0", nil, zip.Store, 0}), "save the tensors as safetensors"},
		"deflate that is not": {archive(t, member{"a.npy", []byte("hello, hello, hello"), zip.Deflate, 19}), `entry "a.npy"`},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) { refused(t, put(t, "w.npz", c.file), c.want) })
	}
}

// TestBombIsFoundWhileItIsRead packs more, and less, than an entry claims.
func TestBombIsFoundWhileItIsRead(t *testing.T) {
	for _, claimed := range []int{8, 16} {
		claim := npy("<f4", false, fmt.Sprint(claimed/4, ","), nil)
		honest := archive(t, member{"a.npy", append(claim, make([]byte, 12)...), zip.Deflate, 0})
		at := bytes.LastIndex(honest, []byte("PK\x01\x02"))
		binary.LittleEndian.PutUint32(honest[at+24:], uint32(len(claim)+claimed))
		s := open(t, put(t, "w.npz", honest))
		x, err := s.Entries[0].Tensor()
		if err != nil {
			t.Fatal(err)
		}
		p, _ := x.Data()
		if b, err := p.Bytes(); err == nil {
			t.Errorf("%d bytes for %d that are claimed", len(b), claimed)
		}
	}
}
