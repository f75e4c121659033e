package shape

import (
	"context"

	"lathe/graphops"
)

// Types returns the types of values of the main graph whose element type is known.
func Types(ctx context.Context, m *graphops.Model, names []string) (map[string]graphops.Type, error) {
	r, err := Infer(ctx, m, Options{})
	if err != nil {
		return nil, err
	}
	place := m.Places()[0]
	out := map[string]graphops.Type{}
	for _, name := range names {
		id, ok := place.Graph.Index().Value(name)
		if !ok {
			continue
		}
		if t := r.Type(place, id); t.Kind != graphops.TypeUnknown && (t.Kind != graphops.TypeTensor || t.Elem.Valid()) {
			out[name] = t
		}
	}
	return out, nil
}
