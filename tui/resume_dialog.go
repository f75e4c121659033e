package tui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
	"lathe/session/journal"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/list"
	"lathe/tui/task"
	"lathe/tui/theme"
)

const placeResume place = "resume"

func resumeActions() []actions.Action {
	type it = *resumeDialog
	return actions.Of([]row[it]{
		actions.New(actionAccept, "do it", keys("enter"), whenReady(it.choose)),
		actions.New(actionClose, "not now", keys("esc", "q"), whenReady(it.notNow)),
		actions.New(actionNext, "next", keys("j", "down"), whenReady(func(d it) tea.Cmd { return d.move(list.Down) })),
		actions.New(actionPrev, "previous", keys("k", "up"), whenReady(func(d it) tea.Cmd { return d.move(list.Up) })),
	})
}

func (d *resumeDialog) move(m list.Motion) tea.Cmd {
	d.rows.Act(m)
	return nil
}

// whenReady makes an action do nothing until the dialog takes keys.
func whenReady(do func(*resumeDialog) tea.Cmd) func(*resumeDialog) tea.Cmd {
	return func(d *resumeDialog) tea.Cmd {
		if !d.ready {
			return nil
		}
		return do(d)
	}
}

// The choices of the dialog, in order.
const (
	resumeGoOn = iota
	resumeNotNow
	resumeDiscard
)

var resumeChoices = [...]string{
	resumeGoOn:    "continue: run the steps again",
	resumeNotNow:  "not now; ask again at the next start",
	resumeDiscard: "discard it",
}

// choice returns one of the choices in words.
func (d *resumeDialog) choice(i int) string {
	if i == resumeGoOn && len(d.left().History) == 0 {
		return "continue at the same position"
	}
	return resumeChoices[i]
}

// resumeDialog asks what to do with the work that a lost connection has left.
type resumeDialog struct {
	attached
	// ready is true once the dialog has been open for a moment: it opens by itself, and a key
	// pressed just before was not meant for it.
	ready bool
	rows  list.Window
	w, h  int
}

// grace is how long a dialog that opens by itself ignores keys, as a multiple of the workspace's
// pause.
const grace = 2

// askToResume opens the dialog about the most recent session that was left.
func (ws *workspace) askToResume() tea.Cmd {
	d := &resumeDialog{attached: attached{ws}, rows: list.Window{N: len(resumeChoices)}}
	ws.host.open(d)
	return afterwards(ws, new(task.Task[struct{}]), grace*ws.pause, func() tea.Cmd {
		d.ready = true
		return nil
	})
}

func (d *resumeDialog) left() *journal.Left { return d.ws.keep.left[0] }

func (d *resumeDialog) place() place  { return placeResume }
func (d *resumeDialog) title() string { return "work was left behind" }
func (d *resumeDialog) box(s screen) cells.Rect {
	w := min(s.body.W-2, 90)
	return s.body.Centred(w, len(d.words(w-2*framePad))+1+len(resumeChoices)+2)
}

func (d *resumeDialog) said() string {
	return strings.Join(append(d.story(), d.choice(d.rows.Cursor)), "\n")
}

func (d *resumeDialog) sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	d.rows.Resize(len(resumeChoices))
	return nil
}

func (d *resumeDialog) choose() tea.Cmd {
	switch d.rows.Cursor {
	case resumeGoOn:
		return d.goOn()
	case resumeNotNow:
		return d.notNow()
	default:
		return d.discard()
	}
}

// clicked implements pointed: it performs the choice under the mouse.
func (d *resumeDialog) clicked(_, y int) tea.Cmd {
	if i := y - (d.h - len(resumeChoices)); i >= 0 && i < len(resumeChoices) {
		d.rows.MoveTo(i)
		return whenReady((*resumeDialog).choose)(d)
	}
	return nil
}

// wheeled implements pointed.
func (d *resumeDialog) wheeled(by int) { d.rows.Scroll(by) }

// notNow closes the dialog. All journals stay, and the next start asks again.
func (d *resumeDialog) notNow() tea.Cmd {
	d.ws.host.close(d)
	return d.ws.keepLeft()
}

// keepLeft keeps the journals of earlier sessions about which the person has not decided. The next
// start asks again.
func (ws *workspace) keepLeft() tea.Cmd {
	var cmds []tea.Cmd
	for _, l := range ws.keep.left {
		cmds = append(cmds, ws.settling(l.Keep))
	}
	ws.keep.left = nil
	return tea.Batch(cmds...)
}

// discard removes the journal of this session, and then asks about the next one.
func (d *resumeDialog) discard() tea.Cmd {
	ws := d.ws
	gone := ws.keep.left[0]
	ws.keep.left = ws.keep.left[1:]
	if len(ws.keep.left) == 0 {
		d.ws.host.close(d)
	}
	d.rows.Cursor = resumeGoOn
	return ws.settling(gone.Discard)
}

// goOn runs the steps of the journal again. If all succeed, this workbench continues the journal.
// Until then, and if they fail, the journal is not changed.
func (d *resumeDialog) goOn() tea.Cmd {
	ws := d.ws
	if why := ws.busy(); why != "" {
		ws.log.say(why)
		return nil
	}
	d.ws.host.close(d)
	l := ws.keep.left[0]
	ws.keep.left = ws.keep.left[1:]
	rest := ws.keepLeft()
	if len(l.History) == 0 {
		return tea.Batch(rest, ws.continueJournal(l), ws.restore(l.View))
	}
	begun, _ := ws.session.Begin(nil)
	ws.keep.resuming = true
	job := ws.startRewriting(&rewriting{begun: begun, further: l.History, folder: l.Folder}, func(err error) tea.Cmd { return ws.resumed(begun, l, err) })
	d.ws.host.open(newResultsDialog(d.ws))
	return tea.Batch(rest, job)
}

// resumed takes the session in which the steps of a journal were run again. If all succeeded, the
// journal is continued. If one failed, the model is as after the steps before it, and the journal
// stays for another try.
func (ws *workspace) resumed(s *session.Session, l *journal.Left, err error) tea.Cmd {
	ws.keep.resuming = false
	if errors.Is(err, errStaleJob) || err != nil && len(s.History()) == 0 {
		return ws.settling(l.Keep)
	}
	if ws.session.Revision() == 0 {
		ws.session = s // undo goes back through the steps as before
	} else {
		ws.session.Adopt(s)
	}
	cmd := ws.settling(l.Keep)
	if err == nil {
		cmd = ws.continueJournal(l)
	}
	return tea.Batch(cmd, ws.showModel(), ws.restore(l.View))
}

// continueJournal makes a journal of an earlier session this workbench's own.
func (ws *workspace) continueJournal(l *journal.Left) tea.Cmd {
	old := ws.keep.journal
	ws.keep.journal, ws.keep.noted = l.Continue(), moment{revision: -1}
	if old == nil {
		return nil
	}
	return ws.settling(old.Close)
}

func (d *resumeDialog) view(bool) []string {
	st := d.ws.styles
	lines := cells.Block(shortened(d.words(d.w), d.h-len(resumeChoices)-1), d.w, max(d.h-len(resumeChoices)-1, 0))
	lines = append(lines, st.Frame.On(cells.Rule(d.w)))
	for i := range resumeChoices {
		looks, lead := theme.Paint(""), "  "
		if i == d.rows.Cursor {
			looks, lead = st.Selected, "› "
		}
		lines = append(lines, looks.On(cells.Fit(lead+d.choice(i), d.w)))
	}
	return cells.Block(lines, d.w, d.h)
}
