//go:build cgo

package worker_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
	"lathe/session/ort"
)

func TestLoadErrors(t *testing.T) {
	client := start(t)
	folder := t.TempDir()
	garbage := filepath.Join(folder, "garbage failed:.onnx")
	if err := os.WriteFile(garbage, []byte("no model"), 0o600); err != nil {
		t.Fatal(err)
	}
	unknownOp := modelBytes(t, &onnxpb.GraphProto{
		Node:   []*onnxpb.NodeProto{node("Frobnicate", []string{"x"}, []string{"y"})},
		Input:  []*onnxpb.ValueInfoProto{value("x", tensor.F32, 1)},
		Output: []*onnxpb.ValueInfoProto{value("y", tensor.F32, 1)},
	})
	unknownOpFile := filepath.Join(folder, "unknown.onnx")
	if err := os.WriteFile(unknownOpFile, unknownOp, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		model ort.Model
		code  ort.Code
		text  string // all of it, or its beginning before "…"
	}{
		{"no file", ort.Model{Path: filepath.Join(folder, "none.onnx")}, 3, `loading "` + filepath.Join(folder, "none.onnx") + `": …`},
		{"not a model", ort.Model{Path: garbage}, 7, `loading "` + garbage + `": Protobuf parsing failed. (INVALID_PROTOBUF)`},
		{"unknown operator", ort.Model{Path: unknownOpFile}, 10, `loading "` + unknownOpFile + `": This is an invalid model. In Node, ("Frobnicate of y", Frobnicate, …`},
		{"bytes", ort.Model{Bytes: unknownOp, Name: "draft"}, 10, `loading "draft": This is an invalid model. …`},
		{"no bytes", ort.Model{}, ort.CodeNone, `loading "model in memory": the model has no bytes`},
		{"NUL in the path", ort.Model{Path: "a\x00b"}, ort.CodeNone, `loading "a\x00b": "a\x00b" holds a NUL character…`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := client.Load(t.Context(), tt.model, ort.SessionOptions{})
			var refused *ort.Error
			if !errors.As(err, &refused) {
				t.Fatalf("got %v, want an *ort.Error", err)
			}
			if refused.Code != tt.code || refused.Phase != ort.Loading {
				t.Errorf("got code %d in phase %q, want %d", refused.Code, refused.Phase, tt.code)
			}
			checkText(t, err, tt.text)
		})
	}
}

// checkText compares an error's text with all of want, or with its beginning
// where want ends in "…".
func checkText(t *testing.T, err error, want string) {
	t.Helper()
	got := ""
	if err != nil {
		got = err.Error()
	}
	start, open := strings.CutSuffix(want, "…")
	if got != want && !(open && strings.HasPrefix(got, start)) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestRunErrors(t *testing.T) {
	client := start(t)
	session := load(t, client, identity(t, tensor.F32, "n", 3))
	good := pattern(t, tensor.F32, 2, 3)
	tests := []struct {
		name  string
		feeds map[string]tensor.Tensor
		want  []string
		code  ort.Code
		text  string
	}{
		{"missing input", nil, nil, ort.CodeNone, `running "model in memory": input "x" is missing; the model's inputs are "x"`},
		{"unknown input", map[string]tensor.Tensor{"x": good, "nope": good}, nil, ort.CodeNone, `running "model in memory": the model has no input "nope"; its inputs are "x"`},
		{"unknown output", map[string]tensor.Tensor{"x": good}, []string{"nope"}, ort.CodeNone, `running "model in memory": the model has no output "nope"; its outputs are "y"`},
		{"output twice", map[string]tensor.Tensor{"x": good}, []string{"y", "y"}, ort.CodeNone, `running "model in memory": output "y" is requested twice`},
		{"wrong type", map[string]tensor.Tensor{"x": pattern(t, tensor.I64, 2, 3)}, nil, 2, `running "model in memory": Unexpected input data type. …`},
		{"wrong rank", map[string]tensor.Tensor{"x": pattern(t, tensor.F32, 3)}, nil, 2, `running "model in memory": Invalid rank for input: x Got: 1 Expected: 2 …`},
		{"wrong size", map[string]tensor.Tensor{"x": pattern(t, tensor.F32, 2, 4)}, nil, 2, `running "model in memory": Got invalid dimensions for input: x …`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := run(t.Context(), session, tt.feeds, tt.want)
			var refused *ort.Error
			if !errors.As(err, &refused) || refused.Code != tt.code || refused.Phase != ort.Running {
				t.Fatalf("got %#v, want an *ort.Error with code %d", err, tt.code)
			}
			checkText(t, err, tt.text)
		})
	}
	if _, err := run(t.Context(), session, map[string]tensor.Tensor{"x": good}, nil); err != nil {
		t.Errorf("a session after errors: %v", err)
	}
}

