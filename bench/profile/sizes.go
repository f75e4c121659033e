package profile

import (
	"lathe/graphops"
	"lathe/graphops/shape"
)

// SizesOf returns the sizes that the given input shapes mean for a model's symbolic dimensions, by
// the symbols. It also contains the size of every such axis by the name that shape.AxisName
// returns.
func SizesOf(m *graphops.Model, shapes map[string][]int64) map[string]int64 {
	sizes := map[string]int64{}
	for _, in := range m.Graph().FeedInputs() {
		fed, ok := shapes[in.Name()]
		if t := in.Type(); !ok || t.Kind != graphops.TypeTensor || t.Shape != nil && len(t.Shape) != len(fed) {
			continue
		}
		for i, d := range in.Type().Shape {
			if d.IsFixed() {
				continue
			}
			if d.Symbol != "" {
				sizes[d.String()] = fed[i]
			}
			// Some symbols, such as "None", do not name a size, so the axis name is always set.
			sizes[shape.AxisName(in.Name(), i)] = fed[i]
		}
	}
	return sizes
}
