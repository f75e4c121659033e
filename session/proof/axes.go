package proof

import (
	"context"
	"maps"
	"slices"

	"lathe/graphops"
)

// counts are how many items are joined in one run, for two runs. They have no common divisor, so
// that a constant in the model that happens to fit one of them does not fit the other.
var counts = []int64{2, 5}

func (f Freed) counts() []int64 {
	if f.Joined > 1 {
		return []int64{f.Joined}
	}
	return counts
}

// Change is a model whose fixed axes became dynamic ("freed"), and what a proof needs to know about
// that change.
type Change struct {
	Original, Changed *graphops.Model
	// Plain returns the original with the axes freed and nothing repaired. It is nil if that is the
	// changed model.
	Plain func() (*graphops.Model, error)
	Freed []Freed
	Fixed map[string]int64 // symbols of the original that have become numbers
	// Watched are values that both models have, in the order of the nodes. The origin of a
	// difference is searched among them.
	Watched []string
}

// Axes is the result of the proof of a change of axes.
type Axes struct {
	// Sizes are the sizes of the symbols of both models at which all bits of the outputs are equal.
	Sizes map[string]int64 `json:"sizes"`
	Seeds int              `json:"seeds"` // number of inputs tried
	// Outputs are the outputs that were compared.
	Outputs []string `json:"outputs"`
	Freed   []Axis   `json:"freed"`
	// Together are sizes at which several freed axes were changed in the same run. It is nil if
	// each axis was tried only by itself.
	Together map[string]int64 `json:"together"`
}

// Whole reports whether everything was shown: all items of all outputs, at other sizes of every
// freed axis.
func (a *Axes) Whole() bool {
	return (len(a.Freed) < 2 || a.Together != nil) && !slices.ContainsFunc(a.Freed, func(x Axis) bool { return x.Items != ItemsEqual || len(x.Unchecked) > 0 })
}

// Items says how an item of an output compares with what the original gives for that item alone. An
// item is an element along the freed axis, for example a sample of a batch.
type Items string

// The possible results of a comparison by items.
const (
	ItemsEqual       Items = "equal"
	ItemsDiffer      Items = "differ" // because the original itself computes across the axis
	ItemsAlike       Items = "alike"  // different items have equal outputs, which shows nothing
	ItemsNotCompared Items = "not compared"
)

// Axis is the result of the proof for one freed axis.
type Axis struct {
	Symbol string  `json:"symbol"`
	Old    int64   `json:"old"`
	Sizes  []int64 `json:"sizes"` // sizes at which the changed model ran
	// Rows is set if every item of the outputs equals the result for that item alone.
	Rows  bool  `json:"rows"`
	Items Items `json:"items"`
	// Differ are the sizes of the axis at which items differed from the results for each item
	// alone.
	Differ        []int64     `json:"differ"`
	Outputs       []string    `json:"outputs"`     // outputs compared by items
	Constant      []string    `json:"constant"`    // outputs that are equal for all items
	Interleaved   []string    `json:"interleaved"` // outputs whose items are not contiguous
	Unchecked     []Unchecked `json:"unchecked"`
	MaxDifference float64     `json:"max_difference"`
	RTol          float64     `json:"rtol"`
	ATol          float64     `json:"atol"`
	Note          string      `json:"note"` // why less was shown, or ""
	// Lost is the first node that reads the axis and has no output with it, if no output of the
	// model has the axis.
	Lost string `json:"lost"`
}

// FailedError is the error if the changed model computes something else than the original.
type FailedError struct {
	Difference *Difference
	// Origin is the first of the watched values that differs, or nil.
	Origin *Difference
	// Mixer is the node that computes across an axis in the changed model and not in the original,
	// or nil.
	Mixer *Mixer
}

func (e *FailedError) Error() string { return "the changed model " + e.Difference.String() }

// Axes proves a change of axes. At the old sizes all bits must be equal. At two other sizes of each
// freed axis every item must equal the original's result for that item alone. If items along the
// axis depend on each other, the model only has to run and to return the shapes that it declares.
func (p *Prover) Axes(ctx context.Context, c Change) (*Axes, error) {
	sizes, err := p.Settle(ctx, c.Original, c.sizes())
	if err != nil {
		return nil, err
	}
	s, err := p.SameAt(ctx, c.Original, c.Changed, sizes, nil)
	if err != nil {
		return nil, err
	}
	if s.Difference != nil {
		e := &FailedError{Difference: s.Difference}
		if again, err := p.SameAt(ctx, c.Original, c.Changed, sizes, c.watched()); err == nil && again.Difference != nil {
			e.Origin = again.Difference
		}
		return nil, e
	}
	a := &Axes{Sizes: sizes, Seeds: s.Seeds, Outputs: s.Compared}
	if a.Freed, err = p.items(ctx, c, sizes); err != nil {
		return nil, err
	}
	a.Together, err = p.together(ctx, c, a)
	return a, err
}

// Items is the part of Axes about items: at the old sizes, the outputs of the models may differ.
func (p *Prover) Items(ctx context.Context, c Change) ([]Axis, error) {
	sizes, err := p.Settle(ctx, c.Original, c.sizes())
	if err != nil {
		return nil, err
	}
	return p.items(ctx, c, sizes)
}

func (p *Prover) items(ctx context.Context, c Change, sizes map[string]int64) ([]Axis, error) {
	out := []Axis{}
	for _, f := range c.Freed {
		if f.Pinned {
			out = append(out, axis(f, "other sizes were not tried: the axis still has a fixed size, as listed"))
			continue
		}
		one, err := p.axis(ctx, c, f, sizes)
		if err != nil {
			return nil, err
		}
		out = append(out, *one)
	}
	return out, nil
}

// sizes returns the sizes at which both models run, for the symbols of the change.
func (c Change) sizes() map[string]int64 {
	out := map[string]int64{}
	maps.Copy(out, c.Fixed)
	for _, f := range c.Freed {
		out[f.Symbol] = f.Old
	}
	return out
}

// watched never returns nil, which would mean the outputs.
func (c Change) watched() []string { return append([]string{}, c.Watched...) }
