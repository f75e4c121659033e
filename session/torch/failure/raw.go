package failure

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"lathe/session/text"
)

// Raw is what an attempt to export failed with, as the child in the user's Python tells it or
// a report has it.
type Raw struct {
	Strategy   string            // non-strict, strict, draft or legacy; "" where it is not known
	Stage      string            `json:"stage"` // what the child was at: load, inputs, forward, export, save
	Versions   map[string]string // of python, torch, onnx, onnxscript, onnxruntime, transformers
	Chain      []Exception       `json:"chain"` // what was raised first, then its causes; the root last
	Steps      []Step            `json:"steps"` // of the exporter, in order
	MissingOps []string          `json:"missing_ops"`
	Missing    string            `json:"missing"`    // a package that could not be imported
	MissingAt  string            `json:"missing_at"` // the folder that has a module of that name, "" for none
	Program    string            // the exported program as text
	Report     string            // path of the exporter's report
	Signal     string            // how the child ended without a word
	Said       string            // the end of what a child that ended so wrote to standard error
	Timeout    time.Duration     // that was over when it was ended, else 0
	Python     string            // the interpreter, "" where it is not known
}

// pip is the command that has pip do something in the interpreter.
func (r Raw) pip(args string) string {
	if r.Python == "" {
		return "pip " + args
	}
	return text.Clean(r.Python) + " -m pip " + args
}

// newestSeen is the newest PyTorch that was seen to fail with what the catalogue knows.
var newestSeen = []int{2, 15}

// upgraded suggests a later exporter to those who have an older one than was seen to fail alike.
func (r raised) upgraded(why string) []Suggestion {
	if have := numbers(r.raw.Versions["torch"]); len(have) > 1 && slices.Compare(have[:2], newestSeen) >= 0 {
		return nil
	}
	return []Suggestion{install(why + ": " + r.raw.pip("install -U torch onnxscript"))}
}

// numbers are those that a version begins with.
func numbers(version string) []int {
	var out []int
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			break
		}
		out = append(out, n)
	}
	return out
}

// Exception is one of a chain.
type Exception struct {
	Class   string  `json:"class"`
	Module  string  `json:"module"`
	Message string  `json:"message"`
	Frames  []Frame `json:"frames"` // the outermost first
}

// Frame is a line of code that was running.
type Frame struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Function string `json:"function"`
	Code     string `json:"code"`
	User     bool   `json:"user"` // neither of Python nor of a package
}

// Step is one of the exporter's own.
type Step struct {
	ID     string `json:"id"`     // capture, decompose, translate, optimize, check, run, accuracy
	Detail string `json:"detail"` // the strategy of a capture
	Status string `json:"status"` // ok, fail, start or skip; "" where it is not told
}
