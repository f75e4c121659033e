package stepwise

import (
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/graphops/roles"
	"lathe/graphops/tensor"
)

// withToken returns tokens with that of a position also at another one.
func withToken(t tensor.Tensor, from, to int64) tensor.Tensor {
	size := int64(t.DType.Bits() / 8)
	inner := product(t.Shape[2:]) * size
	t.Data = slices.Clone(t.Data)
	for row := range t.Shape[0] {
		at := row * t.Shape[1] * inner
		copy(t.Data[at+to*inner:at+(to+1)*inner], t.Data[at+from*inner:at+(from+1)*inner])
	}
	return t
}

// otherFirst returns the inputs with another first token: the nearest that differs from it.
func (k *check) otherFirst(r *reference) graphops.Feeds {
	out := maps.Clone(r.all)
	for i := range r.roles.Inputs {
		p := &r.roles.Inputs[i]
		t := out[p.Name].Tensor
		if p.Kind != roles.IDs && p.Kind != roles.Embeddings || len(t.Shape) < 2 || t.Shape[1] != r.tokens {
			continue
		}
		for at := int64(1); at < r.tokens; at++ {
			if changed := withToken(t, at, 0); !slices.Equal(changed.Data, t.Data) {
				out[p.Name] = graphops.TensorValue(changed)
				break
			}
		}
	}
	return out
}

// disturbed returns a cache with other numbers at one position: each one is exchanged with its mirror
// image on the other side of the largest and smallest number, and moved.
func disturbed(t tensor.Tensor, axis int, at int64) tensor.Tensor {
	values, err := t.Float64s()
	if err != nil {
		return t
	}
	outer, inner := product(t.Shape[:axis]), product(t.Shape[axis+1:])
	for o := range outer {
		from := (o*t.Shape[axis] + at) * inner
		row := values[from : from+inner]
		slices.Reverse(row)
		for i := range row {
			row[i] = -row[i] + float64(i%3) - 1
		}
	}
	out, err := tensor.FromFloat64s(t.DType, values, t.Shape...)
	if err != nil {
		return t
	}
	return out
}

// hidden returns a mask that leaves out the last column.
func hidden(t tensor.Tensor) (tensor.Tensor, error) {
	values, err := t.Float64s()
	if err != nil || len(values) == 0 {
		return t, err
	}
	columns := t.Shape[1]
	return filled(t.DType, t.Shape, func(i int64) float64 {
		if i%columns == columns-1 {
			return 1 - values[i]
		}
		return values[i]
	})
}
