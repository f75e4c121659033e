package sizing

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/roles"
	"lathe/graphops/shape"
)

// rolesOf returns the roles of a model's inputs, or nil if there is no model.
func rolesOf(ctx context.Context, m *graphops.Model, inferred *shape.Result, stated []roles.Given) (*roles.Roles, error) {
	if m == nil {
		return nil, nil //nolint:nilnil // no model has no roles
	}
	return roles.Find(ctx, m, roles.Options{Shapes: inferred, Given: stated})
}

// roleOf returns an input with its role. If there is no model, the role is not known.
func roleOf(found *roles.Roles, input string) roles.Port {
	if found != nil {
		if p := found.Input(input); p != nil {
			return *p
		}
	}
	return roles.Port{Pair: -1}
}

// kindByRole returns the kind of an axis that follows from the role of the input, or kindOther.
func kindByRole(found *roles.Roles, p roles.Port, rank, axis int) Kind {
	switch p.Kind {
	case roles.Past:
		pair := found.Pairs[p.Pair]
		if axis == pair.Axis && !pair.Cross && (pair.Growth == roles.Grows || pair.Growth == roles.MayShare || pair.Growth == roles.Shares) {
			return kindPast
		}
	case roles.IDs, roles.Positions, roles.Segments:
		if rank == 2 && axis == 1 {
			return kindSequence
		}
	case roles.Embeddings, roles.Encoded:
		if rank == 3 && axis == 1 {
			return kindSequence
		}
	default:
	}
	return kindOther
}

// isImage reports whether an input can be an image, as far as its role says.
func isImage(p roles.Port) bool { return p.Kind == roles.Unknown || p.Kind == roles.Features }

// markEncoded marks the symbols of sequences of an encoder: axes of its states, keys and values.
func markEncoded(list []Symbol, found *roles.Roles) {
	for i := range list {
		s := &list[i]
		s.encoded = isEncoded(s.Name)
		for _, a := range s.Axes {
			p := roleOf(found, a.Input)
			s.encoded = s.encoded || p.Kind == roles.Encoded && a.Axis == 1 || p.Kind == roles.Past && p.Cross && a.Axis == 2
		}
	}
}

// addRoles adds a condition that the roles of inputs imply: a mask has a column for each position in
// the cache and for each new one. It reports whether there is such a condition.
func (s *conditionSet) addRoles(inputs []graphops.NamedType, found *roles.Roles) bool {
	if found == nil {
		return false
	}
	var past, next, total dim.Dim
	var names [3]string
	for _, in := range inputs {
		p, d := roleOf(found, in.Name), leaf(in.Type).Shape
		switch {
		case p.Kind == roles.Past && names[0] == "" && growing(found.Pairs[p.Pair]) && found.Pairs[p.Pair].Axis < len(d):
			axis := found.Pairs[p.Pair].Axis
			past, names[0] = Expression(in.Name, axis, d[axis]), in.Name
		case (p.Kind == roles.IDs || p.Kind == roles.Embeddings) && names[1] == "" && len(d) >= 2:
			next, names[1] = Expression(in.Name, 1, d[1]), in.Name
		case p.Kind == roles.Mask && !p.Cross && names[2] == "" && len(d) >= 2:
			total, names[2] = Expression(in.Name, len(d)-1, d[len(d)-1]), in.Name
		}
	}
	if slices.Contains(names[:], "") || total.Equal(past) || total.Equal(next) {
		return false
	}
	if _, free := total.IsSymbol(); !free {
		return false
	}
	s.add(Condition{A: total, B: past.Add(next), Relation: shape.Equals, weight: named, Why: fmt.Sprintf("%q is a mask of past and new positions", names[2])})
	return true
}

// growing reports whether a cache becomes longer by the new positions.
func growing(p roles.Pair) bool {
	return !p.Cross && p.Axis >= 0 && (p.Growth == roles.Grows || p.Growth == roles.MayShare)
}
