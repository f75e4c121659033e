package history

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/bench/store"
	"lathe/session"
	"lathe/session/ort/ep"
	"lathe/session/text"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/forms"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/theme"
	"lathe/tui/workspace"
)

// Place is the place of the list of stored results.
const Place actions.Place = "stored-results"

// Actions are the actions of the list of stored results.
func Actions() []actions.Action {
	type it = *Dialog
	return actions.Moving(func(d it, m list.Motion) { d.Rows.Act(m) }, []actions.Row[it]{
		actions.New("show-result", "show it", actions.Keys("enter"), it.show, it.noRowRefusal),
		actions.Now("mark-result", "mark", actions.Keys("space"), it.mark, it.noBenchRefusal),
		actions.New("compare-result", "compare: two marked, or measure against it", actions.Keys("b"), it.compare, it.compareRefusal),
		actions.New("jobs", "jobs of this session", actions.Keys("r"), it.jobs, it.jobsRefusal),
		actions.Now(shell.ActionClose, "close", actions.Keys("esc", "q"), shell.Shut[it]),
		actions.New(shell.ActionCopy, "copy a command that writes it as an HTML page", actions.Keys("y"), func(d it) tea.Cmd { return d.WS.Copy(command(d.at())) }, it.noRowRefusal),
		shell.HelpRow[it](),
	})
}

// Dialog lists the stored results of the model.
type Dialog struct {
	workspace.Attached
	found  bool // the list is complete
	list   workspace.StoredList
	marked []string // files, at most two
	Rows   list.Window
	w, h   int
}

// OpenResults shows the jobs of the session, or the stored results before the first job.
func OpenResults(ws *workspace.Workspace) tea.Cmd {
	if len(ws.Jobs.List) == 0 {
		return Open(ws)
	}
	return forms.OpenResults(ws)
}

// ResultsRefusal says why there is nothing to show, or "".
func ResultsRefusal(ws *workspace.Workspace) string {
	return actions.Unless(len(ws.Jobs.List) > 0 || ws.KeepsResults(), "no step has been run yet")
}

// Open lists the stored results of the model.
func Open(ws *workspace.Workspace) tea.Cmd {
	d := &Dialog{Attached: workspace.Attached{WS: ws}}
	ws.Host.Open(d)
	return ws.FindStored(func(found workspace.StoredList) tea.Cmd {
		d.found, d.list = true, found
		d.Rows.Reset(len(found.Results), 0)
		if found.Err != nil {
			ws.Log.Fail(found.Err)
		}
		return nil
	})
}

// Place implements shell.Pane.
func (d *Dialog) Place() actions.Place { return Place }

// Box implements shell.Dialog.
func (d *Dialog) Box(s shell.Screen) cells.Rect { return s.Body }

// Title implements shell.Dialog.
func (d *Dialog) Title() string {
	if !d.found {
		return "looking for stored results"
	}
	return text.Plural(len(d.list.Results), "stored result") + " of this model"
}

// at returns the result at the cursor.
func (d *Dialog) at() store.Earlier { return d.list.Results[d.Rows.Cursor] }

func (d *Dialog) noRowRefusal() string {
	return actions.Unless(len(d.list.Results) > 0, "no result of this model is stored")
}

func (d *Dialog) noBenchRefusal() string {
	if why := d.noRowRefusal(); why != "" {
		return why
	}
	return actions.Unless(d.at().Kind == store.KindBench, "only results of bench can be compared; this one is of "+d.at().Kind)
}

func (d *Dialog) compareRefusal() string {
	if len(d.marked) == 2 {
		return ""
	}
	if why := d.noBenchRefusal(); why != "" {
		return why
	}
	return d.WS.StepRefusal("bench")
}

func (d *Dialog) jobsRefusal() string {
	return actions.Unless(len(d.WS.Jobs.List) > 0, "no step has been run in this session yet")
}

func (d *Dialog) jobs() tea.Cmd {
	d.WS.Host.Close(d)
	return forms.OpenResults(d.WS)
}

// mark marks the result at the cursor, or takes the mark away. Of three, the first loses its mark.
func (d *Dialog) mark() {
	file := d.at().File
	if at := slices.Index(d.marked, file); at >= 0 {
		d.marked = slices.Delete(d.marked, at, at+1)
		return
	}
	d.marked = append(d.marked, file)
	d.marked = d.marked[max(0, len(d.marked)-2):]
	d.Rows.Act(list.Down)
}

