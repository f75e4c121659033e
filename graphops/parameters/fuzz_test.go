package parameters_test

import (
	"archive/zip"
	"os"
	"path/filepath"
	"testing"

	"lathe/graphops"
	"lathe/graphops/parameters"
	. "lathe/graphops/parameters/parameterstest"
)

// FuzzCheckpoint, FuzzSafetensors, FuzzIndex and FuzzNPZ open what may be a file of
// parameters, and read every element of what is accepted: no panic, and no more elements
// than the files have bytes, where nothing is compressed.

func FuzzCheckpoint(f *testing.F) {
	c := full()
	c.Frozen[0].External = true
	file, data := c.Write()
	f.Add(file)
	f.Add(FlatBuffer("ODTC", Table{0: int32(2)}))
	for _, h := range hostileCheckpoints() {
		f.Add(FlatBuffer("ODTC", h.root))
	}
	fuzz(f, map[string][]byte{"w.data": data}, 1)
}

func FuzzSafetensors(f *testing.F) {
	f.Add(shardOf("a", "b"))
	f.Add(Safetensors(`{"__metadata__":{"a":"b"},"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}`, ramp(8)))
	fuzz(f, nil, 1)
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte(`{"weight_map":{"a":"1","c":"2"}}`))
	f.Add([]byte(`{"metadata":{},"weight_map":{"a":"../w","c":"/etc/passwd"}}`))
	fuzz(f, map[string][]byte{"1": shardOf("a", "b"), "2": shardOf("c")}, 1)
}

func FuzzNPZ(f *testing.F) {
	f.Add(archive(f, member{"a.npy", npy("<f4", false, "2,", ramp(8)), zip.Store, 0}, member{"b.npy", npy(">i2", true, "2, 2", ramp(8)), zip.Deflate, 0}))
	fuzz(f, nil, 1032)
}

// fuzz opens files beside others; ratio is how many elements a byte may yield.
func fuzz(f *testing.F, others map[string][]byte, ratio int64) {
	f.Helper()
	dir := f.TempDir()
	total := int64(0)
	for name, b := range others {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			f.Fatal(err)
		}
		total += int64(len(b))
	}
	path := filepath.Join(dir, "w")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := parameters.Open(path, graphops.OpenOptions{})
		if err != nil || s.Kind == parameters.Model {
			return
		}
		defer s.Close()
		read := int64(0)
		for _, e := range s.Entries {
			x, err := e.Tensor()
			if err != nil {
				continue
			}
			if p, err := x.Data(); err == nil {
				n, _ := p.WriteTo(nowhere{})
				read += n
			}
		}
		if read > ratio*(int64(len(b))+total) {
			t.Errorf("%d bytes of elements in files of %d", read, int64(len(b))+total)
		}
	})
}

// nowhere takes bytes, without the shortcuts of io.Discard.
type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }
