package tensors

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"lathe/graphops/tensor"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/shell"
	"lathe/tui/theme"
	"lathe/tui/values"
	"lathe/tui/workspace"
)

// hasCursor reports whether a view has a cursor. Such a view is drawn at every frame, the others
// only when something has changed.
func (v TensorView) hasCursor() bool { return v == ViewElements || v == viewEqual }

// maxListed is the maximum number of constants listed above the view, one line each; the list
// scrolls with the chosen one.
const maxListed = 6

// listed returns how many lines the list of the row's tensors takes. It is 0 for a single tensor,
// which needs no list.
func (p *Pane) listed() int {
	if len(p.Constants) < 2 {
		return 0
	}
	return max(min(len(p.Constants), maxListed, p.h/4), 1)
}

// HeadHeight returns the number of lines above the view: the list or the name, the facts, the tabs.
func (p *Pane) HeadHeight() int { return max(p.listed(), 1) + len(p.facts()) + 1 }

// facts describes the chosen constant, on at most two lines.
func (p *Pane) facts() []string {
	c := p.Current()
	if c == nil {
		return []string{""}
	}
	w := max(p.w-2, 1)
	lines := cells.WrapWords(cells.Cut(c.Facts, 3*w), w) // more is not shown
	if len(lines) > 2 {
		lines = append(lines[:1], cells.Cut(strings.Join(lines[1:], " "), w))
	}
	return lines
}

func (p *Pane) bodyHeight() int { return max(p.h-p.HeadHeight(), 0) }

// View implements shell.Pane.
func (p *Pane) View(focused bool) []string {
	st := p.ws.Styles
	if len(p.Constants) == 0 && p.Shown != viewEqual {
		return cells.Block([]string{" " + st.Faint.On(cells.Cut(p.emptiness(), p.w-2))}, p.w, p.h)
	}
	lines := append(p.head(focused), p.tabs())
	for _, line := range p.bodyLines() {
		lines = append(lines, " "+line)
	}
	return cells.Block(lines, p.w, p.h)
}

// head draws the list of constants, or the only one's name, and the facts about the chosen one.
func (p *Pane) head(focused bool) []string {
	st, c := p.ws.Styles, p.Current()
	if c == nil {
		return []string{" " + st.Faint.On(cells.Cut(p.emptiness(), p.w-2)), ""}
	}
	lead := shell.CursorSign(focused)
	if focused {
		lead = st.Key.On(lead)
	}
	var out []string
	if p.listed() == 0 {
		if !focused {
			lead = " "
		}
		out = append(out, lead+st.Op.On(cells.Cut(c.Title(false), p.w-2)))
	} else {
		from, to := p.Chosen.Visible()
		for i := from; i < to; i++ {
			out = append(out, p.listLine(i, lead))
		}
	}
	for _, line := range p.facts() {
		out = append(out, " "+st.Faint.On(line))
	}
	return out
}

// leastShort is the least room for the type and shape beside a name.
const leastShort = 14

func (p *Pane) listLine(i int, lead string) string {
	st, c := p.ws.Styles, p.Constants[i]
	room := p.w - 4
	short := c.Short
	name := c.Role
	if c.Name != "" {
		name += "  "
	}
	before := cells.Width(name)
	if most := max(room-before-min(cells.Width(c.Name), cells.LeastName), leastShort); cells.Width(short) > most {
		short, _, _ = strings.Cut(short, "  ") // the shape without the size
		short = cells.Cut(short, most)
	}
	room = max(room-cells.Width(short), 0)
	cut := cells.CutMiddle
	if c.Run != nil { // the end of a part's name says which part it is
		cut = cells.CutFront
	}
	name = cells.Fit(name+cut(c.Name, max(room-before, 0)), room)
	if i == p.Chosen.Cursor {
		return lead + st.Op.On(name) + "  " + st.Type.On(short)
	}
	return " " + st.Faint.On(name+"  "+short)
}

