package search

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops/filter"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/list"
	"lathe/tui/task"
	"lathe/tui/workspace"
)

// Offers is the list of completions for the text at the cursor of a filter.
type offers struct {
	ws   *workspace.Workspace
	List []filter.Completion
	rows list.Window
	// Expr and at are the expression and the cursor position for which the list was made.
	Expr string
	at   int

	question task.Task[[]filter.Completion]
}

// MaxOffers is how many completions are visible at a time.
const MaxOffers = 8

func newOffers(ws *workspace.Workspace) *offers { return &offers{ws: ws} }

// IsOpen reports whether completions are shown.
func (o *offers) IsOpen() bool { return len(o.List) > 0 }
func (o *offers) lines() int   { return min(len(o.List), MaxOffers) }

// Close hides the list and cancels a search for completions.
func (o *offers) Close() {
	o.question.Stop()
	o.List = nil
	o.rows.Reset(0, 0)
}

// ask searches for completions at a byte position of an expression. At the start of a condition
// every field is a completion, so it then searches only if the person has asked for it (wanted).
// The old list stays on screen until the new one arrives.
func (o *offers) ask(expr string, at int, wanted bool) tea.Cmd {
	o.question.Stop()
	if isFresh(expr[:at]) && !wanted {
		o.Close()
		return nil
	}
	workers, place := o.ws.Searcher(), o.ws.Outline.Place
	complete := func(ctx context.Context) []filter.Completion { return workers.Complete(ctx, place, expr, at) }
	return workspace.Ask(o.ws, &o.question, "completing", complete, func(list []filter.Completion) tea.Cmd {
		o.List, o.Expr, o.at = list, expr, at
		o.rows.Reset(len(o.List), 0)
		return nil
	})
}

// isFresh reports whether a new condition would begin at the end of an expression.
func isFresh(expr string) bool {
	return expr == "" || strings.IndexByte(" (|-!", expr[len(expr)-1]) >= 0
}

// fit reports whether the list is for this expression and position.
func (o *offers) fit(expr string, at int) bool { return expr == o.Expr && at == o.at }

// taken returns the expression with the selected completion inserted, and the byte position after
// it. It returns false if the list was made for another expression.
func (o *offers) taken(expr string, at int) (string, int, bool) {
	if !o.fit(expr, at) {
		return "", 0, false
	}
	c := o.List[o.rows.Cursor]
	return expr[:c.From] + c.Text + expr[c.To:], c.From + len(c.Text), true
}

// goesOn reports whether an expression ends with an operator that needs a value.
func goesOn(expr string) bool {
	return strings.HasSuffix(expr, ":") || strings.HasSuffix(expr, ">") || strings.HasSuffix(expr, "=")
}

// Said describes the selected completion for a screen reader. It is "" if there is no list.
func (o *offers) Said() string {
	if !o.IsOpen() {
		return ""
	}
	c := o.List[o.rows.Cursor]
	words := []string{cells.Prose(c.Text)}
	if c.Help != "" {
		words = append(words, cells.Prose(c.Help))
	}
	if c.Count > 0 {
		words = append(words, text.Count(int64(c.Count)))
	}
	return fmt.Sprintf("completion %s, %d of %d", strings.Join(words, ", "), o.rows.Cursor+1, len(o.List))
}

// View draws the completions, each with its kind and the number of rows that have it.
func (o *offers) View(w int) []string {
	from, to := o.rows.Visible()
	name, number := 0, 0
	for _, c := range o.List[from:to] {
		name, number = max(name, len(c.Text)), max(number, len(countOf(c)))
	}
	name = min(name, w/2)
	var lines []string
	for i := from; i < to; i++ {
		lines = append(lines, o.line(o.List[i], i == o.rows.Cursor, [3]int{name, number, w - name - number - 6}))
	}
	return lines
}

// countOf returns how many rows have a completion, or "" if they are not counted.
func countOf(c filter.Completion) string {
	if c.Count == 0 {
		return ""
	}
	return text.Count(int64(c.Count))
}

// line draws a completion. widths are those of its parts.
func (o *offers) line(c filter.Completion, chosen bool, widths [3]int) string {
	st := o.ws.Styles
	lead := "  "
	if chosen {
		lead = "› "
	}
	name := lead + cells.Fit(cells.CutFront(cells.Prose(c.Text), widths[0]), widths[0])
	rest := "  " + cells.FitRight(countOf(c), widths[1]) + "  " + cells.Fit(cells.Prose(c.Help), widths[2])
	if chosen {
		return st.Selected.On(name) + st.Faint.On(rest)
	}
	return st.Op.On(name) + st.Faint.On(rest)
}
