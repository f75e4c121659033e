package tui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lathe/session/reporting"
	"lathe/tui/guide"
	"lathe/tui/history"

	"lathe/graphops/graphtest"
	"lathe/tui/actions"
	"lathe/tui/config"
	"lathe/tui/theme"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/controls/keytest"
	"lathe/tui/files"
	"lathe/tui/forms"
	"lathe/tui/graph"
	"lathe/tui/inplace"
	"lathe/tui/nodes"
	"lathe/tui/overview"
	"lathe/tui/search"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// routes returns the places whose keys can be meant at the same time, in order of precedence.
func routes() [][]actions.Place {
	var out [][]actions.Place
	for _, p := range panels() {
		out = append(out, []actions.Place{shell.PlaceAlways, p.Place, shell.PlaceMain})
	}
	for _, t := range dialogTables() {
		out = append(out, []actions.Place{shell.PlaceAlways, t.Place})
	}
	return out
}

// TestNoKeyHasTwoMeanings checks each table, and the keys that work everywhere. A pane may give a
// key of the main screen its own meaning.
func TestNoKeyHasTwoMeanings(t *testing.T) {
	m := newKeymap(nil)
	for _, route := range routes() {
		meaning := map[string]actions.Name{}
		for _, p := range route[:2] {
			for _, b := range m.Of(p) {
				for _, k := range b.Keys {
					if other, ok := meaning[k]; ok {
						t.Errorf("%v: key %q means %s and %s", route, k, other, b.Name)
					}
					meaning[k] = b.Name
				}
			}
		}
	}
}

// TestKeysAreSent checks that what a terminal sends for a key is decoded as the key in the table.
func TestKeysAreSent(t *testing.T) {
	for _, table := range newKeymap(nil).Tables {
		for _, b := range table.Actions {
			for _, k := range b.Keys {
				if got := keytest.Press(t, k).String(); got != k {
					t.Errorf("%s: the bytes of %q arrive as %q", b.Name, k, got)
				}
			}
		}
	}
}

func TestEveryBindingIsExplained(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	for _, table := range d.app.ws.Keys.Tables {
		for _, b := range table.Actions {
			if guide.Explain(d.app.ws, b) == "" {
				t.Errorf("%s has no help", b.Name)
			}
		}
	}
}

// TestHintsNameActions looks at every key that a message names: the action must exist in the place,
// or the message would lack the key.
func TestHintsNameActions(t *testing.T) {
	own, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	parts, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	values, hints, in := map[string]string{}, [][2]string{}, ""
	// full returns a name with its package.
	full := func(e ast.Expr) string {
		if _, ok := e.(*ast.Ident); ok {
			return in + "." + types.ExprString(e)
		}
		return types.ExprString(e)
	}
	note := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, v := range n.Values {
				if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					values[in+"."+n.Names[i].Name], _ = strconv.Unquote(lit.Value)
				}
			}
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Key" && len(n.Args) == 2 {
				hints = append(hints, [2]string{full(n.Args[0]), full(n.Args[1])})
			}
		}
		return true
	}
	for _, name := range append(own, parts...) {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		in = f.Name.Name
		ast.Inspect(f, note)
	}
	m, known := newKeymap(nil), 0
	for _, h := range hints {
		p, isConstant := values[h[0]]
		name, err := strconv.Unquote(h[1])
		if err != nil {
			name = values[h[1]]
		}
		if !isConstant || name == "" {
			continue // computed
		}
		if known++; m.Find(actions.Place(p), actions.Name(name)) == nil {
			t.Errorf("a message names the key of %s in %s, which has no such action", h[1], h[0])
		}
	}
	if known < 40 {
		t.Errorf("only %d messages with keys were found", known)
	}
}

// TestOwnKeys gives actions other keys: the old keys lose their meaning, and other actions lose the
// new keys.
func TestOwnKeys(t *testing.T) {
	o := testOptions(graphtest.Model(t, branchy))
	o.Settings.Keys = []config.Binding{
		{Action: "help", Keys: []string{"H"}},
		{Place: "nodes", Action: "down", Keys: []string{"k"}},
		{Place: "main", Action: "log"},
	}
	d := newDeskWith(t, o, 80, 24)
	d.press("?", "L")
	if !closed(d) {
		t.Errorf("a key that was taken away opens\n%s", d.screen())
	}
	if d.press("k"); d.app.ws.Row() != 1 {
		t.Errorf("k leads to row %d, want 1", d.app.ws.Row())
	}
	if d.press("H"); !opens(guide.PlaceHelp)(d) {
		t.Error("the new key does not help")
	}
	d.sees("H")
}

