package proof

import (
	"context"
	"maps"
	"slices"

	"lathe/graphops"
)

// counts are how many items are joined at once. They have no divisor in common, so
// that what fits a multiple of one of them does not fit the other.
var counts = []int64{2, 5}

// Change is a model whose axes were freed, and what is to be shown of it.
type Change struct {
	Original, Changed *graphops.Model
	// Plain makes the original with the axes freed and nothing repaired; nil where
	// that is the changed model.
	Plain func() (*graphops.Model, error)
	Freed []Freed
	Fixed map[string]int64 // symbols of the original that have become numbers
	// Watched are values of both models, in the order of the nodes, among which the
	// origin of a difference is looked for.
	Watched []string
}

// Axes is what was shown of a change of axes.
type Axes struct {
	// Sizes are those at which all bits of the outputs are equal, of the symbols of
	// both models.
	Sizes map[string]int64 `json:"sizes"`
	Seeds int              `json:"seeds"` // inputs that were tried
	// Outputs were compared.
	Outputs []string `json:"outputs"`
	Freed   []Axis   `json:"freed"`
	// Together are sizes of several freed axes at once, at which the changed model was
	// tried as at those of one; nil where that was not done.
	Together map[string]int64 `json:"together"`
}

// Whole reports whether everything was shown: all items of all outputs, at other
// sizes of every freed axis.
func (a *Axes) Whole() bool {
	return (len(a.Freed) < 2 || a.Together != nil) && !slices.ContainsFunc(a.Freed, func(x Axis) bool { return x.Items != ItemsEqual || len(x.Unchecked) > 0 })
}

// Items tells how items of the outputs are to what they are alone.
type Items string

// What a comparison by items can show.
const (
	ItemsEqual       Items = "equal"
	ItemsDiffer      Items = "differ" // as the original itself computes across the axis
	ItemsAlike       Items = "alike"  // those of different items are the same, which shows nothing
	ItemsNotCompared Items = "not compared"
)

// Axis is what was shown of a freed axis.
type Axis struct {
	Symbol string  `json:"symbol"`
	Old    int64   `json:"old"`
	Sizes  []int64 `json:"sizes"` // at which the changed model ran
	// Rows says that every item of the outputs is what it is alone.
	Rows  bool  `json:"rows"`
	Items Items `json:"items"`
	// Differ are the sizes at which items were seen to differ.
	Differ        []int64     `json:"differ"`
	Outputs       []string    `json:"outputs"`     // that were compared by items
	Constant      []string    `json:"constant"`    // that are the same for all items
	Interleaved   []string    `json:"interleaved"` // whose items lie not one behind the other
	Unchecked     []Unchecked `json:"unchecked"`
	MaxDifference float64     `json:"max_difference"`
	RTol          float64     `json:"rtol"`
	ATol          float64     `json:"atol"`
	Note          string      `json:"note"` // why less was shown, or ""
	// Lost is the node behind which nothing has the axis, where no output does.
	Lost string `json:"lost"`
}

// FailedError tells that the changed model is not what it ought to be.
type FailedError struct {
	Difference *Difference
	// Origin is the first of the watched values that differs, or nil.
	Origin *Difference
	// Mixer is the node that computes across an axis in the changed model and does not
	// in the original, or nil.
	Mixer *Mixer
}

func (e *FailedError) Error() string { return "the changed model " + e.Difference.String() }

// Axes proves a change of axes: all bits are equal at the old sizes; and at two
// others of each freed axis every item is what the original gives for it alone or,
// along an axis whose items depend on each other, the model runs and gives the
// shapes that it declares.
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
	a := &Axes{Sizes: sizes, Seeds: s.Seeds, Outputs: s.Compared, Freed: []Axis{}}
	for _, f := range c.Freed {
		if f.Pinned {
			a.Freed = append(a.Freed, axis(f, "other sizes were not tried: the axis is held as listed"))
			continue
		}
		one, err := p.axis(ctx, c, f, sizes)
		if err != nil {
			return nil, err
		}
		a.Freed = append(a.Freed, *one)
	}
	a.Together, err = p.together(ctx, c, a)
	return a, err
}

// sizes are those of the symbols that the change is about, at which both models run.
func (c Change) sizes() map[string]int64 {
	out := map[string]int64{}
	maps.Copy(out, c.Fixed)
	for _, f := range c.Freed {
		out[f.Symbol] = f.Old
	}
	return out
}

// watched is never nil, which would stand for the outputs.
func (c Change) watched() []string { return append([]string{}, c.Watched...) }
