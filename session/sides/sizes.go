package sides

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/session/inputs"
	"lathe/session/sizing"
)

// sharedAxis is an axis of an input that both sides have.
type sharedAxis struct {
	input string // of A
	axis  int
	name  string // of the axis in A, as --dim takes it
	a, b  graphops.Dim
}

// sharedAxes returns the axes of the inputs that both models have with the same rank.
func sharedAxes(p *Pairing) []sharedAxis {
	a, b := p.Models[0].types.inputs, p.Models[1].types.inputs
	var out []sharedAxis
	for _, pair := range p.Models[1].inputs {
		in, of := typeOf(a, pair.A), typeOf(b, pair.B)
		if in.Kind != graphops.TypeTensor || of.Kind != graphops.TypeTensor || len(in.Shape) != len(of.Shape) {
			continue
		}
		for axis, d := range in.Shape {
			out = append(out, sharedAxis{pair.A, axis, sizing.Name(pair.A, axis, d), d, of.Shape[axis]})
		}
	}
	return out
}

// namedByB lets the user name an axis as only B calls it, such as after it got a name there. It returns
// notes about that. A size that the user gave by A's own name has priority.
func namedByB(p *Pairing, r *inputs.Request) []string {
	dims := maps.Clone(r.Dims)
	var told []string
	for _, name := range slices.Sorted(maps.Keys(r.Dims)) {
		if inputs.HasDim(p.Models[0].types.inputs, name) {
			continue
		}
		for _, x := range sharedAxes(p) {
			if x.b.Symbol != name || x.a.IsFixed() {
				continue
			}
			delete(dims, name)
			if _, given := dims[x.name]; !given {
				dims[x.name] = r.Dims[name]
				told = append(told, fmt.Sprintf("dimension %q of b is %q in a: both run with size %d", name, x.name, r.Dims[name]))
			}
		}
	}
	r.Dims, r.Files.Dims = dims, dims
	return told
}

// fixedByB sets dynamic axes of A to the sizes that are fixed in B, such as a fixed batch size, and
// returns notes about that. Sizes given by the user have priority. A symbol for which B has two
// sizes is not set.
func fixedByB(p *Pairing, r *inputs.Request) []string {
	sizes, contrary := map[string]int64{}, map[string]bool{}
	var order []string
	for _, x := range sharedAxes(p) {
		if x.a.IsFixed() || !x.b.IsFixed() {
			continue
		}
		if known, seen := sizes[x.name]; seen && known != x.b.Value {
			contrary[x.name] = true
		} else if !seen {
			order = append(order, x.name)
		}
		sizes[x.name] = x.b.Value
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
