package onnxpb

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"
	"google.golang.org/protobuf/reflect/protoreflect"

	"lathe/graphops/reference"
)

// TestRealModels decodes models that other tools wrote. The messages must declare every field, and
// lose nothing.
func TestRealModels(t *testing.T) {
	models := reference.Testdata.SoundModels(t)
	if reference.Shared.Exists(t) {
		models = append(models, reference.Shared.Models(t)...)
	}
	for _, path := range models {
		t.Run(filepath.Base(path), func(t *testing.T) { testModel(t, path) })
	}
}

func testModel(t *testing.T, path string) {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var model, again ModelProto
	roundTrip(t, raw, &model, &again)
	if model.GetGraph() == nil || model.GetIrVersion() == 0 {
		t.Errorf("graph %v, IR version %d: want both", model.GetGraph() != nil, model.GetIrVersion())
	}
	for _, where := range unknownFields(t, &model) {
		t.Errorf("undeclared field in %s", where)
	}
	if !proto.Equal(&model, &again) {
		t.Error("the model changes on its way through Marshal and Unmarshal")
	}
}

// What proto3 would lose or refuse, and other tools write: zeros that are
// there, strings that are not UTF-8, enum values and fields of later versions.
func TestOddFieldsSurvive(t *testing.T) {
	var raw []byte
	raw = protowire.AppendTag(raw, 3, protowire.VarintType) // i, zero
	raw = protowire.AppendVarint(raw, 0)
	raw = protowire.AppendTag(raw, 1, protowire.BytesType) // name, not UTF-8
	raw = protowire.AppendBytes(raw, []byte{'a', 0xff})
	raw = protowire.AppendTag(raw, 20, protowire.VarintType) // type, unheard of
	raw = protowire.AppendVarint(raw, 99)
	raw = protowire.AppendTag(raw, 500, protowire.BytesType)
	raw = protowire.AppendString(raw, "later")

	var attr, again AttributeProto
	roundTrip(t, raw, &attr, &again)
	if again.I == nil || *again.I != 0 {
		t.Errorf("i = %v, want a zero that is there", again.I)
	}
	if got := again.GetName(); got != "a\xff" {
		t.Errorf("name = %q, want %q", got, "a\xff")
	}
	if got := again.GetType(); got != 99 {
		t.Errorf("type = %d, want 99", got)
	}
	if unknown := again.ProtoReflect().GetUnknown(); !bytes.Contains(unknown, []byte("later")) {
		t.Errorf("unknown fields = %q, want %q among them", unknown, "later")
	}
	graph := &GraphProto{Node: []*NodeProto{{}, {Attribute: []*AttributeProto{&attr}}}}
	if got := unknownFields(t, graph); len(got) != 1 {
		t.Errorf("undeclared fields in %q, want in the one attribute", got)
	}
}

// roundTrip decodes raw into a, and what a encodes to into b.
func roundTrip(t *testing.T, raw []byte, a, b proto.Message) {
	t.Helper()
	if err := proto.Unmarshal(raw, a); err != nil {
		t.Fatal(err)
	}
	encoded, err := proto.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if err := proto.Unmarshal(encoded, b); err != nil {
		t.Fatal(err)
	}
}

// unknownFields lists the messages that hold fields onnx.proto does not
// declare.
func unknownFields(t *testing.T, m proto.Message) []string {
	t.Helper()
	var found []string
	err := protorange.Range(m.ProtoReflect(), func(v protopath.Values) error {
		last := v.Index(-1)
		if last.Step.Kind() == protopath.FieldAccessStep && last.Step.FieldDescriptor().Message() == nil {
			return protorange.Break // numbers and strings, millions of them in a weight
		}
		message, ok := last.Value.Interface().(protoreflect.Message)
		if ok && len(message.GetUnknown()) > 0 {
			found = append(found, v.Path.String())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
