package parameters_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/durable"
	"lathe/graphops/graphtest"
	"lathe/graphops/parameters"
	. "lathe/graphops/parameters/parameterstest"
	"lathe/graphops/tensor"
)

const model = `
opset 20
input x f32[2]
init w f32[2] 1 2
y = Add(x, w)
output y f32[2]`

// TestKinds knows files by what they hold, under names that say something else.
func TestKinds(t *testing.T) {
	ck, _ := full().Write()
	tests := map[string]struct {
		file []byte
		want parameters.Kind
	}{
		"a checkpoint":     {ck, parameters.Checkpoint},
		"safetensors":      {shardOf("a"), parameters.Safetensors},
		"arrays":           {archive(t, member{"a.npy", npy("<f4", false, "2,", ramp(8)), zip.Store, 0}), parameters.NPZ},
		"a model":          {graphtest.Bytes(t, model), parameters.Model},
		"a marked model":   {append([]byte("\x08\x08\x12\x04ODTC"), graphtest.Bytes(t, model)...), parameters.Model},
		"an unmarked file": {[]byte("\x08\x08"), ""},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			path := put(t, "w.bin", c.file)
			if c.want == "" {
				refused(t, path, "expected a training checkpoint, safetensors, .npz or an ONNX model: ")
				return
			}
			s := open(t, path)
			if s.Kind != c.want || len(s.Entries) == 0 || s.Path != path {
				t.Errorf("%+v", s)
			}
			if c.want != parameters.Model && s.Bytes() != int64(len(c.file)) {
				t.Errorf("%d bytes, want %d", s.Bytes(), len(c.file))
			}
			if elements(t, s.Entries[0]) == "" {
				t.Error("no elements")
			}
		})
	}
}

// TestOtherFiles says what is no file of parameters, and what to do.
func TestOtherFiles(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"an .ort model":     {"\x20\x00\x00\x00ORTM\x00\x00", ".ort format"},
		"an old pickle":     {"\x80\x02}q\x00.", "save the tensors as safetensors"},
		"one array":         {string(npy("<f4", false, "2,", ramp(8))), "numpy.savez"},
		"HDF5":              {"\x89HDF\r\n\x1a\n\x00", "this is an HDF5 file"},
		"another zip":       {string(archive(t, member{"readme", nil, zip.Store, 0})), "this is a zip archive"},
		"a configuration":   {`{"architectures": ["BertModel"]}`, "this is a JSON file"},
		"nothing":           {"", "the file is empty"},
		"a LFS pointer":     {"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", "git lfs pull"},
		"a cut checkpoint":  {"\x14\x00\x00\x00ODTC\x00\x00", "a training checkpoint of ONNX Runtime: the root at byte 20 lies outside the file"},
		"the shortest of 8": {"\x00\x00\x00\x00ODTC", "a training checkpoint of ONNX Runtime: "},
	} {
		t.Run(name, func(t *testing.T) { refused(t, put(t, "checkpoint", c.file), c.want) })
	}
	refused(t, filepath.Dir(put(t, "paramtrain_tensors.pbseq", "")), "ONNX Runtime 1.15 or older")
	refused(t, filepath.Dir(put(t, indexName, "{}")), "give the path of "+indexName+" in it")
	refused(t, t.TempDir(), "this is a folder")
	refused(t, filepath.Join(t.TempDir(), "gone"), "no such file")
}

