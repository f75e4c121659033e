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
		hint:  "write the tensor again, with its type, using the tool that made it",
		about: `TensorProto.data_type must be one of the types that ONNX defines. ONNX Runtime does not load a model
with another type in an initializer or Constant, even if nothing reads it.

The cause is a tool that did not set data_type, a type from a newer version of ONNX than Lathe
knows, or a damaged file. Without the type, the elements cannot be decoded: write the tensor again
with the tool that made it.`,
		tensor: tensorType,
	},
	{
		code: "tensor-shape", severity: Error,
		title: "a stored tensor has an invalid shape",
		hint:  "write the tensor again with its actual sizes",
		about: `The sizes of a stored tensor must not be negative, and the tensor must not have more bytes than a
machine can address. ONNX Runtime does not load a model in which a node reads a tensor that violates
this. It does not check a tensor that no node reads.

A size of -1 comes from a tool that copied the shape of a value, in which an axis may have an
unknown size, to a tensor.`,
		tensor: tensorShape,
	},
	{
		code: "tensor-elements", severity: Error,
		title: "the stored elements do not match the type and shape of a tensor",
		hint:  "write the tensor again with the tool that made it; for a small tensor, lathe constants --set replaces the elements",
		about: `A tensor must contain exactly as many elements as its shape has: in raw_data, in little-endian
order, or in the one typed field for its type (float_data, int32_data for all smaller types,
int64_data, double_data, uint64_data, string_data). Strings must be in string_data; raw_data and
external files cannot contain them.

ONNX Runtime does not load a model if an output depends on a tensor that violates this. If no output
does, ONNX Runtime does not check the tensor, and the problem is a warning. The checker of the onnx
package rejects all of them. The cause is a script that changed dims or data_type but not the data,
or a file that is incomplete.`,
		tensor: tensorElements,
	},
	{
		code: "tensor-twice", severity: Warning,
		title: "a tensor contains its elements more than once",
		hint:  "write the tensor again with one copy; for a small tensor, lathe constants --set does this",
		about: `The elements of a tensor are in one field: raw_data, or the typed field for its type. If several
fields have elements, ONNX Runtime and the onnx package read raw_data if it is set, and otherwise
the typed field. If data_location is EXTERNAL, they read the external file. Neither compares the
copies. For strings, the onnx package reads string_data, but ONNX Runtime does not load a model if
an output depends on strings that also have raw_data. The checker of the onnx package rejects all
such tensors.

The cause is a script that wrote one field and did not clear the other. It is then unknown which
elements were intended, and a tool that reads the fields in another order gets other results. Saving
the model keeps all copies. Moving a tensor to another file, or back into the model file, keeps only
the copy that is read. Write the tensor again with the tool that made it.`,
		tensor: tensorTwice,
	},
	{
		code: "tensor-segment", severity: Warning,
		title: "a tensor claims to be one part of a larger tensor",
		hint:  "store the tensor as a whole",
		about: `TensorProto.segment was intended for tensors that are stored in several parts. No tool supports it:
ONNX Runtime uses the part as if it was the whole tensor, and the checker of the onnx package
rejects the model. Store the tensor as a whole, or as external data.`,
		tensor: func(_ *subject, t graphops.StoredTensor, report reporter) {
			if _, ok := t.Head().Message(tensorSegment); ok {
				report(ofTensor(t, "is a segment of a tensor whose other segments are missing"))
			}
		},
	},
	{
		code: "initializer-unnamed", severity: Warning,
		title: "an initializer has no name",
		about: `Nodes refer to an initializer by its name, so nothing can read one without a name. The checker of
the onnx package rejects the model. ONNX Runtime ignores a tensor without a name in the main graph,
but rejects one in a body, and a sparse one in any graph.

"lathe delete --unused" removes it. If the weight is missing where a node should read it, export the
model again.`,
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
		err = errors.New("strings cannot be in another file")
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
	p := ofTensor(t, "has elements in %s in addition to those in %s, which are the ones that are read", strings.Join(unread, " and "), read)
	if t.DType() == tensor.String && slices.Contains(unread, "raw_data") {
		p.Severity = s.ifUsed(t)
	}
	report(p)
}

func unnamedInitializers(s *subject, p *graphops.Place, report reporter) {
	tell := func(severity Severity, format string, args ...any) {
		problem := in(p, format, args...)
		problem.Severity, problem.Hint = severity, "remove it, or give it a name"
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
