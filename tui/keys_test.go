package tui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// routes are the places whose keys can be meant at the same time, the first
// before the others.
var routes = [][]place{
	{placeAlways, placeNodes, placeMain},
	{placeAlways, placeDetail, placeMain},
	{placeAlways, placeSearch},
	{placeAlways, placeChoose},
	{placeAlways, placeConfirm},
	{placeAlways, placePalette},
	{placeAlways, placeForm},
	{placeAlways, placeResults},
	{placeAlways, placeHelp},
	{placeAlways, placeLog},
	{placeAlways, placePath},
}

func TestNoKeyHasTwoMeanings(t *testing.T) {
	for _, route := range routes {
		meaning := map[string]action{}
		for _, p := range route {
			for _, b := range bindingsOf(p) {
				for _, k := range b.keys {
					if other, ok := meaning[k]; ok {
						t.Errorf("%v: key %q means %s and %s", route, k, other, b.action)
					}
					meaning[k] = b.action
				}
			}
		}
	}
}

// TestKeysAreSent checks that what a terminal sends for a key is the key that
// the table names.
func TestKeysAreSent(t *testing.T) {
	for _, b := range bindings {
		for _, k := range b.keys {
			if got := keyMsg(t, k).(tea.KeyPressMsg).String(); got != k {
				t.Errorf("%s: the bytes of %q arrive as %q", b.action, k, got)
			}
		}
	}
}

func TestEveryBindingIsExplained(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	for _, b := range bindings {
		if d.app.ws.explain(b) == "" {
			t.Errorf("%s has no help", b.action)
		}
		for _, p := range b.places {
			if !slices.ContainsFunc(routes, func(r []place) bool { return slices.Contains(r, p) }) {
				t.Errorf("%s is bound in %q, where no key is looked up", b.action, p)
			}
		}
	}
}

// effect is what an action must bring about in a place: keys that lead there,
// and a check after the key itself.
type effect struct {
	setup func(d *desk)
	check func(d *desk) bool
}

func press(keys ...string) func(*desk) { return func(d *desk) { d.press(keys...) } }

func selects(name string) func(*desk) bool { return func(d *desk) bool { return d.selected() == name } }

func shows(words string) func(*desk) bool {
	return func(d *desk) bool { return strings.Contains(d.screen(), words) }
}

func opens(p place) func(*desk) bool {
	return func(d *desk) bool { return d.app.dialogs.top() != nil && d.app.dialogs.top().place() == p }
}

func closed(d *desk) bool { return d.app.dialogs.top() == nil }

// longText opens a text that is longer than its dialog.
func longText(p place) func(*desk) {
	return func(d *desk) {
		d.app.dialogs.open(&textDialog{app: d.app, at: p, head: "text", lines: strings.Split(strings.Repeat("line\n", 200), "\n")})
		d.send(nil)
		d.app.sync()
		d.press("pgdown", "pgdown")
	}
}

// movements are the effects of the movements, as the position before and after.
var movements = map[action]func(before, after int) bool{
	actionDown:     func(b, a int) bool { return a == b+1 },
	actionUp:       func(b, a int) bool { return a == b-1 },
	actionTop:      func(_, a int) bool { return a == 0 },
	actionBottom:   func(b, a int) bool { return a > b+1 },
	actionHalfDown: func(b, a int) bool { return a > b+1 },
	actionHalfUp:   func(b, a int) bool { return a < b-1 },
	actionPageDown: func(b, a int) bool { return a > b+1 },
	actionPageUp:   func(b, a int) bool { return a < b-1 },
}

