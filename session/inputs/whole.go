package inputs

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
)

// Whole assigns arrays to inputs without splitting them: by name, or, if one array and one input
// are left over, to each other. It converts the widths of numbers. It does not check shapes; that
// is up to the caller. The notes say what was converted or left out.
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

// conversion is from one element type to another.
type conversion struct{ from, to tensor.DType }
