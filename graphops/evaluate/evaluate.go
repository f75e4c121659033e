// Package evaluate computes nodes of constants without a runtime, for those operators
// whose result is defined to the bit: elements that move, comparisons, integers, and
// operations on numbers that are rounded once. It gives the bits that ONNX Runtime
// gives, or nothing.
//
// Large tensors are read in pieces and what is made of them is kept in a file, so that
// memory does not grow with them. Everything that a node says of itself is taken to be
// wrong until it is looked at.
package evaluate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Node is what there is to know of a node that is to be computed.
type Node struct {
	Op string // of the standard
	// Version is that of the standard that the operator is of.
	Version int64
	// Attribute finds an attribute that the node states.
	Attribute func(name string) (*graphops.Attribute, bool)
	Inputs    []*graphops.Tensor // nil where one is left out
	Outputs   []Type
}

// Type is what is known of an output.
type Type struct {
	Elem tensor.DType
	// Dims are the sizes, nil where they are not known.
	Dims []int64
	// Unused is one that nobody wants.
	Unused bool
}

// ErrUnable is that a node is not computed here: no error of the node, nor of the
// machine. What wraps it tells why.
var ErrUnable = errors.New("it is not computed without a runtime")

func unable(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, ErrUnable)...)
}

// operator is how an operator is computed.
type operator struct {
	since int64 // the version from which on its parameters are as they are read here
	run   func(c *call) ([]*graphops.Tensor, error)
	// moves is of operators that look at no element of their data, which may be strings.
	moves bool
}

// operators are all of them, by name.
var operators = table(views, movements, parts, gathers, generators, reductions, elementwise)

func table(families ...map[string]operator) map[string]operator {
	all := map[string]operator{}
	for _, f := range families {
		for name, o := range f {
			all[name] = o
		}
	}
	return all
}

// Knows reports whether nodes of an operator of the standard are computed here, if
// their elements allow it.
func Knows(op string, version int64) bool {
	o, ok := operators[op]
	return ok && version >= o.since
}

// Operators are the names of those that are known, with the first version of each.
func Operators() map[string]int64 {
	out := map[string]int64{}
	for name, o := range operators {
		out[name] = o.since
	}
	return out
}

// Compute gives the outputs of a node, nil for those that nobody wants. Large ones are
// kept in scratch. The error is ErrUnable, a *graphops.ScratchError, that of ctx, or of
// reading an input.
func Compute(ctx context.Context, scratch *graphops.Scratch, n Node) ([]*graphops.Tensor, error) {
	o, ok := operators[n.Op]
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
