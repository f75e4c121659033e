package half

import (
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Bounded returns the float32 model with bounds applied to those constants that a conversion to
// float16 has truncated. Running it shows how large values become with the weights of the result: a
// mask of -3.4e38, for example, is -65504 there, and values that it is added to stay near that
// number. If no constant was truncated, it returns m itself.
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
			if isConstant(n) && names[n.Outputs()[0]] {
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

// clamped returns a tensor whose numbers are moved into the bounds each time it is read. A tensor
// that cannot be read is returned unchanged, so that its reader reports the error.
func clamped(t *graphops.Tensor, by tensor.Narrowing) *graphops.Tensor {
	data, err := t.Data()
	if err != nil {
		return t
	}
	return graphops.NewTensor(t.Name(), tensor.F32, slices.Clone(t.Dims()), graphops.TransformPayload(data.Len(), func(w io.Writer) error {
		return by.Clamp(w, data.Reader(), data.Len()/4)
	}))
}
