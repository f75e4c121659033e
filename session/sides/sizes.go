package sides

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/session/inputs"
	"lathe/session/sizing"
)

// fixedByB sets dynamic axes of A to the sizes that are fixed in B, such as a fixed batch size, and
// returns notes about that. Sizes given by the user have priority. A symbol for which B has two
// sizes is not set.
func fixedByB(p *Pairing, r *inputs.Request) []string {
	if len(p.Models) < 2 {
		return nil
	}
	a, b := p.Models[0].types.inputs, p.Models[1].types.inputs
	sizes, contrary := map[string]int64{}, map[string]bool{}
	var order []string
	for _, pair := range p.Models[1].inputs {
		in, of := typeOf(a, pair.A), typeOf(b, pair.B)
		if in.Kind != graphops.TypeTensor || of.Kind != graphops.TypeTensor || len(in.Shape) != len(of.Shape) {
			continue
		}
		for axis, d := range in.Shape {
			n := of.Shape[axis]
			if d.IsFixed() || !n.IsFixed() {
				continue
			}
			name := sizing.Name(pair.A, axis, d)
			if known, seen := sizes[name]; seen && known != n.Value {
				contrary[name] = true
			} else if !seen {
				order = append(order, name)
			}
			sizes[name] = n.Value
		}
	}
	var told []string
	for _, name := range order {
		if _, asked := r.Dims[name]; asked || contrary[name] {
			continue
		}
		if r.Dims == nil {
			r.Dims = map[string]int64{}
		}
		r.Dims[name] = sizes[name]
		told = append(told, fmt.Sprintf("%s=%d", name, sizes[name]))
	}
	r.Files.Dims = r.Dims
	if len(told) == 0 {
		return nil
	}
	return []string{"b accepts only these sizes, so both run with them: " + strings.Join(told, ", ")}
}

// typeOf returns the type of a name. It is the zero type for "".
func typeOf(types []graphops.NamedType, name string) graphops.Type {
	i := slices.IndexFunc(types, func(t graphops.NamedType) bool { return t.Name == name })
	if i < 0 {
		return graphops.Type{}
	}
	return types[i].Type
}
