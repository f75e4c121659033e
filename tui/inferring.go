package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops/shape"
	"lathe/tui/graph"
)

// infer infers the types of the current model, unless they are known.
func (ws *workspace) infer() tea.Cmd {
	t := ws.types
	ws.inferring.Stop()
	ws.measuring.Stop()
	if t.Inferred.Load() != nil {
		return tea.Batch(ws.measure(), ws.examine())
	}
	infer := func(ctx context.Context) *graph.Inferred {
		r, err := shape.Infer(ctx, t.Model, shape.Options{NameAxes: true})
		in := &graph.Inferred{Result: r, Err: err}
		if r != nil {
			in.Typed = graph.TypedPlaces(t.Model, r)
		}
		return in
	}
	return ask(ws, &ws.inferring, "inferring shapes", infer, func(in *graph.Inferred) tea.Cmd { return takeTypes(ws, t, in) })
}

// takeTypes stores types. It repeats searches and sorting, because their results may depend on the
// new types.
func takeTypes(ws *workspace, t *graph.Typing, in *graph.Inferred) tea.Cmd {
	t.Inferred.Store(in)
	if t != ws.types {
		return nil
	}
	if in.Err != nil {
		ws.log.Say("shapes could not be inferred, so those in the file are shown: " + in.Err.Error())
	}
	cmds := []tea.Cmd{ws.measure(), ws.examine()}
	if f := &ws.found; f.query != "" {
		leads, kept := f.leads && !f.known, f.kept
		cmds = append(cmds, ws.find(f.query, leads))
		f.kept = kept
	}
	if ws.listing.order.IsLate() {
		cmds = append(cmds, ws.arrange())
	}
	return tea.Batch(cmds...)
}
