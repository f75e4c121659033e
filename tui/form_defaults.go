package tui

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/text"
)

// maxFilled is how many values of an option are filled in. A range can hold every
// row of a model; nobody reads that in a form, and drawing it would take its time.
const maxFilled = 200

// prefill gives a step what can be guessed of its options. The names are those
// of the command contract; a step without such an option is left as it is.
func (ws *workspace) prefill(s session.Step) {
	guesses := ws.editGuesses(s.Name())
	switch s.Name() {
	case "prune":
		guesses["output"] = ws.marks.names
	case "axes":
		guesses["dynamic"] = ws.firstAxis()
	case "export":
		guesses["output"] = ws.marks.names
	case "validate", "diff":
		a, b := ws.compared()
		guesses["a"], guesses["b"] = present([]string{a}), present([]string{b})
	case "bench":
		a, b := ws.compared()
		guesses["models"] = present([]string{a, b})
	}
	if o, ok := session.WithRole(s, session.RoleModel); ok && ws.suggestsFile(s) != "" {
		guesses[o.Name] = []string{ws.outputName(ws.suggestsFile(s))}
	}
	for _, o := range s.Options() {
		if o.Kind == session.KindChoice && o.Required && len(o.Values()) == 0 && len(o.Choices) > 0 {
			guesses[o.Name] = o.Choices[:1]
		}
		if values, ok := guesses[o.Name]; ok {
			if len(values) > maxFilled {
				ws.log.say(fmt.Sprintf("%s are too many to fill in for --%s; the form takes %d", text.Plural(len(values), "name"), o.Name, maxFilled))
				continue
			}
			o.Reset()
			for _, v := range values {
				// A guess that the option does not take leaves it empty.
				if o.Set(v) != nil {
					o.Reset()
				}
			}
		}
	}
}

// firstAxis frees the first axis of the first input, where it is a number.
func (ws *workspace) firstAxis() []string {
	for _, v := range ws.model().Graph().FeedInputs() {
		if t := v.Type(); len(t.Shape) > 0 && t.Shape[0].IsFixed() {
			return []string{v.Name() + ":0=batch"}
		}
	}
	return nil
}

// compared are the files that a comparison is about. It says so if the model as it is has none.
func (ws *workspace) compared() (opened, now string) {
	opened, now = ws.session.Compared()
	if now == "" && ws.model() != ws.session.Original() {
		ws.log.say(fmt.Sprintf("the model as it is now is in no file; %s writes it, and then it can be compared", ws.keys.key(placeMain, stepAction("export"))))
	}
	return opened, now
}

// path is the file that a model is in, or else the one that was opened.
func (ws *workspace) path(m *graphops.Model) string {
	return cmp.Or(ws.session.FileOf(m), ws.o.Path)
}

// outputName is a file in the working folder named after the file of the model as it is, with
// a suffix that says what became of it. The same suffix is not added twice.
func (ws *workspace) outputName(suffix string) string {
	base := filepath.Base(ws.path(ws.model()))
	stem := strings.TrimSuffix(base, filepath.Ext(base))
	return strings.TrimSuffix(stem, "."+suffix) + "." + suffix + ".onnx"
}

// exportSuffix is the name of what is exported where it is a part of the model.
func (ws *workspace) exportSuffix() string {
	names := ws.marks.names
	if len(names) == 0 && ws.model() != ws.session.Original() {
		for _, v := range ws.model().Graph().Outputs() {
			names = append(names, v.Name())
		}
		for _, v := range ws.session.Original().Graph().Outputs() {
			names = slices.DeleteFunc(names, func(n string) bool { return n == v.Name() })
		}
	}
	if len(names) > 0 {
		if s := fileWord(names[0]); s != "" {
			return s
		}
	}
	return "export"
}

// maxFileWord bounds the part of a file name that comes from a model.
const maxFileWord = 40

// fileWord is the last part of a name with only what is safe in file names.
func fileWord(name string) string {
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

// suggestsFile is what the form of a step puts behind the model's name for the file to write, or "" if
// it leaves the file open.
func (ws *workspace) suggestsFile(s session.Step) string {
	switch {
	case isQuantize(s.Name()):
		return quantizedSuffix(s)
	case s.Name() == "export":
		return ws.exportSuffix()
	}
	return ""
}

// avoidExisting looks for a free file name where the one that was filled in is
// taken.
func (f *form) avoidExisting() tea.Cmd {
	for _, fl := range f.fields {
		if fl.option.Role == session.RoleModel && len(fl.values()) == 1 {
			path := fl.values()[0]
			return guarded("looking for a free file name", func() tea.Msg {
				return freePathMsg{f, fl.name, freePath(path)}
			})
		}
	}
	return nil
}

// freePath is the path, or the first with a number in front of its extension
// that nothing lies at.
func freePath(path string) string {
	ext := filepath.Ext(path)
	free := path
	for i := 2; ; i++ {
		if _, err := os.Lstat(free); errors.Is(err, fs.ErrNotExist) {
			return free
		} else if err != nil || i > 1000 {
			return path // the step will say what is wrong with it
		}
		free = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ext), i, ext)
	}
}

// takePath fills in a free path, unless the person has written another one.
func (f *form) takePath(m freePathMsg) tea.Cmd {
	for _, fl := range f.fields {
		if fl.name == m.option && fl.lines[0].isUntouched() && fl.lines[0].value() != m.path {
			fl.lines[0] = newTextfield(m.path)
			return f.changed()
		}
	}
	return nil
}
