package inputs

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/inputs/bounds"
)

// sequenceLength is the number of elements of a generated sequence.
const sequenceLength = 3

// value generates a value of a type: a tensor, or a sequence, optional or map of tensors. The
// recursion ends, because reading a model limits how deep types nest.
func (g *generator) value(t graphops.Type, c chooser) (graphops.Value, choice, error) {
	switch t.Kind {
	case graphops.TypeSequence:
		return g.sequence(*t.Of, c)
	case graphops.TypeOptional:
		item, pick, err := g.value(*t.Of, c)
		pick.what = "a value: " + pick.what
		return graphops.OptionalValue(*t.Of, item), pick, err
	case graphops.TypeMap:
		return g.mapping(t, c)
	}
	c.dtype = t.Elem
	made, pick, err := g.tensor(c)
	return graphops.TensorValue(made), pick, err
}

func (g *generator) sequence(of graphops.Type, c chooser) (graphops.Value, choice, error) {
	v := graphops.SequenceValue(of)
	if g.o.empty {
		return v, choice{what: "no elements"}, nil
	}
	var pick choice
	for range sequenceLength {
		item, p, err := g.value(of, c)
		if err != nil {
			return v, p, err
		}
		v.Items, pick = append(v.Items, item), p
	}
	pick.what = fmt.Sprintf("%d elements", len(v.Items)) + g.elements(v.Items[0]) + ": " + pick.what
	return v, pick, nil
}

// elements describes the shape of the elements of a sequence.
func (g *generator) elements(v graphops.Value) string {
	if !v.IsTensor() {
		return ""
	}
	return " of " + tensor.FormatShape(v.Tensor.Shape)
}

// maxKeys is the most keys that a generated map has.
const maxKeys = 8

// mapping generates a map. If the node that reads it shows which keys it knows, the map has some of
// these, and otherwise a few made-up ones. The values follow from their type. They must be numbers
// or texts.
func (g *generator) mapping(t graphops.Type, c chooser) (graphops.Value, choice, error) {
	keys, why := mapKeys(t.Elem, c.allowed)
	c.allowed = bounds.Allowed{}
	if t.Of.Kind != graphops.TypeTensor {
		return graphops.Value{}, choice{}, fmt.Errorf("input %q takes %s; only maps to numbers or texts can be made", c.name, t)
	}
	c.dtype, c.shape = t.Of.Elem, keys.Shape
	values, pick, err := g.tensor(c)
	pick.what, pick.why = fmt.Sprintf("%d keys to %s", keys.Len(), pick.what), why
	return graphops.MapValue(keys, values), pick, err
}

func mapKeys(d tensor.DType, a bounds.Allowed) (tensor.Tensor, string) {
	switch {
	case d == tensor.String && a.Kind == bounds.Words:
		known := distinct(a.Words)
		return tensor.FromStrings(known, int64(len(known))), a.Why
	case d == tensor.String:
		return tensor.FromStrings([]string{"a", "b", "c"}, 3), noReader
	}
	known, why := []int64{0, 1, 2}, noReader
	if a.Kind == bounds.OneOf {
		known, why = distinct(a.Values), a.Why
	}
	keys, err := tensor.FromInt64s(d, known, int64(len(known)))
	if err != nil { // numbers that the key's type cannot represent
		keys, _ = tensor.FromInt64s(d, []int64{0, 1}, 2)
	}
	return keys, why
}

// distinct returns the first maxKeys different elements of a list.
func distinct[T comparable](list []T) []T {
	var out []T
	seen := map[T]bool{}
	for _, v := range list {
		if !seen[v] && len(out) < maxKeys {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}
