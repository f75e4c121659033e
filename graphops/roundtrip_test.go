package graphops_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"lathe/graphops"
	"lathe/graphops/onnxpb"
)

// goodModels lists the .onnx files below testdata and, where it is there,
// below ../shared/models, except those made to be broken.
func goodModels(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, root := range []string{"../testdata", "../../shared/models"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil //nolint:nilerr // ../shared may be missing
			}
			if strings.HasSuffix(path, ".onnx") && !strings.Contains(path, "testdata/broken") {
				out = append(out, path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(out) == 0 {
		t.Fatal("no models found")
	}
	return out
}

func unmarshal(t *testing.T, b []byte) *onnxpb.ModelProto {
	t.Helper()
	m := &onnxpb.ModelProto{}
	if err := proto.Unmarshal(b, m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestRoundTrip saves models that were not edited and compares every field with
// what the generated code reads from the original.
func TestRoundTrip(t *testing.T) {
	for _, path := range goodModels(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			m, err := graphops.Open(path, graphops.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			original, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want := unmarshal(t, original)
			for name, m := range map[string]*graphops.Model{"opened": m, "decoded": mustDecode(t, original)} {
				if m.HasExternalData() {
					continue // embedding changes it; TestExternalData compares that
				}
				var buf bytes.Buffer
				if err := graphops.Write(&buf, m); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				got := unmarshal(t, buf.Bytes())
				if !proto.Equal(want, got) { // Diff alone takes minutes on large models
					t.Errorf("%s: saved model differs (-want +got):\n%s", name, cmp.Diff(want, got, protocmp.Transform()))
				}
			}
		})
	}
}

func mustDecode(t *testing.T, b []byte) *graphops.Model {
	t.Helper()
	m, err := graphops.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
