package tui

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

func modulesPanel() workspace.Panel {
	return workspace.Panel{
		Place: workspace.PlaceModules, Title: "modules", Region: shell.RegionLeft, Actions: modulesActions(),
		Make: func(ws *workspace.Workspace) shell.Pane { return &modulesPane{ws: ws} },
	}
}

func modulesActions() []actions.Action {
	type it = *modulesPane
	return actions.Moving(func(p it, m list.Motion) { p.rows.Act(m) }, []actions.Row[it]{
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

// modulesPane shows the tree of the modules to which the nodes of the visible place belong. Below
// the tree it lists the other places that can be shown: bodies, functions and the graph around.
// While another pane has the focus, the cursor follows the row that is selected in the list of
// nodes.
type modulesPane struct {
	ws   *workspace.Workspace
	w, h int // size of the list, without the lines above it

	outline *graph.Outline // the place that the fields below describe
	tree    *scope.Tree    // nil until it is known
	shown   *branches      // nil until it is known, and if there are no modules
	doors   []graph.Door
	notes   []string // shown above the list
	rows    list.Window
	cost    moduleCost

	at    scope.ID // the module of the selected row
	here  branch   // the line that shows that module
	stale bool     // the cursor may have to move to that line
	// left has the trees of the places that were shown earlier, with the modules that were open
	// there.
	left map[*graphops.Place]*branches
}

func (p *modulesPane) Place() actions.Place { return workspace.PlaceModules }

// count returns the number of lines.
func (p *modulesPane) count() int { return p.branchCount() + len(p.doors) }

func (p *modulesPane) branchCount() int {
	if p.shown == nil {
		return 0
	}
	return len(p.shown.lines)
}

// branch returns the line of the tree at the cursor, or nil.
func (p *modulesPane) branch() *branch {
	if i := p.rows.Cursor; i < p.branchCount() {
		return &p.shown.lines[i]
	}
	return nil
}

// door returns the place in the line at the cursor. It is nil if the cursor is on a module.
func (p *modulesPane) door() *graph.Door {
	if i := p.rows.Cursor - p.branchCount(); i >= 0 && i < len(p.doors) {
		return &p.doors[i]
	}
	return nil
}

// unfold opens the module at the cursor, or goes to the first module inside it if it is open.
func (p *modulesPane) unfold() {
	line := p.rows.Cursor
	if p.shown.isOpen(p.shown.lines[line]) {
		p.rows.MoveTo(line + 1)
		return
	}
	p.shown.unfold(line)
	p.rows.N = p.count()
}

func (p *modulesPane) unfoldAll() {
	p.shown.unfoldAll(p.rows.Cursor)
	p.rows.N = p.count()
}

// fold closes the module at the cursor, or goes to the module around it if it is closed.
func (p *modulesPane) fold() {
	line := p.rows.Cursor
	b := p.shown.lines[line]
	if b != rootBranch && p.shown.holds(b) && p.shown.isOpen(b) {
		p.shown.fold(line)
		p.rows.N = p.count()
		return
	}
	p.rows.MoveTo(p.shown.parent(line))
}

// foldAll closes the whole tree, and keeps the cursor on its module or on the line that hides it.
func (p *modulesPane) foldAll() {
	at := rootBranch
	if b := p.branch(); b != nil {
		at = *b
	}
	p.shown.foldAll()
	p.rows.N = p.count()
	p.rows.GoTo(p.shown.lineOf(p.shown.shownFor(at.scope)))
}

// open goes to the first node of the module at the cursor, or shows the place at the cursor.
func (p *modulesPane) open() tea.Cmd {
	p.ws.Host.Look(workspace.PlaceNodes)
	if d := p.door(); d != nil {
		return workspace.PassDoor(*d, p.ws)
	}
	first := p.tree.Scopes[p.branch().scope].First
	return p.ws.Jump(graph.Spot{Place: p.outline.Place, Row: p.outline.NodeRow(first)})
}

// onlyThis lists the nodes of the module at the cursor alone, or everything again.
func (p *modulesPane) onlyThis() tea.Cmd {
	return toggleOnly(p.ws, insideOf(p.ws, p.tree, *p.branch()))
}

func (p *modulesPane) nextCost() { p.cost = (p.cost + 1) % moduleCost(len(moduleCostNames)) }

func (p *modulesPane) copyPath() tea.Cmd { return p.ws.Copy(pathOf(p.tree, *p.branch())) }

func (p *modulesPane) treeRefusal() string {
	switch {
	case p.tree == nil:
		return "the modules are still being read"
	case p.shown == nil:
		return "the nodes here have no modules"
	}
	return ""
}

func (p *modulesPane) moduleRefusal() string {
	if why := p.treeRefusal(); why != "" {
		return why
	}
	return actions.Unless(p.branch() != nil, "this is not a module; "+p.ws.Keys.Key(workspace.PlaceModules, nodes.ActionOpen)+" goes there")
}

func (p *modulesPane) unfoldRefusal() string {
	return actions.Unless(p.shown.holds(*p.branch()), "this module contains no other modules")
}

func (p *modulesPane) foldRefusal() string {
	return actions.Unless(*p.branch() != rootBranch, "this is the outermost module")
}

func (p *modulesPane) openRefusal() string {
	if p.door() != nil {
		return ""
	}
	if why := p.moduleRefusal(); why != "" {
		return why
	}
	return actions.Unless(p.tree.Scopes[p.branch().scope].First >= 0, "this module contains no nodes")
}

// Clicked implements pointed: a click on the mark before a module folds or unfolds it; a click on a
// line selects it; a click on the selected line opens it.
func (p *modulesPane) Clicked(x, y int) tea.Cmd {
	line := p.rows.Top + y - 1 - len(p.notes)
	if line < p.rows.Top || line >= p.rows.N {
		return nil
	}
	again := line == p.rows.Cursor
	p.rows.MoveTo(line)
	if b := p.branch(); b != nil && p.isMark(*b, x) {
		if p.shown.isOpen(*b) {
			p.shown.fold(line)
		} else {
			p.shown.unfold(line)
		}
		p.rows.N = p.count()
		return nil
	}
	if again {
		return p.ws.Host.Perform(p, nodes.ActionOpen)
	}
	return nil
}

// isMark reports whether the fold mark of a line is in cell x.
func (p *modulesPane) isMark(b branch, x int) bool {
	at := p.indent(b)
	return b != rootBranch && p.shown.holds(b) && x >= at && x <= at+1
}

// Wheeled implements pointed.
func (p *modulesPane) Wheeled(by int) { p.rows.Scroll(by) }
