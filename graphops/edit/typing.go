package edit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"lathe/graphops"
)

// Typing says what happens to recorded types that an edit may have made wrong.
type Typing struct {
	// Typer is asked for these types, and thereby whether it accepts the result at all. If nil, the
	// types are forgotten.
	Typer graphops.Typer
	// Keep leaves the types unchanged; the caller is responsible for them.
	Keep bool
}

// trial is the end of an edit whose result might be one that no runtime accepts.
type trial struct {
	*edit
	was, next *graphops.Model
	// claims are types that the edit declares for values of the main graph.
	claims map[string]graphops.Type
	// touched are values of the main graph that the edit computes differently.
	touched []string
}

// settle recalls forgotten types, and compares claimed types with those that the runtime infers.
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
		delete(t.doubted, name) // claimed types are kept
	}
	if told == nil {
		return t.recall(ctx, nil, t.next)
	}
	return t.recall(ctx, answer(told), t.next)
}

// answer is a typer with prepared answers.
type answer map[string]graphops.Type

// Types implements graphops.Typer.
func (a answer) Types(context.Context, *graphops.Model, []string) (map[string]graphops.Type, error) {
	return a, nil
}

// ask asks typer for the doubtful and claimed types, and for all outputs and touched values, so
// that it must process the whole result. If it refuses the result but accepts the original, that is
// an error. If it cannot be asked, the answer is nil.
func (t *trial) ask(ctx context.Context, typer graphops.Typer) (map[string]graphops.Type, error) {
	draft, names := t.draft()
	return t.report.ask(ctx, typer, t.was, draft, names)
}

// ask asks typer for types of a model, or of a draft of it. If it refuses the model but accepts the
// original, that is an error. If it cannot be asked, the answer is nil, with a warning.
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

// Confirm makes sure that a runtime accepts the result of an edit if it accepted the original. r is
// the report of the edit.
func Confirm(ctx context.Context, typer graphops.Typer, was, next *graphops.Model, r *Report) error {
	var names []string
	for _, v := range next.Graph().Outputs() {
		names = append(names, v.Name())
	}
	_, err := r.ask(ctx, typer, was, next, names)
	return err
}

// draft returns the result without claimed types and without doubtful element types, which outputs
// may still declare, and the names to ask for.
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

// compare compares a claimed type with the one that a runtime infers.
func (t *trial) compare(name string, claimed, told graphops.Type) error {
	switch {
	case contradicts(claimed, told):
		return fmt.Errorf("value %q: the runtime infers %s for it, which is not %s", name, typeText(told), typeText(claimed))
	case narrows(claimed, told):
		t.report.warn("value %q: the runtime infers %s for it, which holds more than %s", name, typeText(told), typeText(claimed))
	}
	return nil
}
