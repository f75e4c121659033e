package proof

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/compare"
	"lathe/session/text"
)

// Freed is an axis that had a fixed size in the original and has a symbol in the changed model.
type Freed struct {
	Symbol string
	Old    int64
	// Pinned is set if something still fixes the size of the axis, so that other sizes are not
	// tried.
	Pinned bool
	// Joined is how many items are joined in one run; 0 joins 2 and then 5.
	Joined int64
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
	// Fewer is why fewer items were joined than asked for, or "".
	Fewer string
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
// input alone. counts are how many inputs are joined in a run; they are fewer if the inputs would
// exceed Prover.MaxBytes. Inputs without that axis have the value of the first item.
//
// Only the outputs of the changed model are kept, and the first item. The original's results of the
// others are compared with all of them as soon as they are there.
func (p *Prover) Rows(ctx context.Context, original, changed *graphops.Model, f Freed, sizes map[string]int64, counts []int64, names []string) (*Rows, error) {
	c := &rowRun{p: p, ctx: ctx, original: original, changed: changed, f: f, sizes: sizes, names: names, r: &Rows{Symbol: f.Symbol}}
	if names == nil {
		c.names = outputsOf(original)
	}
	counts, err := c.within(counts)
	if err != nil {
		return nil, err
	}
	most := int64(0)
	for _, n := range counts {
		most = n
		if err := c.batch(n); err != nil {
			return nil, err
		}
		if c.failed != nil {
			break
		}
	}
	for i := range most {
		if err := c.item(i); err != nil {
			return nil, err
		}
	}
	c.conclude()
	return c.r, nil
}

// rowRun is one comparison of items with the original's results for each item alone.
type rowRun struct {
	p                 *Prover
	ctx               context.Context
	original, changed *graphops.Model
	f                 Freed
	sizes             map[string]int64
	names             []string
	batches           []batch
	failed            *Difference // why the last batch has no values to compare, or nil
	firstIn           graphops.Feeds
	firstOut          map[string]graphops.Value
	inputsDiffer      bool            // inputs of items differ
	differ            map[string]bool // values with items that differ by more than the tolerance
	r                 *Rows
}

// batch has the values of n items that the changed model ran on at once.
type batch struct {
	n      int64
	sizes  map[string]int64
	values []*itemwise
}

// within returns how many items are joined, without counts whose inputs would be too large.
func (c *rowRun) within(counts []int64) ([]int64, error) {
	var err error
	if c.firstIn, err = c.p.feeds(c.original, c.original, c.sizes, 0); err != nil {
		return nil, &unprovedError{err}
	}
	one, same := int64(0), int64(0)
	for _, v := range c.changed.Graph().FeedInputs() {
		if size := bytesOf(c.firstIn[v.Name()]); len(axesOf(v, c.f.Symbol)) > 0 {
			one += size
		} else {
			same += size
		}
	}
	if one == 0 {
		return counts, nil
	}
	limit := c.p.limit()
	most := (limit - same) / one
	if slices.Max(counts) <= most {
		return counts, nil
	}
	why := fmt.Sprintf("%d items take %s, inputs take at most %s", slices.Max(counts), text.Bytes(slices.Max(counts)*one+same), text.Bytes(limit))
	if most < 2 {
		return nil, &unprovedError{fmt.Errorf("%s: raise it with --input-limit, or give smaller sizes with --dim", why)}
	}
	c.r.Fewer = why
	fewer := make([]int64, len(counts))
	for i, n := range counts {
		if n > most {
			n = min(most, 3) // which has no common divisor with 2
		}
		fewer[i] = n
	}
	return slices.Compact(fewer), nil
}

// feeds returns the inputs of an item. Inputs that do not have the axis are those of the first
// item. Items are run together, and then such an input can have only one value.
func (c *rowRun) feeds(i int64) (graphops.Feeds, error) {
	if i == 0 {
		return c.firstIn, nil
	}
	in, err := c.p.feeds(c.original, c.original, c.sizes, int(i))
	if err != nil {
		return nil, &unprovedError{err}
	}
	for _, v := range c.changed.Graph().FeedInputs() {
		if len(axesOf(v, c.f.Symbol)) == 0 {
			in[v.Name()] = c.firstIn[v.Name()]
		}
	}
	return in, nil
}

// batch runs the changed model on the first n items at once.
func (c *rowRun) batch(n int64) error {
	in, err := c.joined(n)
	if err != nil {
		return err
	}
	b := batch{n: n, sizes: sizesIn(c.changed, in)}
	got, err := c.p.run(c.ctx, c.changed, in, c.names)
	switch {
	case err != nil && ended(c.ctx, err) != nil:
		return ended(c.ctx, err)
	case err != nil:
		c.failed = &Difference{Item: -1, Err: err}
	default:
		c.failed = declared(c.changed, b.sizes, got)
	}
	for _, name := range c.names {
		if c.failed == nil {
			b.values = append(b.values, &itemwise{name: name, n: n, old: c.f.Old, all: got[name], constant: true})
		}
	}
	c.batches = append(c.batches, b)
	return nil
}

// item runs the original on an item alone, and compares its results with the batches that have the
// item.
func (c *rowRun) item(i int64) error {
	in, err := c.feeds(i)
	if err != nil {
		return err
	}
	want, err := c.p.original(c.ctx, c.original, in, c.names)
	if err != nil {
		return err
	}
	if i == 0 {
		c.firstOut, c.differ = want, map[string]bool{}
	} else {
		c.apart(in, want)
	}
	for _, b := range c.batches {
		for _, v := range b.values {
			if i < b.n {
				v.item(i, want[v.name])
			}
		}
	}
	return nil
}

// joined returns the inputs of n items, joined along the freed axis. It makes one item at a time.
func (c *rowRun) joined(n int64) (graphops.Feeds, error) {
	out, joins := maps.Clone(c.firstIn), map[string]*join{}
	for i := range n {
		in, err := c.feeds(i)
		if err != nil {
			return nil, err
		}
		for _, v := range c.changed.Graph().FeedInputs() {
			axes := axesOf(v, c.f.Symbol)
			switch {
			case len(axes) == 0:
				continue
			case len(axes) > 1:
				return nil, &unprovedError{fmt.Errorf("input %q has several axes called %q, so its rows cannot be joined along that axis", v.Name(), c.f.Symbol)}
			case i == 0:
				joins[v.Name()], err = newJoin(in[v.Name()].Tensor, axes[0], n)
			}
			if err == nil {
				err = joins[v.Name()].add(in[v.Name()].Tensor)
			}
			if err != nil {
				return nil, &unprovedError{fmt.Errorf("input %q: %w", v.Name(), err)}
			}
		}
	}
	for name, j := range joins {
		out[name] = graphops.TensorValue(j.out)
	}
	return out, nil
}
