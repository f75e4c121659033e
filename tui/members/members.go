package members

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"lathe/session/folders"
	"lathe/tui/config"
	"lathe/tui/controls"
	"lathe/tui/frames"
	"lathe/tui/list"
	"lathe/tui/theme"
)

// Options says what the list shows and how it is drawn.
type Options struct {
	Report *folders.Report
	// Selected is the file of the member that is selected at first, relative to the folder, or "".
	Selected string

	In  io.Reader
	Out io.Writer
	// Environ is the environment, from which the capabilities of the terminal are read.
	Environ  []string
	NoColor  bool
	Settings config.Config
	// Notices are errors in the settings file.
	Notices []error
}

// errInterrupted is the error if Ctrl-C ends the list.
type errInterrupted struct{}

func (errInterrupted) Error() string { return "interrupted" }

// Unwrap lets callers treat it like a cancelled context.
func (errInterrupted) Unwrap() error { return context.Canceled }

// Run lets a person choose a model of a folder. It returns its file relative to the folder, or "" if
// they left. For a screen reader, it prints the report and returns no choice.
func Run(ctx context.Context, o Options) (file string, err error) {
	if o.Settings.ScreenReader {
		return "", o.Report.WriteText(o.Out)
	}
	a := newApp(o)
	options := []tea.ProgramOption{tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithEnvironment(o.Environ)}
	if o.NoColor {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	program, clock := frames.New(a, options...)
	defer clock.End()
	stop := context.AfterFunc(ctx, program.Quit)
	_, err = program.Run()
	stop()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case a.interrupted || errors.Is(err, tea.ErrInterrupted):
		return "", errInterrupted{}
	}
	return a.choice, err
}

// app is the Bubble Tea model of the list.
type app struct {
	o      Options
	styles theme.Styles
	keys   []config.Action
	w, h   int
	rows   list.Window // the members
	wires  []folders.WireGroup
	notice string // shown until the next key
	// helping shows the keys in place of what is known about the selected member.
	helping bool

	choice      string
	interrupted bool
}

func newApp(o Options) *app {
	a := &app{o: o, keys: Actions(o.Settings.Keys), wires: folders.Fold(o.Report.Wires)}
	a.restyle(true)
	at := 0
	for i, m := range o.Report.Members {
		if m.File == o.Selected {
			at = i
		}
	}
	a.rows.Reset(len(o.Report.Members), at)
	for _, err := range o.Notices {
		a.notice = err.Error()
	}
	return a
}

// restyle chooses the theme for a dark or light background.
func (a *app) restyle(isDark bool) {
	name := theme.Of(a.o.Settings.Theme, isDark)
	if a.o.NoColor {
		name = theme.None
	}
	a.styles = theme.StylesOf(name)
}

// Init implements tea.Model.
func (a *app) Init() tea.Cmd {
	return tea.Batch(tea.Raw(ansi.RequestModeSynchronizedOutput), tea.RequestBackgroundColor)
}

// Update implements tea.Model.
func (a *app) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.w, a.h = msg.Width, msg.Height
		a.rows.Resize(max(a.memberLines(), 1))
	case tea.BackgroundColorMsg:
		a.restyle(msg.IsDark())
	case tea.KeyPressMsg:
		return a, a.press(msg.String())
	case tea.MouseClickMsg:
		if row := msg.Y - 1 + a.rows.Top; msg.Y >= 1 && msg.Y <= a.memberLines() && row < a.rows.N {
			a.rows.MoveTo(row)
		}
	case tea.MouseWheelMsg:
		a.rows.MoveTo(a.rows.Cursor + controls.Wheel(msg.Button))
	}
	return a, nil
}

// press carries out the action of a key.
func (a *app) press(key string) tea.Cmd {
	a.notice = ""
	wasHelping := a.helping
	a.helping = false
	switch action := a.meaning(key); action {
	case actionAccept:
		return a.accept()
	case actionHelp:
		a.helping = !wasHelping
	case actionClose:
		if !wasHelping {
			return tea.Quit
		}
	case actionInterrupt:
		a.interrupted = true
		return tea.Quit
	case actionRedraw:
		return tea.ClearScreen
	case actionSuspend:
		return tea.Suspend
	case actionNext:
		a.rows.MoveTo(a.rows.Cursor + 1)
	case actionPrevious:
		a.rows.MoveTo(a.rows.Cursor - 1)
	default:
		a.rows.Act(list.Motion(action))
	}
	return nil
}

// accept ends the program with the selected member. One that cannot be opened stays here, with the
// reason.
func (a *app) accept() tea.Cmd {
	m := a.selected()
	if m == nil {
		return nil
	}
	if m.Error != "" {
		a.notice = m.Error
		return nil
	}
	a.choice = filepath.FromSlash(m.File)
	return tea.Quit
}

func (a *app) selected() *folders.MemberReport {
	if a.rows.Cursor < 0 || a.rows.Cursor >= len(a.o.Report.Members) {
		return nil
	}
	return &a.o.Report.Members[a.rows.Cursor]
}
