package tensors

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops/tensor"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// PlaceIndex is the place of the prompt for an index.
const PlaceIndex actions.Place = "index"

// IndexActions are the actions of the prompt for an index.
func IndexActions() []actions.Action {
	type it = *indexPrompt
	return actions.Of(shell.LineRows(actions.New(shell.ActionAccept, "go there", actions.Keys("enter"), it.accept, it.acceptRefusal), shell.Shut[it]))
}

// indexPrompt asks for an index of the tensor that is shown.
type indexPrompt struct {
	workspace.Attached
	pane  *Pane
	shape []int64
	shell.OneLine
	h int
}

func newIndexPrompt(p *Pane) *indexPrompt {
	return &indexPrompt{Attached: workspace.Attached{WS: p.ws}, pane: p, shape: p.Current().Dims(), OneLine: shell.OneLine{Field: shell.NewTextfield("")}}
}

// Place implements shell.Pane.
func (d *indexPrompt) Place() actions.Place { return PlaceIndex }

// Title implements shell.Dialog.
func (d *indexPrompt) Title() string { return "go to an index" }

// Box implements shell.Dialog.
func (d *indexPrompt) Box(s shell.Screen) cells.Rect { return s.Body.Centred(60, 4) }

// Said implements shell.Pane.
func (d *indexPrompt) Said() string { return d.Title() + " " + d.Field.Text() + ": " + d.hint() }

func (d *indexPrompt) acceptRefusal() string {
	_, err := d.index()
	return errorText(err)
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// index parses the input: a number for each axis.
func (d *indexPrompt) index() ([]int64, error) {
	words := strings.FieldsFunc(d.Field.Value(), func(r rune) bool { return strings.ContainsRune(" ,;[]()×", r) })
	if len(words) != len(d.shape) {
		return nil, fmt.Errorf("%d of %d indices, one for each axis of %s", len(words), len(d.shape), tensor.FormatShape(d.shape))
	}
	out := make([]int64, len(words))
	for i, w := range words {
		n, err := strconv.ParseInt(w, 10, 64)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%q is not a whole number", cells.Prose(w))
		case n < -d.shape[i] || n >= d.shape[i]:
			return nil, fmt.Errorf("axis %d has indices 0 to %d, not %d", i, d.shape[i]-1, n)
		case n < 0:
			n += d.shape[i] // counted from the end
		}
		out[i] = n
	}
	return out, nil
}

func (d *indexPrompt) hint() string {
	if _, err := d.index(); err != nil {
		return err.Error()
	}
	return "in " + tensor.FormatShape(d.shape)
}

// Sync implements shell.Pane.
func (d *indexPrompt) Sync(w, h int) tea.Cmd {
	d.W, d.h = w, h
	return nil
}

func (d *indexPrompt) accept() tea.Cmd {
	d.WS.Host.Close(d)
	if index, err := d.index(); err == nil {
		d.pane.goToIndex(index)
	}
	return nil
}

// goToIndex shows the element at an index.
func (p *Pane) goToIndex(index []int64) {
	p.Shown = ViewElements
	x, e := p.shownAxes(), &p.Elements
	if x == nil || len(index) != len(x.At) {
		return // another tensor is shown by now
	}
	copy(x.At, index)
	p.fitElements()
	for _, side := range []struct {
		axis int
		goTo func(int)
	}{{x.Down, e.Rows.GoTo}, {x.Across, e.Columns.GoTo}} {
		if side.axis >= 0 {
			side.goTo(int(index[side.axis]))
		}
	}
}

// View implements shell.Pane.
func (d *indexPrompt) View(bool) []string {
	st := d.pane.ws.Styles
	s, _ := d.Field.View(d.W)
	looks := st.Faint
	if d.acceptRefusal() != "" && d.Field.Text() != "" {
		looks = st.Warn
	}
	return cells.Block([]string{st.FieldFocus.On(s), looks.On(cells.Cut(d.hint(), d.W))}, d.W, d.h)
}
