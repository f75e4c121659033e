package command

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"lathe/session"
	"lathe/session/text"
)

// answer writes a report as JSON or as text.
func (a *app) answer(r session.Report) error {
	if d, ok := r.(document); ok && !a.json {
		return a.writeDocument(d)
	}
	if !a.json {
		return a.writeText(r)
	}
	out := text.EscapeJSON(a.out)
	if large, ok := r.(interface{ WriteJSON(w io.Writer) error }); ok {
		return large.WriteJSON(out)
	}
	return writeJSON(out, r)
}

// document is a report in a format that other programs read, such as a model in ONNX text syntax.
// It is printed unchanged even without --json; warnings go to standard error.
type document interface {
	WriteDocument(w io.Writer) (warnings []string, err error)
}

// writeDocument writes a document. Its bytes are unchanged in a file. On a terminal and in a pipe, whose
// reader may be a terminal, control characters are escaped.
func (a *app) writeDocument(d document) error {
	screen := &text.Lines{W: a.out}
	var out io.Writer = a.out
	if !isFile(a.out.w) {
		out = screen
	}
	warnings, err := d.WriteDocument(out)
	if screen.Changed {
		warnings = append(warnings, "control characters are shown escaped; a file gets them unchanged")
	}
	for _, w := range warnings {
		a.remark("warning", w)
	}
	return err
}

// isFile reports whether a stream is a regular file.
func isFile(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// writeText writes a report as text, wrapped to the width of the terminal if there is one.
func (a *app) writeText(r session.Report) error {
	s := a.screen()
	var err error
	if wrapped, ok := r.(wrapped); ok && s.columns > 0 {
		err = wrapped.WriteWrapped(s, s.columns)
	} else {
		err = r.WriteText(s)
	}
	if err != nil {
		return err
	}
	return s.Flush()
}

// checkedWriter remembers the first error, so that the command fails if, for example, output is
// redirected to a full disk.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	if err == nil {
		return n, nil
	}
	err = fmt.Errorf("standard output: %w", err)
	if c.err == nil {
		c.err = err
	}
	return n, err
}

// wrapped is a report that can wrap its lines to the width of a terminal, in columns.
type wrapped interface {
	session.Report
	WriteWrapped(w io.Writer, width int) error
}