// TestIntoAModel puts tensors of every kind into a model, saves it and compares every
// byte; saving finds a source that changed, and does not overwrite one.
func TestIntoAModel(t *testing.T) {
	large := Tensor{Name: "w", DType: tensor.F32, Dims: []int64{300, 100}, Data: ramp(120000)}
	ck, data := Checkpoint{Trainable: []Tensor{{Name: "w", DType: tensor.F32, Dims: large.Dims, Data: large.Data, External: true}}}.Write()
	for name, files := range map[string][]any{
		"inside":      {"ck", first(Checkpoint{Trainable: []Tensor{large}}.Write())},
		"external":    {"ck", ck, "ck.data", data},
		"safetensors": {"w", Safetensors(`{"w":{"dtype":"F32","shape":[300,100],"data_offsets":[0,120000]}}`, large.Data)},
		"npz":         {"w", archive(t, member{"w.npy", npy("<f4", false, "300, 100", large.Data), zip.Deflate, 0})},
		"a model":     {"w", graphtest.Bytes(t, "opset 20\ninput x f32[1]\ninit w f32[3] 1 2 3\ny = Add(x, w)\noutput y f32[3]")},
	} {
		for _, storage := range []graphops.Storage{graphops.StoreAsIs, graphops.StoreExternal} {
			t.Run(fmt.Sprint(name, storage), func(t *testing.T) {
				path := put(t, files...)
				s := open(t, path)
				want := elements(t, s.Entries[0])
				x, err := s.Entries[0].Tensor()
				if err != nil {
					t.Fatal(err)
				}
				e := graphops.Edit(graphtest.Model(t, model))
				e.Initializers = []*graphops.Tensor{x}
				m := s.ReadBy(e.Model())
				out := filepath.Join(filepath.Dir(path), "out.onnx")
				if _, err := graphops.Save(context.Background(), m, out, graphops.SaveOptions{Storage: storage}); err != nil {
					t.Fatal(err)
				}
				if got := elements(t, open(t, out).Entries[0]); got != want {
					t.Error("other elements")
				}
				if _, err := graphops.Save(context.Background(), m, path, graphops.SaveOptions{Options: durable.Options{Overwrite: true}}); err == nil || !strings.Contains(err.Error(), "is the file that the model is read from") {
					t.Errorf("overwriting the source: %v", err)
				}
				source := filepath.Join(filepath.Dir(path), files[len(files)-2].(string))
				if err := os.WriteFile(source, append([]byte("changed"), want...), 0o600); err != nil {
					t.Fatal(err)
				}
				if _, err := graphops.Save(context.Background(), m, out+"2", graphops.SaveOptions{Storage: storage}); err == nil {
					t.Error("saved from a file that has changed")
				}
			})
		}
	}
}

func first(b, _ []byte) []byte { return b }

// sparse makes a file that is as large as asked for and has these parts.
func sparse(t *testing.T, size int64, parts map[int64][]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "w")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	for at, b := range parts {
		if _, err := f.WriteAt(b, at); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// TestLargeFilesAreNotRead lists a gigabyte of each format in a few megabytes.
func TestLargeFilesAreNotRead(t *testing.T) {
	const gib = 1 << 30
	npyHead := npy("|u1", false, fmt.Sprint(gib, ","), nil)
	// The raw data of the checkpoint is the last of the file and claims the rest of it.
	ck := FlatBuffer("ODTC", Table{0: int32(2), 1: Table{1: []Table{}, 0: []Table{{0: "w", 2: []int64{gib}, 3: int32(tensor.U8), 4: &Shared{Value: Claim{Length: gib}}}}}})
	var z bytes.Buffer
	w := zip.NewWriter(&z)
	f, err := w.CreateRaw(&zip.FileHeader{Name: "w.npy", CompressedSize64: uint64(len(npyHead) + gib), UncompressedSize64: uint64(len(npyHead) + gib)})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.Write(npyHead)
	_ = w.Flush()
	local := z.Len() // what follows is the directory, which goes behind the gigabyte
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tail := bytes.Clone(z.Bytes()[local:])
	end := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	binary.LittleEndian.PutUint32(tail[end+16:], uint32(local+gib))
	header := Safetensors(fmt.Sprintf(`{"w":{"dtype":"U8","shape":[%d],"data_offsets":[0,%d]}}`, gib, gib), nil)
	for name, path := range map[string]string{
		"a checkpoint": sparse(t, int64(len(ck))+gib, map[int64][]byte{0: ck}),
		"safetensors":  sparse(t, int64(len(header))+gib, map[int64][]byte{0: header}),
		"npz":          sparse(t, int64(z.Len())+gib, map[int64][]byte{0: z.Bytes()[:local], int64(local) + gib: tail}),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			s := open(t, path)
			runtime.ReadMemStats(&after)
			if s.Entries[0].Bytes != gib || s.Entries[0].Unusable() != nil {
				t.Fatalf("%+v", s.Entries[0])
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
				t.Errorf("listing allocated %d bytes", n)
			}
		})
	}
}
