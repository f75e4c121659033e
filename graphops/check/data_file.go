package check

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

var fileRules = []rule{
	{
		code: "fields-unknown", severity: Info,
		title: "the model has fields that ONNX does not define",
		hint:  "nothing, if a tool added them on purpose; otherwise check whether the file is complete",
		about: `Readers skip fields of a message that they do not know, and most tools lose these fields when they
write the model. Such fields come from a newer version of ONNX than Lathe knows, from a tool that
extends the format, or from bytes that were appended to the file. Only the fields of ModelProto
itself are checked.`,
		model: unknownFields,
	},
}

// modelFields are the fields of ModelProto, except those with its parts, with their wire types:
// ir_version to doc_string, opset_import, metadata_props and configuration.
var modelFields = map[protowire.Number]protowire.Type{
	1: protowire.VarintType, 2: protowire.BytesType, 3: protowire.BytesType, 4: protowire.BytesType, 5: protowire.VarintType,
	6: protowire.BytesType, 8: protowire.BytesType, 14: protowire.BytesType, 26: protowire.BytesType,
}

func unknownFields(s *subject, report reporter) {
	var unknown []protowire.Number
	for f := range s.model.Head().Fields() {
		if typ, ok := modelFields[f.Number]; !ok || typ != f.Type {
			unknown = append(unknown, f.Number)
		}
	}
	slices.Sort(unknown)
	for _, n := range slices.Compact(unknown) {
		report(in(nil, "field %d of ModelProto is not defined by ONNX", n))
	}
}
