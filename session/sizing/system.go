package sizing

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/roles"
	"lathe/graphops/shape"
)

// System has the conditions that a model places on the sizes of its inputs. It is immutable.
type System struct {
	Symbols    []Symbol
	Conditions []*Condition
	// Roles are what the inputs are for; nil if that was not found out.
	Roles *roles.Roles

	model    *graphops.Model
	inputs   []graphops.NamedType
	inferred *shape.Result // nil if there is no model or its shapes could not be inferred
	set      *conditionSet
	beside   beside
	inner    inner // nil if inferred is nil
}

// Of returns the conditions on a model's inputs. The types of the inputs may come from the runtime.
// If m is nil or its shapes cannot be inferred, the conditions come only from names and types, and
// that is no error. stated are roles that the user states. The error is that of ctx, or one of a
// stated role.
func Of(ctx context.Context, m *graphops.Model, inputs []graphops.NamedType, stated []roles.Given) (*System, error) {
	var inferred *shape.Result
	if m != nil && len(symbolsOf(inputs, nil)) > 0 {
		inferred, _ = shape.Infer(ctx, m, shape.Options{NameAxes: true})
	}
	found, err := rolesOf(ctx, m, inferred, stated)
	if err != nil {
		return nil, err
	}
	return OfInferred(m, inputs, inferred, found), ctx.Err()
}

// OfInferred is Of with a shape inference that was made before, with names for axes without a
// symbol. inferred is nil if the inference failed. found are the roles of the inputs, or nil.
func OfInferred(m *graphops.Model, inputs []graphops.NamedType, inferred *shape.Result, found *roles.Roles) *System {
	s := &System{model: m, inputs: inputs, Roles: found, Symbols: symbolsOf(inputs, found), inferred: inferred}
	s.set = newConditionSet(s.Symbols)
	if len(s.Symbols) == 0 {
		return s
	}
	if m != nil {
		s.beside = besideOf(m)
	}
	if s.inferred != nil {
		s.set.addDemands(s.inferred)
		s.inner = innerOf(m, s.inferred, s.set)
	}
	if !s.set.addRoles(inputs, found) {
		s.set.addTotals(s.Symbols)
	}
	s.beside.addTo(s.set, s.Symbols)
	s.Conditions = s.set.list
	return s
}

// firstOf returns the position of the first symbol of a kind, or -1.
func (s *System) firstOf(k Kind) int {
	return slices.IndexFunc(s.Symbols, func(symbol Symbol) bool { return symbol.Kind == k })
}

// ShapeAt returns the shape of an input, or of the tensors in it, when the symbols have these
// sizes. An axis with another symbol stays as it is.
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

// askedConditions converts the sizes that the user gave. fixed are the sizes of symbols, by
// position. A size given for an axis whose size is an expression, such as 2*batch, becomes a
// condition.
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
	for i, symbol := range s.Symbols { // also a symbol that occurs only within expressions
		if n, ok := sizes[symbol.Name]; ok {
			fixed[i] = n
		}
	}
	return fixed, rest
}