// command returns the command that makes a page of a result.
func command(e store.Earlier) string {
	return "lathe report " + session.Quote(e.File) + " -o report.html"
}

// show shows the report of the result. The times of a profile also become columns of the list.
func (d *Dialog) show() tea.Cmd {
	ws, e, m := d.WS, d.at(), d.WS.Model()
	type answer struct {
		job   *workspace.Job
		times *graph.NodeTimes
		err   error
	}
	label, now := ws.StoredLabel(e), ws.Options.Now()
	read := func(context.Context) (out answer) {
		r, err := store.Read(e.File)
		if err != nil {
			return answer{err: err}
		}
		out.job = workspace.StoredJob(r, label, command(e))
		if r.Kind == store.KindProfile && !e.Other {
			if times, err := r.TimesOn(m); err == nil {
				out.times = graph.NewNodeTimes(times, m)
				out.times.Said = cells.Prose(r.Named(now))
			}
		}
		return out
	}
	return workspace.Once(ws, "reading the result", read, func(a answer) tea.Cmd {
		if a.err != nil {
			ws.Log.Fail(a.err)
			return nil
		}
		forms.OpenResultsAt(ws, ws.AddStored(a.job))
		if a.times == nil || m != ws.Model() {
			return nil
		}
		ws.Log.Say("the columns time and share are those of the " + label)
		return workspace.TakeTimes(ws, m, a.times)
	})
}

// compare compares the two marked results. Without two marks, it opens the form of bench with the
// result at the cursor as baseline.
func (d *Dialog) compare() tea.Cmd {
	ws := d.WS
	if len(d.marked) < 2 {
		e := d.at()
		d.WS.Host.Close(d)
		return measureAgainst(ws, e)
	}
	was, is := d.marked[0], d.marked[1]
	if d.indexOf(was) < d.indexOf(is) { // the list has the newest first
		was, is = is, was
	}
	type answer struct {
		lines []string
		err   error
	}
	work := func(context.Context) (a answer) {
		a.lines, a.err = compared(was, is)
		return a
	}
	return workspace.Once(ws, "comparing", work, func(a answer) tea.Cmd {
		if a.err != nil {
			ws.Log.Fail(a.err)
			return nil
		}
		j := workspace.EarlierJob(nil, "lathe report "+session.Quote(was)+" "+session.Quote(is)+" -o report.html")
		j.Name, j.Lines, j.Label = "compare", a.lines, "two stored results"
		forms.OpenResultsAt(ws, ws.AddStored(j))
		return nil
	})
}

// measureAgainst opens the form of bench with a result as baseline, and with the settings of that
// result. It says which settings it cannot take over: the store has only the names of data files.
func measureAgainst(ws *workspace.Workspace, e store.Earlier) tea.Cmd {
	values, left := settingsOf(e, ws.NewStep("bench").Options())
	values["baseline"] = []string{e.File}
	cmd := forms.OpenFormAs(ws, "bench", values)
	said := "the settings are those of the earlier run"
	if len(left) > 0 {
		said += ", but for " + strings.Join(left, ", ")
	}
	ws.Log.Say(said)
	return cmd
}

// usual are settings that every result has, with the values that need no option.
var usual = map[string]string{store.SettingEP: ep.CPU, store.SettingBatch: "1"}

// settingsOf returns the options of a step that repeat the settings of a result, by name. left are
// those that name files, whose folders are not known; they are safe to print.
func settingsOf(e store.Earlier, options []session.Option) (values map[string][]string, left []string) {
	values = map[string][]string{}
	for _, o := range options {
		v := e.Settings[o.Name]
		if v == "" || v == usual[o.Name] {
			continue
		}
		list := []string{v}
		if o.IsList() {
			list = strings.Split(v, ", ")
		}
		if slices.ContainsFunc(list, func(v string) bool { return o.WithPath(v, func(string) string { return "" }) != v }) {
			left = append(left, cells.Prose(o.Name+" "+v))
			continue
		}
		values[o.Name] = list
	}
	return values, left
}

func (d *Dialog) indexOf(file string) int {
	return slices.IndexFunc(d.list.Results, func(e store.Earlier) bool { return e.File == file })
}

