package proof

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// mixing records for which outputs the items may depend on each other. plain is the original with
// the same axes, and changed is the repaired model.
type mixing struct {
	plain, changed     *graphops.Model
	inPlain, inChanged []Mixer
	seen               map[string]bool // outputs whose items were observed to depend on each other
}

// mixing collects the mixers for a freed axis. If the original has several elements along the axis,
// running it shows whether it computes across them even if its own shape inference does not.
func (p *Prover) mixing(ctx context.Context, c Change, f Freed, sizes map[string]int64) (*mixing, error) {
	m := &mixing{plain: c.Changed, changed: c.Changed}
	var err error
	if c.Plain != nil {
		if m.plain, err = c.Plain(); err != nil {
			return nil, err
		}
	}
	if m.inPlain, err = Mixes(ctx, m.plain, f.Symbol); err != nil {
		return nil, err
	}
	if m.inChanged, err = Mixes(ctx, c.Changed, f.Symbol); err != nil || f.Old < 2 {
		return m, err
	}
	m.seen, err = p.interact(ctx, c, f, sizes)
	return m, err
}

// excuse returns the node that explains why items differ from the original's results for each item
// alone. Such a difference is no error if the original combines items too.
func (m *mixing) excuse(d *Difference) (string, bool) {
	if d.Value == "" || d.Item < 0 {
		for _, found := range [][]Mixer{m.inPlain, m.seenIn()} {
			if len(found) > 0 {
				return found[0].Name, true
			}
		}
		return "", false
	}
	if f := firstBefore(m.plain, m.inPlain, d.Value); f != nil {
		return f.Name, true
	}
	if f := firstBefore(m.changed, m.inChanged, d.Value); f != nil && m.seen[d.Value] {
		return f.Name, true
	}
	return "", false
}

// seenIn returns the mixers of the changed model, if a run of the original showed that its items
// depend on each other.
func (m *mixing) seenIn() []Mixer {
	if len(m.seen) == 0 {
		return nil
	}
	return m.inChanged
}

// introduced returns the node that causes a difference and mixes only in the changed model.
func (m *mixing) introduced(d *Difference) *Mixer {
	if d.Item < 0 {
		return nil
	}
	return firstBefore(m.changed, m.inChanged, d.Value)
}

// interact runs the original twice with modified inputs: once with the first element along an axis
// replaced by that of other inputs, and once with the elements rotated by one. If other elements of
// an output change in the first run, or an output is not rotated in the second, its elements depend
// on each other or on their position.
func (p *Prover) interact(ctx context.Context, c Change, f Freed, sizes map[string]int64) (map[string]bool, error) {
	var in [2]graphops.Feeds
	for seed := range in {
		var err error
		if in[seed], err = p.feeds(c.Original, c.Original, sizes, seed); err != nil {
			return nil, &unprovedError{err}
		}
	}
	names := outputsOf(c.Original)
	want, err := p.original(ctx, c.Original, in[0], names)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, way := range []struct {
		from int // index of the inputs whose elements come first
		// keep returns the part of the new result that must equal the elements after the first in
		// the original's result.
		keep func(int64) span
	}{{1, func(n int64) span { return span{1, n} }}, {0, func(n int64) span { return span{0, n - 1} }}} {
		fed, err := exchanged(c.Changed, f, in[0], in[way.from], way.from == 0)
		if err != nil {
			return nil, &unprovedError{err}
		}
		got, err := p.original(ctx, c.Original, fed, names)
		if err != nil {
			return nil, err
		}
		for _, v := range c.Changed.Graph().Outputs() {
			axis, ok := onlyAxis(v, f.Symbol)
			if a, b := want[v.Name()], got[v.Name()]; ok && a.IsTensor() && b.IsTensor() && axis < len(b.Tensor.Shape) {
				size := b.Tensor.Shape[axis] / f.Old
				keep := way.keep(f.Old)
				x, errA := Cut(a.Tensor, axis, size, f.Old*size)
				y, errB := Cut(b.Tensor, axis, keep.lo*size, keep.hi*size)
				seen[v.Name()] = seen[v.Name()] || errA != nil || errB != nil || !alike(x, y)
			}
		}
	}
	maps.DeleteFunc(seen, func(_ string, is bool) bool { return !is })
	return seen, nil
}

