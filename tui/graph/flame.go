package graph

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"lathe/bench/profile"
	"lathe/session/text"
)

// Flame is a flame graph: each module has a frame whose width is proportional to its time, with the
// modules inside it below. Equal modules share a frame. It is immutable.
type Flame struct {
	Modules  []profile.Module
	Children [][]int // of each module, the longest first
	// members are the modules of the profile whose time each module has: one, or several equal ones.
	members [][]profile.Module
}

// NewFlame makes a chart of the times of modules. It returns nil if there is no module but the whole
// model.
func NewFlame(modules []profile.Module) *Flame {
	if len(modules) < 2 {
		return nil
	}
	for i, m := range modules {
		if us := float64(m.US); !(us >= 0) || math.IsInf(us, 1) {
			return nil
		}
		// Every module must come after its parent. A profile in another order is not valid.
		if i > 0 && (m.Parent < 0 || m.Parent >= i) || i == 0 && m.Parent >= 0 {
			return nil
		}
	}
	folded, members := foldModules(modules)
	f := &Flame{Modules: folded, Children: make([][]int, len(folded)), members: make([][]profile.Module, len(folded))}
	for i, m := range folded {
		if i > 0 {
			f.Children[m.Parent] = append(f.Children[m.Parent], i)
		}
		for _, given := range members[i] {
			f.members[i] = append(f.members[i], modules[given])
		}
	}
	modules = folded
	for _, list := range f.Children {
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(modules[b].US, modules[a].US) })
	}
	return f
}

// Frame is a rectangle of the flame graph: one module, or several that are too narrow to be drawn.
type Frame struct {
	Module   int // the first one if there are several
	Several  int // number of modules if there are several, otherwise 0
	Us       float64
	From, To int // in cells
}

// Rows returns the frames of a module and of the modules inside it, level by level, on w cells.
// Modules narrower than a cell are combined after the others of their parent.
func (f *Flame) Rows(root, w, levels int) [][]Frame {
	rows := [][]Frame{{{Module: root, Us: float64(f.Modules[root].US), To: w}}}
	for len(rows) < levels {
		var next []Frame
		for _, above := range rows[len(rows)-1] {
			if above.Several == 0 {
				next = append(next, f.inside(above)...)
			}
		}
		if len(next) == 0 {
			break
		}
		rows = append(rows, next)
	}
	return rows
}

// inside returns the frames below a frame, aligned with its left end. The width that they leave
// free is the time of the module's own nodes.
func (f *Flame) inside(above Frame) []Frame {
	var out []Frame
	total := float64(f.Modules[above.Module].US)
	if total <= 0 {
		return nil
	}
	scale := float64(above.To-above.From) / total
	at, sum := above.From, 0.0
	list := f.Children[above.Module]
	for i, c := range list {
		us := float64(f.Modules[c].US)
		to := cellAt(above.From, (sum+us)*scale, above.To)
		if us*scale < 1 || to == at {
			return append(out, f.gathered(list[i:], at, above.To, scale)...)
		}
		out = append(out, Frame{Module: c, Us: us, From: at, To: to})
		sum, at = sum+us, to
	}
	return out
}

// gathered returns one frame for all modules in list, because each of them is too narrow to be
// drawn. It returns none if they are too narrow even together.
func (f *Flame) gathered(list []int, from, most int, scale float64) []Frame {
	sum := 0.0
	for _, c := range list {
		sum += float64(f.Modules[c].US)
	}
	to := cellAt(from, max(sum*scale, 1), most)
	if to <= from {
		return nil
	}
	return []Frame{{Module: list[0], Several: len(list), Us: sum, From: from, To: to}}
}

// cellAt returns the cell that lies a number of cells to the right of from, but at most most. The
// limit matters because a file may claim that inner modules take longer than the module around
// them.
func cellAt(from int, cells float64, most int) int {
	return from + int(min(cells+0.5, float64(most-from)))
}

// Name returns the text in a frame: the last part of the module's path, or how many modules the
// frame combines.
func (f *Flame) Name(fr Frame) string {
	if fr.Several > 0 {
		return fmt.Sprintf("… %d more", fr.Several)
	}
	m := f.Modules[fr.Module]
	if m.Parent < 0 {
		return "all"
	}
	name := lastOf(m.Path, f.Modules[m.Parent].Path)
	if n := f.Times(fr.Module); n > 1 {
		name += fmt.Sprintf(" ×%d", n)
	}
	return name
}

// Times returns how many equal modules share a frame, within one module around them.
func (f *Flame) Times(module int) int {
	m := f.Modules[module]
	if m.Parent < 0 {
		return 1
	}
	return max(len(f.members[module])/max(len(f.members[m.Parent]), 1), 1)
}

// First returns the path in the model of a module, or of the first of several equal ones.
func (f *Flame) First(module int) string { return f.members[module][0].Path }

// Share returns the share of the total time of a frame, in percent.
func (f *Flame) Share(fr Frame) string {
	share := 100 * fr.Us / max(float64(f.Modules[0].US), 1e-12)
	if share >= 9.95 {
		return fmt.Sprintf("%.0f %%", share)
	}
	return fmt.Sprintf("%.1f %%", share)
}

// lastOf returns the part of a module's path that follows the path of its parent.
func lastOf(path, around string) string {
	if len(path) > len(around) && path[:len(around)] == around {
		path = path[len(around):]
	}
	for len(path) > 1 && (path[0] == '/' || path[0] == '.') {
		path = path[1:]
	}
	return path
}

// gatheredNamed is how many of the combined modules are named.
const gatheredNamed = 4

// longest names the slowest of the combined modules.
func (f *Flame) longest(fr Frame) string {
	siblings := f.Children[f.Modules[fr.Module].Parent]
	siblings = siblings[len(siblings)-fr.Several:]
	var words []string
	for _, c := range siblings[:min(gatheredNamed, len(siblings))] {
		words = append(words, fmt.Sprintf("%s %s", f.Modules[c].Path, Microseconds(float64(f.Modules[c].US))))
	}
	if more := len(siblings) - gatheredNamed; more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, ", ")
}

// each says between which times equal modules take.
func (f *Flame) each(module int) string {
	least, most := f.members[module][0], f.members[module][0]
	for _, m := range f.members[module] {
		if m.US < least.US {
			least = m
		}
		if m.US > most.US {
			most = m
		}
	}
	return fmt.Sprintf("%s to %s (%s)", Microseconds(float64(least.US)), Microseconds(float64(most.US)), most.Path)
}

// Words describe a frame in full: path, time, share of the total, the module's own time, and the
// number of nodes.
func (f *Flame) Words(fr Frame) string {
	all := float64(f.Modules[0].US)
	share := fmt.Sprintf("%s, %.1f %%", Microseconds(fr.Us), 100*fr.Us/max(all, 1e-12))
	m := f.Modules[fr.Module]
	if fr.Several > 0 {
		return fmt.Sprintf("%s too narrow to be drawn: %s; %s", text.Plural(fr.Several, "module"), share, f.longest(fr))
	}
	name := m.Path
	if m.Parent < 0 {
		name = "the whole model"
	}
	if n := len(f.members[fr.Module]); n > 1 {
		name += fmt.Sprintf(", %d modules of %s each", n, f.each(fr.Module))
	}
	own := fmt.Sprintf("%s by itself", Microseconds(float64(m.OwnUS)))
	if len(f.Children[fr.Module]) == 0 {
		own = "nothing inside it"
	}
	return fmt.Sprintf("%s: %s, %s, %s", name, share, own, text.Plural(m.Nodes, "node"))
}