// compared returns the comparison of two stored results of bench in words, safe to print. Whatever
// differs between them is listed, and nothing is a regression.
func compared(was, is string) ([]string, error) {
	a, err := store.Read(was)
	if err != nil {
		return nil, err
	}
	b, err := store.Read(is)
	if err != nil {
		return nil, err
	}
	p := store.PairUp(a, b)
	if why := p.Problem(true); why != "" {
		return nil, fmt.Errorf("%s: %s", was, why)
	}
	c, err := p.Against(a, b, store.NoLimit)
	if err != nil {
		return nil, err
	}
	var words strings.Builder
	if err := c.WriteText(&words); err != nil {
		return nil, err
	}
	lines := cells.SafeLines(strings.TrimRight(words.String(), "\n"))
	for _, r := range []*store.Result{a, b} {
		if r.Text != "" {
			lines = append(append(lines, "", "measured "+r.Time.Local().Format("2 Jan 2006 15:04:05")), cells.SafeLines(strings.TrimRight(r.Text, "\n"))...)
		}
	}
	return lines, nil
}

// Sync implements shell.Pane.
func (d *Dialog) Sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	d.Rows.Resize(max(h-1-foot, 0))
	return nil
}

// foot is the height below the list: a rule and the whole text of the selected row.
const foot = 3

// Said implements shell.Pane.
func (d *Dialog) Said() string {
	if len(d.list.Results) == 0 {
		return d.empty()
	}
	return fmt.Sprintf("%d of %d: %s", d.Rows.Cursor+1, len(d.list.Results), d.whole())
}

// empty says why there is nothing in the list.
func (d *Dialog) empty() string {
	if !d.found {
		return "looking for stored results …"
	}
	key := d.WS.Keys.Key(shell.PlaceMain, workspace.StepAction("bench"))
	return "no result of this model is stored; " + key + " measures its latency, and its result is then listed here"
}

// whole describes the selected result.
func (d *Dialog) whole() string {
	e := d.at()
	words := d.WS.StoredLabel(e)
	if e.Other {
		words += "; the file had this name and another content"
	}
	if e.More > 0 {
		words += fmt.Sprintf("; and %s", text.Plural(e.More, "more run"))
	}
	return words + "; " + cells.Prose(e.File)
}

// Clicked implements shell.Pointed. It selects the row under the mouse.
func (d *Dialog) Clicked(_, y int) tea.Cmd {
	if from, to := d.Rows.Visible(); y > 0 && from+y-1 < to {
		d.Rows.MoveTo(from + y - 1)
	}
	return nil
}

// Wheeled implements shell.Pointed.
func (d *Dialog) Wheeled(by int) { d.Rows.Scroll(by) }

// Widths of the columns before the outcome.
const (
	whenWidth    = 13
	kindWidth    = 9
	outcomeWidth = 26
)

// View implements shell.Pane.
func (d *Dialog) View(bool) []string {
	st := d.WS.Styles
	if len(d.list.Results) == 0 {
		return cells.Block(cells.WrapWords(d.empty(), d.w), d.w, d.h)
	}
	title := "  " + cells.Fit("when", whenWidth) + cells.Fit("what", kindWidth) + cells.Fit("p50 or verdict", outcomeWidth) + "measured with"
	lines := []string{st.Heading.On(cells.Fit(title, d.w))}
	from, to := d.Rows.Visible()
	for i := from; i < to; i++ {
		lines = append(lines, d.line(i))
	}
	lines = append(cells.Block(lines, d.w, max(d.h-foot, 0)), st.Frame.On(cells.Rule(d.w)))
	return cells.Block(append(lines, cells.WrapWords(d.whole(), d.w)...), d.w, d.h)
}

func (d *Dialog) line(i int) string {
	st, e := d.WS.Styles, d.list.Results[i]
	lead, looks := "  ", theme.Paint("")
	if i == d.Rows.Cursor {
		lead, looks = "› ", st.Selected
	}
	if slices.Contains(d.marked, e.File) {
		lead = lead[:len(lead)-1] + "●"
	}
	rest := e.Conditions()
	if e.Other {
		rest = "other content, " + rest
	}
	if after := e.Made(); after != "" {
		rest = after + ", " + rest
	}
	row := cells.Fit(store.When(e.Time, d.WS.Options.Now()), whenWidth) + cells.Fit(cells.Prose(e.Kind), kindWidth) +
		cells.Fit(cells.Cut(cells.Prose(e.Outcome()), outcomeWidth-1), outcomeWidth) + cells.Prose(strings.TrimSuffix(rest, ", "))
	return st.Key.On(lead) + looks.On(cells.Fit(row, max(d.w-2, 0)))
}
