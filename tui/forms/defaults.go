package forms

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops/dim"
	"lathe/session"
	"lathe/session/text"
	"lathe/tui/graph"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// MaxFilled is how many values of an option are filled in at most. If a range covers a whole model,
// it has too many rows to read or draw in a form.
const MaxFilled = 200

// prefill sets suggested values in a step, and those of its last run. better is as in suggest.
func prefill(ws *workspace.Workspace, s session.Step, better map[string][]string) {
	suggest(ws, s, better)
	if recall(ws, s) {
		sayRecalled(ws)
	}
}

// suggest sets suggested values in a step, such as the marked outputs for "prune". For the options in
// better, those are set instead. The keys of better and of guesses are option names. Options that the
// step does not have are skipped.
func suggest(ws *workspace.Workspace, s session.Step, better map[string][]string) {
	guesses := EditGuesses(ws, s.Name())
	switch s.Name() {
	case "prune":
		guesses["output"] = ws.Marks.Names
	case "axes":
		if guesses["dynamic"] = batchAxes(ws); len(guesses["dynamic"]) > 0 {
			guesses["repair"] = []string{"true"} // otherwise the model may still run at the old size only
		}
	case "export":
		guesses["output"] = ws.Marks.Names
	case "validate", "diff":
		a, b := ws.Compared()
		if s.Name() == "validate" {
			a, b = ws.Judged()
		}
		guesses["a"], guesses["b"] = graph.Present([]string{a}), graph.Present([]string{b})
		if ws.Options.Beside != "" { // somebody who opens two models looks for where they part
			guesses["layers"] = []string{"true"}
		}
	case "bench":
		guesses["models"] = ws.Measurable()
	}
	maps.Copy(guesses, better)
	if o, ok := session.WithRole(s, session.RoleModel); ok && suggestsFile(ws, s) != "" {
		guesses[o.Name] = []string{workspace.OutputName(ws, suggestsFile(ws, s))}
	}
	for _, o := range s.Options() {
		if o.Kind == session.KindChoice && o.Required && len(o.Values()) == 0 && len(o.Choices) > 0 {
			guesses[o.Name] = o.Choices[:1]
		}
		if values, ok := guesses[o.Name]; ok {
			if len(values) > MaxFilled {
				ws.Log.Say(fmt.Sprintf("%s are too many to fill in for --%s; the form takes at most %d", text.Plural(len(values), "name"), o.Name, MaxFilled))
				continue
			}
			o.Reset()
			for _, v := range values {
				// If the option rejects a suggestion, it stays empty.
				if o.Set(v) != nil {
					o.Reset()
				}
			}
		}
	}
}

// batchAxes suggests making the batch axis dynamic: the first axis of all inputs that have the same
// fixed size there, as one symbol. If the first axis of another input has a symbol already, the
// suggestion is that symbol.
func batchAxes(ws *workspace.Workspace) []string {
	var symbol string
	var size int64 = -1
	var names []string
	for _, v := range ws.Model().Graph().FeedInputs() {
		shape := v.Type().Shape
		if len(shape) == 0 {
			continue
		}
		d := shape[0]
		_, isPlain := dim.OfText(d.Symbol).IsSymbol()
		switch {
		case d.Symbol != "" && isPlain:
			symbol = cmp.Or(symbol, d.Symbol)
		case d.IsFixed() && (size < 0 || d.Value == size):
			size = d.Value
			names = append(names, v.Name())
		}
	}
	return suffixed(names, ":0="+cmp.Or(symbol, freeSymbol(ws, "batch")))
}

// freeSymbol returns a name that no axis of an input has, beginning with word.
func freeSymbol(ws *workspace.Workspace, word string) string {
	used := map[string]bool{}
	for _, v := range ws.Model().Graph().FeedInputs() {
		for _, d := range v.Type().Shape {
			used[d.String()] = true
		}
	}
	name := word
	for i := 2; used[name]; i++ {
		name = fmt.Sprintf("%s_%d", word, i)
	}
	return name
}

// WritesTo returns the file that is proposed for the model as it is.
func WritesTo(ws *workspace.Workspace) string { return workspace.OutputName(ws, exportSuffix(ws)) }

// exportSuffix returns what the file name of an export gets as a suffix: the name of the first
// output that was marked or is new, or else the type of the weights if they were quantized, or else
// "export".
func exportSuffix(ws *workspace.Workspace) string {
	names := ws.Marks.Names
	if len(names) == 0 && ws.Model() != ws.Session.Original() {
		for _, v := range ws.Model().Graph().Outputs() {
			names = append(names, v.Name())
		}
		for _, v := range ws.Session.Original().Graph().Outputs() {
			names = slices.DeleteFunc(names, func(n string) bool { return n == v.Name() })
		}
	}
	if len(names) > 0 {
		if s := FileWord(names[0]); s != "" {
			return s
		}
	}
	for _, p := range slices.Backward(ws.Session.History()) {
		if s := ws.NewStep(p.Call.Step); p.Changed && workspace.IsQuantize(p.Call.Step) && s != nil {
			_ = p.Call.Apply(s, "") // it lacks the file, which is asked for now
			return workspace.QuantizedSuffix(s)
		}
	}
	return "export"
}

// maxFileWord limits the part of a file name that comes from the model.
const maxFileWord = 40

// FileWord returns the last part of a name, with only those characters that are safe in file names.
func FileWord(name string) string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	word := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		default:
			return -1
		}
	}, name)
	return word[:min(len(word), maxFileWord)]
}

// suggestsFile returns the suffix of the output file that the form suggests for a step. It returns
// "" for steps that get no suggestion.
func suggestsFile(ws *workspace.Workspace, s session.Step) string {
	switch {
	case workspace.IsQuantize(s.Name()):
		return workspace.QuantizedSuffix(s)
	case s.Name() == "export":
		return exportSuffix(ws)
	}
	return ""
}

// AvoidExisting searches for a free file name if the suggested one exists.
func (f *Form) AvoidExisting() tea.Cmd {
	for _, fl := range f.Fields {
		if fl.option.Role == session.RoleModel && len(fl.Values()) == 1 {
			path := fl.Values()[0]
			look := func(context.Context) string { return FreePath(path) }
			return workspace.Once(f.WS, "looking for a free file name", look, func(free string) tea.Cmd { return f.takePath(fl, free) })
		}
	}
	return nil
}

// FreePath returns path if no such file exists. Otherwise it adds the first number before the
// extension for which no file exists.
func FreePath(path string) string {
	ext := filepath.Ext(path)
	free := path
	for i := 2; ; i++ {
		if _, err := os.Lstat(free); errors.Is(err, fs.ErrNotExist) {
			return free
		} else if err != nil || i > 1000 {
			return path // the step reports what is wrong with it
		}
		free = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ext), i, ext)
	}
}

// takePath fills in a free path unless the person has changed the field.
func (f *Form) takePath(fl *field, free string) tea.Cmd {
	if !f.isOpen() || !fl.Lines[0].IsUntouched() || fl.Lines[0].Value() == free {
		return nil
	}
	fl.Lines[0] = shell.NewProposal(free)
	f.offered[slices.Index(f.Fields, fl)] = fl.Values()
	return f.Changed()
}
