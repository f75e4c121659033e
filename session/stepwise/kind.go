package stepwise

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/graphops/roles"
	"lathe/graphops/tensor"
)

// explanation is the kind of a fault, with the experiments that show it.
type explanation struct {
	kind     Kind
	evidence []string
}

// explainer looks for the kind of a fault.
type explainer struct {
	*check
	*reference
	judge  *judge
	runs   []*seen
	counts []int64
	found  *compared
}

// explain makes experiments, and names the kind that the first successful one shows. An experiment that
// does not run shows nothing.
func (x *explainer) explain(ctx context.Context) explanation {
	for _, experiment := range []func(context.Context) explanation{x.swapped, x.shifted, x.misplaced, x.moved, x.unseen, x.blind} {
		if e := experiment(ctx); e.kind != "" && ctx.Err() == nil {
			return e
		}
	}
	return explanation{kind: Unknown}
}

// failing returns the first run with a past that differs, or nil.
func (x *explainer) failing() *seen {
	for _, d := range x.found.differences {
		if d.run.from > 0 {
			return d.run
		}
	}
	return nil
}

// swapped exchanges the presents of caches whose old positions are those of another cache.
func (x *explainer) swapped(ctx context.Context) explanation {
	s := x.failing()
	if s == nil {
		return explanation{}
	}
	caches := slices.Clone(x.caches)
	var evidence []string
	for i, c := range x.caches {
		if c.way != growing && c.way != roomy || x.keeps(s, c.present, &x.caches[i]) {
			continue
		}
		for _, other := range x.caches {
			if other.way == c.way && other.present != c.present && x.keeps(s, other.present, &x.caches[i]) {
				caches[i].present = other.present
				evidence = append(evidence, fmt.Sprintf("%q continues in %q, not in %q", c.past, other.present, c.present))
				break
			}
		}
	}
	if len(evidence) == 0 || !x.same(ctx, caches, shift{}) {
		return explanation{}
	}
	return explanation{Swapped, append(evidence, "if they are fed so, step by step equals all at once")}
}

// keeps reports whether the old positions of an output are those of a past that was fed.
func (x *explainer) keeps(s *seen, present string, c *cache) bool {
	was, is := s.fed[c.past].Tensor, s.out[present]
	for at := range s.from {
		a, errA := slice(was, c.axis, at)
		b, errB := slice(is, c.axis, at)
		if errA != nil || errB != nil || !slices.Equal(a, b) {
			return false
		}
	}
	return true
}

// same reports whether nothing differs if the model is run otherwise.
func (x *explainer) same(ctx context.Context, caches []cache, by shift) bool {
	runs, err := x.walk(ctx, x.decoder.run, x.counts, caches, by)
	if err != nil {
		return false
	}
	c, err := x.reference.compare(ctx, x.judge, runs, caches)
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(c.differences, func(d Difference) bool { return d.What == whatRow || by == (shift{}) })
}

// shifted runs the model with other positions, longer or shorter masks, and other indexes.
func (x *explainer) shifted(ctx context.Context) explanation {
	for _, n := range []int64{1, -1} {
		for _, e := range []struct {
			by    shift
			kinds []roles.Kind
			kind  Kind
			words string
		}{
			{shift{positions: n}, []roles.Kind{roles.Positions}, Positions, "with positions changed by %+d"},
			{shift{index: n}, []roles.Kind{roles.CacheIndex}, WrongPlace, "with an index into the cache changed by %+d"},
			{shift{mask: n}, []roles.Kind{roles.Mask, roles.Lengths, roles.Total}, Masked, "with a mask longer by %+d"},
			// a runtime may refuse a mask that is longer than the cache with the new positions
			{shift{valid: n}, []roles.Kind{roles.Mask, roles.Lengths}, Masked, "with a mask of the same size whose sum is changed by %+d"},
		} {
			if !slices.ContainsFunc(x.roles.Inputs, func(p roles.Port) bool { return slices.Contains(e.kinds, p.Kind) && !p.Cross }) {
				continue
			}
			words := fmt.Sprintf(e.words, n)
			switch {
			case x.failing() != nil && x.same(ctx, x.caches, e.by):
				return explanation{e.kind, []string{words + " in the runs with a past, step by step equals all at once"}}
			case x.failing() == nil && x.sameWithoutPast(ctx, e.by):
				return explanation{e.kind, []string{words + " in every run, fewer tokens equal all at once"}}
			}
		}
	}
	return explanation{}
}

