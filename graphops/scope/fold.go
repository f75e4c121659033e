package scope

import (
	"cmp"
	"slices"
	"strconv"

	"lathe/graphops"
)

// Fold is a group of sibling scopes that differ only in a number in their names, such as the layers
// of an encoder. A display can show them as one line. Each member is still a scope of its own.
type Fold struct {
	Members []ID // two or more, with consecutive numbers, in order
	// Label is the name for all members, such as layers.0…31. Pattern is a pattern such as
	// layers.*, which also matches siblings with such a name that are not in the fold.
	Label, Pattern string
	Nodes          int // of all members
	// Parameters and Bytes are the number of elements and the size in bytes of the initializers
	// that the members read. Each initializer counts once.
	Parameters, Bytes int64
}

// ellipsis is the text between the first and the last number in the label of a fold.
const ellipsis = "…"

// Row is one line in a list of the children of a scope: a single scope, or a fold.
type Row struct {
	Scope ID    // the first
	Fold  *Fold // nil for a single scope
}

// Rows returns the children of a scope. A fold is one row, at the position of its first member.
func (t *Tree) Rows(s ID) []Row {
	var out []Row
	seen := map[int]bool{}
	for c := s + 1; c < t.Scopes[s].End; c = t.Scopes[c].End {
		f := t.Scopes[c].Fold
		switch {
		case f < 0:
			out = append(out, Row{c, nil})
		case !seen[f]:
			seen[f] = true
			out = append(out, Row{t.Folds[f].Members[0], &t.Folds[f]})
		}
	}
	return out
}

// folds finds the folds among the children of each scope.
func (t *Tree) folds(g *graphops.Graph) []Fold {
	f := folder{tree: t, shapes: t.shapes(g), position: make([]int32, len(t.Scopes)), number: map[likeness]int{}}
	for s := range t.Scopes {
		f.children(ID(s))
	}
	return f.out
}

// folder finds folds. It reuses its memory for the children of each scope.
type folder struct {
	tree     *Tree
	shapes   []uint64
	position []int32 // of a scope among its siblings
	out      []Fold
	number   map[likeness]int // index of the group in groups
	groups   []group
}

// likeness is what the members of a fold have in common: the text around the number in their names,
// and the structure of the scopes.
type likeness struct {
	prefix, suffix string
	shape          uint64
}

// group is a set of siblings that differ only in a number in their names.
type group struct {
	like    likeness
	members []numbered
}

// numbered is a scope and the number in its name by which it is grouped.
type numbered struct {
	scope  ID
	number uint64
	text   string
}

// children finds the folds among the children of a scope. A name may contain several numbers. Each
// of them is tried, starting with the last.
func (f *folder) children(s ID) {
	children := f.tree.Children(s)
	if len(children) < 2 {
		return
	}
	for i, c := range children {
		f.position[c] = int32(i)
	}
	for nth := range maxNumbers {
		f.group(children, nth)
		if len(f.groups) == 0 {
			return
		}
		for _, g := range f.groups {
			f.runs(g)
		}
	}
}

// fewGroups is the maximum size up to which the map of groups is reused. Clearing a map that was
// once large takes as long as when it was full, even if it now has two entries.
const fewGroups = 256

// group puts those children that are in no fold yet into groups, by the nth number in their names.
func (f *folder) group(children []ID, nth int) {
	if len(f.number) > fewGroups {
		f.number = map[likeness]int{}
	}
	clear(f.number)
	f.groups = f.groups[:0]
	for _, c := range children {
		if f.tree.Scopes[c].Fold >= 0 {
			continue
		}
		before, digits, after, ok := number(f.tree.Scopes[c].Name, nth)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(digits, 10, 63)
		if err != nil {
			continue // the number is too large for an integer
		}
		like := likeness{before, after, f.shapes[c]}
		at, known := f.number[like]
		if !known {
			at = len(f.groups)
			f.number[like] = at
			f.newGroup(like)
		}
		f.groups[at].members = append(f.groups[at].members, numbered{c, n, digits})
	}
}

// newGroup appends an empty group. It reuses the memory of an earlier group if possible.
func (f *folder) newGroup(like likeness) {
	n := len(f.groups)
	if n == cap(f.groups) {
		f.groups = append(f.groups, group{})
	} else {
		f.groups = f.groups[:n+1]
	}
	f.groups[n] = group{like, f.groups[n].members[:0]}
}

// maxNumbers is the maximum number of numbers in a name that are tried.
const maxNumbers = 4

// runs creates a fold for each sequence of consecutive numbers in a group, if that is worthwhile.
func (f *folder) runs(g group) {
	slices.SortStableFunc(g.members, func(a, b numbered) int { return cmp.Compare(a.number, b.number) })
	for rest := g.members; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].number == rest[n-1].number+1 {
			n++
		}
		if f.worthFolding(rest[:n]) {
			f.fold(g.like, rest[:n])
		}
		rest = rest[n:]
	}
}

// worthFolding reports whether one line can replace the lines of these scopes. If many other
// siblings are between them, as in conv2d_1, activation_1, conv2d_2, …, a fold would hide the
// order. A few others, such as a module that all layers share, do not matter. Two scopes without
// children, such as linear1 and linear2, are not folded.
func (f *folder) worthFolding(run []numbered) bool {
	if len(run) < 2 || len(run) == 2 && f.tree.Scopes[run[0].scope].End == run[0].scope+1 {
		return false
	}
	first, last := f.position[run[0].scope], f.position[run[0].scope]
	for _, m := range run {
		first, last = min(first, f.position[m.scope]), max(last, f.position[m.scope])
	}
	between := int(last-first) + 1 - len(run)
	return between <= (len(run)-1)/4
}

func (f *folder) fold(like likeness, run []numbered) {
	fold := Fold{
		Label:   like.prefix + run[0].text + ellipsis + run[len(run)-1].text + like.suffix,
		Pattern: like.prefix + "*" + like.suffix,
	}
	for _, m := range run {
		s := &f.tree.Scopes[m.scope]
		s.Fold = len(f.out)
		fold.Members = append(fold.Members, m.scope)
		fold.Nodes += s.Nodes
	}
	f.out = append(f.out, fold)
}

// number splits a name into one of its numbers, and the text before and after it. nth counts the
// numbers from the end, starting with 0.
func number(name string, nth int) (before, digits, after string, ok bool) {
	for end := len(name); end > 0; {
		if !isDigit(name[end-1]) {
			end--
			continue
		}
		start := end
		for start > 0 && isDigit(name[start-1]) {
			start--
		}
		if nth == 0 {
			return name[:start], name[start:end], name[end:], true
		}
		nth--
		end = start
	}
	return "", "", "", false
}
