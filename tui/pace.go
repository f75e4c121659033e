package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// pace keeps pictures from piling up in front of a thin line. After some bytes
// the terminal is asked for what it is, which it answers when it has drawn
// everything before the question; until then the last picture stands. So a key
// that is held ends when it is let go, and the next one is heard at once.
type pace struct {
	on    bool
	shown tea.View // the last picture that was sent
	// flying is the bytes, by estimate, that the terminal may not have drawn yet;
	// asked those of them that the open question will answer for, 0 without one.
	flying, asked int
	ticket        int
	answers       bool // the terminal has answered before
	silences      int  // questions in a row without an answer
}

const (
	// mostFlying is how many bytes may be on their way before pictures wait. It is
	// several moves, and less than a page.
	mostFlying = 2000
	// askFrom is from how many on the terminal is asked.
	askFrom = mostFlying / 2
	// askAfter is when a picture has left for sure: the library sends one a frame.
	askAfter = 20 * time.Millisecond
	// answerTime is how long an answer may take. A terminal that takes longer, twice,
	// is not asked again.
	answerTime  = 5 * time.Second
	mayBeSilent = 2
)

// askMsg tells that it is time to ask the terminal, silenceMsg that it has had its
// time to answer.
type (
	askMsg     struct{ ticket int }
	silenceMsg struct{ ticket int }
)

// paint makes the next picture, unless too much is on its way, and asks for an
// answer when some is.
func (a *App) paint() tea.Cmd {
	p := &a.pace
	if !p.on {
		return nil
	}
	if !p.answers || p.flying <= mostFlying {
		next := a.picture()
		p.flying += changed(p.shown.Content, next.Content)
		p.shown = next
	}
	return p.ask()
}

// ask asks the terminal where enough is on its way and no question is open.
func (p *pace) ask() tea.Cmd {
	if p.asked > 0 || p.flying < askFrom || p.silences >= mayBeSilent {
		return nil
	}
	p.asked = p.flying
	p.ticket++
	ticket := p.ticket
	return tea.Tick(askAfter, func(time.Time) tea.Msg { return askMsg{ticket} })
}

func (m askMsg) take(*App) tea.Cmd {
	return tea.Batch(
		tea.Raw(ansi.RequestPrimaryDeviceAttributes),
		tea.Tick(answerTime, func(time.Time) tea.Msg { return silenceMsg(m) }),
	)
}

// answered takes the terminal's answer.
func (p *pace) answered(uv.PrimaryDeviceAttributesEvent) {
	if p.asked > 0 {
		p.flying -= p.asked
		p.asked, p.silences, p.answers = 0, 0, true
	}
}

func (m silenceMsg) take(a *App) tea.Cmd {
	if p := &a.pace; p.asked > 0 && p.ticket == m.ticket {
		p.flying, p.asked, p.answers = 0, 0, false
		p.silences++
	}
	return nil
}

// changed estimates what it takes to make one picture of another: of every line
// that differs, what lies between its first and its last difference.
func changed(from, to string) int {
	n := 0
	for from != "" || to != "" {
		var a, b string
		a, from = firstLine(from)
		b, to = firstLine(to)
		if a == b {
			continue
		}
		short := min(len(a), len(b))
		i, j := 0, 0
		for i < short && a[i] == b[i] {
			i++
		}
		for j < short-i && a[len(a)-1-j] == b[len(b)-1-j] {
			j++
		}
		n += len(b) - i - j + len("\x1b[100;100H")
	}
	return n
}

func firstLine(s string) (line, rest string) {
	for i := range len(s) {
		if s[i] == '\n' {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}
