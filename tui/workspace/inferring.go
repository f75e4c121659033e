package workspace

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops/shape"
	"lathe/tui/graph"
)

// Infer infers the types of the current model, unless they are known.
func (ws *Workspace) Infer() tea.Cmd {
	t := ws.Types
	ws.inferring.Stop()
	ws.measuring.Stop()
	if t.Inferred.Load() != nil {
		return tea.Batch(ws.Measure(), ws.Examine())
	}
	infer := func(ctx context.Context) *graph.Inferred {
		r, err := shape.Infer(ctx, t.Model, shape.Options{NameAxes: true})
		in := &graph.Inferred{Result: r, Err: err}
		if r != nil {
			in.Typed = graph.TypedPlaces(t.Model, r)
		}
		return in
	}
	return Ask(ws, &ws.inferring, "inferring shapes", infer, func(in *graph.Inferred) tea.Cmd { return TakeTypes(ws, t, in) })
}

// TakeTypes stores types. It repeats searches and sorting, because their results may depend on the
// new types.
func TakeTypes(ws *Workspace, t *graph.Typing, in *graph.Inferred) tea.Cmd {
	t.Inferred.Store(in)
	if t != ws.Types {
		return nil
	}
	if in.Err != nil {
		ws.Log.Say("shapes could not be inferred, so those in the file are shown: " + in.Err.Error())
	}
	cmds := []tea.Cmd{ws.Measure(), ws.Examine()}
	if f := &ws.Found; f.Query != "" {
		leads, kept := f.leads && !f.Known, f.Kept
		cmds = append(cmds, ws.Find(f.Query, leads))
		f.Kept = kept
	}
	if ws.Listing.Order.IsLate() {
		cmds = append(cmds, ws.Arrange())
	}
	return tea.Batch(cmds...)
}