type span struct{ lo, hi int64 }

// exchanged returns inputs in which the first element along an axis is replaced by that of other
// inputs. If turned is set, the new element is the last one instead, so that the elements are
// rotated by one.
func exchanged(changed *graphops.Model, f Freed, in, from graphops.Feeds, turned bool) (graphops.Feeds, error) {
	out := maps.Clone(in)
	for _, v := range changed.Graph().FeedInputs() {
		axis, ok := onlyAxis(v, f.Symbol)
		if !ok {
			continue
		}
		rest, err := Cut(in[v.Name()].Tensor, axis, 1, f.Old)
		if err != nil {
			return nil, err
		}
		one, err := Cut(from[v.Name()].Tensor, axis, 0, 1)
		if err != nil {
			return nil, err
		}
		parts := []tensor.Tensor{one, rest}
		if turned {
			slices.Reverse(parts)
		}
		t, err := Join(parts, axis)
		if err != nil {
			return nil, fmt.Errorf("input %q: %w", v.Name(), err)
		}
		out[v.Name()] = graphops.TensorValue(t)
	}
	return out, nil
}

// onlyAxis returns the axis of a tensor whose size contains a symbol, if there is exactly one.
func onlyAxis(v *graphops.ValueInfo, symbol string) (int, bool) {
	axes := axesOf(v, symbol)
	if len(axes) != 1 {
		return 0, false
	}
	return axes[0], true
}

// mergedByRepair returns an error if an output no longer has items because a repaired node computes
// across them. It applies only if the axis had one element.
func (p *Prover) mergedByRepair(ctx context.Context, c Change, f Freed, sizes map[string]int64, r *Rows) error {
	if len(r.Unchecked) == 0 || f.Old > 1 {
		return nil
	}
	m, err := p.mixing(ctx, c, f, sizes)
	if err != nil {
		return err
	}
	for _, u := range r.Unchecked {
		d := &Difference{Sizes: map[string]int64{f.Symbol: r.Sizes[0]}, Value: u.Output, Reason: u.Why}
		if by := m.introduced(d); by != nil && firstBefore(m.plain, m.inPlain, u.Output) == nil {
			d.Item = -1
			return &FailedError{Difference: d, Mixer: by}
		}
	}
	return nil
}

// lost handles the case that no output could be compared: no output has the axis, or items cannot
// be cut out of those that have it. If no output has it, it finds the node at which the axis
// disappears.
func (c Change) lost(ctx context.Context, f Freed, r *Rows) (*Axis, error) {
	out := axis(f, fmt.Sprintf("no output depends on %s", f.Symbol))
	out.fill(r)
	if why := reasons(r.Unchecked); why != "" {
		out.Note = why
		return &out, nil
	}
	_, err := shape.Infer(ctx, c.Changed, shape.Options{Fresh: true, Visit: func(v shape.Visit) {
		if out.Lost == "" && loses(v, f.Symbol) {
			out.Lost = shape.NodeName(v.Index, v.Node)
		}
	}})
	if out.Lost != "" {
		out.Note += ": the axis is lost at " + out.Lost
	}
	return &out, err
}

// reasons lists why outputs were not compared, among those that have the axis.
func reasons(list []Unchecked) string {
	var texts []string
	for _, u := range list {
		if u.Why != withoutAxis {
			texts = append(texts, fmt.Sprintf("%q: %s", u.Output, u.Why))
		}
	}
	return strings.Join(texts, ", ")
}

// loses reports whether an input of a node has the axis and none of its outputs does. Shape and
// Size do not count, because they return sizes.
func loses(v shape.Visit, symbol string) bool {
	if op := v.Node.OpType(); v.Place.Kind != graphops.MainGraph || op == "Shape" || op == "Size" {
		return false
	}
	for _, out := range v.Out {
		if mentioned(out.Dims, symbol) {
			return false
		}
	}
	return slices.ContainsFunc(v.In, func(in *shape.Value) bool { return in != nil && mentioned(in.Dims, symbol) })
}
