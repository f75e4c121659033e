package edit

import (
	"context"
	"fmt"
	"io"
	"strings"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/reporting"
	"lathe/session/text"
)

// editing is shared by the steps that change a model in one place.
type editing struct {
	In []string
	flags.Saving
}

// editFunc is an edit of package edit with its options bound.
type editFunc func(m *graphops.Model, at *graphops.Place) (*graphops.Model, *edit.Report, error)

func (s *editing) options() []session.Option {
	return append([]session.Option{
		session.List(&s.In, "in", "work inside `PLACE`: NODE:ATTRIBUTE for the subgraph of a node, DOMAIN:NAME for a function; repeat to go deeper").WithDefault("the main graph").Naming(session.NamesPlace, ""),
	}, s.Saving.Options()...)
}

func (s *editing) apply(m *graphops.Model, f editFunc) (*graphops.Model, *edit.Report, error) {
	at, err := m.FindPlace(s.In)
	if err != nil {
		return nil, nil, session.InModel(m, err)
	}
	changed, r, err := f(m, at)
	return changed, r, session.InModel(m, err)
}

func (s *editing) preview(name string, m *graphops.Model, f editFunc) (session.Preview, error) {
	_, r, err := s.apply(m, f)
	if err != nil {
		return session.Preview{}, err
	}
	return session.Preview{Report: editReport(name, r, nil), Keep: r.Keep}, nil
}

func (s *editing) run(ctx context.Context, env session.Env, name string, m *graphops.Model, f editFunc) (session.Result, error) {
	changed, r, err := s.apply(m, f)
	if err != nil {
		return session.Result{}, err
	}
	file, err := s.Save(ctx, env, changed, graphops.SaveOptions{})
	if err != nil {
		return session.Result{}, err
	}
	return session.Result{Model: changed, Report: editReport(name, r, file), Files: file.Files()}, nil
}

// EditReport is the report of an edit.
type EditReport struct {
	Schema      string               `json:"schema"`
	Changes     []editChange         `json:"changes"`
	NodesBefore int                  `json:"nodes_before"`
	NodesAfter  int                  `json:"nodes_after"`
	Warnings    []string             `json:"warnings"`
	File        *reporting.SavedFile `json:"file,omitempty"`
}

type editChange struct {
	What string `json:"what"`
	Name string `json:"name"`
	From string `json:"from"`
	To   string `json:"to"`
}

func editReport(name string, r *edit.Report, file *reporting.SavedFile) *EditReport {
	changes := make([]editChange, len(r.Changes))
	for i, c := range r.Changes {
		changes[i] = editChange(c)
	}
	return &EditReport{
		Schema: "lathe." + name + "/1", Changes: changes,
		NodesBefore: r.NodesBefore, NodesAfter: r.NodesAfter,
		Warnings: reporting.OrEmpty(r.Warnings), File: file,
	}
}

// maxChangeLines is how many changes are printed; JSON has all.
const maxChangeLines = 40

// WriteText implements session.Report.
func (r *EditReport) WriteText(w io.Writer) error {
	t := text.Table{}
	for _, c := range r.Changes[:min(len(r.Changes), maxChangeLines)] {
		t.Add(c.What, text.Clean(c.Name), c.what())
	}
	if err := t.WriteText(w, ""); err != nil {
		return err
	}
	if more := len(r.Changes) - maxChangeLines; more > 0 {
		fmt.Fprintf(w, "and %s; --json lists all\n", text.Plural(more, "change"))
	}
	if len(r.Changes) == 0 {
		fmt.Fprintln(w, "nothing to change")
	}
	if r.NodesBefore != r.NodesAfter {
		fmt.Fprintf(w, "%s, were %d\n", text.Plural(r.NodesAfter, "node"), r.NodesBefore)
	}
	reporting.WriteWarnings(w, r.Warnings)
	r.File.WriteText(w)
	return nil
}

// what describes what was changed, for a line of the report.
func (c editChange) what() string {
	from, to := text.Clean(c.From), text.Clean(c.To)
	switch {
	case c.From == "" && c.To == "":
		return ""
	case c.From == "":
		return "new: " + to
	case c.To == "":
		return "gone, was " + from
	case c.From == c.Name:
		return "→ " + to
	default:
		return from + " → " + to
	}
}

// pair splits "LEFT=RIGHT" at the last "=", because names in models may contain one, and the right
// side seldom does.
func pair(flag, s string) (left, right string, err error) {
	i := strings.LastIndex(s, "=")
	if i <= 0 {
		return "", "", session.UsageError(fmt.Sprintf("--%s %q: expected OLD=NEW", flag, s))
	}
	return s[:i], s[i+1:], nil
}