// effect is what an action must do in a place: keys that lead there, and a check after the key
// itself.
type effect struct {
	setup func(d *desk)
	check func(d *desk) bool
}

func press(keys ...string) func(*desk) { return func(d *desk) { d.press(keys...) } }

func selects(name string) func(*desk) bool { return func(d *desk) bool { return d.selected() == name } }

func shows(words string) func(*desk) bool {
	return func(d *desk) bool { return strings.Contains(d.screen(), words) }
}

func opens(p actions.Place) func(*desk) bool {
	return func(d *desk) bool { return d.app.dialogs.Top() != nil && d.app.dialogs.Top().Place() == p }
}

func looksAt(p actions.Place) func(*desk) bool {
	return func(d *desk) bool { return d.app.focused().Panel.Place == p }
}

func copied(text string) func(*desk) bool { return func(d *desk) bool { return d.clipboard == text } }

// branchyBody is a node with bodies to add to branchy. Nothing reads its output.
const branchyBody = `
init yes bool 1
graph one
t = Neg(h)
output t f32[1,4]
end
graph two
e = Abs(h)
output e f32[1,4]
end
choose: chosen = If(yes) then_branch=@one else_branch=@two
`

// toBody selects the node with bodies.
func toBody(d *desk) { d.press("/").write("choose").press("enter") }

func closed(d *desk) bool { return d.app.dialogs.Top() == nil }

// longText opens a text that is longer than its dialog.
func longText(p actions.Place) func(*desk) {
	return func(d *desk) {
		d.app.dialogs.Open(shell.NewTextDialog(d.app, p, "text", strings.Split(strings.Repeat("line\n", 200), "\n")))
		d.send(nil)
		d.app.sync()
		d.press("pgdown", "pgdown")
	}
}

// movements are the effects of the movements, as the position before and after.
var movements = map[actions.Name]func(before, after int) bool{
	"down":           func(b, a int) bool { return a == b+1 },
	"up":             func(b, a int) bool { return a == b-1 },
	"top":            func(_, a int) bool { return a == 0 },
	"bottom":         func(b, a int) bool { return a > b+1 },
	"half-page-down": func(b, a int) bool { return a > b+1 },
	"half-page-up":   func(b, a int) bool { return a < b-1 },
	"page-down":      func(b, a int) bool { return a > b+1 },
	"page-up":        func(b, a int) bool { return a < b-1 },
	shell.ActionNext: func(b, a int) bool { return a == b+1 },
	shell.ActionPrev: func(b, a int) bool { return a == b-1 },
}

// position brings a place into the middle of something long, and tells where it
// stands.
type position struct {
	enter func(*desk)
	at    func(*desk) int
}

