package look

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/ort/fault"
	"lathe/session/runtime"
	"lathe/session/steps/edit"
)

// answering is a runtime that answers every load in the same way: with an error, or with these
// facts.
type answering struct {
	*runtime.Workers
	refuse func(m *graphops.Model) error
	facts  runtime.Facts
}

func (a answering) Load(_ context.Context, m *graphops.Model, _ runtime.Execution) (runtime.Loaded, error) {
	if a.refuse != nil {
		return nil, a.refuse(m)
	}
	return answered{facts: a.facts}, nil
}

type answered struct {
	runtime.Loaded
	facts runtime.Facts
}

func (a answered) Facts() runtime.Facts { return a.facts }
func (answered) Close() error           { return nil }

// refusing returns an error with the runtime's message.
func refusing(code ort.Code, words string) func(*graphops.Model) error {
	return func(m *graphops.Model) error {
		err := &ort.Error{Phase: ort.Loading, Model: "m.onnx", Code: code, Message: words}
		return &runtime.Failure{Err: err, Finding: fault.Locate(fault.Parse(int(code), words), m)}
	}
}

func crashing(node int) func(*graphops.Model) error {
	return func(m *graphops.Model) error {
		err := &ort.CrashError{Phase: ort.Loading, Model: "m.onnx", Signal: syscall.SIGSEGV}
		return &runtime.Failure{Err: err, Suspect: &fault.Suspect{Site: fault.Site{Place: m.Places()[0], Index: node}}}
	}
}

const (
	healthy   = "input x f32[2]\nact: h = Relu(x)\nsum: y = Add(h, h)\noutput y f32[2]"
	undefined = "input x f32[2]\nact: h = Relu(x)\nsum: y = Add(gone, h)\noutput y f32[2]"
	inBody    = "input c bool[]\ngraph then\nz = Relu(gone)\noutput z f32[2]\nend\ngraph else\nz = Relu(gone)\noutput z f32[2]\nend\npick: y = If(c) then_branch=@then else_branch=@else\noutput y f32[2]"

	saysGone  = "Invalid model. Node input 'gone' is not a graph input, initializer, or output of a previous node."
	saysOther = "No opset import for domain 'nobody'"
)

func runCheck(t *testing.T, s *Check, model string, a answering) *checkReport {
	t.Helper()
	a.Workers = &runtime.Workers{Library: func(context.Context) (ort.Library, error) {
		return ort.Library{Version: "1.30.0"}, nil
	}}
	r, err := s.Run(t.Context(), session.Env{Runtime: a, Progress: func(session.Progress) {}}, graphtest.Model(t, model))
	if err != nil {
		t.Fatal(err)
	}
	report := r.Report.(*checkReport)
	if r.No == report.OK {
		t.Errorf("the result is no: %t, the report is ok: %t", r.No, report.OK)
	}
	return report
}

