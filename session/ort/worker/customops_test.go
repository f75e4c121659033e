//go:build cgo

package worker_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
	"lathe/session/ort"
	"lathe/session/ort/workertest"
)

// customOps compiles the library of the operator lathe.test:Halve.
func customOps(t *testing.T) string {
	return workertest.Built(t, "testdata/custom_ops.c", "-shared", "-fPIC", "-Wno-unused-result")
}

// halving is a model of one custom operator.
func halving(t *testing.T) []byte {
	n := node("Halve", []string{"x"}, []string{"y"})
	n.Domain = proto.String("lathe.test")
	content := modelBytes(t, &onnxpb.GraphProto{
		Node:   []*onnxpb.NodeProto{n},
		Input:  []*onnxpb.ValueInfoProto{value("x", tensor.F32, "n")},
		Output: []*onnxpb.ValueInfoProto{value("y", tensor.F32, "n")},
	})
	var model onnxpb.ModelProto
	if err := proto.Unmarshal(content, &model); err != nil {
		t.Fatal(err)
	}
	model.OpsetImport = append(model.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: proto.String("lathe.test"), Version: proto.Int64(1)})
	content, err := proto.Marshal(&model)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestCustomOps(t *testing.T) {
	client := start(t)
	model := ort.Model{Bytes: halving(t)}
	if _, err := client.Load(t.Context(), model, ort.SessionOptions{}); err == nil || !strings.Contains(err.Error(), "lathe.test:Halve") {
		t.Errorf("without the library: %v", err)
	}
	session, err := client.Load(t.Context(), model, ort.SessionOptions{CustomOps: []string{customOps(t)}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := run(t.Context(), session, map[string]tensor.Tensor{"x": tensor.FromSlice([]float32{3, -4}, 2)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tensor.FromSlice([]float32{1.5, -2}, 2), got[0].Value.Tensor); diff != "" {
		t.Error(diff)
	}
}

func TestCustomOpsThatAreNone(t *testing.T) {
	client := start(t)
	text := filepath.Join(t.TempDir(), "text.so")
	if err := os.WriteFile(text, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/nowhere/lib.so": "/nowhere/lib.so",
		text:              "file too short",
		"libc.so.6":       "RegisterCustomOps",
		"a\x00b":          "NUL",
	} {
		_, err := client.Load(t.Context(), ort.Model{Bytes: addOne(t)}, ort.SessionOptions{CustomOps: []string{path}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", path, err, want)
		}
	}
}

// A library that ends the worker while it is registered is named, so that nobody looks for the reason in
// the model.
func TestLibraryDies(t *testing.T) {
	library := workertest.Built(t, "testdata/dies.c", "-shared", "-fPIC")
	_, err := start(t).Load(t.Context(), ort.Model{Bytes: addOne(t)}, ort.SessionOptions{CustomOps: []string{library}})
	var crash *ort.CrashError
	if !errors.As(err, &crash) || !crash.AtRegistration() || !strings.Contains(err.Error(), "(registering the custom operators of "+library+")") {
		t.Errorf("%v", err)
	}
}