// positions bring a place into the middle of something long, and tell where it
// stands.
var positions = map[actions.Place]position{
	workspace.PlaceNodes: {press("down", "down", "down", "down", "down"), func(d *desk) int { return d.app.ws.Row() }},
	workspace.PlaceDetail: {func(d *desk) {
		d.press("tab")
		detailOf(d).Lines = make([]graph.DetailLine, 200)
		d.app.sync()
		d.press("pgdown", "pgdown", "pgdown")
	}, func(d *desk) int { return detailOf(d).Scroll.Top }},
	overview.Place:   {press("0", "down", "down"), func(d *desk) int { return overviewOf(d).At() }},
	guide.PlaceHelp:  {press("?", "down", "down", "pgdown"), func(d *desk) int { return d.app.dialogs.Top().(*guide.Help).At() }},
	files.PlaceLeave: {press("j", "j", "space", "p", "q", "down"), func(d *desk) int { return d.app.dialogs.Top().(interface{ At() int }).At() }},
	shell.PlaceLog:   {longText(shell.PlaceLog), func(d *desk) int { return d.app.dialogs.Top().(*shell.TextDialog).Scroll.Top }},
	shell.PlaceChoose: {func(d *desk) {
		choices := make([]shell.Choice, 100)
		d.app.dialogs.Open(shell.NewChooseDialog(d.app, "which", choices))
		d.app.sync()
		d.press("pgdown", "pgdown")
	}, func(d *desk) int { return d.app.dialogs.Top().(*shell.ChooseDialog).Rows.Cursor }},
	forms.PlaceResults: {func(d *desk) {
		d.app.ws.Jobs.List = append(d.app.ws.Jobs.List, &workspace.Job{Name: "long", State: workspace.JobDone, Lines: strings.Split(strings.Repeat("line\n", 200), "\n")})
		d.press("r", "pgdown", "pgdown")
	}, func(d *desk) int { return d.app.dialogs.Top().(*forms.ResultsDialog).Rows.Cursor }},
	history.Place:      {func(d *desk) { storeResults(d, 60); d.press("r", "pgdown", "pgdown") }, func(d *desk) int { return d.app.dialogs.Top().(*history.Dialog).Rows.Cursor }},
	nodes.PlaceColumns: {press("c", "down", "down", "down", "down"), func(d *desk) int { return d.app.dialogs.Top().(*nodes.ColumnsDialog).Rows.Cursor }},
	guide.PlacePalette: {press(":", "down", "down", "down"), func(d *desk) int { return d.app.dialogs.Top().(*guide.Palette).Rows.Cursor }},
}

// overviewOf is the pane.
func overviewOf(d *desk) *overview.Pane {
	for _, m := range d.app.members {
		if p, ok := m.Pane.(*overview.Pane); ok {
			return p
		}
	}
	return nil
}

// layered is a model of two equal modules with modules in them.
const layered = `
input x f32[4]
/layers.0/a/Relu: a0 = Relu(x)
/layers.0/a/Abs: b0 = Abs(a0)
/layers.0/b/Neg: c0 = Neg(b0)
/layers.1/a/Relu: a1 = Relu(c0)
/layers.1/a/Abs: b1 = Abs(a1)
/layers.1/b/Neg: y = Neg(b1)
output y f32[4]
`

// toGroup goes to a group of a model of layers.
func toGroup(keys ...string) func(d *desk) {
	return func(d *desk) {
		*d = *newDesk(d.t, graphtest.Model(d.t, layered), 120, 40)
		d.press("0", "G").press(keys...)
	}
}

// withCache gives the model a cache, and goes to the overview.
func withCache(keys ...string) func(*desk) {
	return func(d *desk) {
		d.app.ws.Types.Summary.Cache = &reporting.Cache{PerToken: 512}
		d.press("0").press(keys...)
	}
}

