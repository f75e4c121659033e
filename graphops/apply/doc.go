// Package apply puts stored tensors into a model: the parameters of a checkpoint into the inputs of
// an eval model, or the weights of any file into a model that was saved without weights or with
// others.
//
// A tensor goes to the value with its name, or to one found by a rule, which is reported for each
// tensor (Rule). A matching shape alone is never enough, and a shape that does not match is an
// error. Elements stay in their file until the model is saved.
package apply

import (
	"strings"

	"lathe/graphops"
	"lathe/graphops/parameters"
	"lathe/graphops/tensor"
)

// Rule is why a tensor goes to a value of another name, or in another form; "" for one of the
// same name.
type Rule string

// The rules, in the order in which they are tried.
const (
	SameName Rule = ""
	// SharedWith is that of another name of the same parameter (Options.Aliases).
	SharedWith Rule = "shared"
	// OriginalName is that of an exporter's note of what the value was called before its
	// name was made one that Python takes (pkg.torch.onnx.original_node_name).
	OriginalName Rule = "original name"
	// FoldedFrom is that of an exporter's note that a value was folded from one tensor, which
	// is the second factor of products and so has its axes the other way round than PyTorch
	// keeps them (pkg.onnxscript.optimizer.folded_from).
	FoldedFrom Rule = "folded from"
	// OfModule is that of a factor without a name of its own (onnx::MatMul_12), which the
	// product of one module reads: by that module's name it is the weight of it, transposed.
	OfModule Rule = "weight of the module"
	// Prefixed is that of names which all have the same words before them, in the model or in
	// the file.
	Prefixed Rule = "prefix"
)

// Slot is what of a model takes a tensor.
type Slot string

// The slots.
const (
	OfInput       Slot = "input"       // it becomes an initializer
	OfInitializer Slot = "initializer" // its elements are replaced
	OfNothing     Slot = "missing"     // nodes read it, and nothing defines it
)

// Fit is a tensor and where it goes.
type Fit struct {
	Value  string
	Tensor string // its name in the file
	Slot   Slot
	Rule   Rule
	Prefix string // of Prefixed: "+model." where the file has it, "-model." where the model does
	// Transposed has the axes of the tensor exchanged.
	Transposed bool
	DType      tensor.DType
	Dims       []int64 // as the model has it
	Bytes      int64
	// Wants is what the value holds, where it says, and Wrong why it cannot take the tensor, ""
	// where it can.
	Wants graphops.Type
	Wrong string

	entry *parameters.Entry
}

// Missing is a value that needs a tensor which the file does not have.
type Missing struct {
	Value string
	Slot  Slot
	Wants graphops.Type
	Near  []string // what of the file is called nearly so
}

// Fitting tells what goes where, and what is left.
type Fitting struct {
	Fits    []Fit
	Missing []Missing
	// Unneeded are tensors that the whole model takes, and what was cut out of it does not.
	Unneeded []string
	// Superfluous are tensors that nothing takes.
	Superfluous []string
	// Warnings are reasons to doubt that the result is what was meant.
	Warnings []string
	// Kept are initializers that no tensor was there for.
	Kept []string
}

// MisfitError is all that does not fit, and beside it what does. Nothing is in a model then.
type MisfitError struct {
	Path    string // of the file
	Fitting *Fitting
	reasons []string
}

// Error names everything.
func (e *MisfitError) Error() string { return e.Path + ": " + strings.Join(e.reasons, "; ") }

// Bytes is how much goes into the model.
func (f *Fitting) Bytes() int64 {
	n := int64(0)
	for _, fit := range f.Fits {
		n += fit.Bytes
	}
	return n
}