// A tensor that does not hold what it says is refused before it is sent.
func TestInconsistentFeed(t *testing.T) {
	session := load(t, start(t), identity(t, tensor.F32, "n"))
	_, err := run(t.Context(), session, map[string]tensor.Tensor{"x": {DType: tensor.F32, Shape: []int64{4}, Data: make([]byte, 15)}}, nil)
	checkText(t, err, `running "model in memory": input "x": f32 4 needs 16 bytes, got 15`)
}

// Initializers that are inputs as well need no feed and take one.
func TestOverridableInitializer(t *testing.T) {
	session := load(t, start(t), modelBytes(t, &onnxpb.GraphProto{
		Node:        []*onnxpb.NodeProto{node("Add", []string{"x", "w"}, []string{"y"})},
		Input:       []*onnxpb.ValueInfoProto{value("x", tensor.I64), value("w", tensor.I64)},
		Output:      []*onnxpb.ValueInfoProto{value("y", tensor.I64)},
		Initializer: []*onnxpb.TensorProto{int64s("w", nil, 5)},
	}))
	scalar := func(v byte) tensor.Tensor {
		return tensor.Tensor{DType: tensor.I64, Data: []byte{v, 0, 0, 0, 0, 0, 0, 0}}
	}
	for want, feeds := range map[byte]map[string]tensor.Tensor{
		8:  {"x": scalar(3)},
		13: {"x": scalar(3), "w": scalar(10)},
	} {
		got, err := run(t.Context(), session, feeds, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got[0].Value.Tensor.Data[0] != want {
			t.Errorf("got %d, want %d", got[0].Value.Tensor.Data[0], want)
		}
	}
}

// A model in memory finds its external data in the folder it is loaded with.
func TestExternalFolder(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "w.bin"), []byte{9, 0, 0, 0, 0, 0, 0, 0}, 0o600); err != nil {
		t.Fatal(err)
	}
	weight := &onnxpb.TensorProto{
		Name: proto.String("w"), DataType: proto.Int32(int32(tensor.I64)), Dims: []int64{1},
		DataLocation: onnxpb.TensorProto_EXTERNAL.Enum(),
		ExternalData: []*onnxpb.StringStringEntryProto{{Key: proto.String("location"), Value: proto.String("w.bin")}},
	}
	model := modelBytes(t, &onnxpb.GraphProto{
		Node:        []*onnxpb.NodeProto{node("Identity", []string{"w"}, []string{"y"})},
		Output:      []*onnxpb.ValueInfoProto{value("y", tensor.I64, 1)},
		Initializer: []*onnxpb.TensorProto{weight},
	})
	client := start(t)
	session, err := client.Load(t.Context(), ort.Model{Bytes: model, Folder: folder}, ort.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := run(t.Context(), session, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got[0].Value.Tensor.Data[0] != 9 {
		t.Errorf("got %v", got[0].Value.Tensor.Data)
	}
	if _, err := client.Load(t.Context(), ort.Model{Bytes: model, Folder: t.TempDir()}, ort.SessionOptions{}); err == nil {
		t.Error("a folder without the data was accepted")
	}
}
