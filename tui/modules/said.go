package modules

import (
	"lathe/session/text"
	"lathe/tui/cells"
)

// Said says where the cursor is.
func (p *Pane) Said() string {
	out := p.lineSaid()
	for _, n := range p.notesIn(100) {
		out = n + "\n" + out
	}
	return out
}

func (p *Pane) lineSaid() string {
	if d := p.Door(); d != nil {
		return d.Said()
	}
	b := p.Branch()
	if b == nil {
		return ""
	}
	return "module " + p.branchSaid(*b) + ", " + text.Plural(p.NodesOf(*b), "node")
}

func (p *Pane) branchSaid(b branch) string {
	out := cells.Label(PathOf(p.Tree, b))
	if b.fold >= 0 {
		out += ", " + text.Count(int64(len(p.Tree.Folds[b.fold].Members))) + " alike"
	}
	if c := p.Tree.Scopes[b.scope].Class; c != "" {
		out += ", " + cells.Label(shortClass(c))
	}
	if p.Shown.Holds(b) {
		out += map[bool]string{true: ", open", false: ", folded"}[p.Shown.IsOpen(b)]
	}
	if b == p.Here {
		out += ", contains the selected row"
	}
	return out + ", " + p.costSaid(b)
}

// notesIn returns lines of w cells that explain why there are no modules, or that the tree leaves
// out its deepest levels.
func (p *Pane) notesIn(w int) []string {
	switch {
	case w < 4 || p.Tree == nil:
		return nil
	case p.Tree.IsFlat():
		return cells.WrapWords("The modules of these nodes are not known: there is no metadata, and there are no names such as /encoder/layer.0/MatMul.", w-2)
	case p.Tree.Cut > 0:
		return cells.WrapWords(text.Plural(p.Tree.Cut, "node")+" in deeper modules are counted in the modules above them.", w-2)
	default:
		return nil
	}
}
