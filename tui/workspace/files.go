package workspace

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/pattern"
	"lathe/session"
)

// path returns the file that contains a model. If there is none, it returns the file that was
// opened.
func (ws *Workspace) path(m *graphops.Model) string {
	return cmp.Or(ws.Session.FileOf(m), ws.Options.Path)
}

// Unsaved returns the name that stands in a command for the model as it is, such as "model.onnx*". It
// is "" if a file has the model.
func (ws *Workspace) Unsaved() string {
	if ws.Session.FileOf(ws.Model()) != "" || ws.Model() == ws.Session.Original() {
		return ""
	}
	return filepath.Base(ws.Options.Path) + "*"
}

// Called returns what a command calls the model as it is: its file, or if no file has it, the name of
// the opened file with "*".
func (ws *Workspace) Called() string {
	return cmp.Or(ws.Session.FileOf(ws.Model()), ws.Unsaved(), ws.Options.Path)
}

// Env returns the environment of steps. They can open the model as it is even if it is in no file.
func (ws *Workspace) Env() session.Env {
	env := ws.Options.Env
	env.Origin = ws.Session.Origins()
	if name := ws.Unsaved(); name != "" {
		env.Models = map[string]*graphops.Model{name: ws.Model()}
	}
	return env
}

// calledInReports returns the models of the session that a step can open, by the names that it opens
// them with.
func (ws *Workspace) calledInReports() map[string]*graphops.Model {
	out := map[string]*graphops.Model{ws.Options.Path: ws.Session.Original()}
	if file := ws.Session.FileOf(ws.Model()); file != "" {
		out[file] = ws.Model()
	}
	maps.Copy(out, ws.Env().Models)
	return out
}

// OpensUnsaved reports whether a step opens the model as it is, which is in no file.
func (ws *Workspace) OpensUnsaved(s session.Step) bool {
	name := ws.Unsaved()
	return name != "" && slices.ContainsFunc(s.Options(), func(o session.Option) bool {
		return o.IsPath() && !o.Target && slices.Contains(o.Values(), name)
	})
}

// exported is the suffix of the file name of a model that was only exported. It says nothing once
// there is another suffix.
const exported = "export"

// numbered is the number that makes a file name differ from that of an existing file.
var numbered = pattern.New(`-[0-9]+$`)

// OutputName returns a file name in the working folder. It consists of the name of the current
// model and a suffix that says what was done. The same suffix is not added twice.
func OutputName(ws *Workspace, suffix string) string {
	base := filepath.Base(ws.path(ws.Model()))
	stem := strings.TrimSuffix(base, filepath.Ext(base))
	parts := strings.Split(stem, ".")
	kept := parts[:1:1]
	for _, part := range parts[1:] {
		if word := numbered.ReplaceAllString(part, ""); word != suffix && word != exported {
			kept = append(kept, part)
		}
	}
	return strings.Join(append(kept, suffix), ".") + ".onnx"
}

// QuantizePrefix starts the names of the steps that quantize.
const QuantizePrefix = "quantize "

// IsQuantize reports whether a step lowers the precision of weights.
func IsQuantize(step string) bool { return strings.HasPrefix(step, QuantizePrefix) }

// QuantizedSuffix returns the suffix for the name of the file that a step writes: the type of
// weights, or the mode.
func QuantizedSuffix(s session.Step) string {
	if o, ok := OptionNamed(s, "weight-type"); ok {
		return cmp.Or(strings.Join(o.Values(), ""), o.Default)
	}
	return strings.TrimPrefix(s.Name(), QuantizePrefix)
}
