package compare

import "lathe/graphops"

// leaves takes values apart into the tensors that they are made of, each under
// the value's name and its place: "scores[0].values". What has no elements that
// could be compared stays as it is.
func leaves(values []graphops.Got) []graphops.Got {
	var out []graphops.Got
	for _, g := range values {
		switch g.Value.Type.Kind {
		case graphops.TypeSequence, graphops.TypeMap, graphops.TypeOptional:
			for at, t := range g.Value.Tensors() {
				out = append(out, graphops.Got{Name: g.Name + at, Value: graphops.TensorValue(t)})
			}
		default:
			out = append(out, g)
		}
	}
	return out
}
