package sheet

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/diff"
	"lathe/session"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/forms"
	"lathe/tui/graph"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// diffName is the name of the step that compares two models side by side.
const diffName = "side by side"

// diffStep compares the visible model with another one. Changes of a session are compared with the
// model as it was opened, which is then on the left.
type diffStep struct {
	path     string          // file of the other model; "" for the original
	original *graphops.Model // as it was opened
	name     string          // of the model as it was opened
	now      string          // of the visible model
	weights  bool
	sheet    *diffSheet // the result
}

// Name implements session.Step.
func (s *diffStep) Name() string { return diffName }

// Summary implements session.Step.
func (s *diffStep) Summary() string { return "compares two models and lays them side by side" }

// Options implements session.Step.
func (s *diffStep) Options() []session.Option { return nil }

// Preview implements session.Step. A comparison changes nothing, so it is the same as Run.
func (s *diffStep) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	r, err := s.Run(ctx, env, m)
	return session.Preview{Report: r.Report}, err
}

// Run implements session.Step.
func (s *diffStep) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	left, right, names := s.original, m, [2]string{s.name + " as it was opened", s.name + " as it is"}
	if s.path != "" {
		env.Progress(session.Progress{Phase: "opening " + s.path})
		other, err := env.Open(s.path)
		if err != nil {
			return session.Result{}, err
		}
		left, right, names = m, other, [2]string{s.now, s.path}
	}
	env.Progress(session.Progress{Phase: "comparing"})
	d, err := diff.Compare(ctx, left, right, diff.Options{Weights: s.weights, Progress: func(done, total int64) {
		env.Progress(session.Progress{Phase: "comparing weights", Done: done, Total: total, Unit: "B"})
	}})
	if err != nil {
		return session.Result{}, err
	}
	s.sheet = New(d, names, m, s.path, s.weights)
	return session.Result{Report: DiffGist(s.sheet.gist()), No: !d.Equal}, nil
}

// DiffGist is the result of a comparison in a line.
type DiffGist string

// WriteText implements session.Report.
func (g DiffGist) WriteText(w io.Writer) error {
	_, err := io.WriteString(w, string(g)+"\n")
	return err
}

// gist says in a line how the models differ.
func (s *diffSheet) gist() string {
	how := "equal"
	switch {
	case len(s.Differ) > 0:
		how = text.Plural(len(s.Differ), "difference")
	case len(s.Notes.Unread) > 0:
		how = "no difference found"
	case s.Identical:
		how = "identical"
	case s.Renamed.Any():
		how = "equal up to names"
	}
	if s.Equal && !s.Notes.Complete() {
		how += ", as far as it was compared"
	}
	if n := len(s.Notes.Unread); n > 0 {
		how += fmt.Sprintf("; %s could not be compared", text.Plural(n, "constant"))
	}
	if s.Notes.Complete() && (s.WithWeights || s.Equal) {
		how += "; all weights were compared"
	}
	if n := s.Notes.Partial; n > 0 {
		how += fmt.Sprintf("; %s compared by the first bytes only", text.Plural(n, "constant"))
	}
	return how
}

// SideBySide starts a comparison with the model in a file, or with the model as it was opened.
func SideBySide(ws *workspace.Workspace, path string, weights bool) tea.Cmd {
	s := &diffStep{path: path, original: ws.Session.Original(), name: filepath.Base(ws.Options.Path), now: filepath.Base(ws.Called()), weights: weights}
	if path != "" {
		ws.CompareWith(ws.Called(), path)
	}
	j := &workspace.Job{Name: diffName, Command: diffCommand(ws, path, weights), Finds: true}
	j.Settle = func(err error) tea.Cmd {
		if err != nil || s.sheet.shown != ws.Model() {
			return nil
		}
		*LastSheet.In(ws) = s.sheet
		return func() tea.Msg { return sheetMsg{} }
	}
	return ws.Start(s, j)
}

// LastSheet is the last comparison, nil if there is none.
var LastSheet workspace.Slot[*diffSheet]

// diffCommand returns the command line that does the same comparison. It returns "" if the visible
// model was compared with itself, because there is then no second file.
func diffCommand(ws *workspace.Workspace, other string, weights bool) string {
	if other == "" {
		return ""
	}
	command := "lathe diff " + session.QuotePath(ws.Called()) + " " + session.QuotePath(other)
	if weights {
		command += " --weights"
	}
	return command
}

// sheetMsg says that a comparison is finished.
type sheetMsg struct{}

// Take implements workspace.Answer. It shows the comparison instead of the progress.
func (sheetMsg) Take(ws *workspace.Workspace) tea.Cmd {
	for {
		switch d := ws.Host.Top().(type) {
		case nil:
			return openSheet(ws)
		case *forms.ResultsDialog, *Dialog: // the progress, or an earlier comparison
			ws.Host.Close(d)
		default:
			ws.Log.Say("compared; " + ws.Keys.Key(shell.PlaceMain, ActionDiff) + " lays the models side by side")
			return nil
		}
	}
}

// Open shows the last comparison of the visible model, or else asks for the other model.
func Open(ws *workspace.Workspace) tea.Cmd {
	if *LastSheet.In(ws) != nil && (*LastSheet.In(ws)).shown == ws.Model() {
		return openSheet(ws)
	}
	return askOther(ws)
}

// askOther asks for the other model.
func askOther(ws *workspace.Workspace) tea.Cmd {
	head := "compare side by side with which model file?"
	if ws.Session.CanUndo() != "" {
		head = "compare side by side with which file? (empty: as it was opened)"
	}
	other := ""
	if last := *LastSheet.In(ws); last != nil {
		other = last.other
	} else if ws.Session.CanUndo() == "" {
		_, other = ws.Session.Compared()
	}
	ws.Host.Open(shell.NewPathPrompt(ws.Host, head, other, session.ModelFiles, func(path string) tea.Cmd {
		if path == "" && ws.Session.CanUndo() == "" {
			ws.Log.Say("the model is unchanged since it was opened; name a file to compare it with")
			return nil
		}
		return LayBeside(ws, path)
	}))
	return nil
}

// LayBeside starts a comparison and shows its progress.
func LayBeside(ws *workspace.Workspace, path string) tea.Cmd {
	cmd := SideBySide(ws, path, false)
	ws.Host.Open(forms.NewResultsDialog(ws))
	return cmd
}

// Refusal says why no comparison can be shown or started, or "".
func Refusal(ws *workspace.Workspace) string {
	if *LastSheet.In(ws) != nil && (*LastSheet.In(ws)).shown == ws.Model() {
		return ""
	}
	return ws.Busy()
}

// typeOrUnknown formats a type, or says that it is unknown.
func typeOrUnknown(t graphops.Type) string {
	return cmp.Or(graph.TypeText(t), cells.Label("type unknown"))
}
