package failure

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"lathe/graphops/pattern"
)

// maxReport limits the size of a report, which contains whole programs.
const maxReport = 64 << 20

// ReadReport reads a failed export from a file: a report of PyTorch's exporter (onnx_export_….md),
// possibly with text around it, or a pasted traceback.
func ReadReport(path string) (Raw, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Raw{}, err
	}
	if !info.Mode().IsRegular() {
		return Raw{}, fmt.Errorf("%s: is no file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return Raw{}, err
	}
	defer f.Close()
	raw, err := ReadFrom(f, path)
	raw.Report = path
	return raw, err
}

// ReadFrom is ReadReport for a reader; errors use name.
func ReadFrom(r io.Reader, name string) (Raw, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxReport+1))
	if err != nil {
		return Raw{}, err
	}
	if len(b) > maxReport {
		return Raw{}, fmt.Errorf("%s: more than %d MiB, which is neither a report nor a traceback", name, maxReport>>20)
	}
	raw, err := parse(decoded(b), filepath.Base(name))
	if err != nil {
		return Raw{}, fmt.Errorf("%s: %w", name, err)
	}
	return raw, nil
}

// postfixes maps the ends of reports' names to the stage that failed.
var postfixes = map[string]string{
	"pt_export": "capture", "decomp": "decompose", "conversion": "translate", "checker": "check", "runtime": "run", "accuracy": "accuracy",
}

// statusLines are the steps in the order of a report.
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

// title is the first line of a report.
const title = "# PyTorch ONNX Conversion"

var errNoFailure = errors.New("holds neither a Python traceback nor a report of PyTorch's exporter; expected what Python printed when the export failed, or onnx_export_….md")

// parse reads a report of the exporter. If the text has no report, it reads the tracebacks in it.
func parse(s, name string) (Raw, error) {
	if report, ok := reportIn(s); ok {
		raw := parseReport(report, name)
		if len(raw.Chain) > 0 || raw.Stage != "" {
			return raw, nil
		}
		if len(pastedChain(s)) == 0 {
			return Raw{}, errors.New("the report contains no failure")
		}
	}
	chain := withSummaries(pastedChain(s))
	if len(chain) == 0 {
		return Raw{}, errNoFailure
	}
	return Raw{Chain: chain, Stage: stageOfPaste(chain), Missing: missingOf(chain), MissingOps: missingOps(whole(Raw{Chain: chain}))}, nil
}

// reportIn returns the report within a text, without text before it and without prefixes of its
// lines.
func reportIn(s string) (string, bool) {
	at := strings.Index(s, title)
	if at < 0 {
		return "", false
	}
	at = strings.LastIndexByte(s[:at], '\n') + 1
	return strings.Join(unquoted(strings.Split(s[at:], "\n"), title), "\n"), true
}

// pastedChain returns the first chain of exceptions that PyTorch raised or, if there is no such
// chain, the first chain of the text. Later chains are often consequences of the first, or belong
// to another attempt.
func pastedChain(s string) []Exception {
	all := chains(s)
	for _, chain := range all {
		if stageOfChain(chain) != "" {
			return chain
		}
	}
	if len(all) > 0 {
		return all[0]
	}
	return bare(s)
}

// stageOfPaste returns the stage of a pasted chain. Messages may name the exporter's step, which
// stageOf reads.
func stageOfPaste(chain []Exception) string {
	if said := stageOf(Raw{Stage: "export", Chain: chain}); said != "export" {
		return said
	}
	return stageOfChain(chain)
}

func parseReport(s, name string) Raw {
	var raw Raw
	status := fenced(s, "```\n")
	raw.Steps = stepsOf(status)
	raised := fenced(s, "```pytb\n")
	raw.Chain = withSummaries(tracebacks(firstStrategy(raised)))
	if len(raw.Chain) == 0 {
		raw.Chain = withSummaries(pastedChain(s))
	}
	if _, rest, ok := strings.Cut(s, "## Exported program"); ok {
		raw.Program = fenced(rest, "```python\n")
	}
	raw.MissingOps = missingOps(raised)
	if raw.Stage = stageOfName(name, raw.Steps); raw.Stage == "" {
		raw.Stage = stageOfPaste(raw.Chain)
	}
	return raw
}

// fenced returns the content of the first Markdown code block that begins with the text opening. It
// is "" if the text has no such block.
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

// firstStrategy returns the exceptions of the first strategy that the exporter tried. Later
// strategies are fallbacks, so their exceptions say less.
func firstStrategy(s string) string {
	const heading = "# ⚠️ Errors from strategy"
	parts := strings.Split(s, heading)
	if len(parts) < 2 {
		return s
	}
	// Exceptions of later steps come after those of the last strategy, without a heading of their
	// own.
	return parts[1]
}

var missingOp = pattern.New(`No ONNX function found for <OpOverload\(op='([^']+)', overload='([^']*)'\)>`)

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

var sourceLine = pattern.New(`# File: (.+?):(\d+) in ([^,]+), code: (.*)$`)

// callOf returns the wanted source line before the call of an operator in a program.
func callOf(program, op string, wanted func(Frame) bool) *Frame {
	var last *Frame
	for line := range strings.SplitSeq(program, "\n") {
		if m := sourceLine.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[2])
			last = &Frame{File: m[1], Line: n, Function: strings.TrimSpace(m[3]), Code: strings.TrimSpace(m[4]), User: isUsers(m[1])}
		}
		if strings.Contains(line, "torch.ops."+op) && last != nil && wanted(*last) {
			return last
		}
	}
	return nil
}
