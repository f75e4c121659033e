package look

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"

	"lathe/bench/page"
	"lathe/bench/store"
	"lathe/graphops"
	"lathe/session"
	"lathe/session/reporting"
	"lathe/session/text"
)

// Report combines results of measurements into one document: HTML, Markdown or CSV.
type Report struct {
	Results []string
	File    string
	Force   bool
}

// Name implements session.Step.
func (*Report) Name() string { return "report" }

// Summary implements session.Step.
func (*Report) Summary() string {
	return "combine results into one self-contained HTML page, Markdown or CSV"
}

// Options implements session.Step.
func (s *Report) Options() []session.Option {
	file := session.Path(&s.File, "out", "write to `FILE`, whose name ends in .html, .md or .csv").OfFiles(".html", ".md", ".csv").WithShort("o").AsTarget().Formerly("file").In(session.GroupResult).AsRequired()
	return []session.Option{
		session.Paths(&s.Results, "results", "results: files of bench --save, stored results (lathe history --json lists them), --json output of bench, validate, quantize or profile, or a trace of ONNX Runtime or profile --save-trace").AsOperand().AsRequired().AsMaybeMissing(),
		file,
		session.Switch(&s.Force, "force", "replace FILE if it exists").As(session.RoleForce).In(session.GroupResult),
	}
}

// Preview implements session.Step. It makes the document but does not write it.
func (s *Report) Preview(context.Context, session.Env, *graphops.Model) (session.Preview, error) {
	_, r, err := s.document()
	if err != nil {
		return session.Preview{}, err
	}
	return session.Preview{Report: r}, nil
}

// Run implements session.Step. It works on the named files, not on the current model.
func (s *Report) Run(ctx context.Context, _ session.Env, _ *graphops.Model) (session.Result, error) {
	content, r, err := s.document()
	if err != nil {
		return session.Result{}, err
	}
	err = graphops.WriteFile(ctx, s.File, graphops.WriteOptions{Overwrite: s.Force}, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
	if err != nil {
		return session.Result{}, err
	}
	return session.Result{Report: r, Files: []string{s.File}}, nil
}

// document makes the document.
func (s *Report) document() ([]byte, *pageReport, error) {
	format, err := page.FormatOf(s.File)
	if err != nil {
		return nil, nil, session.UsageError("--out " + err.Error())
	}
	out := &pageReport{Schema: "lathe.report/1", Format: string(format), Results: []pageResult{}}
	var results []*store.Result
	for _, path := range s.Results {
		if isSame(path, s.File) {
			return nil, nil, session.UsageError(fmt.Sprintf("--out %s: is one of the results; choose another name", s.File))
		}
		r, err := store.Read(path)
		if err != nil {
			return nil, nil, err
		}
		results = append(results, r)
		out.Results = append(out.Results, pageResult{path, r.Kind})
	}
	report, err := page.New(results)
	if err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	if err := report.Write(&b, format); err != nil {
		return nil, nil, err
	}
	out.File, out.Bytes, out.Findings = s.File, int64(b.Len()), reporting.OrEmpty(report.Findings)
	return b.Bytes(), out, nil
}

// isSame reports whether two paths name the same file.
func isSame(a, b string) bool {
	a, errA := filepath.Abs(a)
	b, errB := filepath.Abs(b)
	return errA == nil && errB == nil && a == b
}

// pageReport describes the document that was written.
type pageReport struct {
	Schema   string       `json:"schema"`
	File     string       `json:"file"`
	Format   string       `json:"format"`
	Bytes    int64        `json:"bytes"`
	Results  []pageResult `json:"results"`
	Findings []string     `json:"findings"`
}

type pageResult struct {
	File string `json:"file"`
	Kind string `json:"kind"`
}

// WriteText implements session.Report.
func (r *pageReport) WriteText(w io.Writer) error {
	p := text.NewPrinter(w)
	for _, f := range r.Findings {
		p.Line("%s", f)
	}
	p.Line("%s of %s (%s)", text.Clean(r.File), text.Plural(len(r.Results), "result"), text.Bytes(r.Bytes))
	return p.Err()
}
