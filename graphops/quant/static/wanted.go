package static

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// Wanted returns the values whose ranges Quantize may need, in the order of the nodes, and the
// model that produces them, which is m converted to an opset that can be quantized. The values are
// the float32 inputs and outputs, except initializers, of each node in the main graph whose
// operator is quantized. Nodes that the options exclude count too, so that the ranges suffice
// whatever nodes are chosen later.
func Wanted(ctx context.Context, m *graphops.Model, o Options) (*graphops.Model, []string, error) {
	if err := o.check(); err != nil {
		return nil, nil, err
	}
	m, _, err := quantizable(ctx, m)
	if err != nil {
		return nil, nil, err
	}
	var all []string
	seen := map[string]bool{"": true}
	for _, t := range m.Graph().Initializers() {
		seen[t.Name()] = true
	}
	for _, n := range m.Graph().Nodes() {
		if !o.wants(n) {
			continue
		}
		for _, list := range [][]string{n.Inputs(), n.Outputs()} {
			for _, name := range list {
				if !seen[name] {
					seen[name] = true
					all = append(all, name)
				}
			}
		}
	}
	types, err := shape.Types(ctx, m, all)
	if err != nil {
		return nil, nil, err
	}
	var out []string
	for _, name := range all {
		if t := types[name]; t.Kind == graphops.TypeTensor && t.Elem == tensor.F32 {
			out = append(out, name)
		}
	}
	return m, out, nil
}
