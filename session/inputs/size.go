package inputs

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/session/inputs/bounds"
)

// sizes gives every axis of every input a size and notes what it had to assume.
type sizes struct {
	o       Options
	batch   map[string]bool // symbols that count samples
	noted   map[string]bool // symbols that have a note
	batched bool            // some axis has the batch size
	notes   []string
	// demands are looked up where a size would be assumed, and found out by then.
	demands map[bounds.Axis]bounds.Demand
	free    map[bounds.Axis]graphops.Dim // the axes without a size
}

// size resolves the shapes of all inputs. Axes of one symbol get one size.
func size(specs []Spec, o Options) ([][]int64, []string, error) {
	if err := checkDims(specs, o.Dims); err != nil {
		return nil, nil, err
	}
	if o.Batch < 0 {
		return nil, nil, fmt.Errorf("batch cannot be %d", o.Batch)
	}
	s := &sizes{o: o, batch: batchSymbols(specs), noted: map[string]bool{}, free: freeAxes(specs)}
	shapes := make([][]int64, len(specs))
	for i, spec := range specs {
		if spec.Shape == nil {
			return nil, nil, fmt.Errorf("input %q has no known rank; give a value for it with --input", spec.Name)
		}
		shapes[i] = make([]int64, len(spec.Shape))
		for axis, d := range spec.Shape {
			shapes[i][axis] = s.axis(spec.Name, axis, d)
		}
	}
	if o.Batch > 0 && !s.batched && !allStartWith(shapes, o.Batch) {
		return nil, nil, fmt.Errorf("batch %d: no input has a free batch axis; free one with `lathe axes`", o.Batch)
	}
	return shapes, s.notes, nil
}

func freeAxes(specs []Spec) map[bounds.Axis]graphops.Dim {
	out := map[bounds.Axis]graphops.Dim{}
	for _, spec := range specs {
		for axis, d := range spec.Shape {
			if !d.IsFixed() {
				out[bounds.Axis{Input: spec.Name, Axis: axis}] = d
			}
		}
	}
	return out
}

// batchSymbols are the symbols that stand for a batch somewhere: they do so
// everywhere.
func batchSymbols(specs []Spec) map[string]bool {
	found := map[string]bool{}
	for _, spec := range specs {
		for axis, d := range spec.Shape {
			if d.Symbol != "" && isBatch(d, axis) {
				found[d.Symbol] = true
			}
		}
	}
	return found
}

// axis gives the size of one axis: fixed, told, the batch size, computed, what the model's nodes
// need, or 1.
func (s *sizes) axis(input string, axis int, d graphops.Dim) int64 {
	if d.IsFixed() {
		return d.Value
	}
	batch := s.batch[d.Symbol] || isBatch(d, axis)
	if n, ok := s.o.Dims[DimName(input, axis, d)]; ok {
		s.batched = s.batched || batch
		return n
	}
	if batch && s.o.Batch > 0 {
		s.batched = true
		return s.o.Batch
	}
	if n, ok := s.computed(d); ok {
		return n
	}
	if n, ok := s.demanded(input, axis, d); ok {
		return n
	}
	s.assume(input, axis, d)
	return 1
}

// demanded is the size that the model's nodes need an axis to have.
func (s *sizes) demanded(input string, axis int, d graphops.Dim) (int64, bool) {
	if s.demands == nil {
		s.demands = bounds.Demands(s.o.Model, func(a bounds.Axis) (int64, bool) {
			free, isFree := s.free[a]
			n, ok := s.o.Dims[DimName(a.Input, a.Axis, free)]
			return n, ok && isFree
		})
	}
	need, ok := s.demands[bounds.Axis{Input: input, Axis: axis}]
	if name := DimName(input, axis, d); ok && !s.noted[name] {
		s.noted[name] = true
		s.notes = append(s.notes, fmt.Sprintf("dimension %q is %d: %s takes no other size", name, need.Size, need.Node))
	}
	return need.Size, ok
}

// computed is the size of an axis whose symbol is an expression in others, as
// "past + 1": each of those has the size that it was given, or 1.
func (s *sizes) computed(d graphops.Dim) (int64, bool) {
	e := dim.OfText(d.Symbol)
	if _, plain := e.IsSymbol(); plain || d.Symbol == "" || !e.Known() {
		return 0, false
	}
	n, err := e.Eval(func(name string) (int64, bool) {
		switch size, ok := s.o.Dims[name]; {
		case ok:
			return size, true
		case s.batch[name] && s.o.Batch > 0:
			return s.o.Batch, true
		}
		return 1, true
	})
	return n, err == nil && n >= 0
}

// assume notes once per symbol, and for every axis without one, that 1 is used.
func (s *sizes) assume(input string, axis int, d graphops.Dim) {
	if d.Symbol == "" {
		s.notes = append(s.notes, fmt.Sprintf("axis %d of input %q has no size: 1 is used (--dim %s=N gives one)", axis, input, axisName(input, axis)))
		return
	}
	if !s.noted[d.Symbol] {
		s.noted[d.Symbol] = true
		s.notes = append(s.notes, fmt.Sprintf("dimension %q has no size: 1 is used (--dim %s=N gives one)", d.Symbol, d.Symbol))
	}
}

func allStartWith(shapes [][]int64, n int64) bool {
	return len(shapes) > 0 && !slices.ContainsFunc(shapes, func(s []int64) bool { return len(s) > 0 && s[0] != n })
}
