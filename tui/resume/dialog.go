package resume

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops/permit"
	"lathe/session"
	"lathe/session/journal"
	"lathe/session/trust"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/forms"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/task"
	"lathe/tui/theme"
	"lathe/tui/workspace"
)

// Place is the place of the question about earlier work.
const Place actions.Place = "resume"

// Actions are the actions of the question about earlier work.
func Actions() []actions.Action {
	type it = *ResumeDialog
	return actions.Of([]actions.Row[it]{
		actions.New(shell.ActionAccept, "do it", actions.Keys("enter"), whenReady(it.choose)),
		actions.New(shell.ActionClose, "not now", actions.Keys("esc", "q"), whenReady(it.notNow)),
		actions.New(shell.ActionNext, "next", actions.Keys("j", "down"), whenReady(func(d it) tea.Cmd { return d.move(list.Down) })),
		actions.New(shell.ActionPrev, "previous", actions.Keys("k", "up"), whenReady(func(d it) tea.Cmd { return d.move(list.Up) })),
	})
}

func (d *ResumeDialog) move(m list.Motion) tea.Cmd {
	d.Rows.Act(m)
	return nil
}

// whenReady makes an action do nothing until the dialog takes keys.
func whenReady(do func(*ResumeDialog) tea.Cmd) func(*ResumeDialog) tea.Cmd {
	return func(d *ResumeDialog) tea.Cmd {
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
func (d *ResumeDialog) choice(i int) string {
	if i == resumeGoOn && len(d.left().History) == 0 {
		return "continue at the same position"
	}
	return resumeChoices[i]
}

// ResumeDialog asks what to do with the work that a lost connection has left.
type ResumeDialog struct {
	workspace.Attached
	// ready is true once the dialog has been open for a moment: it opens by itself, and a key
	// pressed just before was not meant for it.
	ready bool
	// acts is what the steps would do on the machine when they are run again, and limits is what they
	// may do if the person says so.
	acts   []trust.Act
	limits permit.Limits
	Rows   list.Window
	w, h   int
}

// grace is how long a dialog that opens by itself ignores keys, as a multiple of the workspace's
// pause.
const grace = 2

// AskToResume opens the dialog about the most recent session that was left.
func AskToResume(ws *workspace.Workspace) tea.Cmd {
	d := &ResumeDialog{Attached: workspace.Attached{WS: ws}, Rows: list.Window{N: len(resumeChoices)}}
	d.weigh()
	ws.Host.Open(d)
	return workspace.Afterwards(ws, new(task.Task[struct{}]), grace*ws.Pause, func() tea.Cmd {
		d.ready = true
		return nil
	})
}

func (d *ResumeDialog) left() *journal.Left { return Keepers.In(d.WS).Left[0] }

// Place implements shell.Pane.
func (d *ResumeDialog) Place() actions.Place { return Place }

// Title implements shell.Dialog.
func (d *ResumeDialog) Title() string { return "work was left behind" }

// Box implements shell.Dialog.
func (d *ResumeDialog) Box(s shell.Screen) cells.Rect {
	w := min(s.Body.W-2, 90)
	return s.Body.Centred(w, len(d.words(w-2*shell.FramePad))+1+len(resumeChoices)+2)
}

// Said implements shell.Pane.
func (d *ResumeDialog) Said() string {
	return strings.Join(append(d.story(), d.choice(d.Rows.Cursor)), "\n")
}

// Sync implements shell.Pane.
func (d *ResumeDialog) Sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	d.Rows.Resize(len(resumeChoices))
	return nil
}

func (d *ResumeDialog) choose() tea.Cmd {
	switch d.Rows.Cursor {
	case resumeGoOn:
		return d.goOn()
	case resumeNotNow:
		return d.notNow()
	default:
		return d.discard()
	}
}

// Clicked implements shell.Pointed: it performs the choice under the mouse.
func (d *ResumeDialog) Clicked(_, y int) tea.Cmd {
	if i := y - (d.h - len(resumeChoices)); i >= 0 && i < len(resumeChoices) {
		d.Rows.MoveTo(i)
		return whenReady((*ResumeDialog).choose)(d)
	}
	return nil
}

// Wheeled implements shell.Pointed.
func (d *ResumeDialog) Wheeled(by int) { d.Rows.Scroll(by) }

// notNow closes the dialog. All journals stay, and the next start asks again.
func (d *ResumeDialog) notNow() tea.Cmd {
	d.WS.Host.Close(d)
	return keepLeft(d.WS)
}

// keepLeft keeps the journals of earlier sessions about which the person has not decided. The next
// start asks again.
func keepLeft(ws *workspace.Workspace) tea.Cmd {
	var cmds []tea.Cmd
	for _, l := range Keepers.In(ws).Left {
		cmds = append(cmds, settling(ws, l.Keep))
	}
	Keepers.In(ws).Left = nil
	return tea.Batch(cmds...)
}

// discard removes the journal of this session, and then asks about the next one.
func (d *ResumeDialog) discard() tea.Cmd {
	ws := d.WS
	gone := Keepers.In(ws).Left[0]
	Keepers.In(ws).Left = Keepers.In(ws).Left[1:]
	if len(Keepers.In(ws).Left) == 0 {
		d.WS.Host.Close(d)
	} else {
		d.weigh()
	}
	d.Rows.Cursor = resumeGoOn
	return settling(ws, gone.Discard)
}

// weigh finds out what the steps of the journal would do. Only those that changed the model are run
// again, and they write no files.
func (d *ResumeDialog) weigh() {
	l := d.left()
	calls := make([]session.Call, len(l.History)) // a call of no step is skipped
	for i, p := range l.History {
		if p.Changed {
			calls[i] = p.Call
		}
	}
	q, acts := forms.Questioned(d.WS, calls, l.Folder)
	d.acts = trust.Running(acts)
	d.limits = q.Limits(d.acts, d.WS.Options.Env.Cache, d.WS.Options.Env.Results)
}

// goOn runs the steps of the journal again. If all succeed, this workbench continues the journal.
// Until then, and if they fail, the journal is not changed.
func (d *ResumeDialog) goOn() tea.Cmd {
	ws := d.WS
	if why := ws.Busy(); why != "" {
		ws.Log.Say(why)
		return nil
	}
	d.WS.Host.Close(d)
	l := Keepers.In(ws).Left[0]
	Keepers.In(ws).Left = Keepers.In(ws).Left[1:]
	rest := keepLeft(ws)
	if len(l.History) == 0 {
		return tea.Batch(rest, continueJournal(ws, l), Restore(ws, l.View))
	}
	begun, _ := ws.Session.Begin(nil)
	Keepers.In(ws).resuming = true
	job := forms.StartRewriting(ws, &forms.Rewriting{Begun: begun, Further: l.History, Folder: l.Folder, Limits: &d.limits}, func(err error) tea.Cmd { return resumed(ws, begun, l, err) })
	d.WS.Host.Open(forms.NewResultsDialog(d.WS))
	return tea.Batch(rest, job)
}

// resumed takes the session in which the steps of a journal were run again. If all succeeded, the
// journal is continued. If one failed, the model is as after the steps before it, and the journal
// stays for another try.
func resumed(ws *workspace.Workspace, s *session.Session, l *journal.Left, err error) tea.Cmd {
	Keepers.In(ws).resuming = false
	if errors.Is(err, workspace.ErrStaleJob) || err != nil && len(s.History()) == 0 {
		return settling(ws, l.Keep)
	}
	if ws.Session.Revision() == 0 {
		ws.Session = s // undo goes back through the steps as before
	} else {
		ws.Session.Adopt(s)
	}
	cmd := settling(ws, l.Keep)
	if err == nil {
		cmd = continueJournal(ws, l)
	}
	return tea.Batch(cmd, ws.ShowModel(), Restore(ws, l.View))
}

// continueJournal makes a journal of an earlier session this workbench's own.
func continueJournal(ws *workspace.Workspace, l *journal.Left) tea.Cmd {
	old := Keepers.In(ws).journal
	Keepers.In(ws).journal, Keepers.In(ws).noted = l.Continue(), moment{revision: -1}
	if old == nil {
		return nil
	}
	return settling(ws, old.Close)
}

// View implements shell.Pane.
func (d *ResumeDialog) View(bool) []string {
	st := d.WS.Styles
	lines := cells.Block(shortened(d.words(d.w), d.h-len(resumeChoices)-1), d.w, max(d.h-len(resumeChoices)-1, 0))
	lines = append(lines, st.Frame.On(cells.Rule(d.w)))
	for i := range resumeChoices {
		looks, lead := theme.Paint(""), "  "
		if i == d.Rows.Cursor {
			looks, lead = st.Selected, "› "
		}
		lines = append(lines, looks.On(cells.Fit(lead+d.choice(i), d.w)))
	}
	return cells.Block(lines, d.w, d.h)
}
