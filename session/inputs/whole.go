package inputs

import (
	"slices"

	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
)

// Whole gives inputs their arrays as they are, by name or, where one array and one
// input are left, by that. Widths of numbers are converted. Whether shapes fit is
// left to the caller; notes tell what was converted or left out.
func Whole(arrays []npz.Entry, specs []Spec) (map[string]tensor.Tensor, []string, error) {
	m := &matcher{left: slices.Clone(arrays)}
	bound, err := m.pair(specs)
	if err != nil {
		return nil, nil, err
	}
	out := make(map[string]tensor.Tensor, len(bound))
	for i := range bound {
		if err := m.convert(&bound[i]); err != nil {
			return nil, nil, err
		}
		out[bound[i].spec.Name] = bound[i].values
	}
	return out, m.notes, nil
}
