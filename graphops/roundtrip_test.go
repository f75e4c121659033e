package graphops_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"lathe/graphops"
	"lathe/graphops/onnxpb"
	"lathe/graphops/reference"
)

// goodModels lists the models of testdata that are not broken on purpose, and those of others if they
// are there.
func goodModels(t *testing.T) []string {
	t.Helper()
	list := reference.Testdata.SoundModels(t)
	if reference.Shared.Exists(t) {
		list = append(list, reference.Shared.Models(t)...)
	}
	return list
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
