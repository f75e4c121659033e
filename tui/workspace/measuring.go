package workspace

import (
	"context"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/roles"
	"lathe/graphops/scope"
	"lathe/session/sizing"
	"lathe/tui/graph"
)

// Measure computes the costs of the visible model in the background, unless they are known for
// these sizes. Types must be inferred first.
func (ws *Workspace) Measure() tea.Cmd {
	t, sizes, before := ws.Types, ws.Sizes, ws.Types.Costs.Load()
	if t.Result() == nil || before != nil && maps.Equal(before.Sizes, sizes) {
		return nil
	}
	measure := func(ctx context.Context) *graph.Costs { return graph.Measured(ctx, t.Model, before, sizes) }
	return Ask(ws, &ws.measuring, "working out costs", measure, func(c *graph.Costs) tea.Cmd { return TakeCosts(ws, t, c) })
}

// TakeCosts stores the costs, and repeats what depends on them: sums over modules, and sorting by
// cost.
func TakeCosts(ws *Workspace, t *graph.Typing, c *graph.Costs) tea.Cmd {
	t.Costs.Store(c)
	if t != ws.Types {
		return nil
	}
	if c.Err != nil {
		ws.Log.Say("costs are not known: " + c.Err.Error())
	}
	cmds := []tea.Cmd{sumModules(ws)}
	if ws.Listing.Order.IsLate() {
		cmds = append(cmds, ws.Arrange())
	}
	return tea.Batch(cmds...)
}

// sumModules adds up the costs of modules, once modules and costs are known.
func sumModules(ws *Workspace) tea.Cmd {
	tree, c, p := ws.Modules, ws.Types.Costs.Load(), ws.Outline.Place
	ws.summing.Stop()
	if tree == nil || c.Known() == nil {
		return nil
	}
	sum := func(ctx context.Context) *graph.ModuleCosts { return graph.SumsOf(ctx, tree, c, p) }
	return Ask(ws, &ws.summing, "adding up costs", sum, func(m *graph.ModuleCosts) tea.Cmd { return TakeSums(ws, m) })
}

// TakeSums stores sums if they are for the current modules and costs.
func TakeSums(ws *Workspace, m *graph.ModuleCosts) tea.Cmd {
	if m.Tree == ws.Modules && m.Costs == ws.Types.Costs.Load() {
		ws.ModuleCosts = m
	}
	return nil
}

// TakeTimes stores the times of a model's nodes and shows them.
func TakeTimes(ws *Workspace, m *graphops.Model, times *graph.NodeTimes) tea.Cmd {
	if times == nil {
		return nil
	}
	for _, t := range ws.Typings.List {
		if t.Model == m {
			t.Times.Store(times)
		}
	}
	for _, name := range graph.TimeColumns {
		if !ShowsColumn(ws, name) && !ws.timesShown {
			ToggleColumn(ws, name)
		}
	}
	ws.timesShown = true // from now on the user chooses
	if times.Caveat != "" {
		ws.Log.Say("columns time and share: " + times.Caveat)
	}
	return ws.Arrange()
}

// TakeLatency stores the latencies that a benchmark measured for a model.
func TakeLatency(ws *Workspace, m *graphops.Model, found []graph.Latency) {
	for _, t := range ws.Typings.List {
		if t.Model == m && len(found) > 0 {
			t.Latency.Store(t.Latency.Load().With(found))
		}
	}
}

// TakeSignals stores how well a model's weights survive quantization, or what each node costs at the outputs,
// and shows it. The cost at the outputs says more, so errors of weights do not replace it.
func TakeSignals(ws *Workspace, m *graphops.Model, found *graph.NodeSignals) tea.Cmd {
	if found == nil || found.IsEmpty() {
		return nil
	}
	for _, t := range ws.Typings.List {
		if known := t.Signals.Load(); t.Model == m && (known == nil || !known.AtOutputs || found.AtOutputs) {
			t.Signals.Store(found)
		}
	}
	if found.AtOutputs {
		ws.Log.Say("column " + graph.SNRColumn + ": " + found.How)
	}
	if !ShowsColumn(ws, graph.SNRColumn) && !ws.signalsShown {
		// Before times, because there may be no room behind them.
		at := slices.IndexFunc(ws.Columns, func(name string) bool { return slices.Contains(graph.TimeColumns, name) })
		if at < 0 {
			at = len(ws.Columns)
		}
		ws.Columns = slices.Insert(slices.Clone(ws.Columns), at, graph.SNRColumn)
	}
	ws.signalsShown = true // from now on the user chooses
	return ws.Arrange()
}

// readModules builds the tree of modules of the current place in the background.
func readModules(ws *Workspace) tea.Cmd {
	w := ws.Wiring
	build := func(context.Context) *scope.Tree { return w.Modules.Build(w.Outline.Place) }
	return Ask(ws, &ws.scoping, "reading the modules", build, func(t *scope.Tree) tea.Cmd {
		ws.Modules = t
		ws.HasModules = !t.IsFlat() || len(ws.Model().Places()) > 1
		return sumModules(ws)
	})
}

// DescribeSizes finds out which sizes are valid for the model that is shown, unless that is known
// or already being done. It waits until the types are inferred.
func DescribeSizes(ws *Workspace) tea.Cmd {
	t := ws.Types
	if t.Inferred.Load() == nil || t.Fitting != nil || ws.fitted == t {
		return nil
	}
	ws.fitted = t
	shapes := t.Result()
	describe := func(ctx context.Context) *graph.Fitting {
		found, err := roles.Find(ctx, t.Model, roles.Options{Shapes: shapes})
		if err != nil {
			return nil // it was stopped
		}
		s := sizing.OfInferred(t.Model, graphops.NamedTypes(t.Model.Graph().FeedInputs()), shapes, found)
		return graph.NewFitting(t.Model, s.Describe(ctx, nil))
	}
	return Ask(ws, &ws.fitting, "finding out which sizes fit", describe, func(f *graph.Fitting) tea.Cmd {
		t.Fitting = f
		return nil
	})
}
