package compare

import (
	"regexp"
	"strings"
	"sync"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
)

// leaves splits sequences, maps and optionals into the tensors in them, so that these can be
// compared. Each tensor is named after the value and its position in it: "scores[0].values". An
// empty sequence or optional becomes a tensor without elements, so that it differs from one with
// elements. Any other value stays as it is.
func leaves(values []execution.Got) []execution.Got {
	var out []execution.Got
	for _, g := range values {
		if !isCompound(g.Value) {
			out = append(out, g)
			continue
		}
		before := len(out)
		for at, t := range g.Value.Tensors() {
			out = append(out, execution.Got{Name: g.Name + at, Value: graphops.TensorValue(t)})
		}
		if len(out) == before {
			out = append(out, execution.Got{Name: g.Name, Value: nothing})
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

// heldBy returns the name of the sequence, map or optional that contains, or could contain, the
// tensor with the name leaf. It returns "" if there is none.
func heldBy(values []execution.Got, leaf string) string {
	for _, g := range values {
		rest, ok := strings.CutPrefix(leaf, g.Name)
		if ok && isCompound(g.Value) && (rest == "" || rest[0] == '[' || rest[0] == '.') {
			return g.Name
		}
	}
	return ""
}

// part names a part of an output. If the output is a sequence, the same part of all its elements
// has the same name: at is "[].values" for the values of every map in a sequence.
type part struct{ of, at string }

// partOf returns the part of a value that the tensor with the name leaf is.
func partOf(values []execution.Got, leaf string) part {
	if of := heldBy(values, leaf); of != "" {
		return part{of, places().ReplaceAllString(leaf[len(of):], "[]")}
	}
	return part{of: leaf}
}

var places = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[\d+\]`) })
