package home

import (
	"context"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lathe/bench/store"
	"lathe/tui/cells"
	"lathe/tui/config"
	"lathe/tui/controls"
	"lathe/tui/theme"
)

// The sections, from top to bottom.
const (
	models = iota
	sessions
	sectionCount
)

// app is the Bubble Tea model of the list.
type app struct {
	o      Options
	ctx    context.Context
	styles theme.Styles
	keys   []config.Action
	w, h   int

	line     textinput.Model
	sections [sectionCount]section
	focus    int

	walk     *walk // a command works on it until isWalked is true
	isWalked bool
	files    []facts // one for each item of the first section
	widest   int     // the longest model name, in cells
	known    int     // how many files have been read
	queue    queue
	lanes    int                     // how many lanes are busy
	latest   map[string]store.Latest // nil until the results are read
	// isMeasured is true if any file has a stored latency, so that there are columns for it.
	isMeasured bool

	list        []interruptedSession // the items of the second section
	isListed    bool                 // the sessions have been read
	widestModel int                  // the longest model name of a session, in cells

	notices []string // shown until the next key

	ticket  int // number of the last search
	cancel  context.CancelFunc
	waiting bool // a search has not answered yet
	opens   bool // opens the first match when the search has answered

	choice      Choice
	interrupted bool
}

func newApp(ctx context.Context, o Options) *app {
	a := &app{
		o: o, ctx: ctx, keys: Actions(o.Settings.Keys), line: controls.NewLine(), walk: newWalk(o.Folder),
		cancel: func() {},
	}
	a.restyle(true)
	for i := range a.sections {
		a.sections[i].isAll = true
	}
	for _, err := range o.Notices {
		a.notice(err)
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

func (a *app) notice(err error) {
	if err != nil {
		a.notices = append(a.notices, cells.Prose(err.Error()))
	}
}

// Init implements tea.Model.
func (a *app) Init() tea.Cmd {
	return tea.Batch(
		// Over SSH, Bubble Tea does not ask whether the terminal supports synchronized output,
		// which avoids flicker. So the list asks.
		tea.Raw(ansi.RequestModeSynchronizedOutput),
		tea.RequestBackgroundColor,
		a.look(), a.loadSessions, a.loadResults,
	)
}

// Update implements tea.Model.
func (a *app) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := a.route(msg)
	a.fit()
	return a, tea.Batch(cmd, a.startLanes())
}

func (a *app) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.w, a.h = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		a.restyle(msg.IsDark())
	case tea.KeyPressMsg:
		return a.press(msg)
	case tea.PasteMsg:
		return a.edit(msg)
	case tea.MouseMsg:
		return a.point(msg)
	case walkMsg:
		return a.takeWalk(msg)
	case readMsg:
		a.takeRead(msg)
	case sessionsMsg:
		return a.takeSessions(msg)
	case resultsMsg:
		a.takeResults(msg)
	case foundMsg:
		return a.takeFound(msg)
	}
	return nil
}
