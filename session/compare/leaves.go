package compare

import (
	"regexp"
	"strings"
	"sync"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// leaves takes values apart into the tensors that they are made of, each under
// the value's name and its place: "scores[0].values". A sequence or optional that
// holds nothing stands as a tensor without elements, so that one that holds something
// differs from it. What has no elements that could be compared stays as it is.
func leaves(values []graphops.Got) []graphops.Got {
	var out []graphops.Got
	for _, g := range values {
		if !isCompound(g.Value) {
			out = append(out, g)
			continue
		}
		before := len(out)
		for at, t := range g.Value.Tensors() {
			out = append(out, graphops.Got{Name: g.Name + at, Value: graphops.TensorValue(t)})
		}
		if len(out) == before {
			out = append(out, graphops.Got{Name: g.Name, Value: nothing})
		}
	}
	return out
}

// nothing stands for what a sequence without elements holds.
var nothing = graphops.TensorValue(tensor.FromSlice([]uint8{}, 0))

func isCompound(v graphops.Value) bool {
	switch v.Type.Kind {
	case graphops.TypeSequence, graphops.TypeMap, graphops.TypeOptional:
		return true
	}
	return false
}

// heldBy is the name of the value of which an element could be called so; "" where there
// is none.
func heldBy(values []graphops.Got, leaf string) string {
	for _, g := range values {
		rest, ok := strings.CutPrefix(leaf, g.Name)
		if ok && isCompound(g.Value) && (rest == "" || rest[0] == '[' || rest[0] == '.') {
			return g.Name
		}
	}
	return ""
}

// part says what a leaf is of an output, whatever its place in a sequence: "[].values".
type part struct{ of, at string }

// partOf is the part that a leaf is of some values.
func partOf(values []graphops.Got, leaf string) part {
	if of := heldBy(values, leaf); of != "" {
		return part{of, places().ReplaceAllString(leaf[len(of):], "[]")}
	}
	return part{of: leaf}
}

var places = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[\d+\]`) })
