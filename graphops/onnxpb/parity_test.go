//go:build parity

package onnxpb

import (
	"os"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Every message, field number, type, label, default, reserved range and enum
// value is that of the installed onnx package.
func TestDescriptorsMatchReference(t *testing.T) {
	python := os.Getenv("LATHE_PARITY_PYTHON")
	if python == "" {
		t.Fatal("LATHE_PARITY_PYTHON is not set; run `make parity`")
	}
	const script = "import onnx, sys; sys.stdout.buffer.write(onnx.onnx_ml_pb2.DESCRIPTOR.serialized_pb)"
	raw, err := exec.Command(python, "-c", script).Output()
	if err != nil {
		t.Fatal(err)
	}
	var want descriptorpb.FileDescriptorProto
	if err := proto.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	got := protodesc.ToFileDescriptorProto(File_lathe_graphops_onnxpb_onnx_proto)
	if len(want.GetMessageType()) < 20 {
		t.Fatalf("reference has %d messages, want the whole of ONNX", len(want.GetMessageType()))
	}
	if diff := cmp.Diff(&want, got, descriptorOptions()...); diff != "" {
		t.Errorf("reference (-), onnx.proto (+):\n%s", diff)
	}
}

// descriptorOptions compares what decides about bytes and names: not the order
// of declarations, nor what the file itself is called.
func descriptorOptions() []cmp.Option {
	return []cmp.Option{
		protocmp.Transform(),
		protocmp.IgnoreFields(&descriptorpb.FileDescriptorProto{}, "name", "options", "source_code_info", "syntax"),
		protocmp.IgnoreFields(&descriptorpb.FieldDescriptorProto{}, "json_name", "oneof_index"),
		protocmp.SortRepeated(func(a, b *descriptorpb.DescriptorProto) bool { return a.GetName() < b.GetName() }),
		protocmp.SortRepeated(func(a, b *descriptorpb.EnumDescriptorProto) bool { return a.GetName() < b.GetName() }),
		protocmp.SortRepeated(func(a, b *descriptorpb.FieldDescriptorProto) bool { return a.GetNumber() < b.GetNumber() }),
		protocmp.SortRepeated(func(a, b *descriptorpb.EnumValueDescriptorProto) bool { return a.GetNumber() < b.GetNumber() }),
		protocmp.SortRepeated(func(a, b *descriptorpb.DescriptorProto_ReservedRange) bool { return a.GetStart() < b.GetStart() }),
		protocmp.SortRepeated(func(a, b string) bool { return a < b }),
	}
}
