package forms

import (
	"cmp"
	"context"
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
	"lathe/tui/workspace"
)

// check checks whether the names and files in the fields exist. It does so in the background,
// because a folder may be slow and a model may have many names.
func (f *Form) check() tea.Cmd {
	var questions []fieldCheck
	// If the step reads another file than the visible model, names from that file may be unknown
	// here and are not checked.
	knowsNames := f.introspects || session.TakesModel(f.WS.NewStep(f.name))
	there := append(f.WS.Session.Files(), f.WS.Unsaved())
	for _, fl := range f.Fields {
		if fl.choices != nil || fl.isEmpty() {
			continue
		}
		q := fieldCheck{field: fl.Name, option: fl.option, values: fl.Values()}
		if knowsNames {
			q.names = f.namesOf(fl)
		}
		if force := f.roleField(session.RoleForce); fl.option.Target {
			// A step that is already in the list of steps writes no files when it is run again, so
			// existing files do not matter.
			q.isNew = f.target == nil && (force == nil || force.isEmpty())
			q.isWritten, q.model = true, f.WS.Options.Path
		}
		if fl.option.IsPath() && !q.isWritten {
			q.there = there
		}
		questions = append(questions, q)
	}
	find := func(context.Context) map[string]map[string]string {
		flaws := map[string]map[string]string{}
		for _, q := range questions {
			flaws[q.field] = q.flaws()
		}
		return flaws
	}
	return workspace.Ask(f.WS, &f.checking, "checking the fields", find, func(flaws map[string]map[string]string) tea.Cmd {
		f.checked = true
		for _, fl := range f.Fields {
			fl.flaws = flaws[fl.Name]
		}
		return nil
	})
}

// fieldCheck checks the values of one field in the background.
type fieldCheck struct {
	field            string
	option           session.Option
	values           []string
	names            *names   // nil if they are unknown or do not matter
	isWritten, isNew bool     // the file is written; it must not exist
	model            string   // the model's file, if a file is written
	there            []string // files that were opened or written already
	found            int      // number of names that do not exist
}

// mostNearest limits for how many unknown names of a field similar names are searched, because each
// search goes through all names of the model.
const mostNearest = 8

func (q *fieldCheck) flaws() map[string]string {
	out := map[string]string{}
	for _, v := range q.values {
		flaw := ""
		for _, part := range q.option.Parts(v) {
			flaw = cmp.Or(flaw, q.nameFlaw(part))
		}
		q.option.WithPath(v, func(path string) string {
			flaw = cmp.Or(flaw, q.fileFlaw(path))
			return path
		})
		if err := q.option.Look(v); err != nil && flaw == "" {
			flaw = err.Error()
		}
		if flaw != "" {
			out[v] = flaw
		}
	}
	return out
}

// checkedSubjects are the kinds of names that must exist in the model, and the word for each kind
// in messages.
var checkedSubjects = map[session.Subject]string{
	session.NamesNode: "node", session.NamesValue: "value", session.NamesAxis: "input or output", session.NamesSymbol: "symbol",
	session.NamesOp: "operator",
}

// nameFlaw says what is wrong with a name.
func (q *fieldCheck) nameFlaw(v string) string {
	what, checked := checkedSubjects[q.option.Names]
	if !checked || q.names == nil || q.names.Known[v] {
		return ""
	}
	name, _ := q.option.Split(v)
	if q.option.Names == session.NamesAxis && !q.names.Known[name] {
		if i := strings.LastIndexByte(name, ':'); i >= 0 {
			name = name[:i]
		}
	}
	if q.names.Known[name] || q.option.Names == session.NamesNode && strings.HasPrefix(name, "#") {
		return ""
	}
	flaw := fmt.Sprintf("there is no %s %q", what, name)
	if q.found++; q.found > mostNearest {
		return flaw
	}
	if near := graphops.NearestNames(name, q.names.each()); len(near) > 0 {
		flaw += "; nearest: " + graphops.QuoteNames(near)
	}
	return flaw
}

// fileFlaw says what is wrong with a file.
func (q *fieldCheck) fileFlaw(path string) string {
	if path == "-" {
		return ""
	}
	info, err := os.Stat(path)
	isMissing := errors.Is(err, fs.ErrNotExist)
	switch {
	case q.isWritten && err == nil && IsFile(q.model, info):
		return text.CleanLine(path) + " is the file that the model is read from; choose another name"
	case q.isNew && err == nil:
		return text.CleanLine(path) + " exists already; set force to replace it"
	case q.isWritten && isMissing:
		if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
			return "there is no folder " + text.CleanLine(filepath.Dir(path))
		}
		return ""
	case !q.isWritten && isMissing && !slices.Contains(q.there, path):
		return "there is no file " + session.Quote(path)
	default:
		return ""
	}
}

// IsFile reports whether a path leads to a file.
func IsFile(path string, file os.FileInfo) bool {
	info, err := os.Stat(path)
	return err == nil && os.SameFile(info, file)
}
