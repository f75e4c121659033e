package check

import (
	"errors"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// tensorSegment is the field TensorProto.segment.
const tensorSegment = 3

var tensorRules = []rule{
	{
		code: "tensor-type", severity: Error,
		title: "a stored tensor has no element type, or one that ONNX does not define",
		hint:  "write the tensor anew from where it came from, with its type",
		about: `TensorProto.data_type must be one of the types that ONNX defines. ONNX Runtime refuses to load a model that has such an
initializer or Constant, even if nothing reads it.

It comes from a tool that left data_type out, from a newer version of ONNX than this one knows, or from a damaged file. Nothing can tell
what the elements are: write the tensor anew from where it came from.`,
		tensor: tensorType,
	},
	{
		code: "tensor-shape", severity: Error,
		title: "the shape of a stored tensor makes no sense",
		hint:  "write the tensor anew with the sizes that it has",
		about: `The sizes of a stored tensor must not be negative, and their product must be a number of bytes that a machine can address.
ONNX Runtime refuses to load a model in which a node reads such a tensor; where none does, it does not look.

A size of -1 comes from a tool that took the shape of a value, in which an axis may be open, for that of a tensor.`,
		tensor: tensorShape,
	},
	{
		code: "tensor-elements", severity: Error,
		title: "the stored elements do not fit the type and shape of a tensor",
		hint:  "write the tensor anew from where it came from; lathe constants --set gives a small one other elements",
		about: `A tensor must hold exactly as many elements as its shape says: in raw_data, little endian, or in the one typed field that is
meant for its type (float_data, int32_data for all smaller types, int64_data, double_data, uint64_data, string_data). Strings can stand
neither in raw_data nor in another file.

ONNX Runtime refuses to load a model where an output depends on such a tensor; where none does, it does not look, and the problem is a
warning. The checker of the onnx package refuses all of them. It comes from a script that changed dims or data_type and not the data, or
from a file that was cut short.`,
		tensor: tensorElements,
	},
	{
		code: "tensor-twice", severity: Warning,
		title: "a tensor holds its elements more than once",
		hint:  "write the tensor anew with one of them; lathe constants --set does so with a small one",
		about: `The elements of a tensor stand in one field: raw_data, or the typed field that is meant for its type. Where there are several,
ONNX Runtime and the onnx package read raw_data, else the field of the type, and those of a tensor whose data_location is EXTERNAL from
its file; nobody compares them with the others. Of strings the onnx package reads string_data; ONNX Runtime refuses to load a model where
an output depends on strings that have raw_data as well. The checker of the onnx package refuses all of them.

It comes from a script that wrote one field and did not clear the other, so that it is open which elements were meant; a tool that does
not follow this order computes with others. Saving keeps all of them, and what moves a tensor into another file, or out of one, keeps
those that are read. Write the tensor anew from where it came from.`,
		tensor: tensorTwice,
	},
	{
		code: "tensor-segment", severity: Warning,
		title: "a tensor says that it is a part of a larger one",
		hint:  "write the tensor in one piece",
		about: `TensorProto.segment was meant for tensors that are stored in several pieces. No tool reads it: ONNX Runtime takes the piece for
the whole, and the checker of the onnx package refuses the model. Write the tensor in one piece, or as external data.`,
		tensor: func(_ *subject, t graphops.StoredTensor, report reporter) {
			if _, ok := t.Head().Message(tensorSegment); ok {
				report(ofTensor(t, "is a segment of a tensor whose other parts are not here"))
			}
		},
	},
	{
		code: "initializer-unnamed", severity: Warning,
		title: "an initializer has no name",
		about: `An initializer is found by its name; one without is read by nothing. The checker of the onnx package refuses the model. ONNX
Runtime loads it and ignores the tensor in the main graph, refuses one in a body, and refuses a sparse one anywhere.

"lathe delete --unused" takes out what nothing reads; export the model again where the weight is missing elsewhere.`,
		place: unnamedInitializers,
	},
	sparseRule,
}

func tensorType(s *subject, t graphops.StoredTensor, report reporter) {
	if t.DType().Valid() {
		return
	}
	what := "its element type is not stated"
	if t.DType() != tensor.Undefined {
		what = "its element type is " + t.DType().String() + ", which ONNX does not define"
	}
	p := ofTensor(t, "%s", what)
	if !s.isCalled(t.Place) {
		p.Severity = Warning
	}
	report(p)
}

func tensorShape(s *subject, t graphops.StoredTensor, report reporter) {
	err := shapeError(t)
	if err == nil {
		return
	}
	p := ofTensor(t, "%s", withoutName(t, err))
	p.Severity = s.ifRead(t)
	report(p)
}

// shapeError returns why the sizes of a tensor are invalid.
func shapeError(t graphops.StoredTensor) error {
	if _, err := t.Elements(); err != nil || !t.DType().Valid() {
		return err
	}
	_, err := t.ByteLen()
	return err
}

func tensorElements(s *subject, t graphops.StoredTensor, report reporter) {
	if !t.DType().Valid() || shapeError(t) != nil {
		return // reported by other rules
	}
	err := s.checkStored(t.Tensor)
	if t.IsExternal() && t.DType() == tensor.String {
		err = errors.New("strings cannot lie in another file")
	}
	if err == nil {
		return
	}
	p := ofTensor(t, "%s", withoutName(t, err))
	p.Severity = s.ifUsed(t)
	if t.Node >= 0 && s.schema(site{t.Place.Graph.Nodes()[t.Node], t.Place, t.Node}) == nil {
		p.Severity = Warning // an unknown operator may not read it
	}
	report(p)
}

func tensorTwice(s *subject, t graphops.StoredTensor, report reporter) {
	read, unread := t.ElementFields()
	if len(unread) == 0 {
		return
	}
	if read == "" {
		read = "another file"
	}
	p := ofTensor(t, "holds elements in %s besides those in %s, which are read", strings.Join(unread, " and "), read)
	if t.DType() == tensor.String && slices.Contains(unread, "raw_data") {
		p.Severity = s.ifUsed(t)
	}
	report(p)
}

func unnamedInitializers(s *subject, p *graphops.Place, report reporter) {
	tell := func(severity Severity, format string, args ...any) {
		problem := in(p, format, args...)
		problem.Severity, problem.Hint = severity, "take it away, or give it a name"
		report(problem)
	}
	severity := Warning
	if p.Kind == graphops.BodyGraph {
		severity = s.orWarning(p)
	}
	for i, t := range p.Graph.Initializers() {
		if t.Name() == "" {
			tell(severity, "initializer %d has no name: %s %s", i, t.DType(), tensor.FormatShape(t.Dims()))
		}
	}
	for i, t := range p.Graph.SparseInitializers() {
		if t.Name() == "" {
			tell(Error, "sparse initializer %d has no name", i)
		}
	}
}