// positions bring a place into the middle of something long, and tell where it
// stands.
var positions = map[place]struct {
	enter func(*desk)
	at    func(*desk) int
}{
	placeNodes: {press("down", "down", "down", "down", "down"), func(d *desk) int { return d.app.ws.rows.Cursor }},
	placeDetail: {func(d *desk) {
		d.press("tab")
		d.app.detail.lines = make([]detailLine, 200)
		d.app.sync()
		d.press("pgdown", "pgdown")
	}, func(d *desk) int { return d.app.detail.scroll.Top }},
	placeHelp: {longText(placeHelp), func(d *desk) int { return d.app.dialogs.top().(*textDialog).scroll.Top }},
	placeLog:  {longText(placeLog), func(d *desk) int { return d.app.dialogs.top().(*textDialog).scroll.Top }},
	placeChoose: {func(d *desk) {
		choices := make([]choice, 100)
		d.app.dialogs.open(newChooseDialog(d.app, "which", choices))
		d.app.sync()
		d.press("pgdown", "pgdown")
	}, func(d *desk) int { return d.app.dialogs.top().(*chooseDialog).rows.Cursor }},
	placeResults: {func(d *desk) {
		d.app.ws.jobs.list = append(d.app.ws.jobs.list, &job{name: "long", state: jobDone, lines: strings.Split(strings.Repeat("line\n", 200), "\n")})
		d.press("r", "pgdown", "pgdown")
	}, func(d *desk) int { return d.app.dialogs.top().(*resultsDialog).scroll.Top }},
	placePalette: {press(":", "down", "down", "down"), func(d *desk) int { return d.app.dialogs.top().(*palette).rows.Cursor }},
}

// effects are those of everything else, by place and action.
var effects = map[place]map[action]effect{
	placeMain: {
		actionFocus:     {nil, func(d *desk) bool { return d.app.focus == pane(d.app.detail) }},
		actionConsumers: {press("j", "j"), opens(placeChoose)},
		actionProducers: {press("G", "k"), selects("masked")},
		actionEarlier:   {press("j", "j", "G", "k"), selects("fc")},
		actionLater:     {press("j", "j", "G", "["), selects("p")},
		actionFind:      {nil, opens(placeSearch)},
		actionNext:      {func(d *desk) { d.press("/").write("relu").press("enter", "g") }, selects("left")},
		actionPrevious:  {func(d *desk) { d.press("/").write("relu").press("enter", "G") }, selects("left")},
		actionBack:      {press("/", "r", "enter"), func(d *desk) bool { return d.app.ws.search.query == "" }},
		actionMark:      {press("j", "j"), func(d *desk) bool { return d.app.ws.marks.has("h") }},
		actionUnmark:    {press("j", "j", "space"), func(d *desk) bool { return len(d.app.ws.marks.names) == 0 }},
		actionPrune:     {press("j", "j", "space"), shows("1 node ")},
		actionUndo:      {press("j", "j", "space", "p"), shows("took back prune")},
		actionRedo:      {press("j", "j", "space", "p", "u"), shows("did prune again")},
		actionSave:      {press("j", "j", "space", "p"), opens(placePath)},
		actionResults:   {press("j", "j", "space", "p"), opens(placeResults)},
		actionCopy:      {press("j", "j", "space"), func(d *desk) bool { return d.clipboard == "lathe prune model.onnx --output=h" }},
		actionLog:       {nil, opens(placeLog)},
		actionHelp:      {nil, opens(placeHelp)},
		actionPalette:   {nil, opens(placePalette)},
		actionQuit:      {nil, func(d *desk) bool { return d.quit }},

		stepAction("axes"):     {nil, shows("axes: does axes")},
		stepAction("export"):   {nil, shows("export: does export")},
		stepAction("quantize"): {nil, shows("quantize: does quantize")},
		stepAction("validate"): {nil, shows("validate: does validate")},
		stepAction("bench"):    {nil, shows("bench: does bench")},
	},
	placeAlways: {
		actionHelp:      {press("e"), opens(placeHelp)},
		actionInterrupt: {nil, func(d *desk) bool { return d.quit }},
		actionSuspend:   {nil, func(d *desk) bool { return d.suspended }},
	},
	placeSearch: {
		actionDown:   {press("/", "c"), selects("join")},
		actionUp:     {press("/", "c"), selects("halves")},
		actionAccept: {press("/", "c"), func(d *desk) bool { return closed(d) && d.app.ws.search.query == "c" }},
		actionClose:  {press("/", "c"), func(d *desk) bool { return closed(d) && d.app.ws.search.query == "" }},
	},
	placeChoose: {
		actionAccept: {press("j", "j", "l"), selects("left")},
		actionClose:  {press("j", "j", "l"), func(d *desk) bool { return closed(d) && d.selected() == "fc" }},
	},
	placeConfirm: {
		actionYes:   {press("j", "j", "space", "q"), func(d *desk) bool { return d.quit }},
		actionClose: {press("j", "j", "space", "q"), func(d *desk) bool { return closed(d) && !d.quit }},
	},
	placePalette: {
		actionAccept: {func(d *desk) { d.press(":").write("log of") }, opens(placeLog)},
		actionClose:  {press(":"), closed},
	},
	placeForm: {
		actionRun:       {press("e"), shows("export: ok")},
		actionPreview:   {press("v", "down", "x"), shows("model.onnx differs from x")},
		actionClose:     {press("e"), closed},
		actionCopy:      {press("e"), func(d *desk) bool { return d.clipboard == "lathe export model.onnx --out=model.export.onnx" }},
		actionNextField: {press("e"), func(d *desk) bool { return theForm(d).at == 1 }},
		actionPrevField: {press("e"), func(d *desk) bool { return theForm(d).at == theForm(d).lines()-1 }},
		actionPageDown:  {longPreview, func(d *desk) bool { return theForm(d).preview.scroll.Top > 0 }},
		actionPageUp:    {func(d *desk) { longPreview(d); d.press("pgdown") }, func(d *desk) bool { return theForm(d).preview.scroll.Top == 0 }},
	},
	placeResults: {
		actionOlder:  {press("e", "enter", "esc", "Q", "enter"), shows("export: ok")},
		actionNewer:  {press("e", "enter", "esc", "Q", "enter", "["), shows("quantize: ok")},
		actionCopy:   {press("e", "enter"), func(d *desk) bool { return strings.HasPrefix(d.clipboard, "lathe export") }},
		actionHelp:   {press("e", "enter"), opens(placeHelp)},
		actionClose:  {press("e", "enter"), closed},
		actionCancel: {press("b", "enter"), func(d *desk) bool { d.resume(); return shows("bench: cancelled")(d) }},
	},
	placeHelp: {actionClose: {press("?"), closed}},
	placeLog: {
		actionClose: {press("L"), closed},
		actionHelp:  {press("L"), opens(placeHelp)},
	},
	placePath: {
		actionAccept: {press("j", "j", "space", "p", "s"), shows("saved the recipe as")},
		actionClose:  {press("j", "j", "space", "p", "s"), closed},
	},
}

