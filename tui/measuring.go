package tui

import (
	"context"
	"maps"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/scope"
	"lathe/session/sizing"
	"lathe/tui/graph"
)

// measure computes the costs of the visible model in the background, unless they are known for
// these sizes. Types must be inferred first.
func (ws *workspace) measure() tea.Cmd {
	t, sizes, before := ws.types, ws.sizes, ws.types.Costs.Load()
	if t.Result() == nil || before != nil && maps.Equal(before.Sizes, sizes) {
		return nil
	}
	measure := func(ctx context.Context) *graph.Costs { return graph.Measured(ctx, t.Model, before, sizes) }
	return ask(ws, &ws.measuring, "working out costs", measure, func(c *graph.Costs) tea.Cmd { return takeCosts(ws, t, c) })
}

// takeCosts stores the costs, and repeats what depends on them: sums over modules, and sorting by
// cost.
func takeCosts(ws *workspace, t *graph.Typing, c *graph.Costs) tea.Cmd {
	t.Costs.Store(c)
	if t != ws.types {
		return nil
	}
	if c.Err != nil {
		ws.log.Say("costs are not known: " + c.Err.Error())
	}
	cmds := []tea.Cmd{sumModules(ws)}
	if ws.listing.order.IsLate() {
		cmds = append(cmds, ws.arrange())
	}
	return tea.Batch(cmds...)
}

// sumModules adds up the costs of modules, once modules and costs are known.
func sumModules(ws *workspace) tea.Cmd {
	tree, c, p := ws.modules, ws.types.Costs.Load(), ws.outline.Place
	ws.summing.Stop()
	if tree == nil || c.Known() == nil {
		return nil
	}
	sum := func(ctx context.Context) *graph.ModuleCosts { return graph.SumsOf(ctx, tree, c, p) }
	return ask(ws, &ws.summing, "adding up costs", sum, func(m *graph.ModuleCosts) tea.Cmd { return takeSums(ws, m) })
}

// takeSums stores sums if they are for the current modules and costs.
func takeSums(ws *workspace, m *graph.ModuleCosts) tea.Cmd {
	if m.Tree == ws.modules && m.Costs == ws.types.Costs.Load() {
		ws.moduleCosts = m
	}
	return nil
}

// takeTimes stores the times of a model's nodes and shows them.
func takeTimes(ws *workspace, m *graphops.Model, times *graph.NodeTimes) tea.Cmd {
	if times == nil {
		return nil
	}
	for _, t := range ws.typings.List {
		if t.Model == m {
			t.Times.Store(times)
		}
	}
	for _, name := range graph.TimeColumns {
		if !showsColumn(ws, name) && !ws.timesShown {
			toggleColumn(ws, name)
		}
	}
	ws.timesShown = true // from now on the user chooses
	return ws.arrange()
}

// readModules builds the tree of modules of the current place in the background.
func readModules(ws *workspace) tea.Cmd {
	w := ws.wiring
	build := func(context.Context) *scope.Tree { return w.Modules.Build(w.Outline.Place) }
	return ask(ws, &ws.scoping, "reading the modules", build, func(t *scope.Tree) tea.Cmd {
		ws.modules = t
		ws.hasModules = !t.IsFlat() || len(ws.model().Places()) > 1
		return sumModules(ws)
	})
}

// describeSizes finds out which sizes are valid for the model that is shown, unless that is known
// or already being done. It waits until the types are inferred.
func describeSizes(ws *workspace) tea.Cmd {
	t := ws.types
	if t.Inferred.Load() == nil || t.Fitting != nil || ws.fitted == t {
		return nil
	}
	ws.fitted = t
	shapes := t.Result()
	describe := func(ctx context.Context) *graph.Fitting {
		s := sizing.OfInferred(t.Model, graphops.NamedTypes(t.Model.Graph().FeedInputs()), shapes)
		return graph.NewFitting(t.Model, s.Describe(ctx, nil))
	}
	return ask(ws, &ws.fitting, "finding out which sizes fit", describe, func(f *graph.Fitting) tea.Cmd {
		t.Fitting = f
		return nil
	})
}
