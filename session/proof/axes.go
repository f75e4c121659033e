package proof

import (
	"context"
	"maps"
	"slices"
	"strings"

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
		if again, err := p.SameAt(ctx, c.Original, c.Changed, sizes, c.watched()); err == nil {
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

func axis(f Freed, note string) Axis {
	return Axis{
		Symbol: f.Symbol, Old: f.Old, Items: ItemsNotCompared, Note: note,
		Sizes: []int64{}, Differ: []int64{}, Outputs: []string{}, Constant: []string{}, Interleaved: []string{}, Unchecked: []Unchecked{},
	}
}

// axis shows what can be shown of one freed axis.
func (p *Prover) axis(ctx context.Context, c Change, f Freed, sizes map[string]int64) (*Axis, error) {
	r, err := p.Rows(ctx, c.Original, c.Changed, f, sizes, counts, nil)
	switch {
	case IsUnproved(err):
		return p.withoutRows(ctx, c, f, sizes, strings.TrimPrefix(err.Error(), "not proved: "))
	case err != nil:
		return nil, err
	case r.Difference != nil:
		return p.differ(ctx, c, f, sizes, r)
	}
	if err := p.mergedByRepair(ctx, c, f, sizes, r); err != nil {
		return nil, err
	}
	if len(r.Compared) == 0 {
		return c.lost(ctx, f, r)
	}
	out := axis(f, "")
	out.fill(r)
	if out.Items = ItemsEqual; !r.Apart {
		out.Items, out.Note = ItemsAlike, "the rows could not be told apart: those of other inputs are the same"
	}
	out.Rows = out.Items == ItemsEqual
	return &out, nil
}

// fill takes over what a comparison by items showed.
func (a *Axis) fill(r *Rows) {
	a.Sizes = append(a.Sizes, r.Sizes...)
	a.Outputs, a.Constant = append(a.Outputs, r.Compared...), append(a.Constant, r.Constant...)
	a.Interleaved, a.Unchecked = append(a.Interleaved, r.Interleaved...), append(a.Unchecked, r.Unchecked...)
	a.MaxDifference, a.RTol, a.ATol = r.MaxDifference, r.Tolerance.RTol, r.Tolerance.ATol
}

// differ is the case that items are not what they are alone. That is as it should be
// where the original computes across the axis, too, and an error elsewhere.
func (p *Prover) differ(ctx context.Context, c Change, f Freed, sizes map[string]int64, r *Rows) (*Axis, error) {
	m, err := p.mixing(ctx, c, f, sizes)
	if err != nil {
		return nil, err
	}
	why, item := "", false
	for _, d := range r.Differences {
		name, ok := m.excuse(d)
		if !ok {
			e := &FailedError{Difference: d, Mixer: m.introduced(d)}
			if again, err := p.Rows(ctx, c.Original, c.Changed, f, sizes, counts, c.watched()); err == nil {
				e.Origin = again.Difference
			}
			return nil, e
		}
		item, why = item || d.Item >= 0, name+" computes across the axis"
	}
	out, err := p.withoutRows(ctx, c, f, sizes, why)
	if err != nil || !item {
		return out, err
	}
	ran := out.Sizes
	out.fill(r)
	out.Sizes, out.Items, out.MaxDifference = ran, ItemsDiffer, 0
	for _, d := range r.Differences {
		if n := d.Sizes[f.Symbol]; d.Item >= 0 && !slices.Contains(out.Differ, n) {
			out.Differ = append(out.Differ, n)
		}
	}
	out.Note = strings.Replace(out.Note, why, why+"; this holds for the original as well", 1)
	return out, nil
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
	out := axis(f, why)
	out.Sizes = r.Sizes
	if r.Refused != nil {
		out.Note += "; " + r.Refused.String()
	}
	return &out, nil
}

// together tries freed axes at once that were tried one by one: items of the first
// whose items are equal must be what they are alone where the others have the first
// of their sizes. It is told by the changed model, which was shown to be right there.
func (p *Prover) together(ctx context.Context, c Change, a *Axes) (map[string]int64, error) {
	sizes, tried := maps.Clone(a.Sizes), map[string]int64{}
	by := Freed{}
	for i, f := range c.Freed {
		if len(a.Freed[i].Sizes) == 0 {
			continue
		}
		tried[f.Symbol] = a.Freed[i].Sizes[0]
		if by.Symbol == "" && a.Freed[i].Rows {
			by = f
			tried[f.Symbol] = counts[0] * f.Old
			continue
		}
		sizes[f.Symbol] = a.Freed[i].Sizes[0]
	}
	if len(tried) < 2 {
		return nil, nil
	}
	var d *Difference
	if by.Symbol == "" {
		var err error
		if d, err = p.runsAt(ctx, c.Original, c.Changed, sizes); err != nil {
			return nil, err
		}
	} else {
		r, err := p.Rows(ctx, c.Changed, c.Changed, by, sizes, counts[:1], nil)
		switch {
		case IsUnproved(err):
			return nil, nil
		case err != nil:
			return nil, err
		}
		d = r.Difference
	}
	if d != nil {
		d.Sizes = tried
		return nil, &FailedError{Difference: d}
	}
	return tried, nil
}
