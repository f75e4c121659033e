package measure

import (
	"context"
	"errors"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/roles"
	"lathe/graphops/shape"
	"lathe/session"
	"lathe/session/sizing"
)

// atDepth sets the sizes at which one token is read after --depth positions.
func (s *Profile) atDepth(ctx context.Context, m *graphops.Model, stated []roles.Given, dims map[string]int64) error {
	if s.Depth == 0 {
		return nil
	}
	shapes, err := shape.Infer(ctx, m, shape.Options{NameAxes: true})
	if err != nil {
		return err
	}
	found, err := roles.Find(ctx, m, roles.Options{Shapes: shapes, Given: stated})
	if err != nil {
		return err
	}
	pasts := pastsOf(found)
	if len(pasts) == 0 {
		return errors.New("--depth: the model has no input with a cache that grows; --role NAME=past:NAME states one")
	}
	set := func(input string, axis int, n int64) error {
		for _, in := range m.Graph().FeedInputs() {
			shape := in.Type().Shape
			if in.Name() != input || axis >= len(shape) {
				continue
			}
			d := shape[axis]
			if given, ok := sizing.Given(dims, input, axis, d); ok && given != n {
				return session.UsageError(fmt.Sprintf("--depth: the size %s is given as %d by --dim, and would be %d; leave out one of them", sizing.Name(input, axis, d), given, n))
			}
			if d.IsFixed() && d.Value != n {
				return fmt.Errorf("--depth: axis %d of %s is always %d, and cannot be %d", axis, graphops.ShortQuoted(input), d.Value, n)
			}
			if !d.IsFixed() {
				dims[sizing.Name(input, axis, d)] = n
			}
		}
		return nil
	}
	for _, p := range pasts {
		if err := set(p.Past, p.Axis, s.Depth); err != nil {
			return err
		}
	}
	for i := range found.Inputs {
		if in := &found.Inputs[i]; in.Kind == roles.IDs || in.Kind == roles.Embeddings {
			if err := set(in.Name, 1, 1); err != nil {
				return err
			}
		}
	}
	return nil
}
