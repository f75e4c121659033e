// Package failure explains why an export from PyTorch failed: at which stage it failed, which line
// of the user's code caused it, what is known about such failures, and what to try next. It runs
// nothing. Its input is a failure that a child process returned, a report of PyTorch's exporter, or
// a traceback.
package failure

import (
	"slices"
	"strconv"
	"strings"

	"lathe/graphops/pattern"
	"lathe/session/text"
)

// Failure is the explanation of a failed export for people.
type Failure struct {
	// Stage is environment, load, inputs, forward, capture, decompose, translate, export, save,
	// validate or killed.
	Stage string `json:"stage"`
	Class string `json:"class"` // of the most informative exception
	Error string `json:"error"` // its message, on one line
	// UserFrame is the innermost frame of the user's own code, or else of the package that the
	// model is from; nil if neither is known.
	UserFrame *Frame `json:"user_frame"`
	// About is the operator, expression or constraint that the failure is about, or "".
	About   string `json:"about"`
	Entry   string `json:"entry"`   // entry of the catalogue; empty if there is none
	Meaning string `json:"meaning"` // what is known about it
	// Next is what to try, the most promising first.
	Next []Suggestion `json:"next"`
	// Around are the lines of code around UserFrame. It is nil if the file is not on this machine.
	Around []SourceLine `json:"around"`
	// Whole has all exceptions in full, on several lines, safe to print.
	Whole string `json:"-"`
}

// Suggestion is something to try.
type Suggestion struct {
	Kind  string   `json:"kind"` // flags, install or code
	Text  string   `json:"text"`
	Flags []string `json:"flags"` // flags of lathe torch export: names followed by values, or switches
}

// String returns the suggestion in one line, with its flags.
func (s Suggestion) String() string {
	if len(s.Flags) == 0 {
		return s.Text
	}
	return s.Text + ": " + strings.Join(s.Flags, " ")
}

// Distil turns a raw failure into an explanation for people.
func Distil(raw Raw) Failure {
	root := rootOf(raw)
	f := Failure{Stage: stageOf(raw), Class: root.Class, Error: inALine(root.Message), UserFrame: userFrame(raw), Next: []Suggestion{}, Whole: whole(raw)}
	if len(raw.Chain) == 0 {
		f.Error = text.CleanLine(raw.Signal)
	} else if root.Class == "" {
		f.Error = "the traceback ends before the line with the exception; paste all of it"
	}
	f.Around = append([]SourceLine{}, Around(f.UserFrame)...)
	f.lookUp(raised{raw: raw, stage: f.Stage, all: ends(f.Whole), at: f.UserFrame})
	for i := range f.Next {
		f.Next[i].Flags = append([]string{}, f.Next[i].Flags...)
	}
	return f
}

// lookUp searches the catalogue for the failure and adds what it means and what to try.
func (f *Failure) lookUp(r raised) {
	for _, e := range catalogue {
		about, ok := e.matches(r)
		if !ok {
			continue
		}
		r.about = about
		f.Entry, f.About, f.Meaning, f.Next = e.id, shortened(text.CleanLine(about), maxAbout), e.meaning, e.next(r)
		if e.line == nil {
			return
		}
		if line := e.line(plain(rootOf(r.raw).Message)); line != "" {
			f.Error = shortened(text.CleanLine(line), maxError)
		}
		return
	}
}

// Write writes the failure for people, each line after indent.
func (f Failure) Write(p *text.Printer, indent string) {
	line := func(format string, args ...any) { p.Line(indent+format, args...) }
	said := text.CleanLine(f.Error)
	if f.Class != "" {
		said = text.Clean(f.Class) + ": " + said
	}
	line("%s", said)
	if at := f.UserFrame; at != nil {
		line("%s", at)
		for _, l := range f.Around {
			mark := " "
			if l.Number == at.Line {
				mark = ">"
			}
			line("%s %4d  %s", mark, l.Number, text.CleanLine(l.Text))
		}
	}
	if f.Meaning != "" {
		about := ""
		if f.About != "" {
			about = ": " + text.CleanLine(f.About)
		}
		line("%s%s", f.Meaning, about)
	}
	for i, next := range f.Next {
		word := "try"
		if i > 0 {
			word = "or "
		}
		line("%s: %s", word, text.CleanLine(next.String()))
	}
}

