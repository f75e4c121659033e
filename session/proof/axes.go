package proof

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"lathe/graphops"
)

// counts are how many items are joined at once. They have no divisor in common, so
// that what fits a multiple of one of them does not fit the other.
var counts = []int64{2, 5}

// Change is a model whose axes were freed, and what is to be shown of it.
type Change struct {
	Original, Changed *graphops.Model
	Freed             []Freed
	Fixed             map[string]int64 // symbols of the original that have become numbers
	// Pinned says that axes are still held: other sizes are not tried.
	Pinned bool
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
}

// Axis is what was shown of a freed axis.
type Axis struct {
	Symbol string  `json:"symbol"`
	Old    int64   `json:"old"`
	Sizes  []int64 `json:"sizes"` // at which the changed model ran
	// Rows says that every item of the outputs is what it is alone.
	Rows          bool        `json:"rows"`
	Outputs       []string    `json:"outputs"` // that were compared by items
	Unchecked     []Unchecked `json:"unchecked"`
	MaxDifference float64     `json:"max_difference"`
	RTol          float64     `json:"rtol"`
	ATol          float64     `json:"atol"`
	Note          string      `json:"note"` // why less was shown, or ""
}

// FailedError tells that the changed model is not what it ought to be.
type FailedError struct {
	Difference *Difference
	// Origin is the first of the watched values that differs, or nil.
	Origin *Difference
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
		if again, err := p.SameAt(ctx, c.Original, c.Changed, sizes, c.watched()); err == nil {
			e.Origin = again.Difference
		}
		return nil, e
	}
	a := &Axes{Sizes: sizes, Seeds: s.Seeds, Outputs: s.Compared, Freed: []Axis{}}
	for _, f := range c.Freed {
		if c.Pinned {
			a.Freed = append(a.Freed, axis(f, "other sizes are not tried: axes are held as listed"))
			continue
		}
		one, err := p.axis(ctx, c, f, sizes)
		if err != nil {
			return nil, err
		}
		a.Freed = append(a.Freed, *one)
	}
	return a, nil
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

func axis(f Freed, note string) Axis {
	return Axis{Symbol: f.Symbol, Old: f.Old, Sizes: []int64{}, Outputs: []string{}, Unchecked: []Unchecked{}, Note: note}
}

// axis shows what can be shown of one freed axis.
func (p *Prover) axis(ctx context.Context, c Change, f Freed, sizes map[string]int64) (*Axis, error) {
	r, err := p.Rows(ctx, c.Original, c.Changed, f, sizes, counts, nil)
	switch {
	case IsUnproved(err):
		return p.withoutRows(ctx, c, f, sizes, err.Error())
	case err != nil:
		return nil, err
	case r.Difference == nil && len(r.Compared) == 0:
		return c.vanished(ctx, f, r)
	case r.Difference == nil:
		out := axis(f, "")
		out.Sizes, out.Rows, out.Outputs, out.Unchecked = r.Sizes, true, r.Compared, append(out.Unchecked, r.Unchecked...)
		out.MaxDifference, out.RTol, out.ATol = r.MaxDifference, r.Tolerance.RTol, r.Tolerance.ATol
		return &out, nil
	}
	why, err := c.dependent(ctx, f)
	if err != nil {
		return nil, err
	}
	if why != "" {
		return p.withoutRows(ctx, c, f, sizes, why)
	}
	e := &FailedError{Difference: r.Difference}
	if again, err := p.Rows(ctx, c.Original, c.Changed, f, sizes, counts, c.watched()); err == nil {
		e.Origin = again.Difference
	}
	return nil, e
}

// vanished is the case that no output has items. Where no node computes across the
// axis, they have gone where they should not.
func (c Change) vanished(ctx context.Context, f Freed, r *Rows) (*Axis, error) {
	why, err := c.dependent(ctx, f)
	if err != nil {
		return nil, err
	}
	if why == "" && len(r.Unchecked) > 0 {
		u := r.Unchecked[0]
		return nil, &FailedError{Difference: &Difference{
			Sizes: map[string]int64{f.Symbol: r.Sizes[len(r.Sizes)-1]}, Value: u.Output, Item: -1, Reason: u.Why + ", and no node computes across it",
		}}
	}
	out := axis(f, "no output has the axis, so that there are no items to compare: "+why)
	out.Sizes, out.Unchecked = r.Sizes, r.Unchecked
	return &out, nil
}

// dependent is why items along an axis may depend on each other, or "".
func (c Change) dependent(ctx context.Context, f Freed) (string, error) {
	node, err := Mixes(ctx, c.Changed, f.Symbol)
	if err != nil || node != "" {
		return node + " computes across the axis", err
	}
	for _, v := range c.Changed.Graph().FeedInputs() {
		for _, axis := range axesOf(v, f.Symbol) {
			if axis > 0 {
				return fmt.Sprintf("it is axis %d of input %q, and may be no batch", axis, v.Name()), nil
			}
		}
	}
	return "", nil
}

// withoutRows shows that the model runs.
func (p *Prover) withoutRows(ctx context.Context, c Change, f Freed, sizes map[string]int64, why string) (*Axis, error) {
	r, err := p.Runs(ctx, c.Original, c.Changed, f, sizes)
	if err != nil {
		return nil, err
	}
	if r.Difference != nil {
		return nil, &FailedError{Difference: r.Difference}
	}
	out := axis(f, "items are not compared with what they give alone: "+strings.TrimPrefix(why, "not proved: "))
	out.Sizes = r.Sizes
	if r.Refused != nil {
		out.Note += "; " + r.Refused.String()
	}
	return &out, nil
}
