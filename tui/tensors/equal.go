package tensors

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/weights"
	"lathe/session/text"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/theme"
	"lathe/tui/values"
	"lathe/tui/workspace"
)

// equality is which tensors of the model are equal, as lines of a list.
type equality struct {
	weights.Equality
	lines []equalLine
	group map[*graphops.Tensor]int // the group of each tensor that is in one
}

// EqualHead is the number of lines above the list.
const EqualHead = 2

// equalLine is a line of the list: a heading, or a tensor to go to.
type equalLine struct {
	kind    equalKind
	group   int // index in Groups
	of, nth int // index in the group's Items; index in Uniform or Unread
}

// equalKind distinguishes the kinds of line.
type equalKind uint8

// The kinds of line.
const (
	equalGroup equalKind = iota
	equalItem
	equalUniformHead
	equalUniform
	equalUnreadHead
	equalUnread
)

// equalList is the user's position in that list.
type equalList struct {
	known *equality
	Rows  list.Window
}

func (l *equalList) take(e *equality) {
	l.known = e
	l.Rows.Reset(len(e.lines), 0)
}

// equalInquiry asks for all equal tensors of the model.
func (p *Pane) equalInquiry() (Inquiry, Work) {
	m := p.ws.Model()
	return Inquiry{m, "equal"}, func(ctx context.Context, progress func(done, total int64)) (any, error) {
		e, err := weights.Equal(ctx, m, progress)
		if err != nil {
			return nil, err
		}
		return newEquality(e), nil
	}
}

// newEquality makes the lines. It also builds the indices of the graph that going to a tensor
// needs, because it runs in the background.
func newEquality(e weights.Equality) *equality {
	out := &equality{Equality: e, group: map[*graphops.Tensor]int{}}
	for g, group := range e.Groups {
		out.lines = append(out.lines, equalLine{kind: equalGroup, group: g})
		for i, item := range group.Items {
			out.group[item.Tensor] = g
			item.Place.Graph.Index()
			out.lines = append(out.lines, equalLine{equalItem, g, i, 0})
		}
	}
	out.section(equalUniformHead, equalUniform, len(e.Uniform))
	for _, u := range e.Uniform {
		u.Item.Place.Graph.Index()
	}
	out.section(equalUnreadHead, equalUnread, len(e.Unread))
	return out
}

func (e *equality) section(head, each equalKind, n int) {
	if n == 0 {
		return
	}
	e.lines = append(e.lines, equalLine{kind: head})
	for i := range n {
		e.lines = append(e.lines, equalLine{kind: each, nth: i})
	}
}

// fitEqual shows the equal tensors of the current model as soon as they are known, and adapts the
// list to the size of the pane.
func (p *Pane) fitEqual() {
	l := &p.Equal
	q, _ := p.equalInquiry()
	a := p.Passes.Answer(q)
	if a == nil || a.Err != nil {
		return
	}
	if e := a.Value.(*equality); e != l.known {
		l.take(e)
	}
	if h := max(p.bodyHeight()-EqualHead, 0); h != l.Rows.Height {
		l.Rows.Resize(h)
	}
}

// cursorLooks is the style of the line or cell at the cursor. It differs while another pane has the
// focus, so that only one bar on the screen is where keys go.
func (p *Pane) cursorLooks() theme.Paint {
	if p.ws.Host.Focus() == workspace.PlaceTensor {
		return p.ws.Styles.Selected
	}
	return p.ws.Styles.Idle
}

// equalLines draws the list of equal tensors. The lines above it say how the shown tensor is
// related to them.
func (p *Pane) equalLines(w, h int) []string {
	st, l := p.ws.Styles, &p.Equal
	out := []string{st.Faint.On(cells.Cut(l.known.summary(), w)), st.Faint.On(cells.Cut(p.standing(), w))}
	from, to := l.Rows.Visible()
	for i := from; i < to && len(out) < h; i++ {
		s, looks := l.known.text(l.known.lines[i])
		s = cells.Fit(s, w)
		if i == l.Rows.Cursor {
			out = append(out, p.cursorLooks().On(s))
			continue
		}
		out = append(out, st.Of(looks).On(s))
	}
	return out
}

// summary says how much is equal.
func (e *equality) summary() string {
	if len(e.Groups) == 0 {
		return "no two tensors of the model are equal"
	}
	var wasted int64
	for _, g := range e.Groups {
		wasted += g.Wasted()
	}
	return text.Plural(len(e.Groups), "group") + " of equal tensors, " + text.Bytes(wasted) + " too much"
}

