package tui

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/journal"
	"lathe/tui/actions"
	"lathe/tui/resume"
	"lathe/tui/shell"
	"lathe/tui/theme"
)

func init() {
	cursor := func(d *desk) int { return d.app.dialogs.Top().(*resume.ResumeDialog).Rows.Cursor }
	positions[resume.Place] = struct {
		enter func(*desk)
		at    func(*desk) int
	}{func(d *desk) { leftBehind(d); d.press("j") }, cursor}
	effects[resume.Place] = map[actions.Name]effect{
		shell.ActionAccept: {leftBehind, func(d *desk) bool { return len(d.app.ws.Session.History()) == 2 }},
		shell.ActionClose:  {leftBehind, func(d *desk) bool { return closed(d) && len(resume.Keepers.In(d.app.ws).Left) == 0 }},
	}
}

// leftBehind opens the dialog about a session that ended without being closed.
func leftBehind(d *desk) {
	d.t.Helper()
	o := keptOptions(d.t.(*testing.T))
	j, err := o.Journal.Start(o.Path)
	if err != nil {
		d.t.Fatal(err)
	}
	j.Put(journal.Entry{
		Model: o.Path, Folder: o.Folder, Job: "lathe bench model.onnx",
		History: []session.Past{{Call: call("prune", "output", "c"), Changed: true}, {Call: call("validate", "a", "x.onnx", "b", "y.onnx")}},
		View:    journal.View{resume.ViewRow: {"2"}},
	})
	if err := errors.Join(j.Flush(context.Background()), j.Leave()); err != nil {
		d.t.Fatal(err)
	}
	d.app.ws.Options.Journal = o.Journal
	d.app.ws.Options.Path = o.Path
	d.perform(resume.BeginKeeping(d.app.ws))
}

// call is a step with options, each with one value.
func call(step string, options ...string) session.Call {
	c := session.Call{Step: step}
	for i := 0; i < len(options); i += 2 {
		c.Options = append(c.Options, session.Setting{Name: options[i], Values: []string{options[i+1]}})
	}
	return c
}

