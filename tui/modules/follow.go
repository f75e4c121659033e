package modules

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/scope"
	"lathe/tui/graph"
	"lathe/tui/workspace"
)

// Sync takes the modules of the visible place from the workspace when they are known, and moves the
// cursor to the module of the selected row.
func (p *Pane) Sync(w, h int) tea.Cmd {
	if p.outline != p.ws.Outline {
		p.turn()
	}
	if p.Tree == nil && p.ws.Modules != nil {
		p.takeTree(p.ws.Modules)
	}
	p.w = w
	p.notes = p.notesIn(w)
	p.notes = p.notes[:min(len(p.notes), max(h-1, 0))] // if the screen is low
	p.Rows.N = p.Count()
	if p.h = max(h-1-len(p.notes), 0); p.h > 0 {
		p.Rows.Height = p.h
	}
	p.Rows.MoveTo(p.Rows.Cursor)
	p.follow()
	p.fitNames()
	return nil
}

// turn is called when another place or model is shown. It stores the state of the old tree, and
// starts without a tree.
func (p *Pane) turn() {
	old := p.outline
	if old != nil && p.Shown != nil {
		if old.Model != p.ws.Outline.Model || p.left == nil {
			p.left = map[*graphops.Place]*branches{}
		}
		at := old.Place
		if old.Model != p.ws.Outline.Model && slices.Equal(at.Hops(), p.ws.Outline.Place.Hops()) {
			at = p.ws.Outline.Place
		}
		p.left[at] = p.Shown
	}
	p.outline, p.Tree, p.Shown = p.ws.Outline, nil, nil
	p.Doors = graph.DoorsOf(p.ws.Model(), p.outline.Place)
}

// takeTree shows a tree of modules. If the place was shown before, the same modules are open as
// then.
func (p *Pane) takeTree(t *scope.Tree) {
	p.Tree = t
	if t.IsFlat() {
		return
	}
	p.Shown = NewBranches(t)
	if left := p.left[p.outline.Place]; left != nil {
		p.Shown.carry(left)
		delete(p.left, p.outline.Place)
	}
	p.stale = true
}

// follow finds the line of the selected row, and moves the cursor there if the pane has no focus.
func (p *Pane) follow() {
	if p.Shown == nil {
		return
	}
	p.at = scope.Root
	if p.ws.Outline.Node(p.ws.Row()) != nil {
		_, i := p.ws.Outline.At(p.ws.Row())
		p.at = p.Tree.Find(i)
	}
	here := p.Shown.ShownFor(p.at)
	switch {
	case p.ws.Host.Focus() == workspace.PlaceModules:
		p.stale = true
	case p.stale || here != p.Here:
		p.Rows.GoTo(p.Shown.LineOf(here))
		p.stale = false
	}
	p.Here = here
}
