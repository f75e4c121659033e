package inputs

import (
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/inputs/bounds"
)

// surroundings are facts about an input that follow from the other inputs.
type surroundings struct {
	length   int64  // the length that the input should state, judged by its name; 0 if not known
	measured string // the input whose length that is
	past     int64  // number of positions in a cache
}

// surroundingsOf finds these facts from the names and the sizes of the inputs.
func surroundingsOf(in graphops.NamedType, types []graphops.NamedType, fed bounds.Inputs) surroundings {
	out := surroundings{past: pastOf(types, fed)}
	kind := in.Type.Elem.Kind()
	if kind != tensor.KindSigned && kind != tensor.KindUnsigned || len(fed[in.Name]) > 1 {
		return out
	}
	stem, ok := measures(strings.ToLower(in.Name))
	if !ok {
		return out
	}
	var candidates []graphops.NamedType
	for _, t := range types {
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

// pastOf returns the number of positions in a cache, or 0 if there is no cache. The axes of a cache
// are batch, heads, positions and elements.
func pastOf(types []graphops.NamedType, fed bounds.Inputs) int64 {
	for _, t := range types {
		if sizes := fed[t.Name]; len(sizes) == 4 && strings.Contains(strings.ToLower(t.Name), "past") {
			return sizes[2]
		}
	}
	return 0
}
