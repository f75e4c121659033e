package forms

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/shell"
	"lathe/tui/task"
	"lathe/tui/workspace"
)

// Offer is the list of names or files below the focused line.
type offer struct {
	shell.PathOffer      // the list; its own questions are about files
	wanted          bool // the person is typing a name or has asked for the list
	asked           bool // the person has asked for it
	isFiles         bool
	question        task.Task[offerAnswer] // about names
}

// offerMost is how many names can be scrolled through.
const offerMost = 50

// offerAnswer has the names that match what is typed, and the number of all matches.
type offerAnswer struct {
	found []shell.Offered
	total int
}

func (o *offer) close() {
	o.question.Stop()
	o.PathOffer.Close()
	o.wanted, o.asked, o.isFiles = false, false, false
}

// ask searches for names or files that match the focused line. An earlier search is dropped. asked
// says that the person wants the list whatever is typed.
func (f *Form) ask(asked bool) tea.Cmd {
	fl, line := f.Focused()
	f.Offer.close()
	n := f.namesOf(fl)
	if k, ok := f.keyOf(fl); !ok || n == nil && f.hasNames(k) {
		return f.askFiles(fl, line, asked)
	}
	f.Offer.wanted, f.Offer.asked = true, asked
	if n == nil {
		return f.Collect() // takeNames calls ask again
	}
	typed, rest := fl.option.Split(fl.Lines[line].Value())
	if rest != "" { // the name is complete
		f.Offer.close()
		return f.askFiles(fl, line, asked)
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
			of := n.Offered[match.Index]
			m.found = append(m.found, shell.Offered{Text: of.Name, Name: of.Name, About: of.About})
		}
		return m
	}
	return workspace.Ask(f.WS, &f.Offer.question, "looking for names", search, func(m offerAnswer) tea.Cmd {
		f.Offer.Offer = shell.Offer{List: m.found, Total: m.total, Picked: asked}
		return nil
	})
}

// askFiles searches for files that complete the path in the focused line.
func (f *Form) askFiles(fl *field, line int, asked bool) tea.Cmd {
	if fl == nil || fl.choices != nil {
		return nil
	}
	_, typed, ok := fl.option.PathPart(fl.Lines[line].Value())
	if !ok {
		return nil
	}
	f.Offer.isFiles = true
	if f.offersStored(fl) && typed == "" && asked {
		return f.askStored(fl, line)
	}
	return f.Offer.Ask(f.WS.Tasks, typed, fl.option.Extensions, asked, f.writePath)
}

// writePath writes a path into the focused line, in place of the one that is being typed. If it is a
// folder, it offers what is in it.
func (f *Form) writePath(path string) tea.Cmd {
	fl, line := f.Focused()
	before, _, _ := fl.option.PathPart(fl.Lines[line].Value())
	return tea.Batch(f.write(fl, line, before+path), f.ask(false))
}

// hasNames reports whether names have been collected.
func (f *Form) hasNames(k namesKey) bool {
	n, asked := f.names[k]
	return asked && n != nil
}

// accept writes what is selected into the line.
func (f *Form) accept() tea.Cmd {
	if f.Offer.isFiles {
		return f.Offer.Take(f.writePath)
	}
	fl, line := f.Focused()
	e, ok := f.Offer.Selected()
	f.Offer.close()
	if !ok {
		return nil
	}
	if fl.option.Names != session.NamesAxis { // for an axis, a symbol is optional
		e.Text += fl.option.Then
	}
	return f.write(fl, line, e.Text)
}

// write replaces a line of a field.
func (f *Form) write(fl *field, line int, words string) tea.Cmd {
	fl.Lines[line] = shell.NewTextfield(words)
	if fl.isList() && line == len(fl.Lines)-1 && words != "" {
		fl.Lines = append(fl.Lines, shell.NewTextfield(""))
	}
	return f.Changed()
}

// offerBox returns the position of the list.
func (f *Form) offerBox() cells.Rect {
	_, row := f.focusedRow()
	return f.Offer.Box(f.nameWidth()+4, row-f.first, f.w, f.h)
}

// overlay draws the list over the lines of the form.
func (f *Form) overlay(lines []string) {
	if !f.Offer.IsOpen() {
		return
	}
	box := f.offerBox()
	cells.Overlay(lines, box, f.Offer.View(f.WS.Styles, box, f.offerSummary()))
}

// offerSummary says how to accept what is offered, and how many there are.
func (f *Form) offerSummary() string {
	key := f.WS.Keys.Key(PlaceForm, shell.ActionComplete)
	if f.Offer.isFiles {
		return strings.TrimSpace(key + " completes, " + f.Offer.Summary())
	}
	return strings.TrimSpace(key + " takes it, " + text.Plural(f.Offer.Total, "name"))
}