// sameWithoutPast reports whether runs without a past agree with each other if their inputs are changed.
func (x *explainer) sameWithoutPast(ctx context.Context, by shift) bool {
	whole, err := x.decoder.first(ctx, x.reference.run, x.tokens, by)
	if err != nil {
		return false
	}
	changed := reference{decoder: x.decoder, run: x.reference.run, whole: whole, parts: map[int64]*seen{}}
	for _, n := range x.counts {
		s, err := x.decoder.first(ctx, x.reference.run, n, by)
		if err != nil {
			return false
		}
		c := &compared{}
		if err := changed.compareRows(ctx, c, x.judge, s); err != nil || len(c.differences) > 0 {
			return false
		}
	}
	return true
}

// misplaced looks for the new position, and for the old ones, in other places of the cache.
func (x *explainer) misplaced(context.Context) explanation {
	s := x.failing()
	if s == nil {
		return explanation{}
	}
	for i := range x.caches {
		c := &x.caches[i]
		if c.way != growing && c.way != roomy {
			continue
		}
		present := s.out[c.present]
		for at := range s.end() {
			from := s.fed[c.past].Tensor
			if at >= s.from {
				from = x.whole.out[c.present]
			}
			row, err := slice(from, c.axis, at)
			if err != nil || tensor.RMS(row) == 0 || x.isAt(c, present, at, row) {
				continue
			}
			for place := range s.end() {
				if place != at && x.isAt(c, present, place, row) {
					return explanation{WrongPlace, []string{fmt.Sprintf("after the run over position %d, position %d is at place %d of the cache %q", s.from, at, place, c.present)}}
				}
			}
		}
	}
	return explanation{}
}

// isAt reports whether a row is at a place of a cache.
func (x *explainer) isAt(c *cache, present tensor.Tensor, place int64, row []float64) bool {
	is, err := slice(present, c.axis, place)
	return err == nil && x.judge.gap(c.present, row, is).used <= 1
}

// farthest is how far a token is looked for from its position.
const farthest = 2

// moved looks for the position at which the first layer would compute the keys and values that it
// computed for a token: they depend on the token and its position only.
func (x *explainer) moved(ctx context.Context) explanation {
	s := x.failing()
	lowest := x.lowest()
	if s == nil || len(lowest) == 0 {
		return explanation{}
	}
	for by := int64(1); by <= farthest; by++ {
		for _, to := range []int64{s.from - by, s.from + by} {
			if to < 0 || to >= x.tokens {
				continue
			}
			other, err := x.placed(ctx, s.from, to)
			if err != nil || !x.alike(lowest, s, s.from, other, to) || x.alike(lowest, s, s.from, x.whole, s.from) {
				continue
			}
			return explanation{Positions, []string{fmt.Sprintf("the first layer computes for the token at position %d what it computes for this token at position %d without a past", s.from, to)}}
		}
	}
	return explanation{}
}

// lowest returns the caches of the first layer.
func (x *explainer) lowest() []*cache {
	var out []*cache
	for i := range x.caches {
		c := &x.caches[i]
		if c.way != growing && c.way != roomy {
			continue
		}
		if len(out) > 0 && c.layer < out[0].layer {
			out = nil
		}
		if len(out) == 0 || c.layer == out[0].layer {
			out = append(out, c)
		}
	}
	return out
}

// placed runs the model over all tokens, with the token of a position at another one.
func (x *explainer) placed(ctx context.Context, from, to int64) (*seen, error) {
	d := *x.decoder
	d.all = maps.Clone(d.all)
	for i := range d.roles.Inputs {
		p := &d.roles.Inputs[i]
		if t := d.all[p.Name].Tensor; (p.Kind == roles.IDs || p.Kind == roles.Embeddings) && len(t.Shape) > 1 && t.Shape[1] == d.tokens {
			d.all[p.Name] = graphops.TensorValue(withToken(t, from, to))
		}
	}
	return d.first(ctx, x.reference.run, d.tokens, shift{})
}

