package proof

import (
	"context"
	"maps"
	"slices"
	"strings"

	"lathe/graphops"
)

func axis(f Freed, note string) Axis {
	return Axis{
		Symbol: f.Symbol, Old: f.Old, Items: ItemsNotCompared, Note: note,
		Sizes: []int64{}, Differ: []int64{}, Outputs: []string{}, Constant: []string{}, Interleaved: []string{}, Unchecked: []Unchecked{},
	}
}

// axis tries to show that every item along a freed axis is computed correctly. If that is not
// possible, it shows less, for example only that the model runs at other sizes.
func (p *Prover) axis(ctx context.Context, c Change, f Freed, sizes map[string]int64) (*Axis, error) {
	r, err := p.Rows(ctx, c.Original, c.Changed, f, sizes, f.counts(), nil)
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
		out.Items, out.Note = ItemsAlike, "the rows could not be distinguished: those of other inputs are the same"
	}
	if out.Note == "" {
		out.Note = r.Fewer
	}
	out.Rows = out.Items == ItemsEqual
	return &out, nil
}

// fill copies the results of a comparison of items.
func (a *Axis) fill(r *Rows) {
	a.Sizes = append(a.Sizes, r.Sizes...)
	a.Outputs, a.Constant = append(a.Outputs, r.Compared...), append(a.Constant, r.Constant...)
	a.Interleaved, a.Unchecked = append(a.Interleaved, r.Interleaved...), append(a.Unchecked, r.Unchecked...)
	a.MaxDifference, a.RTol, a.ATol = r.MaxDifference, r.Tolerance.RTol, r.Tolerance.ATol
}

// differ handles the case that items differ from the results for each item alone. This is correct
// if the original combines different items too. Otherwise it is an error.
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
			if again, err := p.Rows(ctx, c.Original, c.Changed, f, sizes, f.counts(), c.watched()); err == nil {
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

// withoutRows handles the case that items cannot be compared. It only shows that the model runs at
// other sizes and returns the declared shapes.
func (p *Prover) withoutRows(ctx context.Context, c Change, f Freed, sizes map[string]int64, why string) (*Axis, error) {
	r, err := p.runs(ctx, c.Original, c.Changed, f, sizes)
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

// together tries several freed axes at once that were tried one by one. Along the first axis whose
// items are independent, each item must equal the result for that item alone, while the other axes
// have their first new size. The reference is the changed model itself, which was shown to be right
// at these sizes.
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
		q := *p
		q.Inputs = p.Inputs.at(graphops.NamedTypes(c.Changed.Graph().FeedInputs()), sizes)
		r, err := q.Rows(ctx, c.Changed, c.Changed, by, sizes, counts[:1], nil)
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