// bodyLines draws the view, or says why it is empty.
func (p *Pane) bodyLines() []string {
	w, st := p.w-2, p.ws.Styles
	if r := p.awaitedRun(); r != nil && p.Shown != viewEqual {
		return p.runLines(r, w)
	}
	if why := p.nothing(); why != "" {
		return painted(cells.WrapWords(why, w), st.Faint)
	}
	q, _ := p.inquiry()
	a := p.Passes.Answer(q)
	switch {
	case a != nil && a.Err != nil:
		return painted(p.trouble(a.Err, w), st.Warn)
	case p.Shown == ViewElements && !p.Passes.isLooked():
		return p.table(w, p.bodyHeight())
	case a == nil:
		return painted(p.status(w), st.Faint)
	case p.Shown == viewEqual:
		return p.equalLines(w, p.bodyHeight())
	}
	from, to := p.text.Visible()
	out := append([]string(nil), p.body[from:to]...)
	if more := p.text.More(); more != "" && len(out) > 0 {
		out[len(out)-1] = cells.Blanks(w-len(more)) + st.Faint.On(more)
	}
	return out
}

func painted(lines []string, s theme.Paint) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = s.On(l)
	}
	return out
}

// nothing explains why a view cannot show the tensor; "" if it can.
func (p *Pane) nothing() string {
	if p.Shown == viewEqual {
		return ""
	}
	c := p.Current()
	if none, ok := c.TensorSource.(values.Nowhere); ok {
		return none.Why
	}
	n, err := c.Elements()
	switch {
	case err != nil:
		return cells.Prose(err.Error())
	case n == 0:
		return "no elements"
	case c.DType() == tensor.String && p.Shown == viewHeat:
		return "strings have no heat map; " + p.ws.Keys.Key(workspace.PlaceTensor, ActionElements) + " shows them"
	}
	return ""
}

// Inquiry returns what the current view needs to know, and the work that finds it out. work is nil
// if there is nothing to show.
func (p *Pane) inquiry() (Inquiry, Work) {
	if p.Shown == viewEqual {
		return p.equalInquiry()
	}
	if p.Current() == nil || p.nothing() != "" {
		return Inquiry{}, nil
	}
	switch p.Shown {
	case viewHeat:
		return p.heatInquiry()
	case ViewElements:
		return p.elementsInquiry()
	default:
		return p.profileInquiry()
	}
}

// lines draws the answer to an inquiry in the current view.
func (p *Pane) lines(answer any, w, h int) []string {
	switch a := answer.(type) {
	case tensor.Profile:
		if p.Shown == ViewHistogram {
			return p.histogram(a, w, h)
		}
		return append(p.statistics(a, w), p.origin(w)...)
	case tensor.StringProfile:
		if p.Shown == ViewHistogram {
			return p.lengths(a, w, h)
		}
		return append(p.stringStatistics(a, w), p.origin(w)...)
	case tensor.Grid:
		return p.heatMap(a, w, h)
	}
	return nil
}

// saidBody describes the view in words.
func (p *Pane) saidBody() []string {
	words := []string{tensorTabs[p.Shown].title}
	if r := p.awaitedRun(); r != nil && p.Shown != viewEqual {
		return append(words, stripped(p.runLines(r, 100))...)
	}
	if why := p.nothing(); why != "" {
		return append(words, why)
	}
	q, _ := p.inquiry()
	a := p.Passes.Answer(q)
	switch {
	case a != nil && a.Err != nil:
		return append(words, p.trouble(a.Err, 100)...)
	case a == nil:
		return append(append(words, "reading"), p.status(0)...)
	case p.Shown == ViewElements:
		return append(words, p.saidElement())
	case p.Shown == viewEqual:
		return append(words, p.saidEqual())
	}
	return append(words, p.saidAnswer(a.Value)...)
}

// saidAnswer describes a chart in words.
func (p *Pane) saidAnswer(answer any) []string {
	if g, ok := answer.(tensor.Grid); ok {
		return []string{p.saidHeat(g)}
	}
	h, ok := histogramOf(answer)
	if !ok || p.Shown != ViewHistogram {
		return stripped(p.lines(answer, 100, 0))
	}
	var out []string
	bars := h.Bars(saidBars)
	for i, n := range bars.Counts {
		if n > 0 {
			out = append(out, fmt.Sprintf("%s from %s to %s", text.Count(n), Number(bars.Edge(i)), Number(bars.Edge(i+1))))
		}
	}
	return out
}

// stripped returns lines without their styles.
func stripped(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = ansi.Strip(l)
	}
	return out
}

// saidBars is the maximum number of bars of a histogram that are described in words.
const saidBars = 20