// effects are those of everything else, by place and action.
var effects = map[actions.Place]map[actions.Name]effect{
	overview.Place: {
		overview.ActionOpen:   {press("0", "G"), looksAt(workspace.PlaceNodes)},
		"unfold":              {toGroup(), func(d *desk) bool { return strings.Contains(d.screen(), "▾ ") }},
		"fold":                {toGroup("l"), func(d *desk) bool { return !strings.Contains(d.screen(), "▾ ") }},
		overview.ActionLength: {withCache(), opens(overview.PlaceLength)},
	},
	overview.PlaceLength: {
		shell.ActionAccept: {withCache("c", "8", "k"), closed},
		shell.ActionClose:  {withCache("c"), closed},
	},
	shell.PlaceMain: {
		workspace.ActionNextPane:  {nil, looksAt(workspace.PlaceDetail)},
		"previous-pane":           {nil, looksAt(workspace.PlaceModules)},
		"look-overview":           {nil, looksAt(overview.Place)},
		"look-modules":            {nil, looksAt(workspace.PlaceModules)},
		"look-nodes":              {press("tab"), looksAt(workspace.PlaceNodes)},
		"look-detail":             {nil, looksAt(workspace.PlaceDetail)},
		"zoom":                    {nil, func(d *desk) bool { return d.app.zoom }},
		workspace.ActionConsumers: {press("j", "j"), opens(shell.PlaceChoose)},
		"producers":               {press("G", "k"), selects("masked")},
		"earlier":                 {press("j", "j", "G", "k"), selects("fc")},
		"later":                   {press("j", "j", "G", "["), selects("p")},
		"enter-body":              {toBody, opens(shell.PlaceChoose)},
		"leave-body":              {func(d *desk) { toBody(d); d.press("o", "enter") }, selects("choose")},
		workspace.ActionFind:      {nil, opens(search.PlaceSearch)},
		"next-match":              {func(d *desk) { d.press("/").write("relu").press("enter", "g") }, selects("left")},
		"previous-match":          {func(d *desk) { d.press("/").write("relu").press("enter", "G") }, selects("left")},
		"only-matches":            {func(d *desk) { d.press("/").write("relu").press("enter") }, func(d *desk) bool { return d.app.ws.Rows.N == 1 }},
		"back-out":                {press("/", "r", "enter"), func(d *desk) bool { return d.app.ws.Found.Query == "" }},
		"depends-on":              {press("j", "j", "j"), shows("what left depends on: 2 rows")},
		"depended-by":             {press("j", "j", "j"), shows("what depends on left")},
		"shortest-path":           {press("j", "j", "space", "G", "k", "k", "k", "k"), shows("a shortest way between fc and masked: row 4 of 4")},
		"path":                    {press("j", "j", "space", "G", "k", "k", "k", "k"), shows("between fc and masked")},
		workspace.ActionMark:      {press("j", "j"), func(d *desk) bool { return d.app.ws.Marks.Has("h") }},
		"range":                   {nil, func(d *desk) bool { return d.app.ws.Span.On }},
		workspace.ActionUnmark:    {press("j", "j", "space"), func(d *desk) bool { return len(d.app.ws.Marks.Names) == 0 }},
		"columns":                 {nil, opens(nodes.PlaceColumns)},
		workspace.ActionPrune:     {press("j", "j", "space"), shows("1 node ")},
		workspace.ActionDropped:   {press("j", "j", "space"), shows("9 rows that the prune would remove")},
		"undo":                    {press("j", "j", "space", "p"), shows("took back prune")},
		"redo":                    {press("j", "j", "space", "p", "u"), shows("did prune again")},
		"save-recipe":             {press("j", "j", "space", "p"), opens(shell.PlacePath)},
		"results":                 {press("j", "j", "space", "p"), opens(forms.PlaceResults)},
		"copy-command":            {press("j", "j", "space"), copied("lathe prune model.onnx --output=h")},
		"copy-name":               {press("j", "j"), copied("fc")},
		"log":                     {nil, opens(shell.PlaceLog)},
		"theme":                   {nil, func(d *desk) bool { return d.app.ws.Styles == theme.StylesOf(theme.Light) }},
		"mouse":                   {nil, func(d *desk) bool { return d.app.View().MouseMode == tea.MouseModeCellMotion }},
		shell.ActionHelp:          {nil, opens(guide.PlaceHelp)},
		workspace.ActionPalette:   {nil, opens(guide.PlacePalette)},
		workspace.ActionQuit:      {nil, func(d *desk) bool { return d.quit }},

		workspace.StepAction("axes"):             {nil, shows("axes: does axes")},
		workspace.StepAction("export"):           {nil, shows("export: does export")},
		workspace.StepAction("quantize dynamic"): {nil, shows("quantize dynamic: does quantize")},
		workspace.StepAction("validate"):         {nil, shows("validate: does validate")},
		workspace.StepAction("bench"):            {nil, shows("bench: does bench")},
		workspace.StepAction("insert"):           {nil, shows("insert: ")},
		workspace.StepAction("profile"):          {nil, shows("profile: does profile")},
		workspace.ActionWrite:                    {nil, opens(shell.PlacePath)},
		"edit-here":                              {press("j", "j"), opens(inplace.Place)},
		inplace.ActionBranch:                     {nil, shows("no branch of an If of the main graph is here")},
	},
	workspace.PlaceNodes: {nodes.ActionOpen: {nil, looksAt(workspace.PlaceDetail)}},
	nodes.PlaceColumns: {
		shell.ActionToggle: {press("c", "j", "j", "j"), shows("[x] params")},
		shell.ActionSort:   {press("c"), shows("sorted")},
		"group":            {press("c"), shows("grouped")},
		shell.ActionReset:  {press("c", "s"), func(d *desk) bool { return d.app.ws.Listing.Order.IsGraph() }},
		shell.ActionClose:  {press("c"), closed},
	},
	shell.PlaceAlways: {
		shell.ActionHelp:          {press("E"), opens(guide.PlaceHelp)},
		workspace.ActionInterrupt: {nil, func(d *desk) bool { return d.quit }},
		"suspend":                 {nil, func(d *desk) bool { return d.suspended }},
		workspace.ActionRedraw:    {nil, func(d *desk) bool { return d.cleared }},
	},
	search.PlaceSearch: {
		shell.ActionNext:       {press("/", "o"), shows("› output:")},
		shell.ActionPrev:       {press("/", "o", "down"), shows("› op:")},
		shell.ActionComplete:   {press("/", "o"), func(d *desk) bool { return d.app.ws.Found.Query == "op:" }},
		search.ActionNextMatch: {press("/", "c"), selects("join")},
		"previous-match":       {press("/", "c"), selects("choose")},
		shell.ActionAccept:     {press("/", "c"), func(d *desk) bool { return closed(d) && d.app.ws.Found.Query == "c" }},
		shell.ActionClose:      {press("/", "c"), func(d *desk) bool { return closed(d) && d.app.ws.Found.Query == "" }},
	},
	shell.PlaceChoose: {
		shell.ActionAccept: {press("j", "j", "l"), selects("left")},
		shell.ActionClose:  {press("j", "j", "l"), func(d *desk) bool { return closed(d) && d.selected() == "fc" }},
	},
	shell.PlaceConfirm: {
		shell.ActionYes:   {recipeTwice, func(d *desk) bool { return closed(d) && d.app.ws.InRecipe == d.app.ws.Model() }},
		shell.ActionClose: {recipeTwice, func(d *desk) bool { return closed(d) && d.app.ws.InRecipe != d.app.ws.Model() }},
	},
	files.PlaceLeave: {
		shell.ActionAccept: {press("j", "j", "space", "p", "q"), opens(shell.PlacePath)},
		"write":            {press("j", "j", "space", "p", "q"), shows("write the model to")},
		"recipe":           {press("j", "j", "space", "p", "q"), shows("save the recipe as")},
		"leave":            {press("j", "j", "space", "p", "q"), func(d *desk) bool { return d.quit }},
		shell.ActionClose:  {press("j", "j", "space", "p", "q"), func(d *desk) bool { return closed(d) && !d.quit }},
	},
	guide.PlacePalette: {
		shell.ActionAccept: {func(d *desk) { d.press(":").write("messages") }, opens(shell.PlaceLog)},
		shell.ActionClose:  {press(":"), closed},
	},
	forms.PlaceForm: {
		forms.ActionRun:     {press("E"), shows("export: ok")},
		forms.ActionPreview: {press("V", "down", "x"), shows("model.onnx differs from x")},
		shell.ActionClose:   {press("E"), closed},
		shell.ActionCopy:    {press("E"), func(d *desk) bool { return d.clipboard == "lathe export model.onnx --out=model.export.onnx" }},
		shell.ActionReset:   {func(d *desk) { d.press("E", "up").write("xyz") }, func(d *desk) bool { return !strings.Contains(d.screen(), "xyz") }},
		"next-field":        {press("E"), func(d *desk) bool { return theForm(d).At == 1 }},
		"previous-field":    {press("E"), func(d *desk) bool { return theForm(d).At == theForm(d).Lines()-1 }},
		"page-down":         {longPreview, func(d *desk) bool { return theForm(d).Preview.Scroll.Top > 0 }},
		"page-up":           {func(d *desk) { longPreview(d); d.press("pgdown") }, func(d *desk) bool { return theForm(d).Preview.Scroll.Top == 0 }},
	},
	forms.PlaceResults: {
		"go-to-line":           {press("T", "enter"), selects("masked")},
		"bench-it":             {press("Q", "enter"), shows("bench: does bench")},
		"validate-it":          {press("Q", "enter"), shows("validate: does validate")},
		"next-link":            {press("T", "enter"), func(d *desk) bool { return d.app.dialogs.Top().(*forms.ResultsDialog).Rows.Cursor == 4 }},
		workspace.ActionStored: {func(d *desk) { storeResults(d, 2); d.press("E", "enter") }, opens(history.Place)},
		"install-it":           {lackRuntime("r"), shows("runtime install: ok")},
		"older":                {press("E", "enter", "esc", "Q", "enter"), shows("export: ok")},
		"newer":                {press("E", "enter", "esc", "Q", "enter", "["), shows("quantize dynamic: ok")},
		shell.ActionCopy:       {press("E", "enter"), func(d *desk) bool { return strings.HasPrefix(d.clipboard, "lathe export") }},
		shell.ActionHelp:       {press("E", "enter"), opens(guide.PlaceHelp)},
		shell.ActionClose:      {press("E", "enter"), closed},
		shell.ActionCancel:     {press("b", "enter"), func(d *desk) bool { d.resume(); return shows("bench: cancelled")(d) }},
	},
	history.Place: {
		"show-result":     {openStored(), opens(forms.PlaceResults)},
		"mark-result":     {openStored(), func(d *desk) bool { return strings.Contains(d.screen(), "●") }},
		"compare-result":  {openStored("space", "space"), shows("slower than the baseline")},
		"jobs":            {openStored("esc", "E", "enter", "r"), opens(forms.PlaceResults)},
		shell.ActionClose: {openStored(), closed},
		shell.ActionCopy:  {openStored(), func(d *desk) bool { return strings.HasPrefix(d.clipboard, "lathe report ") }},
		shell.ActionHelp:  {openStored(), opens(guide.PlaceHelp)},
	},
	inplace.Place: {
		shell.ActionAccept:   {func(d *desk) { d.press("j", "j", "e", "down").write("g") }, closed},
		shell.ActionClose:    {press("j", "j", "e"), closed},
		shell.ActionComplete: {press("j", "j", "e"), func(d *desk) bool { return rowInPlace(d) == 1 }},
		shell.ActionNext:     {press("j", "j", "e"), func(d *desk) bool { return rowInPlace(d) == 1 }},
		shell.ActionPrev:     {press("j", "j", "e", "down"), func(d *desk) bool { return rowInPlace(d) == 0 }},
	},
	guide.PlaceHelp: {
		shell.ActionClose:  {press("?"), closed},
		shell.ActionAccept: {func(d *desk) { d.press("?").write("messages") }, opens(shell.PlaceLog)},
	},
	shell.PlaceLog: {
		shell.ActionClose: {press("L"), closed},
		shell.ActionHelp:  {press("L"), opens(guide.PlaceHelp)},
	},
	shell.PlacePath: {
		shell.ActionAccept: {press("j", "j", "space", "p", "s"), shows("saved the recipe as")},
		shell.ActionClose:  {press("j", "j", "space", "p", "s"), closed},
	},
}

