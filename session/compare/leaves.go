package compare

import (
	"regexp"
	"strings"
	"sync"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// leaves splits values into the tensors that they consist of. Each gets the value's name and its
// position: "scores[0].values". An empty sequence or optional becomes a tensor without elements, so
// that it differs from one with content. A value without elements that could be compared stays as
// it is.
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

// nothing represents an empty sequence or optional.
var nothing = graphops.TensorValue(tensor.FromSlice([]uint8{}, 0))

func isCompound(v graphops.Value) bool {
	switch v.Type.Kind {
	case graphops.TypeSequence, graphops.TypeMap, graphops.TypeOptional:
		return true
	}
	return false
}

// heldBy returns the name of the value that could have an element with this name, or "" if there is
// none.
func heldBy(values []graphops.Got, leaf string) string {
	for _, g := range values {
		rest, ok := strings.CutPrefix(leaf, g.Name)
		if ok && isCompound(g.Value) && (rest == "" || rest[0] == '[' || rest[0] == '.') {
			return g.Name
		}
	}
	return ""
}

// part identifies the same part of all elements of an output, without positions in sequences:
// "[].values".
type part struct{ of, at string }

// partOf returns the part that a leaf is of some values.
func partOf(values []graphops.Got, leaf string) part {
	if of := heldBy(values, leaf); of != "" {
		return part{of, places().ReplaceAllString(leaf[len(of):], "[]")}
	}
	return part{of: leaf}
}

var places = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[\d+\]`) })
