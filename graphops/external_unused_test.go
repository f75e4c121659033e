package graphops_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// besides writes a model of tensors of 1,000 bytes that lie at offsets of w.bin.
func besides(t *testing.T, path string, offsets ...string) {
	t.Helper()
	besidesIn(t, path, "w.bin", offsets...)
}

func besidesIn(t *testing.T, path, location string, offsets ...string) {
	t.Helper()
	text := "input x f32[250]\n"
	for i := range offsets {
		text += "init w" + string(rune('a'+i)) + " f32[250] 1\n"
	}
	p := graphtest.Proto(t, text+"y = Neg(x)\noutput y f32[250]\n")
	for i, w := range p.Graph.Initializer {
		w.FloatData, w.RawData, w.DataLocation = nil, nil, onnxpb.TensorProto_EXTERNAL.Enum()
		for key, value := range map[string]string{"location": location, "offset": offsets[i], "length": "1000"} {
			w.ExternalData = append(w.ExternalData, &onnxpb.StringStringEntryProto{Key: &key, Value: &value})
		}
	}
	b, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, b)
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// noModel stands in place of offsets before the words of a file that is no model.
const noModel = "no model"

func TestExternalUnused(t *testing.T) {
	type model = map[string][]string
	for name, c := range map[string]struct {
		size   int
		models model // the first in order of names is looked at
		want   []graphops.UnusedData
	}{
		"all used":                 {2000, model{"a.onnx": {"0", "1000"}}, nil},
		"aligned":                  {131072, model{"a.onnx": {"0", "65536"}}, nil},
		"padded at the end":        {4096, model{"a.onnx": {"0"}}, nil},
		"half":                     {2000, model{"a.onnx": {"0"}}, []graphops.UnusedData{{Location: "w.bin", Size: 2000, Bytes: 1000}}},
		"in front":                 {2000, model{"a.onnx": {"1000"}}, []graphops.UnusedData{{Location: "w.bin", Size: 2000, Bytes: 1000}}},
		"between":                  {3000, model{"a.onnx": {"0", "2000"}}, []graphops.UnusedData{{Location: "w.bin", Size: 3000, Bytes: 1000}}},
		"shared":                   {2000, model{"a.onnx": {"0", "0", "1000"}}, nil},
		"of another model":         {2000, model{"a.onnx": {"0"}, "b.onnx": {"1000"}}, nil},
		"of another model in part": {3000, model{"a.onnx": {"0"}, "b.onnx": {"1000"}}, []graphops.UnusedData{{Location: "w.bin", Size: 3000, Bytes: 1000, Others: 1}}},
		"beside what is no model":  {2000, model{"a.onnx": {"0"}, "b.onnx": {noModel}}, []graphops.UnusedData{{Location: "w.bin", Size: 2000, Bytes: 1000}}},
		"beside a form not read":   {2000, model{"a.onnx": {"0"}, "b.onnx": {noModel, "w.bin"}}, []graphops.UnusedData{{Location: "w.bin", Size: 2000, Bytes: 1000, Unread: 1}}},
		"a text form of any name":  {2000, model{"a.onnx": {"0"}, "b.txt": {noModel, "w.bin"}}, []graphops.UnusedData{{Location: "w.bin", Size: 2000, Bytes: 1000}}},
		"a model of any name":      {2000, model{"a.onnx": {"0"}, "b.model": {"1000"}}, nil},
		"a range beyond the file":  {1500, model{"a.onnx": {"0", "1000"}}, nil},
		"several alignments":       {8192, model{"a.onnx": {"0", "1024", "2048", "4096"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "w.bin"), make([]byte, c.size))
			for file, offsets := range c.models {
				if offsets[0] == noModel {
					write(t, filepath.Join(dir, file), []byte(strings.Join(offsets, " ")))
					continue
				}
				besides(t, filepath.Join(dir, file), offsets...)
			}
			m, err := graphops.Open(filepath.Join(dir, "a.onnx"), graphops.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, graphops.ExternalUnused(m)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Data in a folder of its own is used by models of the folder above it.
func TestExternalUnusedAbove(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "data", "w.bin"), make([]byte, 3000))
	for file, offset := range map[string]string{"a.onnx": "0", "b.onnx": "1000"} {
		besidesIn(t, filepath.Join(dir, file), "data/w.bin", offset)
	}
	m, err := graphops.Open(filepath.Join(dir, "a.onnx"), graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []graphops.UnusedData{{Location: "data/w.bin", Size: 3000, Bytes: 1000, Others: 1}}
	if diff := cmp.Diff(want, graphops.ExternalUnused(m)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
