package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/theme"
)

// problemSpot is the row that a contradiction is found at: the main graph's first
// one where no single node does.
func problemSpot(p shape.Problem) spot {
	return spot{p.Place, inputRows(p.Place) + max(p.Node, 0)}
}

// problemCount is how many contradictions there are, in words; "" for none.
func (ws *workspace) problemCount() string {
	n := len(ws.types.problems())
	if n == 0 {
		return ""
	}
	return text.Plural(n, "contradiction")
}

// openProblems lists what contradicts itself.
func (a *App) openProblems() tea.Cmd {
	ws := a.ws
	outlines := map[*graphops.Place]*outline{}
	var list []finding
	for _, p := range ws.types.problems() {
		s := problemSpot(p)
		if outlines[s.place] == nil {
			outlines[s.place] = newOutline(ws.model(), s.place)
		}
		list = append(list, finding{spot: s, where: outlines[s.place].called(s.row), text: cells.Prose(p.Text), looks: theme.Warning})
	}
	return a.openFindings("contradictions", list)
}

func (ws *workspace) problemsRefusal() string {
	if ws.types.inferred.Load() == nil {
		return "shapes are still being inferred"
	}
	return unless(ws.problemCount() != "", "no shapes or types contradict each other")
}

// problems tells which contradictions are found at a row.
func (d *description) problems(row int) {
	k, i := d.ws.outline.at(row)
	headed := false
	for _, p := range d.ws.types.problems() {
		if k != kindNode || p.Place != d.ws.outline.place || p.Node != i {
			continue
		}
		if !headed {
			d.head("what does not go together here")
			headed = true
		}
		d.add(theme.Warning, cells.Prose(p.Text))
	}
}
