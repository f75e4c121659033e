package tui

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/layers"
	"lathe/session/steps/shrink"
	"lathe/tui/cells"
	"lathe/tui/modules"
	"lathe/tui/overview"
	"lathe/tui/passes"
	"lathe/tui/precision"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// nameView is a view with a column of names.
type nameView struct {
	title string
	// open shows the view.
	open func(d *desk, other string)
	// region is the part of the screen that the view takes, inDialog for a dialog.
	region shell.Region
	// names says where in a line of the view the column of names begins at the latest; 0 for
	// anywhere. Names in other columns may be shorter.
	names int
	// joined says that words before a name, such as its operator, are in the same column.
	joined bool
	// table returns how the view divides its lines. It is nil if each line is divided on its own.
	table func(d *desk) cells.Table
	// narrow says at which widths of the screen, and why, names may have less than leastName while
	// every other column has a text.
	narrow map[int]string
}

const inDialog shell.Region = -1

// nameViews are all views with a column of names. The flame graph has no columns; reports
// and the detail break their lines, so that nothing is cut; a resumed session is shown in
// sentences. The list of models is tested in package home.
var nameViews = []nameView{
	{title: "nodes", region: shell.RegionCentre, names: 45, open: pressed("2")},
	{
		title: "modules", region: shell.RegionLeft, open: pressed("1", "*"),
		table:  func(d *desk) cells.Table { return d.paneOf(workspace.PlaceModules).(*modules.Pane).Table() },
		narrow: map[int]string{120: costsFirst, 200: costsFirst},
	},
	{
		title: "overview", region: shell.RegionRight, open: pressed("0"),
		table: func(d *desk) cells.Table { return d.paneOf(overview.Place).(*overview.Pane).Table() },
	},
	{title: "tensor", region: shell.RegionRight, joined: true, open: func(d *desk, _ string) {
		o := d.app.ws.Outline
		for row := range o.Len() {
			if slices.Contains([]string{"Conv", "Gemm", "MatMul", "LSTM"}, o.Op(row)) {
				d.perform(d.app.ws.GoTo(row))
				break
			}
		}
		d.press("5")
	}},
	{title: "inputs", region: shell.RegionRight, names: 4, open: pressed("6"), narrow: map[int]string{
		120: "the pane of 48 cells shows the axis at the cursor, whose name has 20 cells at most",
	}},
	{title: "problems", region: inDialog, joined: true, open: pressed("P")},
	{title: "jump", region: inDialog, open: func(d *desk, _ string) { d.press("f").write("a") }},
	{
		title: "quantize", region: inDialog, names: 5, open: pressed("Q"),
		table: func(d *desk) cells.Table { return d.app.dialogs.Top().(*precision.QuantizeDialog).Table() },
	},
	{
		title: "simplify", region: inDialog, joined: true, open: pressed("S", "*"),
		table: func(d *desk) cells.Table { return d.app.dialogs.Top().(*passes.Dialog).Table() },
	},
	{title: "outputs", region: inDialog, names: 3, open: pressed("V", "enter", "tab")},
	{title: "layers", region: inDialog, names: 3, open: pressed("V", "enter")},
	{
		title: "diff", region: inDialog, joined: true, open: func(d *desk, other string) { d.press("C").write(other).press("enter") },
		table: func(d *desk) cells.Table { return theDiff(d).Sheet.Table((d.app.w - 3) / 2) },
	},
}

const costsFirst = "the pane is narrower than 28 cells and its costs, which say which modules matter"

func pressed(keys ...string) func(*desk, string) {
	return func(d *desk, _ string) { d.press(keys...) }
}

// widthsOptions have the real steps that list nodes, and a validation of all values.
func widthsOptions(m *graphops.Model) Options {
	o := quantizeOptions(m)
	others := o.Steps
	f := comparedToItself(m)
	o.Env.Progress = func(session.Progress) {}
	o.Steps = func() []session.Step {
		list := slices.DeleteFunc(others(), func(s session.Step) bool { return s.Name() == "validate" })
		return append(list, &shrink.Simplify{}, validateStep(f))
	}
	return o
}

