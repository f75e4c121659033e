package home

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/bench/store"
	"lathe/session/journal"
	"lathe/session/text"
	"lathe/tui/cells"
)

// interruptedSession is a row of the second section.
type interruptedSession struct {
	journal.Interrupted
	isGone bool // there is no model file any more
}

// sessionsMsg brings what was interrupted, and resultsMsg what was measured.
type (
	sessionsMsg struct {
		list []interruptedSession
		err  error
	}
	resultsMsg struct {
		latest map[string]store.Latest
		err    error
	}
)

func readSessions(ctx context.Context, s *journal.Store) (m sessionsMsg) {
	if s == nil {
		return m
	}
	list, err := s.Interrupted(ctx)
	m.err = err
	for _, i := range list {
		_, err := os.Stat(i.Model)
		m.list = append(m.list, interruptedSession{i, errors.Is(err, fs.ErrNotExist)})
	}
	return m
}

func readResults(ctx context.Context, o Options) resultsMsg {
	m := resultsMsg{latest: map[string]store.Latest{}}
	if o.Results.Path != "" {
		if latest, err := o.Results.Latest(ctx, o.Here); err != nil {
			m.err = err
		} else {
			m.latest = latest
		}
	}
	return m
}

func (a *app) loadSessions() tea.Msg { return readSessions(a.ctx, a.o.Journal) }
func (a *app) loadResults() tea.Msg  { return readResults(a.ctx, a.o) }

// path is how the model is opened: as it was named if that was in the same folder.
func (s interruptedSession) path(folder string) string {
	if s.Folder == folder && s.Named != "" {
		return s.Named
	}
	return s.Model
}

// name and where are the columns that are searched, safe to print.
func (s interruptedSession) name() string  { return cells.Label(filepath.Base(s.Model)) }
func (s interruptedSession) where() string { return cells.Label(s.Folder) }

// done says how much was done.
func (s interruptedSession) done() string {
	if s.Steps == 0 {
		return "a job"
	}
	return text.Plural(s.Steps, "step")
}

// more is what the columns have no room for on a screen of w cells.
func (s interruptedSession) more(w int) string {
	var out []string
	if w < showsAll {
		out = append(out, s.done()+" in "+s.where())
	}
	if s.isGone {
		out = append(out, "the model file is gone")
	}
	if s.Job != "" {
		out = append(out, "was running: "+cells.Prose(s.Job))
	}
	if s.Earlier > 0 {
		out = append(out, text.Plural(s.Earlier, "earlier session")+" of it too")
	}
	return strings.Join(out, "; ")
}

func (s interruptedSession) ago(now time.Time) string { return text.Ago(now.Sub(s.Written)) }
