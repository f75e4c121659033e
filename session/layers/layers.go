package layers

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/counterpart"
	"lathe/graphops/tensor"
)

// Options say how layers are compared and judged.
type Options struct {
	// RTol and ATol take the place of the tolerance of the type, ATol as it stands and not
	// in relation to the values, where they are not nil.
	RTol, ATol *float64
	// Memory is how much this process and its worker together may take for values, in
	// bytes; 0 is DefaultMemory.
	Memory int64
	// Progress hears how many of the values are compared. It may be nil.
	Progress func(done, total int)
}

// DefaultMemory is what is taken where nothing is said.
const DefaultMemory = 1 << 30

// Judgement is what a local error is.
type Judgement string

// The judgements.
const (
	Equal     Judgement = "equal"     // the same bits
	Rounding  Judgement = "rounding"  // within the tolerance
	Quantized Judgement = "quantized" // as near as quantization leaves it
	Noisy     Judgement = "noisy"     // of a region that quantizes: farther than that
	Differs   Judgement = "differs"   // outside of the tolerance, or of another type or shape
	Stuck     Judgement = "stuck"     // B's region does not run on A's values
	Unjudged  Judgement = "unjudged"  // the region draws random numbers, or was not run
)

// Failed reports whether something is wrong.
func (j Judgement) Failed() bool { return j == Noisy || j == Differs || j == Stuck }

// Layer is a value that both models have. Nodes are positions in the main graphs.
type Layer struct {
	Pair counterpart.Pair
	A, B string // names of the value
	// NodeA and NodeB make it; -1 where it is a constant or an input.
	NodeA, NodeB int
	// RegionA and RegionB are the nodes between other shared values and this one.
	RegionA, RegionB []int
	// Inputs are the positions, among the layers, of those that RegionB reads; the
	// model's own inputs are not among them.
	Inputs []int
	Type   graphops.Type // of A's value, as it was
	TypeB  graphops.Type // of B's, where B ran up to it by itself
	Bytes  int64         // of A's value

	Local, Accumulated *tensor.Metrics // nil where there are none
	// Reason tells why there are none, or why they say nothing: of the local error, and of
	// the accumulated one.
	Reason, AccumulatedReason string
	// Tolerance is what the local error was judged by, of a region that does not quantize.
	Tolerance tensor.Tolerance
	Quantizes bool // RegionA or RegionB quantizes
	Random    bool // RegionA or RegionB draws random numbers
	Judgement Judgement
	// EqualInputs tells that what the region reads had A's bits where B ran by itself.
	EqualInputs bool
}

// Result is what a comparison of all layers found. It is immutable.
type Result struct {
	A, B   *graphops.Model
	Map    *counterpart.Map
	Layers []Layer // in the topological order of A
	// First is the layer that makes the error, nil where there is none.
	First *Divergence
	// OnlyA and OnlyB are computed values that only one of the models has.
	OnlyA, OnlyB []string
	Segments     int // in which values were compared
	Notes        []string

	inA, inB graphops.Feeds
}

// Side is a model and what runs it. Both sides may have the same of either.
type Side struct {
	Model *graphops.Model
	On    graphops.Runner
	// In is what the model is fed in place of what the comparison says, by its own names and
	// in its own types; nil for that.
	In graphops.Feeds
}

// Compare runs two models on the same inputs and compares all values that they share. Each
// takes those of its own names, unless its side says what. The error is that of the
// context, or that A does not run; what is wrong with B is in the result.
func Compare(ctx context.Context, a, b Side, in graphops.Feeds, o Options) (*Result, error) {
	for _, side := range []*Side{&a, &b} {
		if side.In == nil {
			side.In = in
		}
	}
	c := &comparison{ctx: ctx, a: a, b: b, o: o}
	var err error
	if c.m, err = counterpart.Find(ctx, c.inlined("a", a.Model), c.inlined("b", b.Model)); err != nil {
		return nil, err
	}
	c.values, c.valuesB = newHeld(c.memory()/heldPart, &c.store), newHeld(c.memory()/heldPart, &c.store)
	defer c.store.close()
	c.took.begin()
	if err := c.prepare(); err != nil {
		return nil, err
	}
	if err := c.run(); err != nil {
		return nil, err
	}
	if err := c.judge(); err != nil {
		return nil, err
	}
	return c.result(), nil
}

// names are those of values of a model.
func names(m *graphops.Model, list []graphops.ValueID) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = m.Graph().Index().Name(v)
	}
	return out
}
