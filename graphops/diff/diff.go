package diff

import (
	"cmp"
	"context"
	"math"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Options say how far a comparison goes.
type Options struct {
	// Weights compares all elements of all constants, however long that takes. Without
	// it that is done where what is to be read is WholeBytes at most; else the elements
	// of small constants are compared, and of others the first bytes.
	Weights bool
	// WholeBytes takes the place of DefaultWholeBytes where it is not 0; below 0 nothing
	// is read but the first bytes.
	WholeBytes int64
	// Progress is told how many bytes of how many were compared. It may be nil.
	Progress func(done, total int64)
}

// DefaultWholeBytes is how much is read without being asked: what takes a fraction of a
// second.
const DefaultWholeBytes = 64 << 20

// whole reports whether all elements are compared where that means reading so much.
func (o Options) whole(bytes int64) bool {
	return o.Weights || bytes <= cmp.Or(o.WholeBytes, DefaultWholeBytes)
}

// Diff is what differs between the models A and B.
type Diff struct {
	A, B *graphops.Model
	// Equal and Identical are what the package's comment says. Of what was not
	// compared, see Unread and Partial, Equal says nothing; Identical are models of
	// which everything was.
	Equal, Identical bool

	Places  []*PlaceDiff // as in Matching.Places
	IO      []IOChange   // inputs and outputs of the main graph
	Model   []Field      // what the model itself says; see Field.Describes
	Weights []Weight     // constants that differ, in all places
	Renamed Renamed
	Notes   Notes
}

// Renamed counts what has another name in B. Inputs and outputs are in IO.
type Renamed struct{ Nodes, Values, Functions int }

// Any reports whether anything has another name.
func (r Renamed) Any() bool { return r.Nodes+r.Values+r.Functions > 0 }

// Notes count differences that mean nothing to who runs the model.
type Notes struct {
	Reordered int // nodes that stand elsewhere among the others in the file
	Defaults  int // attributes that one model writes out and the other leaves to the default or to the weight's shape
	Stored    int // constants that are a Constant node in one model and an initializer in the other
	Swapped   int // nodes whose operands are swapped, where their order does not matter
	Shared    int // constants that one model stores once and the other several times
	Listed    int // constants that one model lists among its inputs as well
	Typed     int // inner values whose type only one of the models tells
	Unused    int // constants that nothing reads, in one of the models only
	// Partial is how many constants were compared by their first bytes only, and
	// PartialBytes how large they are; none where Options let all be read.
	Partial      int
	PartialBytes int64
	// Unread are why constants could not be compared. Models with any are not Equal.
	Unread []error
}

// PlaceDiff is what differs between two places that belong together. A place
// without a partner is told by the node or function that holds it.
type PlaceDiff struct {
	*PlaceMatch
	Added, Removed []int // nodes of B, of A; in the order of the file
	Changed        []NodeChange
	Types          []TypeChange // inner values of other types
	Fields         []Field      // what the graph or function itself says
	// Rows align the nodes of both: those of A in the order of its file, what only
	// B has where it belongs. Constant nodes are among them.
	Rows []Row
}

// Row is a line of two models side by side: a node of each, by position, or -1
// for a gap.
type Row struct {
	A, B int
	// Change is the position in PlaceDiff.Changed, -1 for none.
	Change int
	// Renamed tells that the node, or a value that it makes, has another name in B.
	Renamed bool
}

// Differs reports whether the row shows a difference other than a name.
func (r Row) Differs() bool { return r.A < 0 || r.B < 0 || r.Change >= 0 }

// What says which side of a node differs.
type What string

// What of a node can differ.
const (
	WhatOp        What = "op"        // another operator in the same place of the graph
	WhatAttribute What = "attribute" // an attribute's value
	WhatInput     What = "input"     // the node reads another value
	WhatOutput    What = "output"    // the node makes more or fewer values
	WhatConstant  What = "constant"  // the node reads a constant of other type or elements; see Diff.Weights
	WhatBody      What = "body"      // a body has a place of its own where it differs
	WhatDoc       What = "doc"
	WhatMetadata  What = "metadata"
)

// NodeChange is two nodes that belong together and differ.
type NodeChange struct {
	A, B  int
	Parts []Part
	// Follows tells that the node differs only in that it reads what a removed or an
	// added node made or makes.
	Follows bool
	// Describes tells that only documentation or metadata differ.
	Describes bool
}

// Part is one difference of a node.
type Part struct {
	What What
	// Name is that of an attribute or an entry of metadata, the position of an input
	// or output, else "".
	Name string
	// Old and New are what stands in A and in B, as a person would write it, names
	// raw; "" where there is nothing.
	Old, New string
	// Follows is that of NodeChange, for one input.
	Follows bool
}

// TypeChange is an inner value that the models declare with different types.
type TypeChange struct {
	A, B         graphops.ValueID
	TypeA, TypeB graphops.Type
}

// IOKind is what happened to an input or output.
type IOKind string

// The changes of an interface.
const (
	IOAdded    IOKind = "added"
	IORemoved  IOKind = "removed"
	IORenamed  IOKind = "renamed"
	IORetyped  IOKind = "retyped"
	IOMoved    IOKind = "reordered"
	IOOptional IOKind = "optional" // a default value appeared or went
	IORewired  IOKind = "rewired"  // an output comes from another value
)

// IOChange is one change of the main graph's inputs and outputs. A side that is
// not there has position -1.
type IOChange struct {
	Output       bool
	Kind         IOKind
	A, B         int // positions among the inputs or outputs
	NameA, NameB string
	TypeA, TypeB graphops.Type
	// Follows tells of a rewired output that a removed node made it, or that an added
	// one does.
	Follows bool
}

// Field is a property of a model, graph or function that differs.
type Field struct {
	Name     string // as "opset com.microsoft", "ir_version", "metadata KEY"
	Old, New string // "" where there is none
	// Describes tells that the difference is none of what the model computes.
	Describes bool
}

// Weight is a constant that differs, or that one of the models lacks.
type Weight struct {
	Place *PlaceMatch
	// A and B are the values in their places, -1 for one that is lacking. A constant
	// that a body takes from around it is told in the body.
	A, B graphops.ValueID
	// NodeA, NodeB and Attribute are where a tensor stands that is no value: in an
	// attribute of a node that is no Constant; else -1, -1 and "".
	NodeA, NodeB   int
	Attribute      string
	DTypeA, DTypeB tensor.DType
	DimsA, DimsB   []int64
	BytesA, BytesB int64
	// OldText and NewText are the elements where they are few, as
	// tensor.ParseLiteral reads them; else "".
	OldText, NewText string
	// Metrics compare the elements at tolerance 0 where the shapes agree; Worst is
	// where they are farthest apart. It is nil where elements were not compared one
	// by one: that the first bytes differ is known by then. Where the bits differ and
	// no number does, as with the sign of zero, nothing is mismatched.
	Metrics *tensor.Metrics
	// Follows tells of a constant that one of the models lacks that only nodes read
	// it which that model lacks as well.
	Follows bool
}

// MaxAbs is the largest difference of two elements: NaN where one is NaN and the other
// is not, infinite where one is infinite. It has a meaning only with Metrics.
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

// Match finds what in b is what in a. Of the constants no more than the first
// bytes are read.
func Match(ctx context.Context, a, b *graphops.Model) (*Matching, error) {
	return newMatcher(ctx, a, b).match()
}
