package overview

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/cells"
	"lathe/tui/theme"
	"lathe/tui/workspace"
)

// The widths of the columns of the slowest nodes.
const (
	slowTime  = 9
	slowShare = 8
)

// leastSlow is the room that names keep beside the line of the source.
const leastSlow = 18

// slowest adds the slowest nodes, each with its module and the line of its source.
func (p *Pane) slowest(b *builder) {
	parts := p.partsNow()
	if parts == nil || len(parts.Slowest) == 0 {
		return
	}
	most := 3
	if p.h < lowPane {
		most = 2
	}
	list := parts.Slowest[:min(len(parts.Slowest), most)]
	name, whole, from := len("slowest nodes"), 0, 0
	for _, s := range list {
		name, from = max(name, cells.Width(s.Name)), max(from, cells.Width(s.From))
		whole = max(whole, cells.Width(s.Op+" "+s.Name))
	}
	free := b.w - 2 - 2 - slowTime - slowShare
	beside := from > 0 && free >= min(name, leastSlow)+2+from
	if beside {
		free -= 2 + from
	}
	hasOps := whole <= free
	if hasOps {
		name = max(name, whole)
	}
	name = max(min(name, free), 1)
	head := cells.Fit("slowest nodes", 2+name) + cells.FitRight("time", slowTime) + cells.FitRight("share", slowShare)
	b.head(cells.Cut(head, b.w-2))
	for _, s := range list {
		l := line{slow: true, said: s.Op + " " + s.Name + ", time " + s.Time + ", share " + s.Share}
		called := s.Name
		if hasOps {
			called = s.Op + " " + s.Name
		}
		l.text = "  " + cells.Fit(cells.CutMiddle(called, name), name) + cells.FitRight(s.Time, slowTime) + cells.FitRight(s.Share, slowShare)
		if s.From != "" {
			l.said += ", from " + s.From
		}
		l.do = func() tea.Cmd {
			p.ws.Host.Look(workspace.PlaceNodes)
			return p.ws.Jump(s.Spot)
		}
		if beside && s.From != "" {
			l.text += "  " + s.From
		}
		b.lines = append(b.lines, l)
		if !beside && s.From != "" {
			b.lines = append(b.lines, line{text: "    " + cells.CutMiddle(s.From, b.w-6), looks: theme.Faint})
		}
	}
}
