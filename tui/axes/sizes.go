package axes

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lathe/session/sizing"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/workspace"
)

// Fit returns the possible sizes of the symbol at the cursor. It is nil if there is no symbol or if
// they are not known.
func (p *Pane) Fit() *graph.SymbolFit {
	f := p.ws.Types.Fitting
	if f == nil {
		return nil
	}
	return f.Of[p.fitSymbol()]
}

// fitSymbol returns the symbol whose sizes are shown: the one at the cursor. For an axis of an
// input without a symbol, it is the generated name of the axis. It is "" if the cursor is on
// neither.
func (p *Pane) fitSymbol() string {
	l := p.at()
	d, isAxis := p.dim()
	switch {
	case l.isSymbol():
		return l.Name
	case !isAxis || d.IsFixed():
		return ""
	case l.What == "input":
		return sizing.Name(l.Name, p.Axis, d)
	}
	return p.symbol()
}

// demandsRefusal explains why there are no demands to list.
func (p *Pane) demandsRefusal() string {
	fit := p.Fit()
	switch {
	case p.fitSymbol() == "":
		return "the size at the cursor is not a symbol"
	case p.ws.Types.Fitting == nil:
		return "the search for sizes that fit is still running"
	case fit == nil:
		return "the inputs have no such symbol"
	}
	return actions.Unless(len(fit.Demands) > 0, "no node demands anything of this size, so all sizes fit")
}

// openDemands lists the demands on the symbol at the cursor.
func (p *Pane) openDemands() tea.Cmd {
	return workspace.OpenFindings(p.ws, "demands on "+cells.Label(p.fitSymbol()), p.Fit().Demands)
}

// tellFit returns lines about the symbol at the cursor: which sizes are possible, and which are
// used by default.
func (p *Pane) tellFit() []string {
	fit := p.Fit()
	switch {
	case fit != nil:
		return []string{fit.Fits, fit.Chosen}
	case p.fitSymbol() != "" && p.ws.Types.Fitting == nil:
		return []string{"finding what fits " + cells.Ellipsis}
	}
	return nil
}

// footWanted returns the height of the text below the list. It is enough for the symbol with the
// most demands, so that the list does not change its height while the cursor moves.
func (p *Pane) footWanted() int {
	f := p.ws.Types.Fitting
	if f == nil || len(f.Of) == 0 {
		return axesFoot
	}
	return axesFoot + 2 + f.Most
}

// viewDemands draws the demands on the symbol at the cursor, in at most h lines. If there are more,
// the last line says how many.
func (p *Pane) viewDemands(h int) []string {
	fit := p.Fit()
	if fit == nil || h <= 0 {
		return nil
	}
	n := len(fit.Demands)
	if n > h {
		n = h - 1
	}
	var lines []string
	for i := range fit.Demands[:n] {
		lines = append(lines, p.demandText(&fit.Demands[i]))
	}
	if more := len(fit.Demands) - n; more > 0 {
		said := fmt.Sprintf(" and %d more; %s lists them", more, p.ws.Keys.Key(workspace.PlaceAxes, ActionDemands))
		lines = append(lines, p.ws.Styles.Faint.On(cells.Cut(said, p.w)))
	}
	return lines
}

// demandText draws a demand with the end of its node's name.
func (p *Pane) demandText(f *graph.Finding) string {
	st, w := p.ws.Styles, p.w-2
	node := cells.CutFront(f.Where, max(w*2/5, w-2-cells.Width(f.Text)))
	room := w - 2 - cells.Width(node)
	return " " + st.Of(f.Looks).On(cells.Fit(f.Text, room)) + "  " + st.Faint.On(node) + " "
}
