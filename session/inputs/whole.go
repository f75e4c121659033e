package inputs

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
)

// Whole assigns arrays to inputs without splitting them by rows. An input gets the array with its
// name. If one input and one array are left over, the input gets that array. Whole converts numbers
// to the width that the input has. It does not check shapes; the caller does. The notes say what
// was converted or left out.
func Whole(arrays []npz.Entry, specs []Spec) (map[string]tensor.Tensor, []string, error) {
	m := &matcher{left: slices.Clone(arrays)}
	bound, err := m.pair(specs)
	if err != nil {
		return nil, nil, err
	}
	var kinds []conversion
	converted := map[conversion][]string{}
	out := make(map[string]tensor.Tensor, len(bound))
	for i := range bound {
		b := &bound[i]
		kind := conversion{b.values.DType, b.spec.DType}
		if err := b.convert(); err != nil {
			return nil, nil, err
		}
		out[b.spec.Name] = b.values
		if kind.from == kind.to {
			continue
		}
		if converted[kind] == nil {
			kinds = append(kinds, kind)
		}
		converted[kind] = append(converted[kind], b.array)
	}
	for _, kind := range kinds {
		m.note("converted from %s to %s: %s", kind.from, kind.to, graphops.QuoteNames(converted[kind]))
	}
	return out, m.notes, nil
}

// conversion is a conversion from one element type to another.
type conversion struct{ from, to tensor.DType }
