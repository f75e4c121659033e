package tui

import (
	"io"
	"strings"
	"sync"

	"lathe/tui/actions"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
)

// spoken is the workbench for users of a screen reader: it has the same keys, but instead of
// drawing the screen it prints lines that say what a key has done.
type spoken struct {
	*App
	voice *voice
	// place, text and entries are what was said last, so that nothing is said twice.
	place   actions.Place
	text    string
	entries int  // the number of messages that were said
	owed    bool // the answer to a key has not been spoken yet
}

// awaiting is a pane or dialog that may be waiting for background work. Its text changes when the
// result arrives.
type awaiting interface{ Awaits() bool }

func newSpoken(a *App, out io.Writer) *spoken {
	return &spoken{App: a, voice: newVoice(out)}
}

// Init implements tea.Model. Unlike App.Init it does not ask what the terminal can draw, because
// nothing is drawn.
func (s *spoken) Init() tea.Cmd { return s.begin() }

// Update implements tea.Model.
func (s *spoken) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := s.App.Update(msg)
	_, byKey := msg.(tea.KeyPressMsg)
	for _, line := range s.news(byKey) {
		s.voice.say(line)
	}
	return s, cmd
}

// news returns what a screen reader should say: new messages, the pane or dialog with the focus if
// it has changed, and the text at the cursor if it has changed. Progress is said only after a key
// (byKey).
func (s *spoken) news(byKey bool) []string {
	var out []string
	for ; s.entries < len(s.ws.Log.Entries); s.entries++ {
		out = append(out, s.ws.Log.Entries[s.entries].Lines...)
	}
	at, title := s.focused().Pane, s.focused().Title
	if top := s.dialogs.Top(); top != nil {
		at, title = top, top.Title()
	}
	text := at.Said()
	awaits := false
	if w, ok := at.(awaiting); ok {
		awaits = w.Awaits()
	}
	if byKey && awaits && !s.owed && at.Place() == s.place {
		s.owed = true // the text is for an earlier input; the new text is said when the answer arrives
		return out
	}
	answered := s.owed && !awaits
	s.owed = s.owed && awaits
	switch {
	case at.Place() != s.place:
		s.place = at.Place()
		out = append(out, title, text)
	case (byKey || answered) && text != s.text:
		out = append(out, text)
	}
	s.text = text
	return out
}

// raw puts a terminal into raw mode, so that keys arrive one by one, and returns a function that
// restores it. The library does not do this when nothing is drawn.
func raw(in io.Reader) (restore func()) {
	f, ok := in.(term.File)
	if !ok {
		return func() {}
	}
	before, err := term.MakeRaw(f.Fd())
	if err != nil {
		return func() {} // no terminal, so keys are not held back
	}
	return func() { _ = term.Restore(f.Fd(), before) } // fails only if the terminal is gone
}

// voice writes lines in a goroutine of its own, because the reader may be slow.
type voice struct {
	mu    sync.Mutex
	lines []string
	wake  chan struct{}
	done  chan struct{}
}

func newVoice(out io.Writer) *voice {
	v := &voice{wake: make(chan struct{}, 1), done: make(chan struct{})}
	go v.run(out)
	return v
}

// say queues text; empty text is ignored.
func (v *voice) say(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	v.mu.Lock()
	v.lines = append(v.lines, strings.Split(text, "\n")...)
	v.mu.Unlock()
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

func (v *voice) run(out io.Writer) {
	defer close(v.done)
	for range v.wake {
		v.mu.Lock()
		lines := v.lines
		v.lines = nil
		v.mu.Unlock()
		for _, l := range lines {
			// The terminal is in raw mode, where a line feed alone does not return to the first
			// column.
			if _, err := io.WriteString(out, l+"\r\n"); err != nil {
				return
			}
		}
	}
}

// end waits until everything is written.
func (v *voice) end() {
	close(v.wake)
	<-v.done
}