// TestRuntimeBeside checks what the report says of the runtime's message, with and without problems
// that checks found.
func TestRuntimeBeside(t *testing.T) {
	for name, tt := range map[string]struct {
		model  string
		answer answering
		ok     bool
		codes  string // expected codes of the problems
		said   string // an expected line of the report
	}{
		"nothing wrong": {
			healthy,
			answering{facts: runtime.Facts{LibraryVersion: "1.29.1", Provider: "cpu"}},
			true, "",
			"ONNX Runtime 1.29.1 loads it on cpu",
		},
		"loaded anyway": {
			undefined,
			answering{facts: runtime.Facts{LibraryVersion: "1.30.0", Provider: "cpu"}},
			false, "value-undefined",
			"ONNX Runtime 1.30.0 loads it on cpu, which does not prove that it runs",
		},
		"the same": {
			undefined,
			answering{refuse: refusing(2, saysGone)},
			false, "value-undefined",
			"    ONNX Runtime 1.30.0 says the same: " + saysGone + " (INVALID_ARGUMENT)",
		},
		"another thing": {
			undefined,
			answering{refuse: refusing(10, saysOther)},
			false, "value-undefined",
			`ONNX Runtime 1.30.0 does not load it: the model imports no operator set of domain "nobody" (ONNX Runtime 1.30.0: ` + saysOther + " (INVALID_GRAPH))",
		},
		"found by it alone": {
			healthy,
			answering{refuse: refusing(10, saysOther)},
			false, check.RuntimeRefused,
			"ONNX Runtime 1.30.0 does not load it, as reported above",
		},
		"of the node that holds the body": {
			inBody,
			answering{refuse: refusing(1, `Node (pick) Op (If) [ShapeInferenceError] whatever`)},
			false, "value-undefined value-undefined",
			`ONNX Runtime 1.30.0 does not load it: value-undefined, in pick:then_branch: node 0 (Relu)`,
		},
		"a crash": {
			healthy,
			answering{refuse: crashing(1)},
			false, check.RuntimeCrashed,
			`error: runtime-crashed: node "sum" (Add): the worker crashed with SIGSEGV`,
		},
		"a crash at an error": {
			undefined,
			answering{refuse: crashing(1)},
			false, "value-undefined",
			"    ONNX Runtime 1.30.0 crashes on it: the worker crashed with SIGSEGV",
		},
		"milder before": {
			"opset mmdeploy 1\ninput x f32[2]\noutput y f32[2]\nroi: y = mmdeploy::MMCVRoiAlign(x)\n",
			answering{refuse: refusing(1, "Fatal error: mmdeploy:MMCVRoiAlign(-1) is not a registered function/op")},
			false, "operator-custom",
			"error: operator-custom: node \"roi\" (MMCVRoiAlign): \"MMCVRoiAlign\" of domain \"mmdeploy\" is a custom operator\n    ONNX Runtime 1.30.0 says the same: Fatal error: mmdeploy:MMCVRoiAlign",
		},
		"warnings": {
			healthy,
			answering{facts: runtime.Facts{Warnings: strings.Split("1 2 3 4 5 6\x1b 7", " ")}},
			true, "",
			"    and 4 more warnings; --all lists them",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := runCheck(t, &Check{RuntimeLoad: true}, tt.model, tt.answer)
			var codes []string
			for _, p := range r.Diagnosed() {
				codes = append(codes, p.Code)
			}
			if got := strings.Join(codes, " "); got != tt.codes || r.OK != tt.ok {
				t.Errorf("ok: %t, problems: %s; want %t, %s", r.OK, got, tt.ok, tt.codes)
			}
			if said := written(t, r, 0); !strings.Contains(said, tt.said) {
				t.Errorf("says\n%swant in it\n%s", said, tt.said)
			}
			if b, err := json.Marshal(r); err != nil || !strings.Contains(string(b), `"runtime":{`) {
				t.Errorf("%s, %v", b, err)
			}
		})
	}
}

