package home

import (
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// press carries out the action of a key.
func (a *app) press(k tea.KeyPressMsg) tea.Cmd {
	a.notices = nil
	switch action := a.meaning(k.String()); action {
	case "":
		return a.edit(k)
	case actionAccept:
		return a.accept()
	case actionClose:
		return tea.Quit
	case actionInterrupt:
		a.interrupted = true
		return tea.Quit
	case actionRedraw:
		return tea.ClearScreen
	case actionSuspend:
		return tea.Suspend
	case actionOther:
		a.turn()
	default:
		a.move(action)
	}
	return nil
}

// edit passes a key or a paste to the query.
func (a *app) edit(msg tea.Msg) tea.Cmd {
	before := a.line.Value()
	a.line, _ = a.line.Update(msg)
	if a.line.Value() == before {
		return nil
	}
	a.opens = false
	if strings.TrimSpace(a.line.Value()) == "" {
		a.cancel()
		a.ticket++
		a.waiting = false
		a.showAll()
		return nil
	}
	return a.search(false)
}

// accept ends the program with the selected row. If a search has not answered yet, accept waits for
// it, because the rows on screen are for an earlier query.
func (a *app) accept() tea.Cmd {
	if a.waiting {
		a.opens = true
		return nil
	}
	at := a.focused()
	item := a.sections[at].selected()
	switch {
	case item < 0:
		return nil
	case at == sessions:
		a.choice.Path = typed(a.list[item].path(a.o.Folder))
	default:
		a.choice.Path = typed(a.queue.path(item))
	}
	return tea.Quit
}

// typed returns a path in the form in which a person would type it. A path that begins with "-"
// gets "./" before it, so that it is not read as a flag.
func typed(path string) string {
	if strings.HasPrefix(path, "-") {
		return "." + string(filepath.Separator) + path
	}
	return path
}
