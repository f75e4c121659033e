// Package evaluate computes nodes with constant inputs without a runtime. It knows operators whose
// results are defined exactly: movements of elements, comparisons, integer arithmetic, and
// operations on floats that round only once. It returns exactly the bits that ONNX Runtime would
// return, or no result.
//
// Large tensors are read in chunks, and large results are kept in a file, so that memory does not
// grow with them. All properties of a node are checked before they are used, because a model may be
// invalid.
package evaluate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Node is a node to compute.
type Node struct {
	Op string // a standard operator
	// Version is the version of the default domain that the model imports.
	Version int64
	// Attribute returns an attribute of the node. The bool is false if the node does not have it.
	Attribute func(name string) (*graphops.Attribute, bool)
	Inputs    []*graphops.Tensor // nil if left out
	Outputs   []Type
}

// Type is what inference knows about an output.
type Type struct {
	Elem tensor.DType
	// Dims is the shape; nil if it is unknown.
	Dims []int64
	// Unused reports that nothing needs the output.
	Unused bool
}

// ErrUnable reports that this package cannot compute the node. This does not mean that the node is
// faulty. The error that wraps it says why.
var ErrUnable = errors.New("it is not computed without a runtime")

func unable(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, ErrUnable)...)
}

// operator says how the nodes of an operator are computed.
type operator struct {
	since int64 // the first version whose parameters are as expected here
	run   func(c *call) ([]*graphops.Tensor, error)
	// moves reports that the operator only moves elements and does not look at them, so that they
	// may be strings.
	moves bool
}

// operators has all operators that can be computed, by name.
var operators = sync.OnceValue(func() map[string]operator {
	return table(views, movements, parts, gathers, generators, reductions, elementwise)
})

func table(families ...map[string]operator) map[string]operator {
	all := map[string]operator{}
	for _, f := range families {
		for name, o := range f {
			all[name] = o
		}
	}
	return all
}

// Knows reports whether nodes of an operator of the default domain can be computed. A single node
// may still be impossible because of its inputs.
func Knows(op string, version int64) bool {
	o, ok := operators()[op]
	return ok && version >= o.since
}

// Operators returns the names of the supported operators, with the first supported version of each.
func Operators() map[string]int64 {
	out := map[string]int64{}
	for name, o := range operators() {
		out[name] = o.since
	}
	return out
}

// Compute returns the outputs of a node; nil for those that are not needed. Large outputs are kept
// in scratch. The error wraps ErrUnable, or it is a *graphops.ScratchError, the error of ctx, or an
// error of reading an input.
func Compute(ctx context.Context, scratch *graphops.Scratch, n Node) ([]*graphops.Tensor, error) {
	o, ok := operators()[n.Op]
	if !ok || n.Version < o.since {
		return nil, unable("operator %s of version %d", n.Op, n.Version)
	}
	c := &call{Node: n, ctx: ctx, scratch: scratch}
	run := o.run
	if slices.ContainsFunc(n.Inputs, isText) {
		if !o.moves {
			return nil, unable("strings")
		}
		run = func(c *call) ([]*graphops.Tensor, error) { return c.ofTexts(o.run) }
	}
	out, err := run(c)
	if errors.Is(err, tensor.ErrInexact) {
		return nil, unable("%w", err)
	}
	return out, err
}

func isText(t *graphops.Tensor) bool { return t != nil && t.DType() == tensor.String }
