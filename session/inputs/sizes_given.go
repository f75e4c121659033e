package inputs

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/session/sizing"
)

// SizesOf returns which sizes the axes without a fixed size have in the feeds, each size once.
func SizesOf(types []graphops.NamedType, feeds ...graphops.Feeds) dim.Sizes {
	var out dim.Sizes
	seen := map[dim.Size]bool{}
	for _, t := range types {
		for axis, d := range t.Type.Shape {
			for _, f := range feeds {
				v, fed := f[t.Name]
				if d.IsFixed() || !fed || !v.IsTensor() || len(v.Tensor.Shape) != len(t.Type.Shape) {
					continue
				}
				size := dim.Size{Name: shownName(t.Name, axis, d), N: v.Tensor.Shape[axis]}
				if !seen[size] {
					out = append(out, size)
				}
				seen[size] = true
			}
		}
	}
	return out
}

// SizesAt returns the sizes in case i. It marks those that were chosen by a search and not given by
// the user.
func (c Cases) SizesAt(types []graphops.NamedType, i int) dim.Sizes {
	out := SizesOf(types, c.Cases[i].Feeds)
	if c.Fit == nil {
		return out
	}
	free, chosen := c.Fit.Free(), map[string]bool{}
	for _, t := range types {
		for axis, d := range t.Type.Shape {
			sizing.Expression(t.Name, axis, d).Symbols(func(symbol string) {
				chosen[shownName(t.Name, axis, d)] = chosen[shownName(t.Name, axis, d)] || slices.Contains(free, symbol)
			})
		}
	}
	for k := range out {
		out[k].Chosen = chosen[out[k].Name]
	}
	return out
}

// SizesIn returns which sizes the axes without a fixed size have in all cases.
func SizesIn(types []graphops.NamedType, cases []Case) dim.Sizes {
	feeds := make([]graphops.Feeds, len(cases))
	for i, c := range cases {
		feeds[i] = c.Feeds
	}
	return SizesOf(types, feeds...)
}
