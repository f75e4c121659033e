package diff

import (
	"cmp"
	"context"
	"math"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/weights"
)

// Options are the options of a comparison.
type Options struct {
	// Weights compares all elements of all constants, however long that takes. Otherwise, all are
	// compared only if their total size is at most WholeBytes. If it is larger, constants of at
	// most 4 KiB are compared completely, and of others only the first 4 KiB.
	Weights bool
	// WholeBytes replaces DefaultWholeBytes if it is not 0. If it is negative, large constants are
	// never compared completely.
	WholeBytes int64
	// Progress, if set, is called with the number of bytes compared so far and the total.
	Progress func(done, total int64)
}

// DefaultWholeBytes is the total size up to which all constants are compared completely by default.
// Reading it takes a fraction of a second.
const DefaultWholeBytes = 64 << 20

// whole reports whether constants with the given total size are compared completely.
func (o Options) whole(bytes int64) bool {
	return o.Weights || bytes <= cmp.Or(o.WholeBytes, DefaultWholeBytes)
}

// Diff has the differences between two models A and B.
type Diff struct {
	A, B *graphops.Model
	// Equal and Identical are defined in the package documentation. Models can be Equal although
	// not all elements were compared (Notes.Partial), but not if a constant could not be read
	// (Notes.Unread). Identical requires that everything was compared.
	Equal, Identical bool

	Places  []*PlaceDiff // in the order of Match
	IO      []IOChange   // inputs and outputs of the main graph
	Model   []Field      // properties of the model itself; see Field.Describes
	Weights []Weight     // different constants, in all places
	Renamed Renamed
	Notes   Notes
}

// Renamed counts the nodes, values and functions that have another name in B. Inputs and outputs do
// not count; they are in Diff.IO.
type Renamed struct{ Nodes, Values, Functions int }

// Any reports whether anything has another name.
func (r Renamed) Any() bool { return r.Nodes+r.Values+r.Functions > 0 }

// Notes counts differences that do not affect what the model computes, and what was not compared.
type Notes struct {
	Reordered int // nodes at another position among the others in the file
	// attributes that one model states and the other leaves out, with the same effect
	Defaults int
	Stored   int // constants that are a Constant node in one model and an initializer in the other
	Swapped  int // nodes with swapped operands whose order does not matter
	Shared   int // constants stored once in one model and several times in the other
	Listed   int // constants that only one model also lists as inputs
	Typed    int // inner values whose type only one model declares
	Unused   int // constants in one model only that nothing reads
	// Partial is the number of constants of which only the first bytes were compared, and
	// PartialBytes their size.
	Partial      int
	PartialBytes int64
	// Unread has the errors of constants that could not be read and were not compared. If there are
	// any, the models are not Equal.
	Unread []error
}

// PlaceDiff has the differences between two matching places. If a place has no partner, one of A
// and B is nil, and all its nodes are added or removed.
type PlaceDiff struct {
	*PlaceMatch
	Added, Removed []int // nodes of B, and of A; in file order
	Changed        []NodeChange
	Types          []TypeChange // inner values with different types
	Fields         []Field      // properties of the graph or function itself
	// Rows are the rows of a side-by-side view. The nodes of A are in file order, and each node
	// that only B has is inserted after the nodes that it depends on. Constant nodes are included.
	Rows []Row
}

// Row is a row in a side-by-side view of two models. A and B are the positions of the nodes, or -1
// if there is none.
type Row struct {
	A, B int
	// Change is an index into PlaceDiff.Changed, or -1 if the nodes do not differ.
	Change int
	// Renamed reports that the node, or a value that it produces, has another name in B.
	Renamed bool
}

// Differs reports whether the row shows a difference. Another name does not count.
func (r Row) Differs() bool { return r.A < 0 || r.B < 0 || r.Change >= 0 }

// What is the kind of a node's difference.
type What string

// The kinds of differences of two matching nodes.
const (
	WhatOp        What = "op"        // another operator in the same position of the graph
	WhatAttribute What = "attribute" // an attribute's value
	WhatInput     What = "input"     // the node reads another value
	WhatOutput    What = "output"    // the node has more or fewer outputs
	// the node's constant has another type or other elements; the details are in Diff.Weights
	WhatConstant What = "constant"
	// an attribute has another number of bodies; differences inside a body are in its PlaceDiff
	WhatBody     What = "body"
	WhatDoc      What = "doc"
	WhatMetadata What = "metadata"
)

