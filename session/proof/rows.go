package proof

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/compare"
)

// Freed is an axis that was a number and has become a symbol.
type Freed struct {
	Symbol string
	Old    int64
	// Pinned says that something still holds the axis: other sizes are not tried.
	Pinned bool
}

// Rows is what a comparison of items with what the original gives for each alone
// showed.
type Rows struct {
	Symbol   string
	Sizes    []int64 // of the axis
	Compared []string
	Constant []string // that are the same for all items
	// Interleaved are those compared whose items lie not one behind the other, since
	// another axis stands in front of that of the items, and both are one.
	Interleaved []string
	Unchecked   []Unchecked
	// Apart says that items of the inputs differ, and those of a compared value by
	// more than the tolerance: else no exchange of items could have been seen.
	Apart bool
	// MaxDifference is the largest between two elements, and Tolerance what was
	// allowed, of the coarsest type among the outputs.
	MaxDifference float64
	Tolerance     tensor.Tolerance
	// Difference is the first outside of it, nil where there is none, and Differences
	// are the first of each value at each size.
	Difference  *Difference
	Differences []*Difference
}

// Unchecked is an output that has nothing to compare item by item.
type Unchecked struct {
	Output string `json:"output"`
	Why    string `json:"why"`
}

// slack is how much wider than for two runs of one model the tolerance is: another
// number of rows can choose another kernel in every layer.
const slack = 10

// toleranceOf is what items of a type may differ by. Integers and texts are equal.
func toleranceOf(d tensor.DType) tensor.Tolerance {
	t := compare.ToleranceOf(d)
	return tensor.Tolerance{RTol: slack * t.RTol, ATol: slack * t.ATol}
}

// Rows runs the changed model on several of the original's inputs, joined along a
// freed axis, and compares each item of the outputs, or of the values named, with
// what the original gives for that input alone. Counts are how many inputs are
// joined at once. Inputs that have no such axis are those of the first item.
func (p *Prover) Rows(ctx context.Context, original, changed *graphops.Model, f Freed, sizes map[string]int64, counts []int64, names []string) (*Rows, error) {
	c := &rowRun{p: p, ctx: ctx, original: original, changed: changed, f: f, names: names, r: &Rows{Symbol: f.Symbol}}
	if names == nil {
		c.names = outputsOf(original)
	}
	if err := c.items(sizes, slices.Max(counts)); err != nil {
		return nil, err
	}
	for _, n := range counts {
		if err := c.batch(n); err != nil {
			return nil, err
		}
		if d := c.r.Difference; d != nil && d.Item < 0 {
			return c.r, nil
		}
		c.r.Sizes = append(c.r.Sizes, n*f.Old)
	}
	c.r.Apart = c.apart()
	return c.r, nil
}

// rowRun is one comparison by items.
type rowRun struct {
	p                 *Prover
	ctx               context.Context
	original, changed *graphops.Model
	f                 Freed
	names             []string
	in                []graphops.Feeds            // of the items
	want              []map[string]graphops.Value // what each gives alone
	r                 *Rows
}

// items makes the inputs, and runs the original on each.
func (c *rowRun) items(sizes map[string]int64, n int64) error {
	for seed := range n {
		in, err := c.p.feeds(c.original, c.original, sizes, int(seed))
		if err != nil {
			return &UnprovedError{err}
		}
		if seed > 0 {
			c.share(in)
		}
		want, err := c.p.original(c.ctx, c.original, in, c.names)
		if err != nil {
			return err
		}
		c.in, c.want = append(c.in, in), append(c.want, want)
	}
	return nil
}

// share gives an item the first one's inputs where items have none of their own.
func (c *rowRun) share(in graphops.Feeds) {
	for _, v := range c.changed.Graph().FeedInputs() {
		if len(axesOf(v, c.f.Symbol)) == 0 {
			in[v.Name()] = c.in[0][v.Name()]
		}
	}
}

// batch runs the changed model on the first n items at once.
func (c *rowRun) batch(n int64) error {
	in, err := c.joined(n)
	if err != nil {
		return &UnprovedError{err}
	}
	sizes := sizesIn(c.changed, in)
	got, err := c.p.run(c.ctx, c.changed, in, c.names)
	if err != nil {
		if end := ended(c.ctx, err); end != nil {
			return end
		}
		c.found(&Difference{Item: -1, Err: err}, sizes)
		return nil
	}
	if d := declared(c.changed, sizes, got); d != nil {
		c.found(d, sizes)
		return nil
	}
	for _, name := range c.names {
		if d := c.value(name, n, got[name]); d != nil {
			d.Value = name
			c.found(d, sizes)
		}
	}
	return nil
}

// found keeps a difference.
func (c *rowRun) found(d *Difference, sizes map[string]int64) {
	d.Sizes = c.only(sizes)
	c.r.Differences = append(c.r.Differences, d)
	if c.r.Difference == nil {
		c.r.Difference = d
	}
}

// only is the size of the axis in question.
func (c *rowRun) only(sizes map[string]int64) map[string]int64 {
	return map[string]int64{c.f.Symbol: sizes[c.f.Symbol]}
}

// joined are the inputs of n items along the freed axis.
func (c *rowRun) joined(n int64) (graphops.Feeds, error) {
	out := maps.Clone(c.in[0])
	for _, v := range c.changed.Graph().FeedInputs() {
		axes := axesOf(v, c.f.Symbol)
		if len(axes) == 0 {
			continue
		}
		if len(axes) > 1 {
			return nil, fmt.Errorf("input %q has %q as several axes, along which items cannot be joined", v.Name(), c.f.Symbol)
		}
		var parts []tensor.Tensor
		for _, in := range c.in[:n] {
			parts = append(parts, in[v.Name()].Tensor)
		}
		t, err := Join(parts, axes[0])
		if err != nil {
			return nil, fmt.Errorf("input %q: %w", v.Name(), err)
		}
		out[v.Name()] = graphops.TensorValue(t)
	}
	return out, nil
}
