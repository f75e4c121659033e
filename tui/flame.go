package tui

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"lathe/bench/profile"
	"lathe/session/text"
)

// flame is a flame graph: each module has a frame whose width is proportional to its time, with the
// modules inside it below. It is immutable.
type flame struct {
	modules  []profile.Module
	children [][]int // of each module, the longest first
}

func newFlame(modules []profile.Module) *flame {
	if len(modules) == 0 {
		return nil
	}
	f := &flame{modules: modules, children: make([][]int, len(modules))}
	for i, m := range modules {
		if us := float64(m.US); !(us >= 0) || math.IsInf(us, 1) {
			return nil
		}
		// Every module must come after its parent. A profile in another order is not valid.
		if m.Parent >= 0 && m.Parent < i {
			f.children[m.Parent] = append(f.children[m.Parent], i)
		} else if i > 0 {
			return nil
		}
	}
	for _, list := range f.children {
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(modules[b].US, modules[a].US) })
	}
	return f
}

// frame is a rectangle of the flame graph: one module, or several that are too narrow to be drawn.
type frame struct {
	module   int // the first one if there are several
	several  int // number of modules if there are several, otherwise 0
	us       float64
	from, to int // in cells
}

// rows returns the frames of a module and of the modules inside it, level by level, on w cells.
// Modules narrower than a cell are combined after the others of their parent.
func (f *flame) rows(root, w, levels int) [][]frame {
	rows := [][]frame{{{module: root, us: float64(f.modules[root].US), to: w}}}
	for len(rows) < levels {
		var next []frame
		for _, above := range rows[len(rows)-1] {
			if above.several == 0 {
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
func (f *flame) inside(above frame) []frame {
	var out []frame
	total := float64(f.modules[above.module].US)
	if total <= 0 {
		return nil
	}
	scale := float64(above.to-above.from) / total
	at, sum := above.from, 0.0
	list := f.children[above.module]
	for i, c := range list {
		us := float64(f.modules[c].US)
		to := cellAt(above.from, (sum+us)*scale, above.to)
		if us*scale < 1 || to == at {
			return append(out, f.gathered(list[i:], at, above.to, scale)...)
		}
		out = append(out, frame{module: c, us: us, from: at, to: to})
		sum, at = sum+us, to
	}
	return out
}

// gathered returns one frame for all modules in list, because each of them is too narrow to be
// drawn. It returns none if they are too narrow even together.
func (f *flame) gathered(list []int, from, most int, scale float64) []frame {
	sum := 0.0
	for _, c := range list {
		sum += float64(f.modules[c].US)
	}
	to := cellAt(from, max(sum*scale, 1), most)
	if to <= from {
		return nil
	}
	return []frame{{module: list[0], several: len(list), us: sum, from: from, to: to}}
}

// cellAt returns the cell that lies a number of cells to the right of from, but at most most. The
// limit matters because a file may claim that inner modules take longer than the module around
// them.
func cellAt(from int, cells float64, most int) int {
	return from + int(min(cells+0.5, float64(most-from)))
}

// name returns the text in a frame: the last part of the module's path, or how many modules the
// frame combines.
func (f *flame) name(fr frame) string {
	if fr.several > 0 {
		return fmt.Sprintf("… %d more", fr.several)
	}
	m := f.modules[fr.module]
	if m.Parent < 0 {
		return "all"
	}
	return lastOf(m.Path, f.modules[m.Parent].Path)
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
func (f *flame) longest(fr frame) string {
	siblings := f.children[f.modules[fr.module].Parent]
	siblings = siblings[len(siblings)-fr.several:]
	var words []string
	for _, c := range siblings[:min(gatheredNamed, len(siblings))] {
		words = append(words, fmt.Sprintf("%s %s", f.modules[c].Path, microseconds(float64(f.modules[c].US))))
	}
	if more := len(siblings) - gatheredNamed; more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, ", ")
}

// words describe a frame in full: path, time, share of the total, the module's own time, and the
// number of nodes.
func (f *flame) words(fr frame) string {
	all := float64(f.modules[0].US)
	share := fmt.Sprintf("%s, %.1f %%", microseconds(fr.us), 100*fr.us/max(all, 1e-12))
	m := f.modules[fr.module]
	if fr.several > 0 {
		return fmt.Sprintf("%s too narrow to be drawn: %s; %s", text.Plural(fr.several, "module"), share, f.longest(fr))
	}
	name := m.Path
	if m.Parent < 0 {
		name = "the whole model"
	}
	own := fmt.Sprintf("%s by itself", microseconds(float64(m.OwnUS)))
	if len(f.children[fr.module]) == 0 {
		own = "nothing inside it"
	}
	return fmt.Sprintf("%s: %s, %s, %s", name, share, own, text.Plural(m.Nodes, "node"))
}
