package edit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"lathe/graphops"
)

// Typing says what happens to recorded types that an edit may have made wrong. A recorded type is
// one that the model declares for a value.
type Typing struct {
	// Typer is asked for these types after the edit, and thereby also tells whether a runtime
	// accepts the result. If it is nil, the types are removed.
	Typer graphops.Typer
	// Keep leaves the recorded types as they are. The caller is then responsible for them.
	Keep bool
}

// trial is the last part of an edit after which a runtime may refuse the model. was is the model
// before the edit, and next the result.
type trial struct {
	*edit
	was, next *graphops.Model
	// claims are the types that the user declares for values of the main graph, by name.
	claims map[string]graphops.Type
	// touched are values of the main graph that nodes changed by the edit produce.
	touched []string
}

// settle asks for the types that were removed and records them. It returns an error if a type that
// the user declares contradicts the one that the runtime infers.
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

// answer is a graphops.Typer that knows the types already.
type answer map[string]graphops.Type

// Types implements graphops.Typer. It returns all answers, whatever is asked.
func (a answer) Types(context.Context, *graphops.Model, []string) (map[string]graphops.Type, error) {
	return a, nil
}

// ask asks typer for the types that were removed or that the user declares. It also asks for all
// outputs and touched values, so that the runtime must check the whole result. The results are
// those of Report.ask.
func (t *trial) ask(ctx context.Context, typer graphops.Typer) (map[string]graphops.Type, error) {
	draft, names := t.draft()
	return t.report.ask(ctx, typer, t.was, draft, names)
}

// ask asks typer for the types of the named values of next. It returns an error if typer refuses
// next but accepts was. If typer refuses both, for example because the runtime is not available, it
// adds a warning and returns nil.
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
		return nil, fmt.Errorf("%w: %w; to do it anyway, use --no-check", errRefused, err)
	}
	r.warn("ONNX Runtime did not check this; it does not check the unchanged model either: %v", before)
	return nil, nil
}

// Confirm returns an error if a runtime refuses the result of an edit but accepts the original. r
// is the report of the edit, to which warnings are added.
func Confirm(ctx context.Context, typer graphops.Typer, was, next *graphops.Model, r *Report) error {
	_, err := r.ask(ctx, typer, was, next, graphops.ValueNames(next.Graph().Outputs()))
	return err
}

// draft returns the result for the question to the runtime, and the names to ask for. It declares
// no types that the user claims and no element types that may be wrong, so that the runtime infers
// them.
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

var errRefused = errors.New("the runtime accepts the model but refuses the result of the change")

// compare returns an error if a type that the user declares contradicts the one that the runtime
// tells. It warns if the declared type is narrower.
func (t *trial) compare(name string, claimed, told graphops.Type) error {
	switch {
	case contradicts(claimed, told):
		return fmt.Errorf("value %q: the runtime infers %s for it, which is not %s", name, typeText(told), typeText(claimed))
	case narrows(claimed, told):
		t.report.warn("value %q: the runtime infers %s for it, which holds more than %s", name, typeText(told), typeText(claimed))
	}
	return nil
}