// comparedToItself is a validation in which each value of the main graph has an error.
func comparedToItself(m *graphops.Model) *fakeValidation {
	r := &compare.Report{A: "model.onnx", B: "other.onnx", Judged: compare.Pass.Judged(), Headline: "pass"}
	c := compare.CaseResult{Name: "seed 0", Judged: compare.Pass.Judged()}
	l := &layers.Report{Case: "seed 0"}
	for _, v := range m.Graph().Outputs() {
		c.Outputs = append(c.Outputs, outputFigures(v.Name(), "seed 0", 1e-5))
	}
	for i, n := range m.Graph().Nodes() {
		for _, name := range n.Outputs() {
			l.Layers = append(l.Layers, layers.LayerReport{
				A: name, B: name, How: "name", Node: n.Name(), NodeA: n.Name(), Op: n.OpType(), Type: "f32", Shape: graphops.FixedShape([]int64{1, int64(i)}),
				Judgement: "rounding", Local: layerError(1e-7 * float64(1+i%17)), Accumulated: layerError(1e-6),
			})
		}
	}
	r.Cases = []compare.CaseResult{c}
	return &fakeValidation{outputs: r, layers: l, a: m, b: m}
}

// vocabulary has the names of a model that are long enough to be cut, and other words that a line
// can show and that may begin as a name does.
type vocabulary struct{ names, others []string }

func vocabularyOf(m *graphops.Model) *vocabulary {
	v, seen := &vocabulary{}, map[string]bool{}
	add := func(names ...string) {
		for _, name := range names {
			if len(name) >= leastName && !seen[name] {
				seen[name] = true
				v.names = append(v.names, cells.Label(name))
			}
		}
	}
	for _, p := range m.Places() {
		for _, n := range p.Graph.Nodes() {
			add(n.Name())
			add(n.Inputs()...)
			add(n.Outputs()...)
			v.others = append(v.others, n.OpType())
		}
		for _, port := range slices.Concat(p.Graph.Inputs(), p.Graph.Outputs()) {
			add(port.Name())
			for _, d := range port.Type().Shape {
				v.others = append(v.others, d.String())
			}
		}
	}
	return v
}

// cut returns the lines in which a name is cut although its column has less than leastName cells.
func (k *vocabulary) cut(lines []string, v *nameView) []string {
	var out []string
	for _, line := range lines {
		for at := 0; ; {
			i := strings.Index(line[at:], cells.Ellipsis)
			if i < 0 {
				break
			}
			from, to := wordAround(line, at+i)
			at += i + len(cells.Ellipsis)
			width := cells.Width(line[from:to])
			if v.joined {
				width = cells.Width(strings.TrimLeft(line[:to], " ›"))
				if wide := strings.LastIndex(line[:from], "   "); wide >= 0 { // the other half
					width = cells.Width(line[wide+len("   ") : to])
				}
			}
			isName := v.names == 0 || cells.Width(line[:from]) <= v.names
			if width < leastName && isName && !strings.HasSuffix(line[:from], "◁") && k.isPart(line[from:to]) {
				out = append(out, fmt.Sprintf("%d cells: %s", width, line))
				break
			}
		}
	}
	return out
}

// wordAround returns the word around an ellipsis.
func wordAround(line string, i int) (from, to int) {
	isBetween := func(r rune) bool { return strings.ContainsRune(" │›◁", r) }
	from = strings.LastIndexFunc(line[:i], isBetween)
	if from < 0 {
		from = 0
	} else {
		_, n := utf8.DecodeRuneInString(line[from:])
		from += n
	}
	to = len(line)
	if n := strings.IndexFunc(line[i:], isBetween); n >= 0 {
		to = i + n
	}
	return from, to
}

// isPart reports whether a word is what is left of a name.
func (k *vocabulary) isPart(word string) bool {
	head, tail, _ := strings.Cut(word, cells.Ellipsis)
	if len(head)+len(tail) < 4 || tail == "" && slices.ContainsFunc(k.others, func(s string) bool { return strings.HasPrefix(s, head) }) {
		return false
	}
	return slices.ContainsFunc(k.names, func(name string) bool {
		return strings.HasPrefix(name, head) && strings.HasSuffix(name, tail) && len(name) > len(head)+len(tail)
	})
}

// linesOf returns the lines of a view on the screen.
func linesOf(d *desk, v *nameView) []string {
	s := d.app.screen()
	at := s.Body
	if v.region != inDialog {
		at = s.At[v.region]
	} else if top := d.app.dialogs.Top(); top != nil {
		at = shell.Inner(top, s)
	}
	var out []string
	for _, line := range strings.Split(d.screen(), "\n")[at.Y : at.Y+at.H] {
		out = append(out, cells.Truncate(cells.Drop(line, at.X), at.W, ""))
	}
	return out
}

