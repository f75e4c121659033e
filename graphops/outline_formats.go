package graphops

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
	"lathe/graphops/formats"
	"lathe/graphops/tensor"
)

// identify returns an error that says which format a file has that is not an ONNX model. It returns
// nil if the format is unknown.
func identify(src *source, o *outline) error {
	return formats.Identify(formats.File{
		ReaderAt: src, Size: src.size, Path: src.path, Named: src.real != "",
		Message: func() string { return o.recognise(src) },
	})
}

// recognise recognises other formats that are protobuf messages. It examines which top-level fields
// the file has, and what the first of them contain.
func (o *outline) recognise(src *source) string {
	switch {
	case o.broken:
		return ""
	case o.is(1, 2, 2) && o.numbers[1] == 1 && holds(o.first[2], 1, 2):
		return "a TensorFlow SavedModel; convert it to ONNX first, with tf2onnx"
	case o.messages[1] > 0 && o.highest <= 5 && holds(o.first[1], 1, 2):
		return "a TensorFlow graph; convert it to ONNX first, with tf2onnx"
	// A Core ML model stores its kind of model in one of many fields, whose numbers start at 200.
	case o.numbers[1] == 1 && o.messages[2] == 1 && o.highest >= 200 && o.highest < 4000:
		return "a Core ML model; open the ONNX model that it was made from"
	}
	return o.recogniseTensor(src)
}

// is reports whether the file has a varint field with one number, a message field with another, and
// no higher field number than highest.
func (o *outline) is(number, message, highest protowire.Number) bool {
	return o.numbers[number] > 0 && o.messages[message] > 0 && o.highest == highest
}

// holds reports whether a message starts with length-delimited fields with these numbers, in this
// order.
func holds(p Payload, numbers ...protowire.Number) bool {
	c := payloadCursor(p)
	for _, want := range numbers {
		num, typ, err := c.tag()
		if err != nil || num != want || typ != protowire.BytesType {
			return false
		}
		n, err := c.length()
		if err != nil {
			return false
		}
		c.skip(n)
	}
	return true
}

// payloadCursor returns a cursor for a message inside a file.
func payloadCursor(p Payload) *cursor {
	c := fileCursor(p.src, fileLimits.window)
	c.off, c.end = p.offset, p.offset+p.length
	return c
}

// The highest field numbers of TensorProto (its metadata_props), and of SequenceProto and
// OptionalProto.
const (
	highestTensorField   = 16
	highestSequenceField = 7
)

// recogniseTensor recognises the files with test data of ONNX. It reads the file as a tensor or
// sequence and checks that the number of elements matches the shape.
func (o *outline) recogniseTensor(src *source) string {
	if o.numbers[fieldnum.TensorDataType] == 0 {
		return ""
	}
	if t, ok := tensorIn(rangePayload(src, 0, src.size)); ok && o.highest <= highestTensorField {
		return fmt.Sprintf("a serialized tensor, %q %s %s, as in test data; a model is expected here", brief(t.name), t.dtype, tensor.FormatShape(t.dims))
	}
	if o.messages[3] > 0 && o.highest <= highestSequenceField {
		if _, ok := tensorIn(o.first[3]); ok {
			return "a serialized sequence or optional of tensors, as in test data; a model is expected here"
		}
	}
	return ""
}

// tensorIn decodes a message as a tensor. It reports whether the result is a tensor with elements.
func tensorIn(p Payload) (*Tensor, bool) {
	t := &Tensor{}
	c := payloadCursor(p)
	if err := (&decoder{}).tensor(c, t); err != nil {
		return nil, false
	}
	_, err := t.Data()
	return t, err == nil || t.dtype == tensor.String
}
