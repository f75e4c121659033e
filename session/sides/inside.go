package sides

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/session/text"
)

// meetInside makes two models comparable if one of them was cut out of the other: no output of one is
// an output of the other, but outputs of the part are values inside the whole. The whole is then run
// as far as these values, which become its outputs. Other models stay as they are.
func meetInside(ctx context.Context, a, b *Executor) error {
	for _, x := range []*Executor{a, b} {
		if x.how.On != "" {
			return nil // the model may be on the other machine only
		}
		if err := x.open(ctx); err != nil {
			return err
		}
	}
	names := outputNames(a.Model)
	if slices.ContainsFunc(outputNames(b.Model), func(name string) bool { return slices.Contains(names, name) }) {
		return nil
	}
	if cut, err := a.cutTo(b); cut || err != nil {
		return err
	}
	_, err := b.cutTo(a)
	return err
}

func outputNames(m *graphops.Model) []string {
	var names []string
	for _, v := range m.Graph().Outputs() {
		names = append(names, v.Name())
	}
	return names
}

// cutTo makes those outputs of a part that are values inside the model its outputs. It reports whether
// there are any.
func (x *Executor) cutTo(part *Executor) (bool, error) {
	index := x.Model.Graph().Index()
	var inside []string
	for _, name := range outputNames(part.Model) {
		if id, ok := index.Value(name); ok && index.Producer(id) >= 0 {
			inside = append(inside, name)
		}
	}
	if len(inside) == 0 {
		return false, nil
	}
	m, _, err := graphops.Prune(x.Model, graphops.PruneOptions{Outputs: inside})
	if err != nil {
		return false, fmt.Errorf("%s: compared inside, at the outputs of %s: %w", text.CleanLine(x.Path), text.CleanLine(part.Path), err)
	}
	x.Model = m
	x.notes = append(x.notes, fmt.Sprintf("compared inside, at %s: the output of %s is a value of this model", graphops.QuoteNames(inside), part.Path))
	return true, nil
}
