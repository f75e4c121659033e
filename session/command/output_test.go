package command

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"lathe/session/text"
)

// hostileReport is a report that forgets to clean a name, in a line and in a table.
type hostileReport struct{ name string }

func (r hostileReport) WriteText(w io.Writer) error {
	table := text.Table{Titles: []string{"name", "op"}}
	table.Add(r.name, r.name)
	if _, err := io.WriteString(w, "a "+r.name+"\n"); err != nil {
		return err
	}
	return table.WriteText(w, "  ")
}

// TestReportsAreEscaped: no report can send a control character or invalid UTF-8 to its reader.
func TestReportsAreEscaped(t *testing.T) {
	for _, name := range []string{"\x1b[2J", "\x1b]0;title\a", "\xff\xfe", "a\rb", "a\u202eb", "a\x00b", "\u009b2J", "a\x7fb"} {
		var out, errOut bytes.Buffer
		a := &app{out: &checkedWriter{w: &out}, errOut: &errOut}
		if err := a.writeText(hostileReport{name}); err != nil {
			t.Fatal(err)
		}
		a.complain("an error about " + name)
		a.remark("note", "about "+name)
		if got := out.String() + errOut.String(); strings.Contains(got, name) || strings.ToValidUTF8(got, "?") != got {
			t.Errorf("%q reaches the output: %q", name, got)
		}
	}
}

// TestLongErrorsAreShortened: an error is one line that a person can read.
func TestLongErrorsAreShortened(t *testing.T) {
	var errOut bytes.Buffer
	a := &app{errOut: &errOut}
	a.complain("it failed: " + strings.Repeat("né", 100_000) + "; do this")
	if got := errOut.String(); len(got) > maxError+100 || !strings.HasPrefix(got, "lathe: it failed: ") || !strings.HasSuffix(got, "; do this\n") || strings.ToValidUTF8(got, "?") != got {
		t.Errorf("%d bytes: %q … %q", len(got), got[:40], got[len(got)-40:])
	}
}

// printers are the functions that use a stream of the program, and how what they print is made safe.
var printers = map[string]string{
	"answer":         "JSON, escaped by EscapeJSON",
	"writeDocument":  "escaped unless it goes to a file",
	"screen":         "the writer that escapes",
	"screenOn":       "the writer that escapes",
	"complain":       "escaped",
	"remark":         "through screenOn",
	"askFor":         "escaped",
	"consent":        "looks whether it is a terminal",
	"env":            "the progress line, which escapes",
	"runToStdout":    "a model, never to a terminal; the report through screenOn",
	"runStep":        "looks whether it is a terminal",
	"replay":         "JSON, escaped by EscapeJSON",
	"replayStep":     "the name of a step, escaped, and a line break",
	"Run":            "gives the streams to the library of commands, which prints help",
	"hasColor":       "looks whether it is a terminal",
	"writeHelp":      "help",
	"open":           "gives the stream to the workbench, which escapes cells",
	"workerCommand":  "the wire of a worker",
	"runtimeInstall": "the progress line, which escapes",
	"runtimeCommand": "the progress line, which escapes",
}

// TestWhoPrints: whoever prints is known, so that everything that reaches a terminal is escaped.
func TestWhoPrints(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				x, isIdent := s.X.(*ast.Ident)
				stream := isIdent && (x.Name == "a" && (s.Sel.Name == "out" || s.Sel.Name == "errOut") || x.Name == "os" && (s.Sel.Name == "Stdout" || s.Sel.Name == "Stderr"))
				if _, known := printers[fn.Name.Name]; stream && !known {
					t.Errorf("%s: %s uses %s.%s; print through writeText, complain or remark, or say here how the text is made safe", path, fn.Name.Name, x.Name, s.Sel.Name)
				}
				return true
			})
		}
	}
}
