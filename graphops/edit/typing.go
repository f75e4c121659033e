package edit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"lathe/graphops"
)

// Typing says what becomes of recorded types that an edit may have falsified.
type Typing struct {
	// Typer is asked for them, and thereby whether it takes the result at all. Nil
	// asks nobody: they are forgotten.
	Typer graphops.Typer
	// Keep leaves them as they are; the caller vouches for them.
	Keep bool
}

// trial is the end of an edit whose result may be one that no runtime takes.
type trial struct {
	*edit
	was, next *graphops.Model
	// claims are types that the edit declares for values of the main graph.
	claims map[string]graphops.Type
	// touched are values of the main graph that the edit makes otherwise.
	touched []string
}

// settle recalls the types that were forgotten, and compares what is claimed with
// what the runtime infers.
func (t *trial) settle(ctx context.Context, o Typing) (*graphops.Model, error) {
	if o.Typer == nil {
		return t.recall(ctx, nil, t.next)
	}
	told, err := t.ask(ctx, o.Typer)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(t.claims)) {
		if err := t.compare(name, t.claims[name], told[name]); err != nil {
			return nil, err
		}
		delete(t.doubted, name) // what was claimed stays
	}
	if told == nil {
		return t.recall(ctx, nil, t.next)
	}
	return t.recall(ctx, answer(told), t.next)
}

// answer is a typer that has been asked already.
type answer map[string]graphops.Type

// Types implements graphops.Typer.
func (a answer) Types(context.Context, *graphops.Model, []string) (map[string]graphops.Type, error) {
	return a, nil
}

// ask asks typer for the types in doubt and those claimed, and for all outputs and
// what was touched, so that it has to take the result. One that it refuses is an
// error if it takes the original. Where it cannot be asked the answer is nil.
func (t *trial) ask(ctx context.Context, typer graphops.Typer) (map[string]graphops.Type, error) {
	draft, names := t.draft()
	return t.report.ask(ctx, typer, t.was, draft, names)
}

// ask asks typer for types of a model, or of a draft of it. One that it refuses is
// an error if it takes the model as it was. Where it cannot be asked the answer is
// nil and a warning.
func (r *Report) ask(ctx context.Context, typer graphops.Typer, was, next *graphops.Model, names []string) (map[string]graphops.Type, error) {
	told, err := typer.Types(ctx, next, names)
	if err == nil || ctx.Err() != nil {
		return told, ctx.Err()
	}
	_, before := typer.Types(ctx, was, names)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case before == nil:
		return nil, fmt.Errorf("%w: %w; --no-check does it all the same", errRefused, err)
	}
	r.warn("not checked: a runtime cannot be asked about the model as it was either: %v", before)
	return nil, nil
}

// Confirm makes sure that a runtime takes what an edit made of a model, if it took
// that. r is the report of the edit.
func Confirm(ctx context.Context, typer graphops.Typer, was, next *graphops.Model, r *Report) error {
	var names []string
	for _, v := range next.Graph().Outputs() {
		names = append(names, v.Name())
	}
	_, err := r.ask(ctx, typer, was, next, names)
	return err
}

// draft is the result without the types that are claimed and without element types
// in doubt, which outputs may still promise, and of what types are asked for.
func (t *trial) draft() (m *graphops.Model, names []string) {
	draft := graphops.EditGraph(t.next.Graph())
	ask := map[string]bool{}
	for _, name := range t.touched {
		ask[name] = true
	}
	each := func(list []*graphops.ValueInfo, all bool) {
		for i, v := range list {
			_, claimed := t.claims[v.Name()]
			if all || claimed || t.doubted[v.Name()] {
				ask[v.Name()] = true
			}
			if claimed || t.doubted[v.Name()] && t.doubt.elem {
				list[i] = v.WithType(graphops.Type{})
			}
		}
	}
	each(draft.Outputs, true)
	each(draft.ValueInfo, false)
	return t.next.WithGraph(t.next.Places()[0], draft.Graph()), slices.Sorted(maps.Keys(ask))
}

var errRefused = errors.New("the runtime takes the model and refuses what this makes of it")

// compare compares a claimed type with what a runtime infers.
func (t *trial) compare(name string, claimed, told graphops.Type) error {
	switch {
	case contradicts(claimed, told):
		return fmt.Errorf("value %q: the runtime infers %s for it, which is not %s", name, typeText(told), typeText(claimed))
	case narrows(claimed, told):
		t.report.warn("value %q: the runtime infers %s for it, which holds more than %s", name, typeText(told), typeText(claimed))
	}
	return nil
}
