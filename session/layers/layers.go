package layers

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/counterpart"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
)

// Options control how layers are compared and judged.
type Options struct {
	// RTol and ATol are tolerances that the user requested. If they are nil, the tolerance follows
	// from the type. ATol is used as it is; it is not multiplied by the magnitude of the values.
	RTol, ATol *float64
	// Memory is how many bytes this process and its worker together may use for values; 0 means
	// DefaultMemory.
	Memory int64
	// Progress is called with the number of values compared so far. It may be nil.
	Progress func(done, total int)
}

// DefaultMemory is the default of Options.Memory.
const DefaultMemory = 1 << 30

// Judgement says how good a layer is, judged by its local error.
type Judgement string

// The judgements. They are about the local error: B's nodes run on A's values.
const (
	Equal     Judgement = "equal"     // equal bits
	Rounding  Judgement = "rounding"  // within the tolerance
	Quantized Judgement = "quantized" // off by what quantization explains
	Noisy     Judgement = "noisy"     // the region quantizes, and the error is larger than quantization explains
	Differs   Judgement = "differs"   // outside of the tolerance, or of another type or shape
	Stuck     Judgement = "stuck"     // B's region does not run on A's values
	Unjudged  Judgement = "unjudged"  // the region draws random numbers, or was not run
)

// Failed reports whether the judgement means that something is wrong.
func (j Judgement) Failed() bool { return j == Noisy || j == Differs || j == Stuck }

// Layer is a value that both models compute, with the nodes that compute it in each. Nodes are
// given by their indices in the main graphs.
type Layer struct {
	Pair counterpart.Pair
	A, B string // names of the value
	// NodeA and NodeB are the nodes that compute the value. They are -1 if it is a constant or an
	// input.
	NodeA, NodeB int
	// RegionA and RegionB are the nodes that compute this value from the nearest other values that
	// both models have.
	RegionA, RegionB []int
	// Inputs are the layers whose values RegionB reads, as indices into the list of layers. Inputs
	// of the model are not included.
	Inputs []int
	Type   graphops.Type // type of A's value in the run
	TypeB  graphops.Type // type of B's value, if B computed it by itself
	Bytes  int64         // size of A's value

	Local, Accumulated *tensor.Metrics // nil if there are none
	// Reason and AccumulatedReason say why there is no local or accumulated error. If there is one,
	// they say why it is not judged.
	Reason, AccumulatedReason string
	// Tolerance is the tolerance by which the local error is judged. It is not used if the region
	// quantizes.
	Tolerance tensor.Tolerance
	Quantizes bool // RegionA or RegionB quantizes
	Random    bool // RegionA or RegionB draws random numbers
	Judgement Judgement
	// EqualInputs is set if all inputs of the region had A's bits when B ran by itself. The local
	// error is then equal to the accumulated one.
	EqualInputs bool
}

// Result is the result of comparing all values that two models share. It is immutable.
type Result struct {
	A, B   *graphops.Model
	Map    *counterpart.Map
	Layers []Layer // in a topological order of A
	// First is where the models begin to differ, or nil if nothing is wrong.
	First *Divergence
	// OnlyA and OnlyB are computed values that only one of the models has.
	OnlyA, OnlyB []string
	Segments     int // number of segments in which values were compared
	Notes        []string

	inA, inB graphops.Feeds
}

// Side is one of the two models, and the runner that runs it. Both sides may have the same model or
// the same runner.
type Side struct {
	Model *graphops.Model
	On    execution.Runner
	// In are the inputs of this model, by its own names and in its own types. If it is nil, the
	// inputs of the comparison are used.
	In graphops.Feeds
}

// Compare runs two models on the same inputs and compares all values that they share. Each model
// gets the inputs by name, unless its Side has inputs of its own. Compare returns an error only if
// the context ends or A does not run. What is wrong with B is part of the result.
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

// names returns the names of values of a model.
func names(m *graphops.Model, list []graphops.ValueID) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = m.Graph().Index().Name(v)
	}
	return out
}
