package tui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/session/journal"
)

// keeping writes what the person does to a journal. If the connection is lost, the next start finds
// the journal and offers to continue.
type keeping struct {
	journal *journal.Journal // nil until it has begun, and if nothing is kept
	noted   moment           // what the journal holds
	left    []*journal.Left  // what earlier sessions left, until the user has decided about it
	// resuming is true while the steps of an earlier session are run again. Until they have
	// succeeded, the journal of that session stays as it is.
	resuming bool
	ended    bool // the user has quit
	theme    string
}

// keepers has the journal of the workspace.
var keepers slot[keeping]

// moment identifies the state of the work. If it differs from the last one written, there is
// something new to write.
type moment struct{ revision, marks, job int }

func momentOf(ws *workspace) moment {
	m := moment{revision: ws.session.Revision(), marks: ws.marks.changes}
	if j := ws.jobs.running(); j != nil {
		m.job = j.ID
	}
	return m
}

// kept is what earlier sessions with this model have left, and the new journal of this
// session.
type kept struct {
	left    []*journal.Left
	view    journal.View
	journal *journal.Journal
	err     error
}

// beginKeeping looks for what earlier sessions left, and begins a journal.
func beginKeeping(ws *workspace) tea.Cmd {
	store, path := ws.o.Journal, ws.o.Path
	keepers.in(ws).theme = ws.o.Settings.Theme
	if store == nil {
		return nil
	}
	look := func(context.Context) (m kept) {
		m.left, m.err = store.Left(path)
		view, err := store.View(path)
		m.view = view
		if m.err == nil {
			m.err = err
		}
		if m.journal, err = store.Start(path); m.err == nil {
			m.err = err
		}
		return m
	}
	return once(ws, "looking for journals of earlier sessions", look, func(m kept) tea.Cmd { return takeKept(ws, m) })
}

// takeKept restores the view, and asks about the rest.
func takeKept(ws *workspace, m kept) tea.Cmd {
	keepers.in(ws).journal = m.journal
	if m.err != nil {
		ws.log.Fail(fmt.Errorf("cannot read the journal of earlier sessions: %w", m.err))
	}
	view, cmds := m.view, []tea.Cmd{}
	for _, l := range m.left {
		if len(l.History) > 0 || l.Job != "" {
			keepers.in(ws).left = append(keepers.in(ws).left, l)
			continue
		}
		view = l.View // no steps were run: the view is all there is
		cmds = append(cmds, settling(ws, l.Discard))
	}
	if len(keepers.in(ws).left) > 0 {
		cmds = append(cmds, askToResume(ws))
	}
	if isUntouched(ws) {
		cmds = append(cmds, restore(ws, view))
		keepers.in(ws).noted = momentOf(ws) // the view is kept already
	}
	return tea.Batch(cmds...)
}

// settling runs f, which removes a journal or releases it for a later start, in the background.
func settling(ws *workspace, f func() error) tea.Cmd {
	return once(ws, "closing a journal", func(context.Context) error { return f() }, func(err error) tea.Cmd { return noted(ws, err) })
}

// noted is called when the journal was written. If it cannot be written, that is reported once.
func noted(ws *workspace, err error) tea.Cmd {
	if err == nil {
		return nil
	}
	ws.log.Fail(fmt.Errorf("cannot write the journal for recovery after a lost connection: %w", err))
	j := keepers.in(ws).journal
	keepers.in(ws).journal = nil
	if j == nil {
		return nil
	}
	return guarded("ending the journal", func() tea.Msg {
		_ = j.Leave() // the log says already that nothing is kept
		return nil
	})
}

// note writes the current state to the journal if it has changed since the last time.
func note(ws *workspace) tea.Cmd {
	k, now := keepers.in(ws), momentOf(ws)
	if k.journal == nil || k.resuming || now == k.noted {
		return nil
	}
	k.noted = now
	k.journal.Put(entryOf(ws))
	j := k.journal
	return once(ws, "writing the journal", j.Flush, func(err error) tea.Cmd { return noted(ws, err) })
}

// entryOf returns the current state of the workbench.
func entryOf(ws *workspace) journal.Entry {
	e := journal.Entry{Model: ws.o.Path, Folder: ws.o.Folder, History: ws.session.History(), View: viewNow(ws)}
	if j := ws.jobs.running(); j != nil {
		e.Job = j.command
	}
	return e
}

// endPatience is how long the last write of the journal may take.
const endPatience = 3 * time.Second

// endKeeping stores the view when the program ends. If the user has quit, or if there is nothing to
// restore, the journal is removed. Otherwise it is written once more and left for the next start.
func endKeeping(ws *workspace) error {
	k := keepers.in(ws)
	if ws.o.Journal == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), endPatience)
	defer cancel()
	for _, l := range k.left {
		_ = l.Keep() // its lock goes with the process as well
	}
	err := ws.o.Journal.SaveView(ctx, ws.o.Path, viewNow(ws))
	if k.journal == nil {
		return err
	}
	e := entryOf(ws)
	if k.ended || len(e.History) == 0 && e.Job == "" || k.resuming {
		if closed := k.journal.Close(); err == nil {
			err = closed
		}
		return err
	}
	k.journal.Put(e)
	if flushed := k.journal.Flush(ctx); err == nil {
		err = flushed
	}
	if left := k.journal.Leave(); err == nil {
		err = left
	}
	return err
}