// standing says in which group of equal tensors the shown tensor is, if any.
func (p *Pane) standing() string {
	c := p.Current()
	if c == nil {
		return ""
	}
	s, isStored := c.TensorSource.(values.Stored)
	if !isStored || c.Run != nil {
		return "this tensor was computed in a run; only tensors of the model are compared"
	}
	if g, ok := p.Equal.known.group[s.Tensor]; ok {
		return fmt.Sprintf("this tensor is in group %d", g+1)
	}
	return "this one has no equal"
}

// text returns a line of the list, safe to print.
func (e *equality) text(l equalLine) (string, theme.Looks) {
	switch l.kind {
	case equalGroup:
		g := e.Groups[l.group]
		t := g.Items[0]
		s := fmt.Sprintf("%d  %d × %s %s, %s each", l.group+1, len(g.Items), t.DType(), tensor.FormatShape(t.Dims()), text.Bytes(g.Bytes))
		if g.Wasted() == 0 {
			return s + ", stored once", theme.Heading
		}
		return s + ", " + text.Bytes(g.Wasted()) + " too much", theme.Heading
	case equalItem:
		return "  " + itemText(e.Groups[l.group].Items[l.of]), theme.Plain
	case equalUniformHead:
		return "one value throughout", theme.Heading
	case equalUniform:
		u := e.Uniform[l.nth]
		return "  " + cells.Prose(u.Value) + "  " + itemText(u.Item), theme.Plain
	case equalUnreadHead:
		return "could not be read", theme.Heading
	default:
		return "  " + cells.SafeLines(e.Unread[l.nth].Error())[0], theme.Warning
	}
}

func itemText(i weights.Item) string { return cells.Label(i.String()) }

func (p *Pane) saidEqual() string {
	l := &p.Equal
	if l.Rows.N == 0 {
		return l.known.summary()
	}
	s, _ := l.known.text(l.known.lines[l.Rows.Cursor])
	return fmt.Sprintf("%s, line %d of %d", s, l.Rows.Cursor+1, l.Rows.N)
}

// equalItem returns the tensor at the cursor; false on other lines.
func (p *Pane) equalItem() (weights.Item, bool) {
	l := &p.Equal
	q, _ := p.equalInquiry()
	if a := p.Passes.Answer(q); a == nil || a.Value != any(l.known) || l.Rows.Cursor >= l.Rows.N {
		return weights.Item{}, false
	}
	switch line := l.known.lines[l.Rows.Cursor]; line.kind {
	case equalItem, equalGroup:
		return l.known.Groups[line.group].Items[line.of], true
	case equalUniform:
		return l.known.Uniform[line.nth].Item, true
	default:
		return weights.Item{}, false
	}
}

// readersOf returns the rows that read a tensor of the model, or the row that holds it if nothing
// reads it.
func readersOf(i weights.Item) []graph.Spot {
	p := i.Place
	var out []graph.Spot
	x := p.Graph.Index()
	if id, ok := x.Value(i.Value()); ok && i.Value() != "" {
		last := int32(-1)
		for _, node := range x.Readers(id) {
			if node != last {
				out = append(out, graph.Spot{Place: p, Row: graph.InputRows(p) + int(node)})
			}
			last = node
		}
	}
	if len(out) == 0 && i.Node >= 0 {
		out = append(out, graph.Spot{Place: p, Row: graph.InputRows(p) + i.Node})
	}
	return out
}

// readerRefusal explains why it is not possible to go to a reader.
func (p *Pane) readerRefusal() string {
	if p.Shown != viewEqual {
		return "this works only in the list of equal tensors: " + p.ws.Keys.Key(workspace.PlaceTensor, ActionEqual)
	}
	i, ok := p.equalItem()
	if !ok {
		return "there is no tensor on this line"
	}
	return actions.Unless(len(readersOf(i)) > 0, "nothing reads this tensor")
}

// goToReader goes to the row that reads the tensor at the cursor, or asks which one if there are
// several.
func (p *Pane) goToReader() tea.Cmd {
	i, _ := p.equalItem()
	spots := readersOf(i)
	if len(spots) == 1 {
		return p.ws.Jump(spots[0])
	}
	o := graph.NewOutline(p.ws.Model(), i.Place)
	choices := make([]shell.Choice, len(spots))
	for k, s := range spots {
		choices[k] = shell.Choice{Label: o.Op(s.Row) + " " + o.Name(s.Row), Do: func() tea.Cmd { return p.ws.Jump(s) }}
	}
	p.ws.Host.Open(shell.NewChooseDialog(p.ws.Host, "read by", choices))
	return nil
}
