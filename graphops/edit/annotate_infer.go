package edit

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// declareInferred declares the inferred type of each value that nodes of the place make, and completes
// types that are declared in part. A declared type that the graph contradicts stays, with a warning.
// Values that the options name keep what the options say.
func (e *annotation) declareInferred(ctx context.Context) error {
	r, err := inferred(ctx, e.model, shape.Options{})
	if r == nil {
		return err
	}
	types := e.declaredTypes()
	for id := range graphops.ValueID(e.index.Values()) {
		name := e.index.Name(id)
		if _, asked := e.types[name]; asked || name == "" || e.index.Producer(id) < 0 {
			continue
		}
		declared := types[name]
		b := r.Believe(e.place, id, declared)
		if b.Denied != "" {
			e.report.warn("%s; the declaration stays", b.Deny(name, declared))
			continue
		}
		if to := r.ForFile(b); isUseful(to) && to.Declaration() != declared.Declaration() {
			if err := e.note(name, declared, to); err != nil {
				return err
			}
		}
	}
	return nil
}

// declaredTypes returns the declared types of the place by name.
func (e *annotation) declaredTypes() map[string]graphops.Type {
	out := map[string]graphops.Type{}
	for _, list := range [][]*graphops.ValueInfo{e.graph.Inputs(), e.graph.Outputs(), e.graph.ValueInfo()} {
		for _, v := range list {
			if _, earlier := out[v.Name()]; !earlier {
				out[v.Name()] = v.Type()
			}
		}
	}
	return out
}

// isUseful reports whether a type says something that a file can declare: the type of elements is known.
func isUseful(t graphops.Type) bool {
	for t.Of != nil {
		t = *t.Of
	}
	return t.Kind != graphops.TypeUnknown && t.Kind != graphops.TypeOpaque && t.Elem != tensor.Undefined
}
