package failure

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"lathe/session/text"
)

// Raw is what is known about a failed export, from the child in the user's Python or from a report.
type Raw struct {
	Strategy string // non-strict, strict, draft or legacy; empty if not known
	// what the child was doing: load, inputs, forward, export, save
	Stage    string            `json:"stage"`
	Versions map[string]string // of python, torch, onnx, onnxscript, onnxruntime, transformers
	// the exception that was raised last first, then its causes; the root cause is last
	Chain      []Exception `json:"chain"`
	Steps      []Step      `json:"steps"` // of the exporter, in order
	MissingOps []string    `json:"missing_ops"`
	Missing    string      `json:"missing"` // a package that could not be imported
	// the folder that has a module with that name, or ""
	MissingAt string        `json:"missing_at"`
	Program   string        // the exported program as text
	Report    string        // path of the exporter's report
	Signal    string        // how the child ended without an answer
	Said      string        // the end of that child's standard error
	Timeout   time.Duration // the time limit if it was exceeded, otherwise 0
	Python    string        // the interpreter; empty if not known
}

// pip returns the command that runs pip in the interpreter.
func (r Raw) pip(args string) string {
	if r.Python == "" {
		return "pip " + args
	}
	return text.Clean(r.Python) + " -m pip " + args
}

// newestSeen is the newest PyTorch with which the failures of the catalogue were observed.
var newestSeen = []int{2, 15}

// upgraded suggests a newer exporter, if the installed one is older than those with which the
// failure was observed.
func (r raised) upgraded(why string) []Suggestion {
	if have := numbers(r.raw.Versions["torch"]); len(have) > 1 && slices.Compare(have[:2], newestSeen) >= 0 {
		return nil
	}
	return []Suggestion{install(why + ": " + r.raw.pip("install -U torch onnxscript"))}
}

// numbers returns the numbers at the beginning of a version.
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

// Exception is one exception in a chain of exceptions and their causes.
type Exception struct {
	Class   string  `json:"class"`
	Module  string  `json:"module"`
	Message string  `json:"message"`
	Frames  []Frame `json:"frames"` // the outermost first
}

// Frame is a stack frame: a line of code that was running or that called another one.
type Frame struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Function string `json:"function"`
	Code     string `json:"code"`
	User     bool   `json:"user"` // neither part of Python nor of a package
}

// Step is a step of the exporter, such as capture or translate, and how it ended.
type Step struct {
	ID     string `json:"id"`     // capture, decompose, translate, optimize, check, run, accuracy
	Detail string `json:"detail"` // the strategy of a capture
	Status string `json:"status"` // ok, fail, start or skip; empty if not known
}