// exported are models of exporters, with the long names that these write.
var exported = []string{
	"../testdata/text_classifier.onnx", "../testdata/mlp_dynamo.onnx", "../testdata/lm_batch1.onnx", "../../shared/models/vision/squeezenet.onnx",
	"../../shared/models/vision/ultraface-rfb-320.onnx", "../../shared/models/optimum/t5/decoder_with_past_model.onnx", "../../shared/models/optimum/vit/model.onnx",
	"../../shared/models/optimum/whisper/decoder_model_merged.onnx", "../../shared/models/llm/llama-int4/model.onnx",
}

// TestEveryViewAtEveryWidth shows every view at common sizes. A name has leastName cells before
// another column is shown beside it. So no name is cut to less, no column is empty, and no line
// is longer than the screen.
func TestEveryViewAtEveryWidth(t *testing.T) {
	for i, path := range exported {
		if testing.Short() && i > 2 {
			break
		}
		t.Run(filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			everyView(t, path)
		})
	}
}

func everyView(t *testing.T, path string) {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if errors.Is(err, fs.ErrNotExist) && strings.Contains(path, "shared/models") {
		t.Skip("the shared models are not here")
	}
	if err != nil {
		t.Fatal(err)
	}
	other, words := withoutLast(t, m), vocabularyOf(m)
	for i := range nameViews {
		v := &nameViews[i]
		d := newDeskWith(t, widthsOptions(m), 120, 40)
		v.open(d, other)
		for _, w := range widthsOfScreens {
			for _, h := range []int{24, 40} {
				d.send(tea.WindowSizeMsg{Width: w, Height: h})
				v.check(d, words)
			}
		}
	}
}

// withoutLast writes a model without its last node to a file.
func withoutLast(t *testing.T, m *graphops.Model) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "other.onnx")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e := graphops.Edit(m)
	e.Nodes = e.Nodes[:len(e.Nodes)-1]
	if err := graphops.Write(f, e.Model()); err != nil {
		t.Fatal(err)
	}
	return path
}

func (v *nameView) check(d *desk, words *vocabulary) {
	d.t.Helper()
	w, h := d.app.w, d.app.h
	for _, line := range strings.Split(d.screen(), "\n") {
		if n := cells.Width(line); n != w {
			d.t.Errorf("%s at %d×%d: a line of %d cells: %q", v.title, w, h, n, line)
		}
	}
	if bad := words.cut(linesOf(d, v), v); len(bad) > 0 && v.narrow[w] == "" {
		d.t.Errorf("%s at %d×%d: %d names are cut, as in\n%s", v.title, w, h, len(bad), bad[0])
	}
	if v.table == nil {
		return
	}
	t := v.table(d)
	lines := linesOf(d, v)
	beside := 0
	for i, c := range t.Columns {
		if got := t.Widths[i]; got != 0 && (got != c.Width || c.Width == 0) {
			d.t.Errorf("%s at %d×%d: the column %s of %d cells has %d", v.title, w, h, c.Title, c.Width, got)
		}
		if t.Widths[i] > 0 && isBlankBelow(lines, c.Title) {
			d.t.Errorf("%s at %d×%d: the column %s is empty:\n%s", v.title, w, h, c.Title, strings.Join(lines, "\n"))
		}
		beside += t.Widths[i]
	}
	if t.Name < min(leastName, t.Need) && beside > 0 && v.narrow[w] == "" {
		d.t.Errorf("%s at %d×%d: names of up to %d cells have %d beside columns of %d", v.title, w, h, t.Need, t.Name, beside)
	}
}

// isBlankBelow reports whether all lines are blank below a word of the headings. It returns false if
// the headings or the lines below them are not in view.
func isBlankBelow(lines []string, title string) bool {
	for i, line := range lines {
		at := strings.LastIndex(line, " "+title)
		if at < 0 {
			continue
		}
		from, blank := cells.Width(line[:at])+1, len(lines) > i+1
		for _, below := range lines[i+1:] {
			below = cells.Truncate(cells.Drop(below, from), len(title), "")
			blank = blank && strings.Trim(below, " ─") == ""
		}
		return blank
	}
	return false
}
