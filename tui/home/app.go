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

// app is the list as Bubble Tea runs it.
type app struct {
	o      Options
	ctx    context.Context
	styles theme.Styles
	keys   []config.Action
	w, h   int

	line     textinput.Model
	sections [sectionCount]section
	focus    int

	walk     *walk // that a command works with until isWalked
	isWalked bool
	files    []facts // of the items of the first section
	widest   int     // name of a model, in cells
	known    int     // how many files were read
	queue    queue
	lanes    int                     // that are busy
	latest   map[string]store.Latest // nil until the results are read
	// isMeasured is set once there is a latency to show.
	isMeasured bool

	list        []interruptedSession // the items of the second section
	isListed    bool                 // the sessions are read
	widestModel int                  // name of the model of a session, in cells

	notices []string // until the next key

	ticket  int // of the last search
	cancel  context.CancelFunc
	waiting bool // for the answer to a search
	opens   bool // the first match, when the answer is there

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

// restyle takes the theme for a background.
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
		// Over SSH the library does not ask by itself whether the terminal can take a frame at
		// once, which spares flicker.
		tea.Raw(ansi.RequestModeSynchronizedOutput),
		tea.RequestBackgroundColor,
		a.look(), a.loadSessions, a.loadResults,
	)
}

// Update implements tea.Model: it routes.
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
