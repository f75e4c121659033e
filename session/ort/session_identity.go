package ort

import "google.golang.org/protobuf/encoding/protowire"

// IdentityModel returns the bytes of a minimal model with one Identity node and a float as input.
// If a session of this model cannot be created with an execution provider, the provider is at fault
// and not the user's model.
func IdentityModel() []byte {
	// The field numbers are those of onnx.proto.
	node := bytesField(nil, 1, "x")                 // NodeProto.input
	node = bytesField(node, 2, "y")                 // .output
	node = bytesField(node, 4, "Identity")          // .op_type
	float := varintField(nil, 1, 1)                 // TypeProto.Tensor.elem_type: FLOAT
	float = bytesField(float, 2, "")                // .shape: a scalar
	graph := bytesField(nil, 1, string(node))       // GraphProto.node
	graph = bytesField(graph, 2, "identity")        // .name
	graph = bytesField(graph, 11, port("x", float)) // .input
	graph = bytesField(graph, 12, port("y", float)) // .output
	model := varintField(nil, 1, 8)                 // ModelProto.ir_version
	model = bytesField(model, 7, string(graph))     // .graph
	opset := varintField(nil, 2, 13)                // OperatorSetIdProto.version
	return bytesField(model, 8, string(opset))      // ModelProto.opset_import
}

// port returns an encoded ValueInfoProto with the given name and tensor type.
func port(name string, tensorType []byte) string {
	typ := bytesField(nil, 1, string(tensorType)) // TypeProto.tensor_type
	info := bytesField(nil, 1, name)              // ValueInfoProto.name
	return string(bytesField(info, 2, string(typ)))
}

func bytesField(b []byte, number protowire.Number, value string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), value)
}

func varintField(b []byte, number protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), value)
}
