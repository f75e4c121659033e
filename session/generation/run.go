package generation

import (
	"fmt"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/ort/wire"
)

// State is what one run leaves for the next one, if each run is fed from outside of the worker. It is
// never changed: After returns a new one.
type State struct {
	Position int64 // the number of positions in the caches
	Caches   graphops.Feeds
}

// Cached reports whether the model has a cache. Without one, each run begins with an empty State and
// takes all tokens.
func (p *Plan) Cached() bool { return len(p.caches) > 0 }

// Switches are the names of the inputs that say whether the cache is used.
func (p *Plan) Switches() []string {
	var names []string
	for _, in := range p.changing {
		if in.Fill == wire.FillAgain {
			names = append(names, in.Name)
		}
	}
	return names
}

// Fixed are the inputs that are the same in every run.
func (p *Plan) Fixed() graphops.Feeds { return maps.Clone(p.fixed) }

// Begin returns the state before the first run. Caches of a fixed size have room for capacity
// positions.
func (p *Plan) Begin(capacity int64) (State, error) {
	s := State{Caches: graphops.Feeds{}}
	for _, c := range p.caches {
		k := c.kept(Copied)
		dims := slices.Clone(k.Dims)
		if k.Axis > 0 {
			dims[k.Axis-1] = 0
			if k.Keep == wire.KeepShared {
				dims[k.Axis-1] = capacity
			}
		}
		n, err := tensor.Elements(dims)
		if err != nil {
			return s, fmt.Errorf("the cache %q: %w", c.Past, err)
		}
		size, err := c.DType.ByteLen(n)
		if err != nil {
			return s, fmt.Errorf("the cache %q: %w", c.Past, err)
		}
		s.Caches[c.Past] = graphops.TensorValue(tensor.Tensor{DType: c.DType, Shape: dims, Data: make([]byte, size)})
	}
	return s, nil
}

// Feeds returns the inputs of a run over new tokens after a state. ids has those of one sequence after
// the other.
func (p *Plan) Feeds(s State, ids []int64) (graphops.Feeds, error) {
	fresh := int64(len(ids)) / p.Batch
	if p.Capacity > 0 && s.Position+fresh > p.Capacity {
		return nil, fmt.Errorf("%d positions after %d: the caches have room for %d", fresh, s.Position, p.Capacity)
	}
	out := p.Fixed()
	maps.Copy(out, s.Caches)
	for _, in := range p.changing {
		dims := make([]int64, len(in.Axes))
		for i, a := range in.Axes {
			dims[i] = a.Size + map[wire.Of]int64{wire.OfNew: fresh, wire.OfPast: s.Position, wire.OfTotal: s.Position + fresh}[a.Of]
		}
		if n, err := tensor.Elements(dims); in.Fill == wire.FillIDs && (err != nil || n != int64(len(ids))) {
			return nil, fmt.Errorf("the input %q takes token ids of %s, and there are %d", in.Name, tensor.FormatShape(dims), len(ids))
		}
		if in.Fill == wire.FillRandom {
			return nil, fmt.Errorf("the input %q takes embeddings, not token ids", in.Name)
		}
		t, err := filled(in.DType, dims, func(i int64) int64 {
			switch in.Fill {
			case wire.FillIDs:
				return ids[i]
			case wire.FillCount:
				return s.Position + i%fresh + in.Add
			case wire.FillPast:
				return s.Position + in.Add
			case wire.FillTotal:
				return s.Position + fresh + in.Add
			case wire.FillAgain:
				return min(s.Position, 1) + in.Add
			case wire.FillValid:
				if i%dims[len(dims)-1] < s.Position+fresh {
					return 1 + in.Add
				}
				return in.Add
			default:
				return in.Add
			}
		})
		if err != nil {
			return nil, fmt.Errorf("the input %q: %w", in.Name, err)
		}
		out[in.Name] = graphops.TensorValue(t)
	}
	return out, nil
}

// filled returns a tensor of integers in any numeric type.
func filled(d tensor.DType, dims []int64, at func(i int64) int64) (tensor.Tensor, error) {
	n, err := tensor.Elements(dims)
	if err != nil {
		return tensor.Tensor{}, err
	}
	values := make([]int64, n)
	for i := range values {
		values[i] = at(int64(i))
	}
	if d.Kind() != tensor.KindFloat {
		return tensor.FromInt64s(d, values, dims...)
	}
	reals := make([]float64, n)
	for i, x := range values {
		reals[i] = float64(x)
	}
	return tensor.FromFloat64s(d, reals, dims...)
}

// After returns the state after a run over a number of new positions. got is what the run returned.
func (p *Plan) After(s State, fresh int64, got []graphops.Got) (State, error) {
	next := State{Position: s.Position + fresh, Caches: maps.Clone(s.Caches)}
	for _, c := range p.caches {
		i := slices.IndexFunc(got, func(g graphops.Got) bool { return g.Name == c.Present })
		switch {
		case i < 0:
			return s, fmt.Errorf("the run did not return %q, which continues the cache %q", c.Present, c.Past)
		case c.kept(Copied).Keep != wire.KeepFirst || s.Position == 0:
			next.Caches[c.Past] = got[i].Value
		}
	}
	return next, nil
}