// recipeTwice saves the recipe of one step, and saves that of two steps in the same file.
func recipeTwice(d *desk) {
	d.press("j", "j", "space", "p", "s", "enter", "a", "enter", "esc", "s", "enter")
}

func rowInPlace(d *desk) int { return d.app.dialogs.Top().(*inplace.Dialog).At() }

func theForm(d *desk) *forms.Form { return d.app.dialogs.Top().(*forms.Form) }

func longPreview(d *desk) {
	d.press("E")
	theForm(d).Preview.Lines = strings.Split(strings.Repeat("line\n", 200), "\n")
	d.app.sync()
}

// TestEveryBinding presses every key of the table where it is bound and looks at
// what it brought about. An action without a check fails.
func TestEveryBinding(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, table := range newKeymap(nil).Tables {
		for _, b := range table.Actions {
			for _, k := range b.Keys {
				t.Run(string(table.Place)+"/"+k, func(t *testing.T) { checkBinding(t, table.Place, b.Name, k) })
			}
		}
	}
}

func checkBinding(t *testing.T, p actions.Place, a actions.Name, key string) {
	t.Chdir(t.TempDir()) // a recipe is saved
	d := newDesk(t, graphtest.Model(t, branchy+branchyBody), 80, 20)
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
	isPane := slices.ContainsFunc(panels(), func(v workspace.Panel) bool { return v.Place == p })
	if p != shell.PlaceMain && p != shell.PlaceAlways && !isPane && !opens(p)(d) {
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
