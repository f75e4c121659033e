package home

import (
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"lathe/bench/store"
	"lathe/tui/cells"
)

// walkMsg has the next models that were found.
type walkMsg struct{ paths []string }

// look looks for more models.
func (a *app) look() tea.Cmd {
	ctx, w := a.ctx, a.walk
	return func() tea.Msg { return walkMsg{w.next(ctx)} }
}

// takeWalk lists the models that were found and continues the walk.
func (a *app) takeWalk(m walkMsg) tea.Cmd {
	s := &a.sections[models]
	for _, path := range m.paths {
		label := cells.Label(path)
		a.widest = max(a.widest, cells.Width(label))
		s.texts = append(s.texts, label)
	}
	a.files = append(a.files, make([]facts, len(m.paths))...)
	a.queue.add(m.paths)
	if a.isWalked = a.walk.isOver(); a.isWalked || a.ctx.Err() != nil {
		return a.refresh(len(m.paths))
	}
	return tea.Batch(a.look(), a.refresh(len(m.paths)))
}

// refresh updates the list after items were added. With a query it searches again, otherwise it
// shows all items.
func (a *app) refresh(added int) tea.Cmd {
	switch {
	case added == 0:
		return nil
	case a.line.Value() == "":
		a.showAll()
		return nil
	default:
		return a.search(true)
	}
}

// takeRead stores the facts of a file.
func (a *app) takeRead(m readMsg) {
	a.lanes--
	if m.i < 0 {
		return
	}
	if !a.files[m.i].isKnown {
		a.known++
	}
	a.files[m.i] = m.facts
	a.isMeasured = a.isMeasured || m.latest != nil
	a.wantResult(m.i)
}

func (a *app) takeResults(m resultsMsg) {
	a.latest = m.latest
	if a.latest == nil {
		a.latest = map[string]store.Latest{}
	}
	a.notice(m.err)
	for i, f := range a.files {
		if f.isKnown {
			a.wantResult(i)
		}
	}
}

// wantResult puts a file back into the queue if a stored latency for it became known after it was
// read.
func (a *app) wantResult(i int) {
	if f := a.files[i]; f.withResults || f.err != nil || a.latest == nil {
		return
	}
	if _, ok := a.latest[filepath.Join(a.o.Folder, a.queue.path(i))]; ok {
		a.queue.readAgain(i)
	}
}

func (a *app) takeSessions(m sessionsMsg) tea.Cmd {
	a.list, a.isListed = m.list, true
	a.notice(m.err)
	s := &a.sections[sessions]
	for _, i := range m.list {
		s.texts = append(s.texts, i.name()+" "+i.where())
		a.widestModel = max(a.widestModel, cells.Width(i.name()))
	}
	return a.refresh(len(m.list))
}

// startLanes starts lanes until all are busy or no file is left. More lanes than files may start; a
// lane that gets no file just ends.
func (a *app) startLanes() tea.Cmd {
	var cmds []tea.Cmd
	for ; a.lanes < lanes && !a.queue.isEmpty() && a.ctx.Err() == nil; a.lanes++ {
		cmds = append(cmds, lane(&a.queue, reader{a.o.Folder, a.o.Open, a.latest}))
	}
	return tea.Batch(cmds...)
}
