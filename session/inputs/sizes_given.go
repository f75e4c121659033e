package inputs

import "lathe/graphops"

// SizesOf are the sizes that the free axes of inputs have in feeds, each once.
func SizesOf(types []graphops.NamedType, feeds ...graphops.Feeds) graphops.Sizes {
	var out graphops.Sizes
	seen := map[graphops.Size]bool{}
	for _, t := range types {
		for axis, d := range t.Type.Shape {
			for _, f := range feeds {
				v, fed := f[t.Name]
				if d.IsFixed() || !fed || !v.IsTensor() || len(v.Tensor.Shape) != len(t.Type.Shape) {
					continue
				}
				size := graphops.Size{Name: DimName(t.Name, axis, d), N: v.Tensor.Shape[axis]}
				if !seen[size] {
					out = append(out, size)
				}
				seen[size] = true
			}
		}
	}
	return out
}

// SizesIn are the sizes in all cases.
func SizesIn(types []graphops.NamedType, cases []Case) graphops.Sizes {
	feeds := make([]graphops.Feeds, len(cases))
	for i, c := range cases {
		feeds[i] = c.Feeds
	}
	return SizesOf(types, feeds...)
}
