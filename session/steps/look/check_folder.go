package look

import (
	"context"
	"fmt"
	"io"

	"lathe/session"
	"lathe/session/folders"
	"lathe/session/reporting"
	"lathe/session/text"
)

// folderCheck says what is wrong with the models of a folder, and with the wires between them.
type folderCheck struct {
	Schema string `json:"schema"`
	Kind   string `json:"kind"` // "folder"
	Path   string `json:"path"`
	// OK reports that there is no error, neither in a model nor between them, and with --strict no
	// warning.
	OK      bool          `json:"ok"`
	Strict  bool          `json:"strict,omitempty"`
	Members []memberCheck `json:"members"`
	// Problems are those between models, and between the configuration and the files. They are left
	// out if --include chooses problems of models.
	Problems []folders.ProblemReport `json:"problems"`
	LeftOut  int                     `json:"left_out"`
	Wires    int                     `json:"wires"`
	Unknown  []folders.PortReport    `json:"unknown"` // inputs without evidence of where they come from
}

// memberCheck is the check of one model. Report is null if the model cannot be opened.
type memberCheck struct {
	Name   string       `json:"name"`
	File   string       `json:"file"`
	Error  string       `json:"error,omitempty"`
	Report *checkReport `json:"report"`
}

// RunFolder implements session.OfFolder: it checks every model of a folder, and whether the value of
// each wire can be what its input takes.
func (s *Check) RunFolder(ctx context.Context, env session.Env, path string) (session.Result, error) {
	if s.OpensElsewhere() {
		return session.Result{}, session.UsageError(fmt.Sprintf("check: --on runs one model on another machine, and %s is a folder; give the path of a model file", path))
	}
	if err := s.usage(); err != nil {
		return session.Result{}, err
	}
	f, err := folders.Open(ctx, env, path)
	if err != nil {
		return session.Result{}, err
	}
	about, err := folders.Describe(ctx, f)
	if err != nil {
		return session.Result{}, err
	}
	r := &folderCheck{Schema: "lathe.check/1", Kind: "folder", Path: path, OK: true, Strict: s.Strict, Members: []memberCheck{}, Wires: len(f.Wires), Unknown: about.Unknown}
	for _, m := range f.Members {
		row := memberCheck{Name: m.Name, File: m.File}
		if m.Model == nil {
			row.Error, r.OK = m.Err.Error(), false
			r.Members = append(r.Members, row)
			continue
		}
		one := *s
		result, err := one.Run(ctx, env, m.Model)
		if err != nil {
			return session.Result{}, err
		}
		row.Report, _ = result.Report.(*checkReport)
		r.OK = r.OK && !result.No
		r.Members = append(r.Members, row)
	}
	r.take(s, about.Problems)
	return session.Result{Report: r, No: !r.OK}, nil
}

// take adds the problems of the folder, unless others are chosen.
func (r *folderCheck) take(s *Check, found []folders.ProblemReport) {
	r.Problems = []folders.ProblemReport{}
	for _, p := range found {
		if len(s.Code) > 0 || s.Severity != "" && severityOf(p.Severity) > severityOf(s.Severity) {
			r.LeftOut++
			continue
		}
		r.Problems = append(r.Problems, p)
		r.OK = r.OK && p.Severity != "error" && (!s.Strict || p.Severity != "warning")
	}
	r.Problems = reporting.OrEmpty(r.Problems)
}

// WriteText implements session.Report.
func (r *folderCheck) WriteText(w io.Writer) error { return r.WriteWrapped(w, 0) }

// WriteWrapped writes the report with lines of at most width columns.
func (r *folderCheck) WriteWrapped(w io.Writer, width int) error {
	p := text.NewPrinter(w)
	for _, m := range r.Members {
		p.Line("%s  %s", text.Clean(m.Name), text.Clean(m.File))
		if m.Report == nil {
			p.Line("error: cannot be opened: %s", text.CleanLine(m.Error))
			continue
		}
		if err := m.Report.WriteWrapped(w, width); err != nil {
			return err
		}
	}
	p.Line("folder  %s", text.Clean(r.Path))
	for _, x := range r.Problems {
		for _, line := range text.Wrap(text.CleanLine(x.String()), width, rest) {
			p.Line("%s", line)
		}
	}
	p.Line("%s", r.closing())
	return p.Err()
}

func (r *folderCheck) closing() string {
	line := fmt.Sprintf("%s, %s between them", text.Plural(len(r.Members), "model"), text.Plural(r.Wires, "wire"))
	switch {
	case len(r.Problems) > 0:
		line += ": " + text.Plural(len(r.Problems), "problem")
	default:
		line += ": no problems found"
	}
	if r.LeftOut > 0 {
		line += fmt.Sprintf(" (%s left out)", text.Count(int64(r.LeftOut)))
	}
	if len(r.Unknown) > 0 {
		line += fmt.Sprintf("; it is not known where %s come from (lathe inspect lists them)", text.Plural(len(r.Unknown), "input"))
	}
	return line
}
