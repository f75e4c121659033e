package tour

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Player plays the tour. Its zero value has not begun.
type Player struct {
	at   int // the stop, from 1; 0 before the tour
	over bool
	// Waits is set if only a key leads to the next stop.
	Waits bool
}

// KeyMsg is a key that the tour presses, and those that follow it.
type KeyMsg struct {
	Key  tea.KeyPressMsg
	rest []tea.KeyPressMsg
	at   int
}

// NextMsg says that it is time to leave a stop.
type NextMsg struct{ from int }

// IsOn reports whether the tour is being played.
func (p *Player) IsOn() bool { return p.at > 0 && !p.over }

// Begin begins the tour.
func (p *Player) Begin() tea.Cmd { return p.Next() }

// End ends the tour. The model stays as it is.
func (p *Player) End() { p.over = true }

// Due reports whether a message is about the present stop, which a person may have left already.
func (p *Player) Due(m NextMsg) bool { return p.IsOn() && m.from == p.at }

// Next goes to the next stop: it presses the keys there, and leaves after a pause. After the last stop
// the tour is over.
func (p *Player) Next() tea.Cmd {
	if p.at == len(Stops) {
		p.over = true
		return nil
	}
	p.at++
	var keys []tea.KeyPressMsg
	for _, word := range Stops[p.at-1].Keys {
		keys = append(keys, keysOf(word)...)
	}
	return p.press(keys)
}

// After returns what follows a key: the next key, or the pause. Nothing follows if the tour has left
// the stop in the meantime.
func (p *Player) After(m KeyMsg) tea.Cmd {
	if !p.IsOn() || m.at != p.at {
		return nil
	}
	return p.press(m.rest)
}

func (p *Player) press(keys []tea.KeyPressMsg) tea.Cmd {
	at := p.at
	switch {
	case len(keys) > 0:
		return func() tea.Msg { return KeyMsg{keys[0], keys[1:], at} }
	case p.Waits:
		return nil
	}
	return tea.Tick(Pause, func(time.Time) tea.Msg { return NextMsg{at} })
}

// Caption says what the present stop shows.
func (p *Player) Caption() string {
	return fmt.Sprintf(" tour %d/%d: %s", p.at, len(Stops), Stops[p.at-1].Says)
}

// special are the keys of the tour that are not letters.
var special = map[string]tea.KeyPressMsg{
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "space": {Code: tea.KeySpace, Text: " "},
	"ctrl+c": {Code: 'c', Mod: tea.ModCtrl},
}

// keysOf returns the keys of a word of a stop.
func keysOf(word string) []tea.KeyPressMsg {
	if k, ok := special[word]; ok {
		return []tea.KeyPressMsg{k}
	}
	var out []tea.KeyPressMsg
	for _, r := range strings.TrimPrefix(word, "'") {
		out = append(out, tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	return out
}
