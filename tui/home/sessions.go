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
	isGone bool // the model file does not exist
}

// sessionsMsg has the interrupted sessions, and resultsMsg the stored measurements.
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

// path returns the path by which the model is opened: as the person named it if that was in the
// same folder.
func (s interruptedSession) path(folder string) string {
	if s.Folder == folder && s.Named != "" {
		return s.Named
	}
	return s.Model
}

// name and where are the two texts of a session that are searched, safe to print.
func (s interruptedSession) name() string  { return cells.Label(filepath.Base(s.Model)) }
func (s interruptedSession) where() string { return cells.Label(s.Folder) }

// done says how many steps a session has.
func (s interruptedSession) done() string {
	if s.Steps == 0 {
		return "a job"
	}
	return text.Plural(s.Steps, "step")
}

// more describes what the columns do not show: that the model file is gone, which job was running,
// and whether there are earlier sessions. On a screen narrower than showsAll that includes the
// number of steps and the folder.
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
