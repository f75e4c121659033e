package home

import (
	"context"
	"path/filepath"
	"strings"

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

// walkMsg brings the next models that were found.
type walkMsg struct{ paths []string }

// look looks for more models.
func (a *app) look() tea.Cmd {
	ctx, w := a.ctx, a.walk
	return func() tea.Msg { return walkMsg{w.next(ctx)} }
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

// takeWalk lists what was found and goes on.
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

// refresh lists new items, if there are any: those that match the query.
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

// takeRead takes the facts of a file.
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

// wantResult reads a file again if its results came after its facts.
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

// startLanes reads files as long as some wait. Several lanes may start for the last one; then all
// but one find nothing.
func (a *app) startLanes() tea.Cmd {
	var cmds []tea.Cmd
	for ; a.lanes < lanes && !a.queue.isEmpty() && a.ctx.Err() == nil; a.lanes++ {
		cmds = append(cmds, lane(&a.queue, reader{a.o.Folder, a.o.Open, a.latest}))
	}
	return tea.Batch(cmds...)
}

// press does what a key means.
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

// edit gives a key or a paste to the query.
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

// accept ends the program with what is selected. While the answer to the last letter is on its
// way it is waited for: what is listed is for less than was typed.
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

// typed is a path as one would type it in a command.
func typed(path string) string {
	if strings.HasPrefix(path, "-") {
		return "." + string(filepath.Separator) + path
	}
	return path
}
