package check_test

import (
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// TestRefusedPlacesOfData has the data of an initializer lie where the onnx package
// allows none.
func TestRefusedPlacesOfData(t *testing.T) {
	for name, location := range map[string]string{
		"parent": "..", "escape": "../escape", "other script": "../テンソル.bin", "absolute": "/usr/any", "another's": "/etc/passwd",
		"missing": "missing.bin", "missing below": "sub/example", "the folder": ".", "leads out": "below/secret.data",
	} {
		t.Run(name, func(t *testing.T) {
			folder, outside := t.TempDir(), t.TempDir()
			write(t, filepath.Join(outside, "secret.data"), make([]byte, 8))
			if err := os.Symlink(outside, filepath.Join(folder, "below")); err != nil {
				t.Skip(err)
			}
			m := graphtest.Proto(t, "input x f32[2]\noutput y f32[2]\ninit w f32[2] 1\nsum: y = Add(x, w)")
			w := m.Graph.Initializer[0]
			w.RawData, w.DataLocation = nil, onnxpb.TensorProto_EXTERNAL.Enum()
			w.ExternalData = []*onnxpb.StringStringEntryProto{{Key: proto.String("location"), Value: &location}}
			content, err := proto.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(folder, "model.onnx")
			write(t, path, content)
			model, err := graphops.Open(path, graphops.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			wantNamed(t, model, refused{value: "w", node: "sum"})
		})
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
