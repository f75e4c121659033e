package modules

import (
	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/scope"
	"lathe/tui/actions"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/nodes"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// Panel describes the pane.
func Panel() workspace.Panel {
	return workspace.Panel{
		Place: workspace.PlaceModules, Title: "modules", Region: shell.RegionLeft, Actions: modulesActions(),
		Make: func(ws *workspace.Workspace) shell.Pane { return &Pane{ws: ws} },
	}
}

func modulesActions() []actions.Action {
	type it = *Pane
	return actions.Moving(func(p it, m list.Motion) { p.Rows.Act(m) }, []actions.Row[it]{
		actions.Now("unfold", "unfold, or to the first below", actions.Keys("l", "right"), it.unfold, it.moduleRefusal, it.unfoldRefusal),
		actions.Now("fold", "fold, or to what it is in", actions.Keys("h", "left"), it.fold, it.moduleRefusal, it.foldRefusal),
		actions.New(nodes.ActionOpen, "to its first node in the list; enter the body or function", actions.Keys("enter"), it.open, it.openRefusal),
		actions.New("only-this", "list its nodes alone, or everything again", actions.Keys("space", "m"), it.onlyThis, it.moduleRefusal),
		actions.Now("unfold-all", "unfold everything below", actions.Keys("*"), it.unfoldAll, it.moduleRefusal, it.unfoldRefusal),
		actions.Now("fold-all", "fold everything", actions.Keys("-"), it.foldAll, it.treeRefusal),
		actions.Now("bytes", "parameters, bytes, MACs or memory", actions.Keys("B"), it.nextCost),
		actions.New("copy-path", "copy the path of the module", actions.Keys("Y"), it.copyPath, it.moduleRefusal),
	})
}

// Pane shows the tree of the modules to which the nodes of the visible place belong. Below
// the tree it lists the other places that can be shown: bodies, functions and the graph around.
// While another pane has the focus, the cursor follows the row that is selected in the list of
// nodes.
type Pane struct {
	ws   *workspace.Workspace
	w, h int // size of the list, without the lines above it

	outline *graph.Outline // the place that the fields below describe
	Tree    *scope.Tree    // nil until it is known
	Shown   *branches      // nil until it is known, and if there are no modules
	Doors   []graph.Door
	notes   []string // shown above the list
	Rows    list.Window
	cost    moduleCost

	at    scope.ID // the module of the selected row
	Here  branch   // the line that shows that module
	stale bool     // the cursor may have to move to that line
	need  needed
	// left has the trees of the places that were shown earlier, with the modules that were open
	// there.
	left map[*graphops.Place]*branches
}

// Place implements shell.Pane.
func (p *Pane) Place() actions.Place { return workspace.PlaceModules }

// Count returns the number of lines.
func (p *Pane) Count() int { return p.BranchCount() + len(p.Doors) }

// BranchCount returns the number of branches in the tree.
func (p *Pane) BranchCount() int {
	if p.Shown == nil {
		return 0
	}
	return len(p.Shown.Lines)
}

// Branch returns the line of the tree at the cursor, or nil.
func (p *Pane) Branch() *branch {
	if i := p.Rows.Cursor; i < p.BranchCount() {
		return &p.Shown.Lines[i]
	}
	return nil
}

// Door returns the place in the line at the cursor. It is nil if the cursor is on a module.
func (p *Pane) Door() *graph.Door {
	if i := p.Rows.Cursor - p.BranchCount(); i >= 0 && i < len(p.Doors) {
		return &p.Doors[i]
	}
	return nil
}

// Unfold opens the module at the cursor, or goes to the first module inside it if it is open.
func (p *Pane) unfold() {
	line := p.Rows.Cursor
	if p.Shown.IsOpen(p.Shown.Lines[line]) {
		p.Rows.MoveTo(line + 1)
		return
	}
	p.Shown.Unfold(line)
	p.Rows.N = p.Count()
}

func (p *Pane) unfoldAll() {
	p.Shown.UnfoldAll(p.Rows.Cursor)
	p.Rows.N = p.Count()
}

// Fold closes the module at the cursor, or goes to the module around it if it is closed.
func (p *Pane) fold() {
	line := p.Rows.Cursor
	b := p.Shown.Lines[line]
	if b != RootBranch && p.Shown.Holds(b) && p.Shown.IsOpen(b) {
		p.Shown.Fold(line)
		p.Rows.N = p.Count()
		return
	}
	p.Rows.MoveTo(p.Shown.parent(line))
}

// FoldAll closes the whole tree, and keeps the cursor on its module or on the line that hides it.
func (p *Pane) foldAll() {
	at := RootBranch
	if b := p.Branch(); b != nil {
		at = *b
	}
	p.Shown.FoldAll()
	p.Rows.N = p.Count()
	p.Rows.GoTo(p.Shown.LineOf(p.Shown.ShownFor(at.scope)))
}

// open goes to the first node of the module at the cursor, or shows the place at the cursor.
func (p *Pane) open() tea.Cmd {
	p.ws.Host.Look(workspace.PlaceNodes)
	if d := p.Door(); d != nil {
		return workspace.PassDoor(*d, p.ws)
	}
	first := p.Tree.Scopes[p.Branch().scope].First
	return p.ws.Jump(graph.Spot{Place: p.outline.Place, Row: p.ws.Standing(p.outline.NodeRow(first))})
}

// onlyThis lists the nodes of the module at the cursor alone, or everything again.
func (p *Pane) onlyThis() tea.Cmd {
	return toggleOnly(p.ws, InsideOf(p.ws, p.Tree, *p.Branch()))
}

func (p *Pane) nextCost() { p.cost = (p.cost + 1) % moduleCost(len(moduleCostNames)) }

func (p *Pane) copyPath() tea.Cmd { return p.ws.Copy(PathOf(p.Tree, *p.Branch())) }

func (p *Pane) treeRefusal() string {
	switch {
	case p.Tree == nil:
		return "the modules are still being read"
	case p.Shown == nil:
		return "the nodes here have no modules"
	}
	return ""
}

func (p *Pane) moduleRefusal() string {
	if why := p.treeRefusal(); why != "" {
		return why
	}
	return actions.Unless(p.Branch() != nil, "this is not a module; "+p.ws.Keys.Key(workspace.PlaceModules, nodes.ActionOpen)+" goes there")
}

func (p *Pane) unfoldRefusal() string {
	return actions.Unless(p.Shown.Holds(*p.Branch()), "this module contains no other modules")
}

func (p *Pane) foldRefusal() string {
	return actions.Unless(*p.Branch() != RootBranch, "this is the outermost module")
}

func (p *Pane) openRefusal() string {
	if p.Door() != nil {
		return ""
	}
	if why := p.moduleRefusal(); why != "" {
		return why
	}
	return actions.Unless(p.Tree.Scopes[p.Branch().scope].First >= 0, "this module contains no nodes")
}

// Clicked implements shell.Pointed: a click on the mark before a module folds or unfolds it; a click on a
// line selects it; a click on the selected line opens it.
func (p *Pane) Clicked(x, y int) tea.Cmd {
	line := p.Rows.Top + y - 1 - len(p.notes)
	if line < p.Rows.Top || line >= p.Rows.N {
		return nil
	}
	again := line == p.Rows.Cursor
	p.Rows.MoveTo(line)
	if b := p.Branch(); b != nil && p.isMark(*b, x) {
		if p.Shown.IsOpen(*b) {
			p.Shown.Fold(line)
		} else {
			p.Shown.Unfold(line)
		}
		p.Rows.N = p.Count()
		return nil
	}
	if again {
		return p.ws.Host.Perform(p, nodes.ActionOpen)
	}
	return nil
}

// isMark reports whether the fold mark of a line is in cell x.
func (p *Pane) isMark(b branch, x int) bool {
	at := p.indent(b)
	return b != RootBranch && p.Shown.Holds(b) && x >= at && x <= at+1
}

// Wheeled implements shell.Pointed.
func (p *Pane) Wheeled(by int) { p.Rows.Scroll(by) }
