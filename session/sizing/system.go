package sizing

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// System is what a model demands of the sizes of its inputs. It is immutable.
type System struct {
	Symbols    []Symbol
	Conditions []*Condition

	model    *graphops.Model
	inputs   []graphops.NamedType
	inferred *shape.Result // nil for a model that is too large to infer
	set      *conditionSet
	beside   beside
}

// Of reads what a model demands of its inputs, whose types a runtime may have reported.
// Without a model, names and types are all that is known. So they are of a model that
// cannot be inferred; the error is that of ctx alone.
func Of(ctx context.Context, m *graphops.Model, inputs []graphops.NamedType) (*System, error) {
	var inferred *shape.Result
	if m != nil && len(symbolsOf(inputs)) > 0 {
		inferred, _ = shape.Infer(ctx, m, shape.Options{NameAxes: true})
	}
	return OfInferred(m, inputs, inferred), ctx.Err()
}

// OfInferred is Of with what an inference of the model found that names axes without a
// symbol; nil where it failed.
func OfInferred(m *graphops.Model, inputs []graphops.NamedType, inferred *shape.Result) *System {
	s := &System{model: m, inputs: inputs, Symbols: symbolsOf(inputs), inferred: inferred}
	s.set = newConditionSet(s.Symbols)
	if len(s.Symbols) == 0 {
		return s
	}
	if m != nil {
		s.beside = besideOf(m)
	}
	if s.inferred != nil {
		s.set.addDemands(s.inferred)
	}
	s.set.addTotals(s.Symbols)
	s.beside.addTo(s.set, s.Symbols)
	s.Conditions = s.set.list
	return s
}

// firstOf is the position of the first symbol of a kind, or -1.
func (s *System) firstOf(k Kind) int {
	return slices.IndexFunc(s.Symbols, func(symbol Symbol) bool { return symbol.Kind == k })
}

// ShapeAt is the shape of an input, or of the tensors that it holds, for sizes of the
// symbols. An axis of another symbol keeps what the file says.
func ShapeAt(in graphops.NamedType, sizes map[string]int64) graphops.Shape {
	t := leaf(in.Type)
	out := slices.Clone(t.Shape)
	for axis, d := range t.Shape {
		n, err := Expression(in.Name, axis, d).Eval(func(name string) (int64, bool) { n, ok := sizes[name]; return n, ok })
		if err == nil && n >= 0 {
			out[axis] = graphops.FixedDim(n)
		}
	}
	return out
}

// askedConditions are what the user gives: sizes of symbols, and of expressions that
// stand in the types.
func (s *System) askedConditions(sizes map[string]int64) (fixed map[int]int64, rest []*Condition) {
	fixed = map[int]int64{}
	for _, in := range s.inputs {
		for axis, d := range leaf(in.Type).Shape {
			n, ok := Given(sizes, in.Name, axis, d)
			if !ok {
				continue
			}
			e := Expression(in.Name, axis, d)
			if name, plain := e.IsSymbol(); plain {
				fixed[s.set.index[name]] = n
				continue
			}
			c := Condition{A: e, B: dim.Number(n), Relation: shape.Equals, Why: "as asked", weight: asked}
			if s.set.prepare(&c) {
				rest = append(rest, &c)
			}
		}
	}
	for i, symbol := range s.Symbols { // one that stands in expressions alone
		if n, ok := sizes[symbol.Name]; ok {
			fixed[i] = n
		}
	}
	return fixed, rest
}