// alike reports whether caches have the same at a position of one run and another position of another.
func (x *explainer) alike(caches []*cache, a *seen, at int64, b *seen, other int64) bool {
	for _, c := range caches {
		p, errP := slice(a.out[c.present], c.axis, at)
		q, errQ := slice(b.out[c.present], c.axis, other)
		if errP != nil || errQ != nil || x.judge.gap(c.present, q, p).used > 1 {
			return false
		}
	}
	return true
}

// unseen changes one position of the caches after another. If nothing that comes out changes, the run
// does not see it.
func (x *explainer) unseen(ctx context.Context) explanation {
	s := x.failing()
	if s == nil {
		return explanation{}
	}
	var hidden []int64
	for at := range s.from {
		fed := maps.Clone(s.fed)
		for _, c := range x.caches {
			if c.way == growing || c.way == roomy {
				fed[c.past] = graphops.TensorValue(disturbed(fed[c.past].Tensor, c.axis, at))
			}
		}
		other, err := x.over(ctx, x.decoder.run, s.from, s.n, fed, shift{})
		if err != nil {
			return explanation{}
		}
		if x.rowsEqual(s, other) && !x.outOfWindow(at, s.from) {
			hidden = append(hidden, at)
		}
	}
	if len(hidden) == 0 || len(hidden) == int(s.from) {
		return explanation{}
	}
	return explanation{Masked, []string{fmt.Sprintf("the run over position %d does not see %s: with other keys and values there, the same comes out", s.from, positions(hidden))}}
}

// outOfWindow reports whether a window hides a position from another one.
func (x *explainer) outOfWindow(at, from int64) bool {
	return slices.ContainsFunc(x.caches, func(c cache) bool { return c.window > 0 && from-at >= c.window })
}

func (x *explainer) rowsEqual(a, b *seen) bool {
	for _, name := range x.rows {
		p, errP := a.out[name].Float64s()
		q, errQ := b.out[name].Float64s()
		if errP != nil || errQ != nil || !slices.Equal(p, q) {
			return false
		}
	}
	return len(x.rows) > 0
}

func positions(list []int64) string {
	if len(list) == 1 {
		return fmt.Sprintf("position %d", list[0])
	}
	return fmt.Sprintf("%d positions from %d to %d", len(list), list[0], list[len(list)-1])
}

// blind masks the last token in a run without a past. If that comes out which a run with a past returned,
// that run does not see its own token.
func (x *explainer) blind(ctx context.Context) explanation {
	s := x.failing()
	if s == nil || s.n != 1 {
		return explanation{}
	}
	in, err := x.empty()
	if err != nil {
		return explanation{}
	}
	feeds, err := x.feeds(0, s.end(), in, shift{})
	if err != nil {
		return explanation{}
	}
	masked := false
	for i := range x.roles.Inputs {
		p := &x.roles.Inputs[i]
		if t := feeds[p.Name].Tensor; p.Kind == roles.Mask && !p.Cross && len(t.Shape) == 2 && t.Shape[1] == s.end() {
			if other, err := hidden(t); err == nil {
				feeds[p.Name], masked = graphops.TensorValue(other), true
			}
		}
	}
	if !masked {
		return explanation{}
	}
	got, err := x.reference.run(ctx, feeds)
	if err != nil {
		return explanation{}
	}
	other := &seen{n: s.end(), out: map[string]tensor.Tensor{}}
	for _, g := range got {
		other.out[g.Name] = g.Value.Tensor
	}
	for _, name := range x.rows {
		a, errA := rowAt(other, name, s.from)
		b, errB := rowAt(s, name, s.from)
		if errA != nil || errB != nil || a == nil || x.judge.gap(name, a, b).used > 1 {
			return explanation{}
		}
	}
	return explanation{Masked, []string{fmt.Sprintf("the run over position %d does not see its own token: all at once returns the same if the mask leaves it out", s.from)}}
}
