package graphops

import (
	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// Symbols returns the symbols in the shapes of the main graph and the bodies inside it, without
// duplicates. They are in the order in which places, and values in them, are listed. An expression
// such as "n+1" counts as one symbol. Symbols in functions are not included, because they refer to
// the function's own parameters.
func (m *Model) Symbols() []string {
	var out []string
	seen := map[string]bool{"": true}
	var visit func(t Type)
	visit = func(t Type) {
		for _, d := range t.Shape {
			if !seen[d.Symbol] {
				seen[d.Symbol] = true
				out = append(out, d.Symbol)
			}
		}
		if t.Of != nil {
			visit(*t.Of)
		}
	}
	for _, p := range m.Places() {
		if p.Function != nil {
			continue
		}
		for _, list := range [][]*ValueInfo{p.Graph.inputs, p.Graph.outputs, p.Graph.valueInfo} {
			for _, v := range list {
				visit(v.Type())
			}
		}
	}
	return out
}

// MapSizes returns the value info with every dimension in its type, at any depth, replaced by the
// result of f. Everything else keeps its encoding. If f changes nothing, it returns the value info
// itself.
func (v *ValueInfo) MapSizes(f func(Dim) Dim) *ValueInfo {
	changed := false
	head := patch(v.head, fieldnum.ValueType, func(typ []byte) []byte {
		return mapSizes(typ, func(d Dim) Dim {
			to := f(d)
			changed = changed || to != d
			return to
		})
	})
	if !changed {
		return v
	}
	return &ValueInfo{name: v.name, head: head}
}

// mapSizes replaces the dimensions in a serialized type. The recursion is bounded, because the
// decoder limits the depth of types.
func mapSizes(typ []byte, f func(Dim) Dim) []byte {
	inner := func(b []byte) []byte { return mapSizes(b, f) }
	for _, kind := range []protowire.Number{fieldnum.TypeTensor, fieldnum.TypeSparse} {
		typ = patch(typ, kind, func(t []byte) []byte {
			return patch(t, fieldnum.TypeShape, func(shape []byte) []byte {
				return patch(shape, fieldnum.ShapeDim, func(dim []byte) []byte { return mapSize(dim, f) })
			})
		})
	}
	for _, kind := range []protowire.Number{fieldnum.TypeSequence, fieldnum.TypeOptional} {
		typ = patch(typ, kind, func(t []byte) []byte { return patch(t, fieldnum.TypeElem, inner) })
	}
	return patch(typ, fieldnum.TypeMap, func(t []byte) []byte { return patch(t, fieldnum.TypeMapValue, inner) })
}

func mapSize(dim []byte, f func(Dim) Dim) []byte {
	d := decodeDim(dim)
	if to := f(d); to != d {
		return appendDim(without(dim, fieldnum.DimValue, fieldnum.DimParam), to)
	}
	return dim
}
