package half

import (
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Bounded returns the float32 model m, in which constants have the values that the conversion to
// float16 gives them as far as it limits their magnitude. Running it shows how large values become
// in the result. For example, a mask of -3.4e38 becomes -65504, and values to which it is added
// stay near that number. If the conversion limits no constant, it returns m itself. r is the report
// of the conversion, with the changes of the weights counted, and o are its options.
func Bounded(m *graphops.Model, r *Report, o Options) *graphops.Model {
	names := map[string]bool{}
	for _, w := range r.Weights {
		if w.Lowered > 0 {
			names[w.Name] = true
		}
	}
	if len(names) == 0 {
		return m
	}
	by := o.narrowing(tensor.F16)
	return m.EditPlaces(func(_ *graphops.Place, e *graphops.GraphEditor) bool {
		changed := false
		for i, t := range e.Initializers {
			if names[t.Name()] && t.DType() == tensor.F32 {
				e.Initializers[i], changed = clamped(t, by), true
			}
		}
		for i, n := range e.Nodes {
			if n.IsConstant() && names[n.Output(0)] {
				if bounded := clampedConstant(n, by); bounded != n {
					e.Nodes[i], changed = bounded, true
				}
			}
		}
		return changed
	})
}

func clampedConstant(n *graphops.Node, by tensor.Narrowing) *graphops.Node {
	a := constantValue(n)
	if a == nil {
		return n
	}
	t, err := a.Dense("")
	if err != nil || t.DType() != tensor.F32 {
		return n
	}
	return n.WithAttributes([]*graphops.Attribute{graphops.TensorAttribute("value", clamped(t, by))})
}

// clamped returns a tensor whose elements are limited to the bounds each time it is read. If t
// cannot be read, it returns t, so that the next reader gets the error.
func clamped(t *graphops.Tensor, by tensor.Narrowing) *graphops.Tensor {
	data, err := t.Data()
	if err != nil {
		return t
	}
	return graphops.NewTensor(t.Name(), tensor.F32, slices.Clone(t.Dims()), graphops.TransformPayload(data.Len(), func(w io.Writer) error {
		return by.Clamp(w, data.Reader(), data.Len()/4)
	}))
}