// TestSameThing checks which of several errors is matched with the runtime's message.
func TestSameThing(t *testing.T) {
	m := graphtest.Model(t, healthy)
	main := m.Places()[0]
	problem := func(code, value string, node int) check.Problem {
		return check.Problem{Code: code, Severity: check.Error, Place: main, Node: node, Value: value}
	}
	list := []check.Problem{
		{Code: "shape-declared", Severity: check.Warning, Place: main, Node: 0},
		problem("value-redefined", "h", 1), problem("node-name-duplicate", "", 1), problem("tensor-type", "w", -1),
		problem("ir-unsupported", "", -1),
	}
	for name, tt := range map[string]struct {
		said runtimeSaid
		want int
	}{
		"of the node, the first":     {runtimeSaid{sites: []fault.Site{{Place: main, Index: 1}}}, 1},
		"of the node, by kind":       {runtimeSaid{Kind: fault.DuplicateName, sites: []fault.Site{{Place: main, Index: 1}}}, 2},
		"of the value":               {runtimeSaid{Kind: fault.ConstantInvalid, Value: &list[3].Value, sites: []fault.Site{{Place: main, Index: 1}}}, 3},
		"quoted in unknown words":    {runtimeSaid{Message: "Initializer 'w' is odd"}, 3},
		"of no place, by kind":       {runtimeSaid{Kind: fault.IRUnsupported}, 4},
		"of no place, another kind":  {runtimeSaid{Kind: fault.OutOfMemory}, -1},
		"of a node that is but mild": {runtimeSaid{sites: []fault.Site{{Place: main, Index: 0}}}, -1},
	} {
		if got := tt.said.same(list); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}

// TestFamilies checks that every kind of fault is mapped to existing codes.
func TestFamilies(t *testing.T) {
	for kind, family := range families {
		if !slices.ContainsFunc(codesOfChecks(), func(code string) bool { return strings.HasPrefix(code, family) }) {
			t.Errorf("%s: no code begins with %q", kind, family)
		}
	}
}

// TestRuntimeErrors checks that errors of the machine and of the command are not reported as
// problems of the model.
func TestRuntimeErrors(t *testing.T) {
	m := graphtest.Model(t, healthy)
	provider := &ort.ProviderError{Refused: []ort.Refusal{{Provider: "cuda", Reason: "no device"}}}
	option := &ort.Error{Phase: ort.Loading, Context: "session options", Message: "no such key"}
	for _, want := range []error{ort.ErrNoRuntime, provider, option, &ort.TimeoutError{Limit: time.Second}} {
		env := session.Env{Runtime: answering{refuse: func(*graphops.Model) error { return want }, Workers: &runtime.Workers{Library: func(context.Context) (ort.Library, error) { return ort.Library{}, ort.ErrNoRuntime }}}, Progress: func(session.Progress) {}}
		if _, err := (&Check{RuntimeLoad: true}).Run(t.Context(), env, m); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
}

func written(t *testing.T, r *checkReport, width int) string {
	t.Helper()
	var b strings.Builder
	if err := r.WriteWrapped(&b, width); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// many is a model with n undefined values.
func many(n int) string {
	var b strings.Builder
	b.WriteString("input x f32[2]\noutput y0 f32[2]\n")
	for i := range n {
		fmt.Fprintf(&b, "y%d = Add(x, gone%d)\n", i, i)
	}
	return b.String()
}

// TestManyProblems checks that some problems of a kind are listed and the others are counted.
func TestManyProblems(t *testing.T) {
	r := runCheck(t, &Check{}, many(8), answering{})
	said := written(t, r, 0)
	if n := strings.Count(said, "error: value-undefined: node "); n != shownOfCode {
		t.Errorf("%d of them in\n%s", n, said)
	}
	if !strings.Contains(said, "\n    and 3 more of value-undefined; --all lists them\n") {
		t.Errorf("the others are not counted:\n%s", said)
	}
	if all := written(t, runCheck(t, &Check{All: true}, many(8), answering{}), 0); strings.Count(all, "error: value-undefined: node ") != 8 {
		t.Errorf("--all says\n%s", all)
	}
	if len(r.Problems) != 8 || r.Counts.Error != 8 {
		t.Errorf("JSON has %d problems, counts %+v", len(r.Problems), r.Counts)
	}
	// The problem that the runtime reports is listed even if it is late in the list.
	late := runCheck(t, &Check{RuntimeLoad: true}, many(8), answering{refuse: refusing(2, strings.ReplaceAll(saysGone, "gone", "gone6"))})
	if said := written(t, late, 0); !strings.Contains(said, "(Add): input \"gone6\"") || !strings.Contains(said, "and 2 more of value-undefined") {
		t.Errorf("without what the runtime says:\n%s", said)
	}
}

// TestCheckWidth checks that only commands to be copied are wider than the terminal.
func TestCheckWidth(t *testing.T) {
	r := runCheck(t, &Check{RuntimeLoad: true}, undefined, answering{refuse: refusing(2, saysGone)})
	said := written(t, r, 60)
	for line := range strings.Lines(said) {
		if ansi.StringWidth(strings.TrimSuffix(line, "\n")) > 60 {
			t.Errorf("%q is wider than 60", line)
		}
	}
	if !strings.HasPrefix(said, "error: value-undefined: ") {
		t.Errorf("says\n%s", said)
	}
}

// TestCheckFilters checks that problems that are filtered out do not affect the result, and are
// counted.
func TestCheckFilters(t *testing.T) {
	for name, tt := range map[string]struct {
		step    Check
		ok      bool
		leftOut int
	}{
		"all":              {Check{}, false, 0},
		"this code":        {Check{Code: []string{"value-undefined"}}, false, 0},
		"another code":     {Check{Code: []string{check.RuntimeRefused}}, true, 1},
		"ignored":          {Check{Ignore: []string{"value-undefined"}}, true, 1},
		"errors alone":     {Check{Severity: "error"}, false, 0},
		"ignored, refused": {Check{Ignore: []string{"value-undefined"}, RuntimeLoad: true}, false, 1},
		"both ignored":     {Check{Ignore: []string{"value-undefined", check.RuntimeRefused}, RuntimeLoad: true}, true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			r := runCheck(t, &tt.step, undefined, answering{refuse: refusing(2, saysGone)})
			if r.OK != tt.ok || r.Counts.LeftOut != tt.leftOut {
				t.Errorf("ok: %t, %d left out; want %t, %d", r.OK, r.Counts.LeftOut, tt.ok, tt.leftOut)
			}
		})
	}
}

// TestStrict checks the result for problems of every severity.
func TestStrict(t *testing.T) {
	m := graphtest.Model(t, healthy)
	for severity, want := range map[check.Severity]struct{ ok, strict bool }{
		check.Error: {false, false}, check.Warning: {true, false}, check.Info: {true, true},
	} {
		problems := []check.Problem{{Code: "some", Severity: severity, Node: -1, Message: "x"}}
		for strict, ok := range map[bool]bool{false: want.ok, true: want.strict} {
			s := &Check{Strict: strict}
			r := newCheckReport(m, s)
			if r.take(s, problems); r.OK != ok {
				t.Errorf("%s, strict %t: ok is %t", severity, strict, r.OK)
			}
		}
		s := &Check{Severity: "warning"}
		r := newCheckReport(m, s)
		if r.take(s, problems); len(r.Problems) != 1 != (severity == check.Info) {
			t.Errorf("%s is reported although only warnings are wanted: %d", severity, len(r.Problems))
		}
	}
}

// TestFixCommand checks the command that a person copies.
func TestFixCommand(t *testing.T) {
	m := graphtest.Model(t, healthy)
	s := &Check{NewStep: func(name string) session.Step {
		if name != "rename" {
			return nil
		}
		return &edit.Rename{}
	}}
	r := newCheckReport(m, s)
	fix := &check.Fix{Step: "rename", Options: []check.Setting{{Option: "value", Value: "a b=it's"}}}
	for path, want := range map[string]string{
		"dir/m 1.onnx": `lathe rename 'dir/m 1.onnx' --value='a b=it'\''s' --out='dir/m 1.fixed.onnx'`,
		"-":            `lathe rename - --value='a b=it'\''s' --out=fixed.onnx`,
		"-m.onnx":      `lathe rename ./-m.onnx --value='a b=it'\''s' --out=-m.fixed.onnx`,
		"":             "",
	} {
		r.path = path
		if got := r.command(fix); got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
	r.path = "m.onnx"
	for value, want := range map[string]string{
		"\x1b[2J=x":  `lathe rename m.onnx --value=$'\033[2J=x' --out=m.fixed.onnx`,
		"\x00=x":     "",
		"h=\x00 and": "",
	} {
		if got := r.command(&check.Fix{Step: "rename", Options: []check.Setting{{Option: "value", Value: value}}}); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
	r.take(s, []check.Problem{{Code: "some", Severity: check.Warning, Place: m.Places()[0], Node: 1, Message: "is odd", Hint: "look", Fix: fix}})
	want := "warning: some: node \"sum\" (Add): is odd\n    look\n    lathe rename m.onnx --value='a b=it'\\''s' --out=m.fixed.onnx\n1 warning; not checked: "
	if got := written(t, r, 0); !strings.HasPrefix(got, want) {
		t.Errorf("says\n%s, want\n%s", got, want)
	}
	if got := r.Problems[0].Fix.Options["value"]; len(got) != 1 || got[0] != "a b=it's" {
		t.Errorf("options %v", got)
	}
}

// TestExplainCheck checks that every check is listed and explained in lines that fit.
func TestExplainCheck(t *testing.T) {
	for _, code := range append([]string{AllChecks}, codesOfChecks()...) {
		r, err := ExplainCheck(code)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := r.WriteWrapped(&b, 60); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := ansi.StringWidth(strings.TrimSuffix(line, "\n")); n > 60 && !strings.HasPrefix(line, "  ") {
				t.Errorf("%s: %q is %d wide", code, line, n)
			}
		}
		for _, other := range codesOfChecks() {
			if code == AllChecks && !strings.Contains(b.String(), "\n  "+other+" ") {
				t.Errorf("%s is not listed", other)
			}
		}
	}
	var usage session.UsageError
	if _, err := ExplainCheck("value-undefind"); !errors.As(err, &usage) || !strings.Contains(err.Error(), "nearest: value-undefined") {
		t.Errorf("a code that is nearly one: %v", err)
	}
}

func codesOfChecks() []string {
	var out []string
	seen := map[string]bool{}
	for _, c := range check.Rules() {
		if !seen[c.Code] {
			seen[c.Code] = true
			out = append(out, c.Code)
		}
	}
	return out
}
