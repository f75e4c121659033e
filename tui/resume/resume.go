package resume

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/session/journal"
	"lathe/tui/workspace"
)

// keeping writes what the person does to a journal. If the connection is lost, the next start finds
// the journal and offers to continue.
type keeping struct {
	journal *journal.Journal // nil until it has begun, and if nothing is kept
	noted   moment           // what the journal holds
	Left    []*journal.Left  // what earlier sessions left, until the user has decided about it
	// resuming is true while the steps of an earlier session are run again. Until they have
	// succeeded, the journal of that session stays as it is.
	resuming bool
	Ended    bool // the user has quit
	theme    string
}

// Keepers has the journal of the workspace.
var Keepers workspace.Slot[keeping]

// moment identifies the state of the work. If it differs from the last one written, there is
// something new to write.
type moment struct{ revision, marks, job int }

func momentOf(ws *workspace.Workspace) moment {
	m := moment{revision: ws.Session.Revision(), marks: ws.Marks.Changes}
	if j := ws.Jobs.Running(); j != nil {
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

// BeginKeeping looks for what earlier sessions left, and begins a journal.
func BeginKeeping(ws *workspace.Workspace) tea.Cmd {
	store, path := ws.Options.Journal, ws.Options.Path
	Keepers.In(ws).theme = ws.Options.Settings.Theme
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
	return workspace.Once(ws, "looking for journals of earlier sessions", look, func(m kept) tea.Cmd { return takeKept(ws, m) })
}

// takeKept restores the view, and asks about the rest.
func takeKept(ws *workspace.Workspace, m kept) tea.Cmd {
	Keepers.In(ws).journal = m.journal
	if m.err != nil {
		ws.Log.Fail(fmt.Errorf("cannot read the journal of earlier sessions: %w", m.err))
	}
	view, cmds := m.view, []tea.Cmd{}
	for _, l := range m.left {
		if len(l.History) > 0 || l.Job != "" {
			Keepers.In(ws).Left = append(Keepers.In(ws).Left, l)
			continue
		}
		view = l.View // no steps were run: the view is all there is
		cmds = append(cmds, settling(ws, l.Discard))
	}
	if len(Keepers.In(ws).Left) > 0 {
		cmds = append(cmds, AskToResume(ws))
	}
	if isUntouched(ws) {
		cmds = append(cmds, Restore(ws, view))
		Keepers.In(ws).noted = momentOf(ws) // the view is kept already
	}
	return tea.Batch(cmds...)
}

// settling runs f, which removes a journal or releases it for a later start, in the background.
func settling(ws *workspace.Workspace, f func() error) tea.Cmd {
	return workspace.Once(ws, "closing a journal", func(context.Context) error { return f() }, func(err error) tea.Cmd { return noted(ws, err) })
}

// noted is called when the journal was written. If it cannot be written, that is reported once.
func noted(ws *workspace.Workspace, err error) tea.Cmd {
	if err == nil {
		return nil
	}
	ws.Log.Fail(fmt.Errorf("cannot write the journal for recovery after a lost connection: %w", err))
	j := Keepers.In(ws).journal
	Keepers.In(ws).journal = nil
	if j == nil {
		return nil
	}
	return workspace.Guarded("ending the journal", func() tea.Msg {
		_ = j.Leave() // the log says already that nothing is kept
		return nil
	})
}

// Note writes the current state to the journal if it has changed since the last time.
func Note(ws *workspace.Workspace) tea.Cmd {
	k, now := Keepers.In(ws), momentOf(ws)
	if k.journal == nil || k.resuming || now == k.noted {
		return nil
	}
	k.noted = now
	k.journal.Put(entryOf(ws))
	j := k.journal
	return workspace.Once(ws, "writing the journal", j.Flush, func(err error) tea.Cmd { return noted(ws, err) })
}

// entryOf returns the current state of the workbench.
func entryOf(ws *workspace.Workspace) journal.Entry {
	e := journal.Entry{Model: ws.Options.Path, Folder: ws.Options.Folder, History: ws.Session.History(), View: viewNow(ws)}
	if j := ws.Jobs.Running(); j != nil {
		e.Job = j.Command
	}
	return e
}

// endPatience is how long the last write of the journal may take.
const endPatience = 3 * time.Second

// EndKeeping stores the view when the program ends. If the user has quit, or if there is nothing to
// restore, the journal is removed. Otherwise it is written once more and left for the next start.
func EndKeeping(ws *workspace.Workspace) error {
	k := Keepers.In(ws)
	if ws.Options.Journal == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), endPatience)
	defer cancel()
	for _, l := range k.Left {
		_ = l.Keep() // its lock goes with the process as well
	}
	err := ws.Options.Journal.SaveView(ctx, ws.Options.Path, viewNow(ws))
	if k.journal == nil {
		return err
	}
	e := entryOf(ws)
	if k.Ended || len(e.History) == 0 && e.Job == "" || k.resuming {
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
