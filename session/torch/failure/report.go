package failure

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// maxReport bounds what is read of a report, which holds whole programs.
const maxReport = 64 << 20

// ReadReport reads a report that PyTorch's exporter wrote (onnx_export_….md). What it relies on
// is the end of the file's name, the list of steps and the tracebacks. A report of an export
// that did not fail has no exception.
func ReadReport(path string) (Raw, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Raw{}, err
	}
	if !info.Mode().IsRegular() {
		return Raw{}, fmt.Errorf("%s: is no file", path)
	}
	if info.Size() > maxReport {
		return Raw{}, fmt.Errorf("%s: %d bytes, and reports of up to %d are read", path, info.Size(), int64(maxReport))
	}
	f, err := os.Open(path)
	if err != nil {
		return Raw{}, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxReport))
	if err != nil {
		return Raw{}, err
	}
	raw, err := parseReport(string(b), filepath.Base(path))
	if err != nil {
		return Raw{}, fmt.Errorf("%s: %w", path, err)
	}
	raw.Report = path
	return raw, nil
}

// postfixes are the ends of reports' names, and the stage that failed.
var postfixes = map[string]string{
	"pt_export": "capture", "decomp": "decompose", "conversion": "translate", "checker": "check", "runtime": "run", "accuracy": "accuracy",
}

// statusLines are the steps in the order in which a report lists them.
var statusLines = []Step{
	{ID: "capture", Detail: "non-strict"},
	{ID: "capture", Detail: "strict"},
	{ID: "capture", Detail: "draft"},
	{ID: "decompose"},
	{ID: "translate"},
	{ID: "check"},
	{ID: "run"},
	{ID: "accuracy"},
}

func parseReport(s, name string) (Raw, error) {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if !strings.HasPrefix(s, "# PyTorch ONNX Conversion") {
		return Raw{}, errors.New("is no report of PyTorch's exporter, which begins with # PyTorch ONNX Conversion")
	}
	var raw Raw
	status := fenced(s, "```\n")
	raw.Steps = stepsOf(status)
	errors := fenced(s, "```pytb\n")
	raw.Chain = tracebacks(firstStrategy(plain(errors)))
	if _, rest, ok := strings.Cut(s, "## Exported program"); ok {
		raw.Program = fenced(rest, "```python\n")
	}
	raw.Stage = stageOfName(name, raw.Steps)
	raw.MissingOps = missingOps(plain(errors))
	return raw, nil
}

// fenced is the first block that opens so, "" where there is none.
func fenced(s, opening string) string {
	_, rest, _ := strings.Cut(s, opening)
	block, _, _ := strings.Cut(rest, "\n```")
	return block
}

func stepsOf(block string) []Step {
	var out []Step
	for line := range strings.SplitSeq(block, "\n") {
		if len(out) == len(statusLines) || strings.TrimSpace(line) == "" {
			break
		}
		step := statusLines[len(out)]
		switch {
		case strings.HasPrefix(line, "✅"):
			step.Status = "ok"
		case strings.HasPrefix(line, "❌"):
			step.Status = "fail"
		case strings.HasPrefix(line, "⚪"):
			step.Status = "skip"
		}
		out = append(out, step)
	}
	return out
}

func stageOfName(name string, steps []Step) string {
	for postfix, stage := range postfixes {
		if strings.HasSuffix(name, "_"+postfix+".md") {
			return stage
		}
	}
	captured := false
	for _, s := range steps {
		captured = captured || s.ID == "capture" && s.Status == "ok"
	}
	for _, s := range steps {
		if s.Status == "fail" && (s.ID != "capture" || !captured) {
			return s.ID
		}
	}
	return ""
}

// firstStrategy is what the first of several strategies raised: the others are fallbacks.
func firstStrategy(s string) string {
	const heading = "# ⚠️ Errors from strategy"
	parts := strings.Split(s, heading)
	if len(parts) < 2 {
		return s
	}
	// What the later steps raised stands behind the last strategy's, without a heading.
	return parts[1]
}

const opening = "Traceback (most recent call last):"

// tracebacks are the exceptions of a text, as Python writes them with the cause in front: the
// one that was raised last comes first here.
func tracebacks(s string) []Exception {
	var out []Exception
	for part := range strings.SplitSeq(s, opening) {
		x, ok := traceback(part)
		if ok {
			out = append([]Exception{x}, out...)
		}
		if len(out) == 50 {
			break
		}
	}
	return out
}

var (
	frameLine     = regexp.MustCompile(`^  File "([^"]*)", line (\d+), in (.*)$`)
	exceptionLine = regexp.MustCompile(`^([A-Za-z_][\w.]*)(?:: (.*))?$`)
)

// joints stand between an exception and the next one of a chain.
var joints = []string{"The above exception was the direct cause of the following exception", "During handling of the above exception, another exception occurred"}

// traceback reads what stands behind the opening of one.
func traceback(s string) (Exception, bool) {
	for _, j := range joints {
		s, _, _ = strings.Cut(s, j)
	}
	var x Exception
	lines := strings.Split(s, "\n")
	at := 0
	for ; at < len(lines); at++ {
		line := lines[at]
		if m := frameLine.FindStringSubmatch(line); m != nil && x.Class == "" {
			n, _ := strconv.Atoi(m[2])
			f := Frame{File: m[1], Line: n, Function: m[3], User: IsUsers(m[1])}
			if at+1 < len(lines) && strings.HasPrefix(lines[at+1], "    ") {
				f.Code = strings.TrimSpace(lines[at+1])
			}
			x.Frames = append(x.Frames, f)
			continue
		}
		if m := exceptionLine.FindStringSubmatch(line); m != nil && len(x.Frames) > 0 {
			words := strings.Split(m[1], ".")
			x.Class, x.Module = words[len(words)-1], strings.Join(words[:len(words)-1], ".")
			x.Message = strings.TrimSpace(m[2] + "\n" + strings.Join(lines[at+1:], "\n"))
			return x, true
		}
	}
	return x, false
}

var missingOp = regexp.MustCompile(`No ONNX function found for <OpOverload\(op='([^']+)', overload='([^']*)'\)>`)

func missingOps(s string) []string {
	var out []string
	seen := map[string]bool{}
	for _, m := range missingOp.FindAllStringSubmatch(s, -1) {
		if name := m[1] + "." + m[2]; !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

var sourceLine = regexp.MustCompile(`# File: (.+?):(\d+) in ([^,]+), code: (.*)$`)

// callOf is the line that is wanted in front of the call of an operator in a program.
func callOf(program, op string, wanted func(Frame) bool) *Frame {
	var last *Frame
	for line := range strings.SplitSeq(program, "\n") {
		if m := sourceLine.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[2])
			last = &Frame{File: m[1], Line: n, Function: strings.TrimSpace(m[3]), Code: strings.TrimSpace(m[4]), User: IsUsers(m[1])}
		}
		if strings.Contains(line, "torch.ops."+op) && last != nil && wanted(*last) {
			return last
		}
	}
	return nil
}