// Reported reads the exporter's report, if there is one, and adds the exported program in it to the
// failure. Comments in that program name the line of the user's code from which each node comes.
func Reported(raw Raw) Raw {
	if raw.Report == "" || raw.Program != "" {
		return raw
	}
	if r, err := ReadReport(raw.Report); err == nil {
		raw.Program = r.Program
	}
	return raw
}

// searched is how many bytes at the beginning and at the end of a text are examined. The useful
// messages are there, while the program that a report contains in between may be very large.
const searched = 128 << 10

func ends(s string) string {
	if len(s) <= 2*searched {
		return s
	}
	return strings.ToValidUTF8(s[:searched]+"\n"+s[len(s)-searched:], "")
}

// ansi matches the sequences that colour PyTorch's messages.
var ansi = pattern.New(`\x1B[@-_][0-?]*[ -/]*[@-~]`)

func plain(s string) string { return ansi.ReplaceAllString(s, "") }

// wrappers are exceptions that only name the exporter's step.
var wrappers = []string{"TorchExportError", "ConversionError", "OnnxExporterError", "GraphConstructionError", "PassError", "SerdeError"}

// elsewhere is part of exceptions that refer to the exception they were raised from.
const elsewhere = "Scroll up to find out what causes the graph break"

// rootOf returns the most informative exception: the first that is not a wrapper and does not refer
// to another one.
func rootOf(raw Raw) Exception {
	for _, x := range raw.Chain {
		if !slices.Contains(wrappers, x.Class) && !strings.Contains(x.Message, elsewhere) {
			return x
		}
	}
	if n := len(raw.Chain); n > 0 {
		return raw.Chain[n-1]
	}
	return Exception{}
}

// steps of the exporter, as its messages name them.
var stepText = []struct{ text, stage string }{{"step 1/", "capture"}, {"step 2/", "decompose"}, {"step 3/", "translate"}}

func stageOf(raw Raw) string {
	switch {
	case raw.Missing != "":
		return "environment"
	case len(raw.Chain) == 0 && raw.Signal != "" && (raw.Stage == "" || raw.Stage == "export"):
		return "killed"
	case raw.Stage != "export":
		return raw.Stage
	}
	for _, x := range raw.Chain {
		for _, s := range stepText {
			if strings.Contains(plain(x.Message), s.text) {
				return s.stage
			}
		}
	}
	for i := len(raw.Steps) - 1; i >= 0; i-- {
		if raw.Steps[i].Status == "fail" || raw.Steps[i].Status == "start" {
			return raw.Steps[i].ID
		}
	}
	return raw.Stage
}

// frameText matches a frame as Python writes it in messages.
var frameText = pattern.New(`(?:File "([^"\n]+)", line (\d+), in (\S+)|# File: ([^\n]+?):(\d+) in (\S+), code: ([^\n]*))(?:\n[ \t]+(\S[^\n]*))?`)

// userFrame returns the innermost frame of the user's own code. It prefers the line that
// TorchScript cannot compile, then the frames of the most informative exception, then those of any
// exception, then frames that a message mentions. If there is none, because the model comes from a
// package, it returns the frame of the package.
func userFrame(raw Raw) *Frame {
	exceptions := append([]Exception{rootOf(raw)}, raw.Chain...)
	for _, wanted := range []func(Frame) bool{func(f Frame) bool { return f.User }, isModels} {
		if f := frameDrawn(raw.Chain, wanted); f != nil {
			return f
		}
		if f := frameIn(exceptions, wanted); f != nil {
			return f
		}
		for _, op := range raw.MissingOps {
			if f := callOf(raw.Program, op, wanted); f != nil {
				return f
			}
		}
		if f := frameCrashed(raw.Said, wanted); f != nil {
			return f
		}
		if f := frameSaid(raw.Chain, wanted); f != nil {
			return f
		}
	}
	return nil
}

