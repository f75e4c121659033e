package passes

import (
	"fmt"
	"strings"

	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/shell"
	"lathe/tui/theme"
)

// TickAt is the column of the box in the line of a pass; the sign before it shows whether the pass
// is unfolded. childAt is the column in which the lines below a pass begin.
const (
	TickAt  = 2
	childAt = 6
)

// numberWidth is the width of a number beside the name of a pass, and numberGap the blanks before it.
const (
	numberWidth = 7
	numberGap   = 2
)

// boxWidth is the width of the fold mark and the box before a name.
const boxWidth = TickAt + len("[x] ")

// numberColumns are the columns beside the names of passes. What a pass does follows them.
var numberColumns = []cells.Column{
	{Title: "changes", Width: numberWidth, Gap: numberGap, Floor: leastPass},
	{Title: "nodes", Width: numberWidth, Gap: numberGap, Floor: leastPass},
	{Title: "misses", Width: numberWidth, Gap: numberGap, Floor: leastPass},
}

// leastPass is the room that names of passes have at least. On a narrow screen the numbers come
// first.
const leastPass = 12

// Table divides the line of a pass behind the box.
func (d *Dialog) Table() cells.Table {
	need := 0
	for _, p := range d.Passes {
		need = max(need, len(p.Name))
	}
	return cells.Divide(d.W-boxWidth, need, numberColumns)
}

// LowDialog is the height below which there is room only for the list and the totals.
const LowDialog = 10

// errorLines is how many lines of an error are shown above the list.
const errorLines = 3

// foot is the number of lines about the line at the cursor, including the rule above them.
func (d *Dialog) foot() int {
	if d.h < LowDialog {
		return 0
	}
	return min(graph.FindingFoot, d.h/3)
}

// totals shows the size of the model before and after.
func (d *Dialog) totals() string {
	if d.Found == nil {
		return "still looking for what can be simplified"
	}
	before, after := d.Found.Before, d.Found.After
	words := fmt.Sprintf("%s → %s, %s → %s", text.Plural(before.Nodes, "node"), text.Count(int64(after.Nodes)), text.Bytes(before.Bytes), text.Bytes(after.Bytes))
	if by := after.Bytes - before.Bytes; by > 0 {
		words += ", grows by " + text.Bytes(by)
	}
	return words
}

// state returns the lines that say how far the preview is, what went wrong, or what it found.
func (d *Dialog) state() []string {
	keys := d.WS.Keys
	switch {
	case d.err != nil:
		lines := cells.SafeLines(d.err.Error())
		if len(lines) > errorLines {
			lines = append(lines[:errorLines], fmt.Sprintf("%s %s shows the full error", cells.Ellipsis, keys.Key(shell.PlaceMain, "log")))
		}
		return lines
	case d.Question.IsOpen():
		return []string{d.status()}
	case d.stopped:
		return []string{fmt.Sprintf("the preview was stopped; %s starts it again", keys.Key(PlaceSimplify, shell.ActionCancel))}
	case d.Found == nil:
		return nil
	case !d.Found.Changed():
		return []string{"these passes find nothing to simplify" + d.misses()}
	}
	changes, busy := 0, 0
	for _, p := range d.Found.Passes {
		if changes += len(p.Changes); len(p.Changes) > 0 {
			busy++
		}
	}
	return []string{fmt.Sprintf("%s by %s%s; %s does it and runs both models to prove it",
		text.Plural(changes, "change"), plural(busy, "pass", "passes"), d.misses(), keys.Key(PlaceSimplify, shell.ActionTake))}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return text.Count(int64(n)) + " " + many
}

// misses returns the number of near misses of all passes, as in ", 3 near misses". It is "" if
// there are none.
func (d *Dialog) misses() string {
	n := 0
	for _, p := range d.Found.Passes {
		n += len(p.Refused)
	}
	if n == 0 {
		return ""
	}
	return ", " + plural(n, "near miss", "near misses")
}

// Head has the totals, the state, and the titles of columns.
func (d *Dialog) Head(w int) []string {
	if d.h < LowDialog {
		return []string{cells.Cut(strings.Join(append([]string{d.totals()}, d.state()...), "; "), w)}
	}
	out := cells.WrapWords(d.totals(), w)
	for _, line := range d.state() {
		out = append(out, cells.WrapWords(line, w)...)
	}
	t := d.Table()
	head := cells.Blanks(boxWidth) + cells.Fit("pass", t.Name)
	for i, c := range t.Columns {
		head += t.Cell(i, c.Title, false)
	}
	return append(out, cells.Fit(head+"  what it does", w))
}

// View implements shell.Pane.
func (d *Dialog) View(bool) []string {
	st := d.WS.Styles
	head := d.Head(d.W)
	lines := make([]string, 0, d.h)
	for i, line := range head {
		switch {
		case i == 0 && d.isStale(), i > 0 && i == len(head)-1:
			line = st.Faint.On(line)
		case i == 0:
			line = st.Key.On(line)
		case d.err != nil:
			line = st.Bad.On(line)
		}
		lines = append(lines, line)
	}
	for row, to := d.Rows.Visible(); row < to; row++ {
		line, looks := d.drawn(row)
		if row == d.Rows.Cursor {
			lines = append(lines, st.Selected.On(cells.Fit(line, d.W)))
			continue
		}
		lines = append(lines, st.Of(looks).On(cells.Fit(line, d.W)))
	}
	lines = cells.Block(lines, d.W, max(d.h-d.foot(), 1))
	if d.foot() > 0 {
		lines = append(lines, st.Frame.On(cells.Rule(d.W)))
		lines = append(lines, d.told().Explained(d.W, d.foot()-1)...)
	}
	return cells.Block(lines, d.W, d.h)
}

