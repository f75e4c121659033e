package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// pace keeps frames from piling up on a slow connection. After a number of bytes it asks the
// terminal to identify itself. The terminal answers when it has drawn everything before the
// question, and until then no new frame is sent. Without this, a list would keep moving for seconds
// after a held key was released.
type pace struct {
	on    bool
	shown tea.View // the last frame that was sent
	// flying estimates how many bytes the terminal may not have drawn yet. asked is how many of
	// them will be drawn when the pending question is answered; it is 0 if no question is pending.
	flying, asked int
	ticket        int
	answers       bool // the terminal has answered before
	silences      int  // requests in a row without an answer
}

const (
	// mostFlying is how many bytes may be on their way to the terminal before frames have to wait.
	// It is enough for several moves of the cursor, and less than a full screen.
	mostFlying = 2000
	// askFrom is the number of unconfirmed bytes from which the terminal is asked.
	askFrom = mostFlying / 2
	// askAfter is the time after which a frame has certainly been sent: the library sends one at
	// each tick of frames.Clock.
	askAfter = 20 * time.Millisecond
	// answerTime is how long an answer may take. If mayBeSilent answers in a row take longer, the
	// terminal is not asked again, because it may never answer.
	answerTime  = 5 * time.Second
	mayBeSilent = 2
)

// askMsg says that it is time to ask the terminal. silenceMsg says that the time for its answer is
// over.
type (
	askMsg     struct{ ticket int }
	silenceMsg struct{ ticket int }
)

// paint draws the next frame unless too many bytes are unconfirmed, and asks for an answer if
// enough are.
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

// ask asks the terminal if enough bytes are unconfirmed and no request is pending.
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

// answered handles the terminal's answer.
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

// changed estimates how many bytes have to be sent to turn one frame into another. In each line
// that differs, it counts the bytes from the first difference to the last.
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
