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

// Freed is an axis that had a fixed size in the original and has a symbol in the changed model.
type Freed struct {
	Symbol string
	Old    int64
	// Pinned is set if something still fixes the size of the axis, so that other sizes are not
	// tried.
	Pinned bool
}

// Rows is the result of comparing items with the original's results for each item alone.
type Rows struct {
	Symbol   string
	Sizes    []int64 // sizes of the axis
	Compared []string
	Constant []string // values that are equal for all items
	// Interleaved are compared values whose items are not contiguous, because the axis of the items
	// was merged with another axis before it.
	Interleaved []string
	Unchecked   []Unchecked
	// Apart is set if items of the inputs differ, and items of a compared value differ by more than
	// the tolerance. Otherwise an exchange of items could not have been detected.
	Apart bool
	// MaxDifference is the largest difference of two elements. Tolerance is the tolerance for the
	// coarsest type among the outputs.
	MaxDifference float64
	Tolerance     tensor.Tolerance
	// Difference is the first that exceeds the tolerance, or nil. Differences are the first of each
	// value at each size.
	Difference  *Difference
	Differences []*Difference
}

// Unchecked is an output without items that could be compared.
type Unchecked struct {
	Output string `json:"output"`
	Why    string `json:"why"`
}

// slack is the factor by which the usual tolerance is enlarged for items. The runtime may choose
// another kernel for another number of items in every layer, and each may round differently.
const slack = 10

// toleranceOf returns how much items of a type may differ. Integers and texts must be equal.
func toleranceOf(d tensor.DType) tensor.Tolerance {
	t := compare.ToleranceOf(d)
	return tensor.Tolerance{RTol: slack * t.RTol, ATol: slack * t.ATol}
}

// Rows runs the changed model on several of the original's inputs, joined along a freed axis. It
// compares each item of the outputs, or of the named values, with the original's result for that
// input alone. counts are how many inputs are joined in a run. Inputs without that axis have the
// value of the first item.
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

// rowRun is one comparison of items with the original's results for each item alone.
type rowRun struct {
	p                 *Prover
	ctx               context.Context
	original, changed *graphops.Model
	f                 Freed
	names             []string
	in                []graphops.Feeds            // inputs of the items
	want              []map[string]graphops.Value // results of the original for each item alone
	r                 *Rows
}

// items generates n sets of inputs, one for each item, and runs the original on each of them.
func (c *rowRun) items(sizes map[string]int64, n int64) error {
	for seed := range n {
		in, err := c.p.feeds(c.original, c.original, sizes, int(seed))
		if err != nil {
			return &unprovedError{err}
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

// share sets the inputs that do not have the axis to those of the first item. Items are run
// together, and then such an input can have only one value.
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
		return &unprovedError{err}
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

// found records a difference. The first one becomes the result.
func (c *rowRun) found(d *Difference, sizes map[string]int64) {
	d.Sizes = c.only(sizes)
	c.r.Differences = append(c.r.Differences, d)
	if c.r.Difference == nil {
		c.r.Difference = d
	}
}

// only returns a map that contains only the freed axis and its size.
func (c *rowRun) only(sizes map[string]int64) map[string]int64 {
	return map[string]int64{c.f.Symbol: sizes[c.f.Symbol]}
}

// joined returns the inputs of n items, joined along the freed axis.
func (c *rowRun) joined(n int64) (graphops.Feeds, error) {
	out := maps.Clone(c.in[0])
	for _, v := range c.changed.Graph().FeedInputs() {
		axes := axesOf(v, c.f.Symbol)
		if len(axes) == 0 {
			continue
		}
		if len(axes) > 1 {
			return nil, fmt.Errorf("input %q has several axes called %q, so its rows cannot be joined along that axis", v.Name(), c.f.Symbol)
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