// isStale reports whether the numbers on screen are for an earlier selection, because a new preview
// is running, was stopped or has failed.
func (d *Dialog) isStale() bool {
	return d.Question.IsOpen() || d.err != nil || d.stopped
}

// drawn draws a line of the list.
func (d *Dialog) drawn(row int) (string, theme.Looks) {
	e, child := d.line(row)
	switch {
	case child >= 0:
		f := d.Seen[e.Name].finding(child)
		return cells.Blanks(childAt) + f.Line(d.W-childAt), f.Looks
	case e.warning != "":
		return "warning: " + e.warning, theme.Warning
	case e.isIdle:
		fold := "▸ "
		if d.isWhole {
			fold = "▾ "
		}
		return fold + d.idleWords(), theme.Faint
	case !e.isPass():
		on, all := d.Count(e.Optional)
		return fmt.Sprintf("%s, %d of %d ticked", e.heading, on, all), theme.Heading
	}
	return d.passLine(e)
}

// passLine draws a pass: whether it is unfolded, whether it is selected, how many changes it makes,
// and its summary. Numbers from an earlier selection of passes are faint.
func (d *Dialog) passLine(e PassEntry) (string, theme.Looks) {
	f := d.Seen[e.Name]
	t := d.Table()
	fold, box, looks := "  ", "[ ]", theme.Faint
	numbers := [3]string{}
	switch {
	case f == nil:
	case f.len() > 0 && d.Open[e.Name]:
		fold = "▾ "
	case f.len() > 0:
		fold = "▸ "
	}
	if d.Ticked[e.Name] {
		box = "[x]"
	}
	switch {
	case f != nil:
		numbers = [...]string{counted(len(f.Changes)), counted(len(f.spots)), counted(len(f.Refused))}
		if len(f.Changes) > 0 && d.Ticked[e.Name] && !d.isStale() {
			looks = theme.Plain
		}
	case !d.Ticked[e.Name]:
		numbers[0] = "off"
	}
	line := fold + box + " " + cells.Fit(e.Name, t.Name)
	for i, n := range numbers {
		line += t.Cell(i, n, false)
	}
	return line + "  " + e.Title, looks
}

// counted formats a count. None is "–".
func counted(n int) string {
	if n == 0 {
		return "–"
	}
	return text.Count(int64(n))
}

// told describes the line at the cursor.
func (d *Dialog) told() *graph.Finding {
	e, child := d.At()
	switch {
	case child >= 0:
		return d.Seen[e.Name].finding(child)
	case e.warning != "":
		return &graph.Finding{Text: e.warning}
	case e.isIdle:
		return &graph.Finding{Where: d.idleWords(), Text: strings.Join(d.idle, ", ")}
	case e.isPass():
		return &graph.Finding{Where: e.Name + ": " + e.Title, Text: d.counts(e), Note: "why the result is the same: " + e.Reason}
	case e.Optional:
		return &graph.Finding{Where: e.heading, Text: "They replace a pattern of nodes by one operator; some of these operators exist only in ONNX Runtime.", Note: d.groupKey(e)}
	}
	return &graph.Finding{Where: e.heading, Text: "They keep what the model computes, some of them up to rounding.", Note: d.groupKey(e)}
}

// idleWords says how many passes find nothing to change.
func (d *Dialog) idleWords() string {
	if len(d.idle) == 1 {
		return "1 pass finds nothing here"
	}
	return fmt.Sprintf("%d passes find nothing here", len(d.idle))
}

// groupKey says what the key does to the whole group.
func (d *Dialog) groupKey(e PassEntry) string {
	verb := "ticks all of them"
	if on, all := d.Count(e.Optional); on == all {
		verb = "takes all ticks away"
	}
	return d.WS.Keys.Key(PlaceSimplify, shell.ActionToggle) + " " + verb
}

// counts says in words what a pass finds.
func (d *Dialog) counts(e PassEntry) string {
	f := d.Seen[e.Name]
	switch {
	case f == nil && !d.Ticked[e.Name]:
		return "off; tick it to see what it would change"
	case f == nil:
		return "what it would change is not known yet"
	case f.len() == 0:
		return "finds nothing"
	}
	words := []string{"changes nothing"}
	if n := len(f.Changes); n > 0 {
		words[0] = fmt.Sprintf("%s at %s", text.Plural(n, "change"), text.Plural(len(f.spots), "node"))
	}
	if n := len(f.Refused); n > 0 {
		words = append(words, plural(n, "near miss", "near misses"))
	}
	if !d.Ticked[e.Name] {
		words = append(words, "when it was still ticked")
	}
	return strings.Join(words, ", ")
}

// Said implements shell.Pane.
func (d *Dialog) Said() string {
	e, child := d.At()
	words := []string{d.Title(), d.totals()}
	words = append(words, d.state()...)
	f := d.told()
	at := strings.Join(graph.Present([]string{f.Where, f.Text, f.Note}), ", ")
	if e.isPass() && child < 0 {
		at = TickWords(d.Ticked[e.Name]) + ", " + at
	}
	return strings.Join(append(words, fmt.Sprintf("%s, %d of %d", at, d.Rows.Cursor+1, d.Rows.N)), "\n")
}

// TickWords returns whether something is selected, in words.
func TickWords(on bool) string {
	if on {
		return "ticked"
	}
	return "not ticked"
}
