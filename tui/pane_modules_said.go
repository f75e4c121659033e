package tui

import (
	"lathe/session/text"
	"lathe/tui/cells"
)

// Said says where the cursor is.
func (p *modulesPane) Said() string {
	out := p.lineSaid()
	for _, n := range p.notesIn(100) {
		out = n + "\n" + out
	}
	return out
}

func (p *modulesPane) lineSaid() string {
	if d := p.door(); d != nil {
		return d.Said()
	}
	b := p.branch()
	if b == nil {
		return ""
	}
	return "module " + p.branchSaid(*b) + ", " + text.Plural(p.nodesOf(*b), "node")
}

func (p *modulesPane) branchSaid(b branch) string {
	out := cells.Label(pathOf(p.tree, b))
	if b.fold >= 0 {
		out += ", " + text.Count(int64(len(p.tree.Folds[b.fold].Members))) + " alike"
	}
	if c := p.tree.Scopes[b.scope].Class; c != "" {
		out += ", " + cells.Label(shortClass(c))
	}
	if p.shown.holds(b) {
		out += map[bool]string{true: ", open", false: ", folded"}[p.shown.isOpen(b)]
	}
	if b == p.here {
		out += ", contains the selected row"
	}
	return out + ", " + p.costSaid(b)
}

// notesIn returns lines of w cells that explain why there are no modules, or that the tree leaves
// out its deepest levels.
func (p *modulesPane) notesIn(w int) []string {
	switch {
	case w < 4 || p.tree == nil:
		return nil
	case p.tree.IsFlat():
		return cells.WrapWords("The modules of these nodes are not known: there is no metadata, and there are no names such as /encoder/layer.0/MatMul.", w-2)
	case p.tree.Cut > 0:
		return cells.WrapWords(text.Plural(p.tree.Cut, "node")+" in deeper modules are counted in the modules above them.", w-2)
	default:
		return nil
	}
}
