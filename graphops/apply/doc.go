// Package apply puts the tensors of a file into a model: the parameters of a training checkpoint
// into the inputs of an eval model, or the weights of any file into a model that was saved without
// weights or with other weights.
//
// A tensor goes to the value with the same name. If there is none, other rules are tried, and the
// report tells for each tensor which one was used (Rule). A matching shape alone is never enough,
// and a shape that does not match is an error. Elements stay in their file until the model is
// saved.
package apply

import (
	"strings"

	"lathe/graphops"
	"lathe/graphops/parameters"
	"lathe/graphops/tensor"
)

// Rule is how the tensor for a value was found; "" if both have the same name.
type Rule string

// The rules, in the order in which they are tried.
const (
	sameName Rule = ""
	// sharedWith: the tensor has another name of the same parameter (Options.Aliases).
	sharedWith Rule = "shared"
	// originalName: the tensor has the name that the value had before the exporter replaced
	// characters that Python identifiers cannot contain. The exporter stores the former name in the
	// metadata pkg.torch.onnx.original_node_name.
	originalName Rule = "original name"
	// foldedFrom: the exporter computed the value from the tensor by a transposition, and stored
	// the tensor's name in the metadata pkg.onnxscript.optimizer.folded_from. All readers use the
	// value as the second factor of a product, whose axes are in the opposite order in PyTorch. The
	// tensor is therefore transposed.
	foldedFrom Rule = "folded from"
	// ofModule: the value has a generated name, such as onnx::MatMul_12, and is the second factor
	// of the product of one module. It takes the tensor with the name of that module's weight,
	// transposed.
	ofModule Rule = "weight of the module"
	// prefixed: the names match after a prefix was added or removed that all names in the model, or
	// all in the file, have.
	prefixed Rule = "prefix"
)

// Slot says what the value that takes a tensor was in the model before.
type Slot string

// The kinds of values that take tensors.
const (
	ofInput       Slot = "input"       // it becomes an initializer
	ofInitializer Slot = "initializer" // its elements are replaced
	ofNothing     Slot = "missing"     // nodes read it, and nothing defines it
)

// Fit is a tensor of the file and the value of the model that takes it.
type Fit struct {
	Value  string
	Tensor string // its name in the file
	Slot   Slot
	Rule   Rule
	Prefix string // for prefixed: "+model." if the file has the prefix, "-model." if the model has it
	// Transposed reports that the axes of the tensor are exchanged.
	Transposed bool
	DType      tensor.DType
	Dims       []int64 // of the value, thus after a transposition
	Bytes      int64
	// Wants is the type that the value must have, as far as the model declares it. Wrong says why
	// the value cannot take the tensor, or is "" if it can.
	Wants graphops.Type
	Wrong string

	entry *parameters.Entry
}

// Missing is a value that needs a tensor which the file does not have.
type Missing struct {
	Value string
	Slot  Slot
	Wants graphops.Type
	Near  []string // similar names in the file
}

// Fitting says which tensor goes to which value, and what remains.
type Fitting struct {
	Fits    []Fit
	Missing []Missing
	// Unneeded are tensors that the complete model needs but the extracted part does not, and
	// counters of batches, which only training needs.
	Unneeded []string
	// Superfluous are tensors that no value takes.
	Superfluous []string
	// Warnings are reasons to doubt that the result is what was meant.
	Warnings []string
	// Kept are initializers for which the file has no tensor. They keep their elements.
	Kept []string
}

// MisfitError reports everything that does not fit. Its Fitting also lists what does. No model was
// changed.
type MisfitError struct {
	Path    string // of the file
	Fitting *Fitting
	reasons []string
}

// Error returns one line with all reasons.
func (e *MisfitError) Error() string { return e.Path + ": " + strings.Join(e.reasons, "; ") }

// Bytes returns the total size of the tensors that go into the model.
func (f *Fitting) Bytes() int64 {
	n := int64(0)
	for _, fit := range f.Fits {
		n += fit.Bytes
	}
	return n
}
