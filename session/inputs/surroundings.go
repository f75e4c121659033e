package inputs

import (
	"strings"

	"lathe/graphops"
	"lathe/graphops/roles"
	"lathe/graphops/tensor"
	"lathe/session/inputs/bounds"
)

// surroundings are facts about an input that follow from the other inputs.
type surroundings struct {
	length   int64  // the length that the input should state, judged by its name; 0 if not known
	measured string // the input whose length that is
	role     roles.Port
	past     int64 // number of positions in a cache
	next     int64 // number of new positions, 0 if not known
}

// lengths finds the lengths that are the same for all inputs.
func (g *generator) lengths() {
	if g.pastLength == nil {
		past, next := g.past(), g.next()
		g.pastLength, g.nextLength = &past, &next
	}
}

// surroundings finds these facts from the roles, the names and the sizes of the inputs.
func (g *generator) surroundings(in graphops.NamedType) surroundings {
	fed := g.fed
	g.lengths()
	out := surroundings{past: *g.pastLength, next: *g.nextLength, role: roles.ByNameOnly(in)}
	if g.roles != nil {
		if p := g.roles.Input(in.Name); p != nil {
			out.role = *p
		}
	}
	kind := in.Type.Elem.Kind()
	if kind != tensor.KindSigned && kind != tensor.KindUnsigned || len(fed[in.Name]) > 1 {
		return out
	}
	stem, ok := measures(strings.ToLower(in.Name))
	if !ok {
		return out
	}
	var candidates []graphops.NamedType
	for _, t := range g.types {
		name := strings.ToLower(t.Name)
		if len(fed[t.Name]) >= 2 && (stem == "" || name == stem || strings.HasPrefix(name, stem+"_") && !strings.Contains(name, "mask")) {
			candidates = append(candidates, t)
		}
	}
	if len(candidates) != 1 {
		return out
	}
	out.measured, out.length = candidates[0].Name, lengthOf(candidates[0], fed)
	return out
}

// measures removes a word such as "length" from the end of a name. stem is the rest, the name of
// what is measured. ok is false if the name has no such ending.
func measures(name string) (stem string, ok bool) {
	for _, word := range []string{"lengths", "length", "lens", "len"} {
		if stem, ok = strings.CutSuffix(name, word); ok {
			return strings.TrimRight(stem, "_."), stem == "" || strings.HasSuffix(stem, "_") || strings.HasSuffix(stem, ".")
		}
	}
	return "", false
}

// isLength reports whether a name ends with a word for a length.
func isLength(name string) bool {
	_, ok := measures(name)
	return ok
}

// lengthOf returns the size of the first axis after the batch that is not fixed, or else of the
// second axis.
func lengthOf(t graphops.NamedType, fed bounds.Inputs) int64 {
	sizes := fed[t.Name]
	for axis := 1; axis < len(sizes) && axis < len(t.Type.Shape); axis++ {
		if !t.Type.Shape[axis].IsFixed() {
			return sizes[axis]
		}
	}
	return sizes[1]
}

// headAxes is the number of axes of keys or values: batch, heads, positions and elements.
const headAxes = 4

// past returns the number of positions in a cache, or 0 if there is no cache.
func (g *generator) past() int64 {
	if g.roles == nil {
		return 0
	}
	for _, p := range g.roles.Pairs {
		axis, sizes := p.Axis, g.fed[p.Past]
		if axis < 0 && len(sizes) == headAxes {
			axis = headAxes - 2
		}
		lasts := p.Growth == roles.Grows || p.Growth == roles.MayShare || p.Form.Name == "named" && p.Content != roles.State
		if lasts && !p.Cross && axis >= 0 && axis < len(sizes) {
			return sizes[axis]
		}
	}
	return 0
}

// next returns the number of positions that a run adds, which is the length of the token ids or of
// what stands in their place.
func (g *generator) next() int64 {
	if g.roles == nil {
		return 0
	}
	for i := range g.roles.Inputs {
		p := &g.roles.Inputs[i]
		if sizes := g.fed[p.Name]; (p.Kind == roles.IDs || p.Kind == roles.Embeddings) && len(sizes) >= 2 {
			return sizes[1]
		}
	}
	return 0
}