func theForm(d *desk) *form { return d.app.dialogs.top().(*form) }

func longPreview(d *desk) {
	d.press("e")
	theForm(d).preview.lines = strings.Split(strings.Repeat("line\n", 200), "\n")
	d.app.sync()
}

// TestEveryBinding presses every key of the table where it is bound and looks at
// what it brought about. An action without a check fails.
func TestEveryBinding(t *testing.T) {
	for _, b := range bindings {
		for _, p := range b.places {
			for _, k := range b.keys {
				t.Run(string(p)+"/"+k, func(t *testing.T) { checkBinding(t, p, b.action, k) })
			}
		}
	}
}

func checkBinding(t *testing.T, p place, a action, key string) {
	t.Chdir(t.TempDir()) // a recipe is saved
	d := branchyDesk(t, 80, 20)
	e, ok := effects[p][a]
	if moved, isMove := movements[a]; isMove && !ok {
		at, known := positions[p]
		if !known {
			t.Fatalf("nothing says what %s must do in %s", a, p)
		}
		at.enter(d)
		before := at.at(d)
		e, ok = effect{nil, func(d *desk) bool { return moved(before, at.at(d)) }}, true
	}
	if !ok {
		t.Fatalf("nothing says what %s must do in %s", a, p)
	}
	if e.setup != nil {
		e.setup(d)
	}
	if p != placeMain && p != placeAlways && p != placeNodes && p != placeDetail && !opens(p)(d) {
		t.Fatalf("the keys do not lead to %s:\n%s", p, d.screen())
	}
	if e.check(d) {
		t.Fatalf("%s has its effect before the key is pressed", a)
	}
	d.press(key)
	if !e.check(d) {
		t.Errorf("%q does not %s:\n%s", key, a, d.screen())
	}
}
