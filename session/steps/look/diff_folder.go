package look

import (
	"context"
	"fmt"
	"io"
	"strings"

	"lathe/session"
	"lathe/session/folders"
	"lathe/session/text"
)

// folderDiff is what differs between the models of two folders.
type folderDiff struct {
	Schema  string       `json:"schema"`
	Kind    string       `json:"kind"` // "folder"
	A       string       `json:"a"`
	B       string       `json:"b"`
	Equal   bool         `json:"equal"`   // every model has an equal counterpart
	Members []memberDiff `json:"members"` // in the order in which they run
	OnlyA   []string     `json:"only_a"`  // models without a counterpart
	OnlyB   []string     `json:"only_b"`
}

// memberDiff is what differs between two models of the same name. Report is null if they were not
// compared.
type memberDiff struct {
	Name   string      `json:"name"`
	A      string      `json:"a"`
	B      string      `json:"b"`
	Error  string      `json:"error,omitempty"` // why they were not compared
	Report *diffReport `json:"report"`
}

// folders compares two folders, model by model.
func (s *Diff) folders(ctx context.Context, env session.Env) (session.Result, error) {
	if !folders.Is(s.A) || !folders.Is(s.B) {
		return session.Result{}, session.UsageError(fmt.Sprintf("diff: one of %q and %q is a folder with several models; expected two folders, or two models", s.A, s.B))
	}
	a, err := folders.Open(ctx, env, s.A)
	if err != nil {
		return session.Result{}, err
	}
	b, err := folders.Open(ctx, env, s.B)
	if err != nil {
		return session.Result{}, err
	}
	r := &folderDiff{Schema: "lathe.diff/1", Kind: "folder", A: s.A, B: s.B, Members: []memberDiff{}, OnlyA: []string{}, OnlyB: []string{}}
	for _, m := range a.Members {
		other := b.Member(m.Name)
		if other == nil {
			r.OnlyA = append(r.OnlyA, m.Name)
			continue
		}
		row := memberDiff{Name: m.Name, A: m.File, B: other.File}
		if row.Report, err = s.pair(ctx, env, m.Path, other.Path); err != nil {
			row.Error = err.Error()
		}
		if ctx.Err() != nil {
			return session.Result{}, ctx.Err()
		}
		r.Members = append(r.Members, row)
	}
	for _, m := range b.Members {
		if a.Member(m.Name) == nil {
			r.OnlyB = append(r.OnlyB, m.Name)
		}
	}
	r.judge()
	return session.Result{Report: r, No: !r.Equal}, nil
}

func (r *folderDiff) judge() {
	r.Equal = len(r.OnlyA)+len(r.OnlyB) == 0
	for _, m := range r.Members {
		r.Equal = r.Equal && m.Report != nil && m.Report.Equal
	}
}

// WriteText implements session.Report. It begins with a line for each model.
func (r *folderDiff) WriteText(w io.Writer) error {
	p := text.NewPrinter(w)
	t := text.Table{Titles: []string{"model", ""}}
	for _, m := range r.Members {
		t.Add(text.Clean(m.Name), m.verdict())
	}
	for _, side := range []struct {
		path string
		list []string
	}{{r.A, r.OnlyA}, {r.B, r.OnlyB}} {
		for _, name := range side.list {
			t.Add(text.Clean(name), "only in "+text.Clean(side.path))
		}
	}
	p.Table(t)
	for _, m := range r.Members {
		if m.Report == nil || m.Report.Identical != nil && *m.Report.Identical {
			continue
		}
		p.Line("")
		p.Line("-- %s", text.Clean(m.Name))
		if err := m.Report.WriteText(w); err != nil {
			return err
		}
	}
	return p.Err()
}

// verdict says in a line how two models differ.
func (m *memberDiff) verdict() string {
	if m.Report == nil {
		return "not compared: " + text.CleanLine(m.Error)
	}
	if m.Report.Identical != nil && *m.Report.Identical {
		return "identical"
	}
	return strings.TrimSuffix(m.Report.summary(), ".")
}
