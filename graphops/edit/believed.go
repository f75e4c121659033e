package edit

import (
	"context"
	"errors"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// believe compares the declared types of values with the inferred ones. If a declared type is
// wrong, the inferred one replaces it, with a warning, because the edit makes decisions by types.
// For a value without a declared type, it records the inferred one in e.made. Call it before any
// other change, because it restarts the edit.
func (e *edit) believe(ctx context.Context, ids []graphops.ValueID) error {
	r, err := inferred(ctx, e.model, shape.Options{})
	if r == nil {
		return err
	}
	types := map[string]graphops.Type{}
	e.made = map[graphops.ValueID]graphops.Type{}
	for _, id := range ids {
		name, declared := e.index.Name(id), e.typeOf(id)
		if declared.Kind == graphops.TypeUnknown {
			e.made[id] = r.Type(e.place, id)
		}
		b := r.Believe(e.place, id, declared)
		if _, again := types[name]; b.Denied == "" || again {
			continue
		}
		types[name] = r.ForFile(b)
		e.report.warn("%s", b.Deny(name, declared))
	}
	if len(types) == 0 {
		return nil
	}
	e.restart(redeclared(e.model, e.place, types))
	return nil
}

// redeclared returns the model with the given types, by name, declared for values of a place.
func redeclared(m *graphops.Model, at *graphops.Place, types map[string]graphops.Type) *graphops.Model {
	return m.EditPlaces(func(p *graphops.Place, g *graphops.GraphEditor) bool {
		if p != at {
			return false
		}
		listed := map[string]bool{}
		for _, list := range [][]*graphops.ValueInfo{g.ValueInfo, g.Outputs} {
			for i, v := range list {
				if t, ok := types[v.Name()]; ok {
					list[i], listed[v.Name()] = v.WithType(t), true
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(types)) {
			if !listed[name] {
				g.ValueInfo = append(g.ValueInfo, graphops.NewValueInfo(name, types[name]))
			}
		}
		return true
	})
}

// restart continues the edit with the model m, in which only recorded types differ. No change may
// have been made before.
func (e *edit) restart(m *graphops.Model) {
	e.model = m
	e.place = m.Places()[e.place.ID]
	e.graph, e.index, e.next = e.place.Graph, e.place.Graph.Index(), graphops.EditGraph(e.place.Graph)
}

// inferred infers the types of a model. It returns nil, without an error, if the model expands to
// too many nodes.
func inferred(ctx context.Context, m *graphops.Model, o shape.Options) (*shape.Result, error) {
	o.NameAxes = true
	r, err := shape.Infer(ctx, m, o)
	if errors.Is(err, shape.ErrLimit) {
		return nil, nil
	}
	return r, err
}

// sizes has the shapes that this program infers for the main graph before and after an edit. The
// zero value has no shapes.
type sizes struct {
	was, next     *graphops.Place
	before, after *shape.Result
}

// sizesWhereOpen infers the shapes of both models if a runtime leaves sizes of a doubted value
// unknown. Otherwise it returns the zero value.
func (e *edit) sizesWhereOpen(ctx context.Context, next *graphops.Model, told map[string]graphops.Type) (s sizes, err error) {
	open := false
	for name, t := range told {
		open = open || e.doubted[name] && slices.ContainsFunc(t.Shape, leftOpen)
	}
	if !open {
		return s, nil
	}
	s.was, s.next = e.recordedIn.Places()[0], next.Places()[0]
	if s.before, err = inferred(ctx, e.recordedIn, shape.Options{Fresh: true}); err == nil {
		s.after, err = inferred(ctx, next, shape.Options{Fresh: true})
	}
	return s, err
}

func leftOpen(d graphops.Dim) bool { return !d.IsFixed() && d.Symbol == "" }

// complete replaces sizes that are unknown in the type that a runtime told for a value. If the edit
// does not change the inferred size, it uses the declared size, otherwise the inferred one.
func (s sizes) complete(name string, declared, told graphops.Type) graphops.Type {
	before, after := dimsOf(s.before, s.was, name), dimsOf(s.after, s.next, name)
	if len(after) != len(told.Shape) {
		return told
	}
	made := s.after.ForFile(shape.Belief{Type: shape.Type{Kind: graphops.TypeTensor, Dims: after}.ForFile()}).Shape
	id, _ := s.was.Graph.Index().Value(name)
	keeps := len(before) == len(after) && len(declared.Shape) == len(after) && s.before.Believe(s.was, id, declared).Denied == ""
	told.Shape = slices.Clone(told.Shape)
	for i, d := range told.Shape {
		switch {
		case !leftOpen(d) || !after[i].Known():
		case keeps && before[i].Equal(after[i]):
			told.Shape[i] = declared.Shape[i]
		default:
			told.Shape[i] = made[i]
		}
	}
	return told
}

func dimsOf(r *shape.Result, p *graphops.Place, name string) []dim.Dim {
	if r == nil {
		return nil
	}
	if id, ok := p.Graph.Index().Value(name); ok {
		return r.Value(p, id).Dims
	}
	return nil
}