// frameIn returns the innermost wanted frame of the first exception that has one.
func frameIn(list []Exception, wanted func(Frame) bool) *Frame {
	for _, x := range list {
		for i := len(x.Frames) - 1; i >= 0; i-- {
			if wanted(x.Frames[i]) {
				return &x.Frames[i]
			}
		}
	}
	return nil
}

// frameSaid returns the last wanted frame that the text of an exception's message contains.
func frameSaid(list []Exception, wanted func(Frame) bool) *Frame {
	var found *Frame
	for _, x := range list {
		for _, m := range frameText.FindAllStringSubmatch(plain(x.Message), -1) {
			f := Frame{File: m[1], Function: m[3], Code: strings.TrimSpace(m[8])}
			line := m[2]
			if m[4] != "" {
				f, line = Frame{File: m[4], Function: m[6], Code: strings.TrimSpace(m[7])}, m[5]
			}
			f.Line, _ = strconv.Atoi(line)
			f.Function, f.User = strings.Trim(f.Function, ","), isUsers(f.File)
			if wanted(f) {
				found = &f
			}
		}
	}
	return found
}

// isUsers reports whether a file is the user's own, and not part of Python or of a package.
func isUsers(path string) bool {
	path = slashed(path)
	if strings.HasPrefix(path, "<ipython-input-") || strings.HasPrefix(path, "Cell In[") {
		return true
	}
	for _, part := range []string{"site-packages/", "dist-packages/", "/lib/python3"} {
		if strings.Contains(path, part) {
			return false
		}
	}
	return strings.HasSuffix(path, ".py") && !strings.HasPrefix(path, "<") && !strings.HasPrefix(path, "torch/")
}

// inPackage matches the path of a file in a package.
var inPackage = pattern.New(`(?:site|dist)-packages/([^/]+)/.+\.py$`)

// machinery are packages that export models or support that; models do not come from them.
var machinery = []string{"torch", "functorch", "torchgen", "onnx", "onnxscript", "onnx_ir", "onnxruntime", "numpy", "sympy", "mpmath", "networkx"}

// isModels reports whether a frame is in a package that models come from.
func isModels(f Frame) bool {
	m := inPackage.FindStringSubmatch(slashed(f.File))
	return m != nil && !slices.Contains(machinery, m[1])
}

// String writes the frame on one line, safe to print. The path of a file in a package begins with
// the package.
func (f *Frame) String() string {
	file := f.File
	if i := strings.LastIndex(slashed(file), "-packages/"); i >= 0 && !f.User {
		file = file[i+len("-packages/"):]
	}
	line := text.Clean(file) + ":" + strconv.Itoa(f.Line)
	if f.Function != "" {
		line += " in " + text.Clean(f.Function)
	}
	if f.Code != "" {
		line += ": " + text.CleanLine(f.Code)
	}
	return line
}

// maxError limits a message on one line, and maxAbout an expression in it.
const (
	maxError = 600
	maxAbout = 200
)

func shortened(line string, most int) string {
	if len(line) > most {
		return strings.ToValidUTF8(line[:most], "") + " …"
	}
	return line
}

// whole writes everything that was raised, the outermost exception first.
func whole(raw Raw) string {
	var b strings.Builder
	for i, x := range raw.Chain {
		if i > 0 {
			b.WriteString("\ncaused by\n")
		}
		b.WriteString(x.Class + ": " + plain(x.Message) + "\n")
		for _, f := range x.Frames {
			b.WriteString("  " + f.File + ":" + strconv.Itoa(f.Line) + " in " + f.Function + "\n")
			if f.Code != "" {
				b.WriteString("    " + f.Code + "\n")
			}
		}
	}
	if raw.Signal != "" {
		b.WriteString(raw.Signal + "\n")
	}
	return b.String()
}
