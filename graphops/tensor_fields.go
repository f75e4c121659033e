package graphops

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
	"lathe/graphops/tensor"
)

// elementField is one of the fields of TensorProto that can contain elements, such as float_data.
// Its data has the same form as Tensor.data.
type elementField struct {
	num  protowire.Number
	data Payload
}

// elementFields has the names of the fields that can contain elements.
var elementFields = map[protowire.Number]string{
	fieldnum.TensorFloatData: "float_data", fieldnum.TensorInt32Data: "int32_data", fieldnum.TensorStringData: "string_data", fieldnum.TensorInt64Data: "int64_data",
	fieldnum.TensorRawData: "raw_data", fieldnum.TensorDoubleData: "double_data", fieldnum.TensorUint64Data: "uint64_data",
}

// elementField returns where the decoder stores the content of a field with elements. The first
// such field is stored in t.data. When the type is known, chooseElements may exchange it for
// another one.
func (t *Tensor) elementField(num protowire.Number) *Payload {
	if t.stored == 0 {
		t.stored = num
	}
	if t.stored == num {
		return &t.data
	}
	i := slices.IndexFunc(t.unread, func(f elementField) bool { return f.num == num })
	if i < 0 {
		i = len(t.unread)
		t.unread = append(t.unread, elementField{num: num})
	}
	return &t.unread[i].data
}

// chooseElements selects which of several fields has the tensor's elements: raw_data if present,
// otherwise the field for the type. ONNX Runtime and the onnx package do the same.
func (t *Tensor) chooseElements() {
	for i, f := range t.unread {
		if precedence(t.dtype, f.num) > precedence(t.dtype, t.stored) {
			t.unread[i] = elementField{t.stored, t.data}
			t.stored, t.data = f.num, f.data
		}
	}
}

func precedence(d tensor.DType, field protowire.Number) int {
	switch {
	case field == fieldnum.TensorRawData && d != tensor.String:
		return 2
	case belongs(d, field):
		return 1
	}
	return 0
}

// belongs reports whether elements of type d may be in a field such as float_data.
func belongs(d tensor.DType, field protowire.Number) bool {
	switch field {
	case fieldnum.TensorStringData:
		return d == tensor.String
	case fieldnum.TensorFloatData:
		return d == tensor.F32 || d == tensor.C64
	case fieldnum.TensorDoubleData:
		return d == tensor.F64 || d == tensor.C128
	}
	return d != tensor.String && varintWidth(field, d) > 0
}

// ElementFields returns the names of the tensor's fields that contain elements. read is the field
// that is used. It is empty if there is none or if the tensor has external data. unread are the
// others, which programs that read ONNX ignore.
func (t *Tensor) ElementFields() (read string, unread []string) {
	read = elementFields[t.stored]
	for _, f := range t.unread {
		unread = append(unread, elementFields[f.num])
	}
	if t.files != nil && read != "" {
		return "", append([]string{read}, unread...)
	}
	return read, unread
}
