package forms

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
	"lathe/session/text"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/shell"
	"lathe/tui/task"
	"lathe/tui/workspace"
)

// Offer is the list of names below the focused line.
type offer struct {
	wanted   bool // the person is typing a name or has asked for the list
	question task.Task[offerAnswer]
	names    *names
	found    []int // positions of names, the best first
	total    int
	at       int
	picked   bool // the person has moved in the list
}

// offerRows is how many names are visible, and offerMost is how many can be scrolled through.
const (
	offerRows = 6
	offerMost = 50
)

// offerAnswer has the positions of the names that match what is typed, and the number of all
// matches.
type offerAnswer struct {
	found []int
	total int
}

// IsOpen reports whether completions are shown.
func (o *offer) IsOpen() bool { return o.wanted && len(o.found) > 0 }

func (o *offer) close() {
	o.question.Stop()
	o.wanted, o.found, o.picked, o.at = false, nil, false, 0
}

func (o *offer) move(by int) {
	n := len(o.found)
	o.at, o.picked = (o.at+by+n)%n, true
}

// ask searches for names that match the focused line. An earlier search is dropped.
func (f *Form) ask() tea.Cmd {
	fl, line := f.Focused()
	f.Offer.close()
	n := f.namesOf(fl)
	if k, ok := f.keyOf(fl); !ok || n == nil && f.hasNames(k) {
		return nil
	}
	f.Offer.wanted = true
	if n == nil {
		return f.Collect() // takeNames calls ask again
	}
	typed, rest := fl.option.Split(fl.Lines[line].Value())
	if rest != "" {
		f.Offer.close() // the name is complete
		return nil
	}
	then := fl.option.Then
	search := func(ctx context.Context) (m offerAnswer) {
		r, err := n.finder.Find(ctx, typed, offerMost)
		isWhole := then == "" && len(r.Matches) == 1 && n.Offered[r.Matches[0].Index].Name == typed
		if err != nil || isWhole {
			return m
		}
		m.total = r.Total
		for _, match := range r.Matches {
			m.found = append(m.found, match.Index)
		}
		return m
	}
	return workspace.Ask(f.WS, &f.Offer.question, "looking for names", search, func(m offerAnswer) tea.Cmd {
		o := &f.Offer
		o.names, o.found, o.total, o.at, o.picked = n, m.found, m.total, 0, false
		return nil
	})
}

// hasNames reports whether names have been collected.
func (f *Form) hasNames(k namesKey) bool {
	n, asked := f.names[k]
	return asked && n != nil
}

// accept writes the selected name into the line.
func (f *Form) accept() tea.Cmd {
	fl, line := f.Focused()
	name := f.Offer.names.Offered[f.Offer.found[f.Offer.at]].Name
	f.Offer.close()
	if fl.option.Names != session.NamesAxis { // for an axis, a symbol is optional
		name += fl.option.Then
	}
	fl.Lines[line] = shell.NewTextfield(name)
	if fl.isList() && line == len(fl.Lines)-1 {
		fl.Lines = append(fl.Lines, shell.NewTextfield(""))
	}
	return f.Changed()
}

// offerBox returns the position of the list and its visible part.
func (f *Form) offerBox() (r cells.Rect, from, to int) {
	o := &f.Offer
	n := min(len(o.found), offerRows)
	from = max(0, min(o.at-n/2, len(o.found)-n))
	to = from + n
	w := 0
	for _, i := range o.found[from:to] {
		w = max(w, cells.Width(o.label(i)))
	}
	x := min(f.nameWidth()+4, max(f.w-12, 0))
	_, row := f.focusedRow()
	y := row - f.first + 1
	h := n + 1
	if y+h > f.h {
		y = max(y-1-h, 0)
	}
	return cells.Rect{X: x, Y: y, W: min(max(w, 26)+2, max(f.w-x, 1)), H: min(h, f.h-y)}, from, to
}

// label returns a name with its description.
func (o *offer) label(i int) string {
	s := cells.Label(o.names.Offered[i].Name)
	if a := o.names.Offered[i].About; a != "" {
		s += "  " + cells.Label(a)
	}
	return s
}

// overlay draws the list of suggestions over the lines of the form.
func (f *Form) overlay(lines []string) {
	if !f.Offer.IsOpen() {
		return
	}
	st, o := f.WS.Styles, &f.Offer
	box, from, to := f.offerBox()
	var out []string
	for i := from; i < to; i++ {
		line, looks := cells.Fit(" "+cells.CutFront(o.label(o.found[i]), box.W-2), box.W), st.Idle
		if i == o.at {
			looks = st.Selected
		}
		out = append(out, looks.On(line))
	}
	out = append(out, st.Idle.On(cells.Fit(" "+o.summary(f.WS.Keys), box.W)))
	cells.Overlay(lines, box, cells.Block(out, box.W, box.H))
}

// summary says how to accept a name, and how many there are.
func (o *offer) summary(keys *actions.Keymap) string {
	return strings.TrimSpace(keys.Key(PlaceForm, shell.ActionComplete) + " takes it, " + text.Plural(o.total, "name"))
}
