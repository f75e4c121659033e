package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"lathe/session"
	"lathe/session/text"
)

// progressLine shows the progress of a step on a terminal: the phase, how much is done, the elapsed
// time and an estimate of the rest.
type progressLine struct {
	w     io.Writer
	start time.Time
	quit  chan struct{}
	gone  chan struct{}
	once  sync.Once

	mu   sync.Mutex
	last session.Progress
	from time.Time // when the phase began
}

// No line is shown before showAfter, so that a quick step does not make it flicker.
const showAfter = 300 * time.Millisecond

func newProgressLine(ctx context.Context, w io.Writer) *progressLine {
	p := &progressLine{w: w, start: time.Now(), quit: make(chan struct{}), gone: make(chan struct{})}
	if !isTerminal(w) {
		close(p.gone)
		return p
	}
	go p.draw(ctx)
	return p
}

func (p *progressLine) update(s session.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.Phase != p.last.Phase {
		p.from = time.Now()
	}
	p.last = s
}

func (p *progressLine) draw(ctx context.Context) {
	defer close(p.gone)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	shown := false
	for {
		select {
		case <-tick.C:
			if time.Since(p.start) > showAfter {
				fmt.Fprintf(p.w, "\r\x1b[K%s", p.line())
				shown = true
			}
			continue
		case <-p.quit:
		case <-ctx.Done():
		}
		if shown {
			fmt.Fprint(p.w, "\r\x1b[K")
		}
		return
	}
}

func (p *progressLine) line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.last
	line := fmt.Sprintf("%s  %s", text.Elapsed(time.Since(p.start)), text.CleanLine(s.Phase))
	if s.Total <= 0 {
		return line + soFar(s)
	}
	line += fmt.Sprintf("  %d %%", 100*s.Done/s.Total)
	if spent := time.Since(p.from); s.Done > 0 && s.Done < s.Total && spent > time.Second {
		left := time.Duration(float64(spent) * float64(s.Total-s.Done) / float64(s.Done))
		line += "  " + text.Elapsed(left) + " left"
	}
	return line
}

// soFar says how much is done if the total is unknown.
func soFar(s session.Progress) string {
	switch {
	case s.Done <= 0 || s.Unit == "ms":
		return ""
	case s.Unit == "B":
		return "  " + text.Bytes(s.Done)
	}
	return "  " + text.Plural(int(s.Done), strings.TrimSuffix(text.CleanLine(s.Unit), "s"))
}

func (p *progressLine) stop() {
	p.once.Do(func() { close(p.quit) })
	<-p.gone
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// widthOf returns the number of columns of the terminal behind a stream. It returns 0 if the stream
// is not a terminal or if its width is unknown.
func widthOf(stream any) int {
	f, ok := stream.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}
