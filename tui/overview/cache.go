package overview

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/session/reporting"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/shell"
	"lathe/tui/theme"
	"lathe/tui/workspace"
)

// ActionLength asks for the length at which the size of the cache is shown.
const ActionLength actions.Name = "length"

// cache adds what the cache of a language model takes. Its first line asks for a length.
func (p *Pane) cache(b *builder) {
	c := p.ws.Types.Summary.Cache
	if c == nil {
		return
	}
	said := "cache " + c.Each() + packed + "c types a length"
	if at := p.cacheAt(c); at != nil {
		said = "cache " + c.Each() + packed + at.String()
	}
	first := len(b.lines)
	b.add(theme.Plain, cells.Prose(said))
	b.lines[first].said, b.lines[first].do = cells.Prose(said), p.askLength
	for _, r := range c.Remarks() {
		b.add(theme.Faint, cells.Prose(r))
	}
}

// cacheAt returns what the cache takes at the length that was typed, or at the one that the model states.
func (p *Pane) cacheAt(c *reporting.Cache) *reporting.CacheAt {
	if p.length > 0 {
		return c.AtLength(p.length, 1, "typed")
	}
	return c.At
}

func (p *Pane) lengthRefusal() string {
	switch s := p.ws.Types.Summary; {
	case s == nil:
		return "the overview is still being computed"
	case s.Cache == nil:
		return "the model has no cache"
	}
	return ""
}

// askLength asks for a length.
func (p *Pane) askLength() tea.Cmd {
	c, proposal := p.ws.Types.Summary.Cache, ""
	if at := p.cacheAt(c); at != nil {
		proposal = strconv.FormatInt(at.Tokens, 10)
	}
	p.ws.Host.Open(&lengthPrompt{Attached: workspace.Attached{WS: p.ws}, pane: p, cache: c, OneLine: shell.OneLine{Field: shell.NewProposal(proposal)}})
	return nil
}

// PlaceLength is the place of the prompt for a length.
const PlaceLength actions.Place = "length"

// LengthActions are the actions of the prompt for a length.
func LengthActions() []actions.Action {
	type it = *lengthPrompt
	return actions.Of(shell.LineRows(actions.New(shell.ActionAccept, "show it in the overview", actions.Keys("enter"), it.accept, it.refusal), shell.Shut[it]))
}

// lengthPrompt asks for a length, and shows what the cache takes at it.
type lengthPrompt struct {
	workspace.Attached
	pane  *Pane
	cache *reporting.Cache
	shell.OneLine
	h int
}

// Place implements shell.Pane.
func (d *lengthPrompt) Place() actions.Place { return PlaceLength }

// Title implements shell.Dialog.
func (d *lengthPrompt) Title() string { return "tokens in the cache" }

// Box implements shell.Dialog.
func (d *lengthPrompt) Box(s shell.Screen) cells.Rect { return s.Body.Centred(60, 5) }

// Said implements shell.Pane.
func (d *lengthPrompt) Said() string { return d.Title() + " " + d.Field.Text() + ": " + d.hint() }

// tokens parses what was typed. A k or m after the number multiplies it.
func (d *lengthPrompt) tokens() (int64, error) {
	s := strings.ToLower(strings.NewReplacer(",", "", " ", "", "_", "").Replace(d.Field.Value()))
	by := int64(1)
	switch {
	case strings.HasSuffix(s, "k"):
		by = 1 << 10
	case strings.HasSuffix(s, "m"):
		by = 1 << 20
	}
	n, err := strconv.ParseInt(strings.TrimRight(s, "km"), 10, 64)
	if err != nil || n < 1 || n > (1<<50)/by {
		return 0, fmt.Errorf("a length is a number such as 8192 or 8k")
	}
	return n * by, nil
}

func (d *lengthPrompt) refusal() string {
	if _, err := d.tokens(); err != nil {
		return err.Error()
	}
	return ""
}

// hint says what the cache takes at the length.
func (d *lengthPrompt) hint() string {
	n, err := d.tokens()
	if err != nil {
		return err.Error()
	}
	return cells.Prose(d.cache.AtLength(n, 1, "").String())
}

func (d *lengthPrompt) accept() tea.Cmd {
	n, err := d.tokens()
	d.WS.Host.Close(d)
	if err == nil {
		d.pane.length = n
	}
	return nil
}

// Sync implements shell.Pane.
func (d *lengthPrompt) Sync(w, h int) tea.Cmd {
	d.W, d.h = w, h
	return nil
}

// View implements shell.Pane.
func (d *lengthPrompt) View(bool) []string {
	st := d.WS.Styles
	s, x := d.Field.View(d.W)
	line := st.FieldFocus.On(s)
	if d.Field.IsProposal {
		line = st.Selected.On(cells.Truncate(s, x, "")) + st.FieldFocus.On(cells.Blanks(d.W-x))
	}
	looks := st.Faint
	if d.refusal() != "" && d.Field.Text() != "" {
		looks = st.Bad
	}
	out := []string{line}
	for _, l := range cells.WrapWords(d.hint(), max(d.W, 1)) {
		out = append(out, looks.On(l))
	}
	return cells.Block(out, d.W, d.h)
}
