package sensitivity

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// energies estimates the mean square of each value of the main graph from the weights. It assumes that
// inputs of the model have mean square 1, and that the elements of a value are not correlated.
type energies struct {
	ctx    context.Context
	place  *graphops.Place
	types  *shape.Result
	of     map[string]float64 // of floating-point values that nodes make
	fixed  map[string]bool    // those among them that are made of constants alone
	stored map[*graphops.Tensor]float64
	made   map[string]*graphops.Node // by the name of an output
}

// value returns the estimate for a value, and whether the value counts: integers, and what is made of
// nothing else, such as a mask, do not.
func (e *energies) value(name string) (energy float64, counts bool, err error) {
	if t, at := e.place.Constant(name); at != nil {
		if t == nil || t.DType().Kind() != tensor.KindFloat {
			return 0, false, nil
		}
		energy, err = e.constant(t)
		return energy, err == nil, err
	}
	energy, counts = e.of[name]
	return energy, counts, nil
}

// masking is the size from which numbers of a constant are taken for those of a mask, which select
// values and do not add to them.
const masking = 1e4

// constant returns the mean square of the numbers of a constant, except those of a mask.
func (e *energies) constant(t *graphops.Tensor) (float64, error) {
	if v, ok := e.stored[t]; ok {
		return v, nil
	}
	n, err := t.Elements()
	if err != nil {
		return 0, err
	}
	data, err := t.Data()
	if err != nil {
		return 0, err
	}
	r, err := tensor.NewReader(data.Reader(), t.DType(), n)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for {
		list, err := r.Float64s()
		for _, v := range list {
			if math.Abs(v) < masking {
				sum += v * v
			}
		}
		if errors.Is(err, io.EOF) || err == nil && len(list) == 0 {
			break
		}
		if err := errors.Join(err, e.ctx.Err()); err != nil {
			return 0, err
		}
	}
	e.stored[t] = sum / float64(max(n, 1))
	return e.stored[t], nil
}

// isFloat reports whether a computed value has floating-point elements, as far as that is known.
func (e *energies) isFloat(name string) bool {
	id, ok := e.place.Graph.Index().Value(name)
	if !ok {
		return false
	}
	t := e.types.Type(e.place, id)
	return t.Kind != graphops.TypeTensor || t.Elem == tensor.Undefined || t.Elem.Kind() == tensor.KindFloat
}

// width returns the length of the last axis of a value; 1 if it is unknown.
func (e *energies) width(name string) float64 {
	if t, at := e.place.Constant(name); at != nil && t != nil && len(t.Dims()) > 0 {
		return float64(t.Dims()[len(t.Dims())-1])
	}
	id, ok := e.place.Graph.Index().Value(name)
	if !ok {
		return 1
	}
	s := e.types.Type(e.place, id).Shape
	if len(s) == 0 || !s[len(s)-1].IsFixed() {
		return 1
	}
	return float64(s[len(s)-1].Value)
}

// operand is an input of a node that counts.
type operand struct {
	at       int
	name     string
	energy   float64
	computed bool             // it is not made of constants alone
	tensor   *graphops.Tensor // of a constant; nil for others
}

// operands returns the inputs of a node that count.
func (e *energies) operands(n *graphops.Node) (out []operand, err error) {
	for i, name := range n.Inputs() {
		if name == "" {
			continue
		}
		energy, counts, err := e.value(name)
		if err != nil {
			return nil, err
		}
		if counts {
			t, at := e.place.Constant(name)
			out = append(out, operand{i, name, energy, at == nil && !e.fixed[name], t})
		}
	}
	for _, name := range n.Captured() {
		if energy, ok := e.of[name]; ok {
			out = append(out, operand{-1, name, energy, !e.fixed[name], nil})
		}
	}
	return out, nil
}

// visit estimates the results of a node from its operands.
func (e *energies) visit(n *graphops.Node, in []operand) {
	if len(in) == 0 {
		return
	}
	computed := n.Is("Gather") || slices.ContainsFunc(in, func(x operand) bool { return x.computed })
	energy := e.result(n, in)
	if math.IsNaN(energy) || math.IsInf(energy, 0) {
		energy = 1
	}
	for _, name := range n.Outputs() {
		if name != "" && e.isFloat(name) {
			e.of[name], e.fixed[name] = energy, !computed
			e.made[name] = n
		}
	}
}
