package modules

import (
	"slices"

	"lathe/graphops/scope"
)

// branches are the visible lines of a tree of modules. Opening and closing a module takes time
// proportional to the number of visible lines, and not to the size of the tree.
type branches struct {
	tree   *scope.Tree
	open   []bool // for each scope, whether its children are shown
	spread []bool // for each fold, whether its members have their own lines
	Lines  []branch
	// changes is how often the lines were computed.
	changes int
}

// Branch is a line of the tree. It shows one scope, or a fold: several similar scopes such as
// layers.0 to layers.11 in one line.
type branch struct {
	scope scope.ID // for a fold, the first member
	fold  int      // position in the tree's folds, -1 for a scope
	depth int      // the indentation of the line, which is deeper than the scope if the line is in an open fold
}

// RootBranch is the branch of the whole model.
var RootBranch = branch{scope: scope.Root, fold: -1}

// firstLook is the largest number of lines that are opened without being asked for.
const firstLook = 16

// NewBranches returns a tree in which some modules are open: the root, modules that are their
// parent's only child, and the largest modules as long as there are at most firstLook lines.
func NewBranches(t *scope.Tree) *branches {
	b := &branches{tree: t}
	b.FoldAll()
	for line := b.largest(); line >= 0 && len(b.Lines)+len(b.below(b.Lines[line])) <= firstLook; line = b.largest() {
		b.Unfold(line)
	}
	return b
}

// largest returns the closed line of a module with the most nodes. It ignores folds and returns -1
// if there is no such line.
func (t *branches) largest() int {
	best, nodes := -1, 0
	for i, b := range t.Lines {
		if n := t.tree.Scopes[b.scope].Nodes; b.fold < 0 && t.Holds(b) && !t.IsOpen(b) && n > nodes {
			best, nodes = i, n
		}
	}
	return best
}

// FoldAll closes everything except the root and the only children of open lines.
func (t *branches) FoldAll() {
	t.open, t.spread = make([]bool, len(t.tree.Scopes)), make([]bool, len(t.tree.Folds))
	t.expand(RootBranch)
	t.LayOut()
}

// LayOut computes all lines again.
func (t *branches) LayOut() {
	t.changes++
	t.Lines = t.appendShown([]branch{RootBranch}, RootBranch)
}

// below returns the lines directly below an open line.
func (t *branches) below(b branch) []branch {
	var out []branch
	if b.fold >= 0 {
		for _, m := range t.tree.Folds[b.fold].Members {
			out = append(out, branch{m, -1, b.depth + 1})
		}
		return out
	}
	for _, r := range t.tree.Rows(b.scope) {
		fold := -1
		if r.Fold != nil {
			fold = t.tree.Scopes[r.Scope].Fold
		}
		out = append(out, branch{r.Scope, fold, b.depth + 1})
	}
	return out
}

// appendShown appends all visible lines below b. The recursion is at most twice as deep as the tree
// of scopes, because each scope may be inside a fold.
func (t *branches) appendShown(lines []branch, b branch) []branch {
	if !t.IsOpen(b) {
		return lines
	}
	for _, c := range t.below(b) {
		lines = t.appendShown(append(lines, c), c)
	}
	return lines
}

// IsOpen reports whether the children of a branch are shown.
func (t *branches) IsOpen(b branch) bool {
	if b.fold >= 0 {
		return t.spread[b.fold]
	}
	return t.open[b.scope]
}

// Holds reports whether a line can be opened.
func (t *branches) Holds(b branch) bool {
	return b.fold >= 0 || t.tree.Scopes[b.scope].End > b.scope+1
}

func (t *branches) set(b branch, open bool) {
	if b.fold >= 0 {
		t.spread[b.fold] = open
	} else {
		t.open[b.scope] = open
	}
}

// expand opens a line. If there is only one module below it, it opens that one too, and so on.
func (t *branches) expand(b branch) {
	for {
		t.set(b, true)
		below := t.below(b)
		if len(below) != 1 || below[0].fold >= 0 || !t.Holds(below[0]) {
			return
		}
		b = below[0]
	}
}

// Unfold opens a line.
func (t *branches) Unfold(line int) {
	t.expand(t.Lines[line])
	t.relay(line)
}

// Fold closes a line.
func (t *branches) Fold(line int) {
	t.set(t.Lines[line], false)
	t.relay(line)
}

// UnfoldAll opens a line and everything below it, folds included.
func (t *branches) UnfoldAll(line int) {
	b := t.Lines[line]
	first, end := b.scope, t.tree.Scopes[b.scope].End
	if b.fold >= 0 {
		for _, m := range t.tree.Folds[b.fold].Members {
			t.openBelow(m, t.tree.Scopes[m].End)
		}
		t.spread[b.fold] = true
	} else {
		t.openBelow(first, end)
	}
	t.relay(line)
}

// openBelow opens the scopes from first up to but not including end, and the folds that contain
// them.
func (t *branches) openBelow(first, end scope.ID) {
	for s := first; s < end; s++ {
		t.open[s] = true
		if f := t.tree.Scopes[s].Fold; f >= 0 && s > first {
			t.spread[f] = true
		}
	}
}

// relay computes the lines below a line again.
func (t *branches) relay(line int) {
	t.changes++
	t.Lines = slices.Replace(t.Lines, line+1, t.end(line), t.appendShown(nil, t.Lines[line])...)
}

// end returns the index of the line after a line and everything below it.
func (t *branches) end(line int) int {
	end := line + 1
	for end < len(t.Lines) && t.Lines[end].depth > t.Lines[line].depth {
		end++
	}
	return end
}

// parent returns the line that a line is directly below; for the root, the root itself.
func (t *branches) parent(line int) int {
	for at := line - 1; at >= 0; at-- {
		if t.Lines[at].depth < t.Lines[line].depth {
			return at
		}
	}
	return line
}

// ShownFor returns the line in which a scope can be seen: its own line, or the closed fold or
// module that hides it.
func (t *branches) ShownFor(s scope.ID) branch {
	var way [scope.MaxDepth]scope.ID
	n := 0
	for ; s != scope.Root && n < len(way); s = t.tree.Scopes[s].Parent {
		way[n] = s
		n++
	}
	at := RootBranch
	for _, next := range slices.Backward(way[:n]) {
		if !t.open[at.scope] {
			return at
		}
		depth := at.depth + 1
		if f := t.tree.Scopes[next].Fold; f >= 0 {
			if !t.spread[f] {
				return branch{t.tree.Folds[f].Members[0], f, depth}
			}
			depth++
		}
		at = branch{next, -1, depth}
	}
	return at
}

// memberAround returns the member of a fold that contains a scope. It returns false if none does.
func (t *branches) memberAround(fold int, s scope.ID) (scope.ID, bool) {
	for ; s != scope.Root; s = t.tree.Scopes[s].Parent {
		if t.tree.Scopes[s].Fold == fold {
			return s, true
		}
	}
	return 0, false
}

// LineOf returns the index of a line, or 0 if it is not shown.
func (t *branches) LineOf(b branch) int { return max(slices.Index(t.Lines, b), 0) }
