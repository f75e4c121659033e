// Package failure tells of an export from PyTorch that failed what stage it was at, which line
// of the user's own led there, what is known of such failures, and what to try next. It runs
// nothing and reads what a child or a report tells.
package failure

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lathe/session/text"
)

// Failure is what an export failed with, as a person needs it.
type Failure struct {
	// Stage is environment, load, inputs, forward, capture, decompose, translate, export, save,
	// validate or killed.
	Stage string `json:"stage"`
	Class string `json:"class"` // of the exception that says most
	Error string `json:"error"` // what it says, in a line
	// UserFrame is the innermost line of the user's own; where none is known, of a package that
	// the model is from; nil where neither is.
	UserFrame *Frame `json:"user_frame"`
	// About is the operator, expression or constraint that it is about, "" where none is told.
	About   string `json:"about"`
	Entry   string `json:"entry"`   // of the catalogue, "" for none
	Meaning string `json:"meaning"` // what is known of it
	// Next is what to try, the most promising first.
	Next []Suggestion `json:"next"`
	// Around are the lines around the user's, of a file that is here.
	Around []SourceLine `json:"around"`
	// Whole is everything that was raised, cleaned and over several lines.
	Whole string `json:"-"`
}

// Suggestion is a thing to try.
type Suggestion struct {
	Kind  string   `json:"kind"` // flags, install or code
	Text  string   `json:"text"`
	Flags []string `json:"flags"` // of lathe torch export, for flags: names with their values, or a switch alone
}

// String is the suggestion with its flags.
func (s Suggestion) String() string {
	if len(s.Flags) == 0 {
		return s.Text
	}
	return s.Text + ": " + strings.Join(s.Flags, " ")
}

// Distil makes of what was raised what a person needs.
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

// lookUp tells what the catalogue knows of the failure.
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

// Write tells the failure for people, each line behind indent.
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

// Reported is raw with what the exporter's report has besides: the program, whose lines lead
// to those of the user.
func Reported(raw Raw) Raw {
	if raw.Report == "" || raw.Program != "" {
		return raw
	}
	if r, err := ReadReport(raw.Report); err == nil {
		raw.Program = r.Program
	}
	return raw
}

// searched is how much of either end of all that was said the catalogue looks at: what counts
// stands at the ends, and a program in between may be of any size.
const searched = 128 << 10

func ends(s string) string {
	if len(s) <= 2*searched {
		return s
	}
	return strings.ToValidUTF8(s[:searched]+"\n"+s[len(s)-searched:], "")
}

// ansi are the sequences that colour what PyTorch says.
var ansi = regexp.MustCompile(`\x1B[@-_][0-?]*[ -/]*[@-~]`)

func plain(s string) string { return ansi.ReplaceAllString(s, "") }

// wrappers are exceptions that say no more than what the exporter was at.
var wrappers = []string{"TorchExportError", "ConversionError", "OnnxExporterError", "GraphConstructionError", "PassError", "SerdeError"}

// elsewhere is said by exceptions that leave what happened to the one that they were raised from.
const elsewhere = "Scroll up to find out what causes the graph break"

// rootOf is the exception that says most: the first that is more than a wrapper, and of a step
// of the exporter the one that it was raised from.
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

// frameText is a frame as Python writes it in messages.
var frameText = regexp.MustCompile(`(?:File "([^"\n]+)", line (\d+), in (\S+)|# File: ([^\n]+?):(\d+) in (\S+), code: ([^\n]*))(?:\n[ \t]+(\S[^\n]*))?`)

// userFrame is the innermost line of the user's own: the one that TorchScript does not compile,
// else of the exception that says most, else of any, else one that a message speaks of. A model that comes from a package has none; the line of
// the package is told then.
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

// frameIn is the innermost frame that is wanted, of the first exception that has one.
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

// frameSaid is the last frame that is wanted of those that messages speak of.
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
			f.Function, f.User = strings.Trim(f.Function, ","), IsUsers(f.File)
			if wanted(f) {
				found = &f
			}
		}
	}
	return found
}

// IsUsers reports whether a file is the user's own, and not of Python or of a package.
func IsUsers(path string) bool {
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

// inPackage is the package that a file is of.
var inPackage = regexp.MustCompile(`(?:site|dist)-packages/([^/]+)/.+\.py$`)

// machinery are packages that export models and are none.
var machinery = []string{"torch", "functorch", "torchgen", "onnx", "onnxscript", "onnx_ir", "onnxruntime", "numpy", "sympy", "mpmath", "networkx"}

// isModels reports whether a frame is of a package that models are from.
func isModels(f Frame) bool {
	m := inPackage.FindStringSubmatch(slashed(f.File))
	return m != nil && !slices.Contains(machinery, m[1])
}

// String is the frame in a line, safe to print. Of a package the path begins with its name.
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

// maxError is how much of a message stands in a line, maxAbout of an expression in it.
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

// whole is everything that was raised, the outermost first.
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