// NodeChange is a pair of matching nodes with at least one difference. A and B are their positions.
type NodeChange struct {
	A, B  int
	Parts []Part
	// Follows reports that the node itself is the same, and differs only in that it reads the
	// output of an added or removed node.
	Follows bool
	// Describes reports that only documentation or metadata differ.
	Describes bool
}

// Part is one of the differences of two matching nodes.
type Part struct {
	What What
	// Name is the name of an attribute or metadata entry, or the position of an input or output;
	// otherwise "".
	Name string
	// Old and New are the values in A and in B as text. Names are not in quotes. A text is "" if
	// the value does not exist.
	Old, New string
	// Follows is like NodeChange.Follows, for one input.
	Follows bool
}

// TypeChange is a value, neither input nor output of the main graph, whose declared types differ.
type TypeChange struct {
	A, B         graphops.ValueID
	TypeA, TypeB graphops.Type
}

// IOKind is what happened to an input or output.
type IOKind string

// The kinds of changes of inputs and outputs.
const (
	ioAdded    IOKind = "added"
	ioRemoved  IOKind = "removed"
	ioRenamed  IOKind = "renamed"
	ioRetyped  IOKind = "retyped"
	ioMoved    IOKind = "reordered"
	ioOptional IOKind = "optional" // a default value was added or removed
	ioRewired  IOKind = "rewired"  // an output is produced by another value
)

// IOChange is one change of an input or output of the main graph. A or B is -1 if that model does
// not have it.
type IOChange struct {
	Output       bool
	Kind         IOKind
	A, B         int // positions among the inputs or outputs
	NameA, NameB string
	TypeA, TypeB graphops.Type
	// Follows reports that the output is produced by another value only because a node was added or
	// removed.
	Follows bool
}

// Field is a property of a model, graph or function that differs.
type Field struct {
	Name     string // such as "opset com.microsoft", "ir_version", "metadata KEY"
	Old, New string // "" if there is none
	// Describes reports that the property does not affect what the model computes.
	Describes bool
}

// Weight is a constant whose content differs, or that only one model has.
type Weight struct {
	Place *PlaceMatch
	// A and B are the values in the two places, or -1 if there is none. For a constant that a body
	// captures, they are the values of the body.
	A, B graphops.ValueID
	// NodeA, NodeB and Attribute are set for a tensor in an attribute of a node that is not a
	// Constant: they are the positions of the nodes, and the name of the attribute. Otherwise they
	// are -1, -1 and "".
	NodeA, NodeB   int
	Attribute      string
	DTypeA, DTypeB tensor.DType
	DimsA, DimsB   []int64
	BytesA, BytesB int64
	// OldText and NewText have all elements if there are only a few, in the form that
	// tensor.ParseLiteral reads; otherwise "".
	OldText, NewText string
	// Metrics is the comparison of the elements with tolerance 0; Worst is the position of the
	// largest difference. If only bits differ, such as the sign of a zero, no element counts as
	// mismatched. Metrics is nil if the elements were not compared one by one, because the shapes
	// differ or because different first bytes were enough.
	Metrics *tensor.Metrics
	// Region says where the elements differ, if these places or their ratios have something in common.
	Region weights.Region
	// Follows reports that only one model has the constant, and that all its readers are nodes
	// which only that model has.
	Follows bool
}

// MaxAbs returns the largest difference of two elements. It is NaN if one element of a pair is NaN
// and the other is not, and infinite if only one is infinite. Metrics must not be nil.
func (w Weight) MaxAbs() float64 {
	switch m := w.Metrics; {
	case m.NaNMismatched > 0:
		return math.NaN()
	case m.InfMismatched > 0:
		return math.Inf(1)
	default:
		return m.MaxAbs
	}
}

// Complete reports whether everything was compared.
func (n Notes) Complete() bool { return n.Partial == 0 && len(n.Unread) == 0 }

// Match determines which parts of b correspond to which parts of a. The pairs of places are in order:
// outer before inner, first the main graphs. Places without a partner come last. Match reads only the
// first bytes of large constants.
func Match(ctx context.Context, a, b *graphops.Model) ([]*PlaceMatch, error) {
	return newMatcher(ctx, a, b).match()
}