// keptOptions returns the options of a workbench on a file, with a journal.
func keptOptions(t *testing.T) Options {
	t.Helper()
	dir := t.TempDir()
	o := testOptions(graphtest.Model(t, branchy))
	o.Path, o.Folder = filepath.Join(dir, "model.onnx"), dir
	if err := os.WriteFile(o.Path, []byte("model"), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Journal = &journal.Store{Dir: filepath.Join(dir, "journals"), Now: time.Now}
	o.Now = time.Now
	return o
}

// drop ends a desk as a lost connection does.
func (d *desk) drop() {
	d.t.Helper()
	if err := resume.EndKeeping(d.app.ws); err != nil {
		d.t.Fatal(err)
	}
}

func journals(t *testing.T, o Options) int {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(o.Journal.Dir, "*-*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

// TestResume runs steps, loses the connection, and continues in another workbench: the steps, the
// model and the place are as before, and undo goes through the steps.
func TestResume(t *testing.T) {
	o := keptOptions(t)
	d := newDeskWith(t, o, 100, 30)
	d.press("j", "j", "space", "x", "G", "k", "space", "p", "b", "enter", "esc", "g", "j", "j", "j", "space")
	if got, want := journals(t, o), 1; got != want {
		t.Fatalf("%d journals while the session runs, want %d", got, want)
	}
	d.drop()
	want := d.app.ws.Session.Recipe()

	again := newDeskWith(t, o, 100, 30)
	again.sees("work was left behind", "just now on", "1 step of it can be run again", "1 prune  output=y", "has left no result", "lathe bench")
	if journals(t, o) != 1 {
		t.Error("what was left is gone before anybody has chosen")
	}
	again.press("enter", "esc")
	if diff := cmp.Diff(want, again.app.ws.Session.Recipe(), cmp.AllowUnexported(session.Call{}, session.Setting{})); diff != "" {
		t.Error(diff)
	}
	if got := again.selected(); got != d.selected() {
		t.Errorf("the selection is on %s, want %s", got, d.selected())
	}
	if diff := cmp.Diff(d.app.ws.Marks.Names, again.app.ws.Marks.Names); diff != "" {
		t.Error(diff)
	}
	again.press("u")
	if again.app.ws.Model() != o.Model {
		t.Error("undo does not lead to the model as it was opened")
	}
	again.press("ctrl+r", "q", "y")
	again.drop()
	if !again.quit || journals(t, o) != 0 {
		t.Errorf("after a clean end %d journals are left", journals(t, o))
	}
}

// TestResumeLater postpones the question, then discards what was left.
func TestResumeLater(t *testing.T) {
	o := keptOptions(t)
	for _, keys := range []string{"j j space p", "g j j j space p"} {
		d := newDeskWith(t, o, 100, 30)
		d.press("esc")
		d.press(strings.Fields(keys)...)
		d.drop()
	}
	d := newDeskWith(t, o, 100, 30)
	d.sees("1 prune  output=a", "1 earlier session left unfinished work as well")
	d.press("q")
	d.drop()
	d = newDeskWith(t, o, 100, 30)
	d.press("j", "j", "enter")
	d.sees("1 prune  output=h")
	d.press("j", "j", "enter")
	if !closed(d) || journals(t, o) != 0 {
		t.Errorf("%d journals are left\n%s", journals(t, o), d.screen())
	}
}

// TestResumeOfAnotherModel resumes with a file that has changed: a step fails, the steps before it
// are kept, and the journal stays.
func TestResumeOfAnotherModel(t *testing.T) {
	o := keptOptions(t)
	d := newDeskWith(t, o, 100, 30)
	d.press("a", "enter", "esc", "j", "j", "space", "p")
	d.drop()
	if err := os.WriteFile(o.Path, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Model = graphtest.Model(t, "input x f32[1]\noutput y f32[1]\nn: y = Relu(x)")
	d = newDeskWith(t, o, 100, 30)
	d.sees("has changed since")
	d.press("enter")
	d.sees("steps: failed", "step 2, prune")
	if got := len(d.app.ws.Session.History()); got != 1 {
		t.Errorf("%d steps are there, want 1", got)
	}
	d.press("esc", "q", "y")
	d.drop()
	if journals(t, o) != 1 {
		t.Errorf("%d journals are left, want the one that could not be gone on with", journals(t, o))
	}
}

// TestResumeIsCancelled leaves the journal for a later start.
func TestResumeIsCancelled(t *testing.T) {
	o := keptOptions(t)
	d := newDeskWith(t, o, 100, 30)
	d.press("j", "j", "space", "p")
	d.drop()
	d = newDeskWith(t, o, 100, 30)
	d.hold = true
	d.press("enter")
	d.app.ws.Jobs.Running().Cancel()
	d.app.ws.Jobs.Running().Asked = true
	<-d.app.ws.Jobs.Running().Done()
	if _, err := d.app.ws.Jobs.Running().Result(); err == nil {
		t.Skip("the steps were taken before they could be cancelled")
	}
	d.resume()
	d.press("esc", "q")
	d.drop()
	if journals(t, o) != 1 || len(d.app.ws.Session.History()) != 0 {
		t.Errorf("%d journals, %d steps", journals(t, o), len(d.app.ws.Session.History()))
	}
}

// TestViewIsKept closes a workbench and opens another one on the same model.
func TestViewIsKept(t *testing.T) {
	o := keptOptions(t)
	d := newDeskWith(t, o, 100, 30)
	d.press("j", "j", "j", "space", "c", "j", "j", "j", "space", "esc", "t", "q", "y")
	if !d.quit {
		t.Fatal(d.screen())
	}
	d.drop()
	again := newDeskWith(t, o, 100, 30)
	if !closed(again) {
		t.Fatalf("something is asked:\n%s", again.screen())
	}
	if got, want := again.selected(), "left"; got != want {
		t.Errorf("selected %s, want %s", got, want)
	}
	if diff := cmp.Diff(d.app.ws.Columns, again.app.ws.Columns); diff != "" {
		t.Error(diff)
	}
	again.send(backgroundMsg(true))
	if again.app.ws.Styles != theme.StylesOf(theme.Light) || !again.app.ws.Marks.Has("a") {
		t.Error("theme or marks are lost")
	}
}

// TestRestoreTakesAnything restores invalid views.
func TestRestoreTakesAnything(t *testing.T) {
	for _, v := range []journal.View{
		{},
		{resume.ViewRow: {"-1"}},
		{resume.ViewRow: {"99999999999999999999"}},
		{resume.ViewRow: {"7777"}, resume.ViewPlace: {"no", "such"}},
		{resume.ViewColumns: {"op", "zzz"}, resume.ViewSort: {"zzz", "descending"}, resume.ViewGroup: {"zzz"}, resume.ViewTheme: {"auto"}},
		{resume.ViewColumns: {}, resume.ViewSort: {}, resume.ViewGroup: {}, resume.ViewTheme: {}, resume.ViewMarks: {"\x1b[2J", ""}},
		{resume.ViewSort: {"op"}, resume.ViewGroup: {"op"}, resume.ViewRow: {"3"}, resume.ViewMarks: {"a", "a", "x"}},
	} {
		d := branchyDesk(t, 100, 30)
		d.perform(resume.Restore(d.app.ws, v))
		d.send(nil)
		d.press("j", "k")
		checkSize(t, d, [2]int{100, 30})
	}
}

// TestJournalThatCannotBeWritten reports the error once, and the work continues.
func TestJournalThatCannotBeWritten(t *testing.T) {
	o := keptOptions(t)
	d := newDeskWith(t, o, 100, 30)
	if err := os.Remove(o.Path); err != nil {
		t.Fatal(err)
	}
	d.press("j", "j", "space")
	d.sees("cannot write the journal")
	d.press("p", "u")
	n := 0
	for _, e := range d.app.ws.Log.Entries {
		if e.Failed {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d failures are told, want 1", n)
	}
}

// TestResumeTakesNoKeyAtOnce makes sure that a key pressed just before the dialog opened decides
// nothing.
func TestResumeTakesNoKeyAtOnce(t *testing.T) {
	d := branchyDesk(t, 100, 30)
	d.hold = true
	leftBehind(d)
	find := d.waiting[0]
	d.waiting = nil
	d.send(find())
	d.press("enter", "esc")
	if !opens(resume.Place)(d) {
		t.Fatal("a key was taken at once")
	}
	d.resume()
	d.press("esc")
	if !closed(d) {
		t.Error("the dialog takes no key at all")
	}
}

// TestResumeShowsHostileJournals draws journals full of sequences that must not reach a terminal,
// at every size.
func TestResumeShowsHostileJournals(t *testing.T) {
	t.Parallel()
	for _, payload := range graphtest.Hostile {
		d := branchyDesk(t, 100, 30)
		l := &journal.Left{Host: payload, Changed: []string{payload}, Entry: journal.Entry{
			Job: payload, History: slices.Repeat([]session.Past{{Call: call(payload, payload, payload)}}, 30),
		}}
		resume.Keepers.In(d.app.ws).Left = []*journal.Left{l, l}
		d.perform(resume.AskToResume(d.app.ws))
		for _, size := range sizes {
			d.resize(size[0], size[1])
			d.look("resume")
			checkSize(t, d, size)
		}
	}
}
