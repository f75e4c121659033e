package steps

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/session"
)

// CheckReport is what is wrong with a model, and what is risky.
type CheckReport struct {
	Schema string `json:"schema"`
	// OK tells that there is no error; with Strict, no warning either.
	OK       bool          `json:"ok"`
	Strict   bool          `json:"strict,omitempty"`
	Problems []problemRow  `json:"problems"` // the worst first
	Counts   problemCounts `json:"counts"`
	Checked  lookedAt      `json:"checked"`
	// Runtime is what ONNX Runtime says; nil where it was not asked.
	Runtime *runtimeSaid `json:"runtime"`

	found []check.Problem // as Problems
	path  string          // of the model, "-" for standard input, "" where no command can name it
	all   bool
}

// lookedAt tells how far the checks went.
type lookedAt struct {
	Weights bool `json:"weights"`
	// Runtime is the version of ONNX Runtime that the model was judged by; Assumed tells
	// that it is the newest known here, since none was found or its version is not known.
	Runtime string `json:"runtime"`
	Assumed bool   `json:"assumed"`

	unknown string // why a version was assumed
}

type problemCounts struct {
	Error   int `json:"error"`
	Warning int `json:"warning"`
	Info    int `json:"info"`
	LeftOut int `json:"left_out"` // by severity, code and ignore
}

// problemRow is a problem in JSON. Node is its name, or #POSITION where it has none,
// as other commands take it; null where the problem is about no node, like the keys
// beside it. Place is the way to where it stands, as --in takes it, and null where the
// problem is about the model as a whole.
type problemRow struct {
	Code     string   `json:"code"`
	Severity string   `json:"severity"`
	Place    []string `json:"place"`
	Node     *string  `json:"node"`
	Index    *int     `json:"index"`
	Op       *string  `json:"op"`
	Value    *string  `json:"value"`
	Message  string   `json:"message"`
	Hint     string   `json:"hint"`
	Fix      *fixRow  `json:"fix"`
}

// fixRow is a step that mends a problem. Command does so from a shell; it is left out
// where the model has no name that a shell could give.
type fixRow struct {
	Step    string              `json:"step"`
	Options map[string][]string `json:"options"`
	Command string              `json:"command,omitempty"`
}

func newCheckReport(m *graphops.Model, s *Check) *CheckReport {
	r := &CheckReport{
		Schema: "lathe.check/1", Strict: s.Strict, Problems: []problemRow{},
		Checked: lookedAt{Weights: s.Weights}, all: s.All,
	}
	if m.Machine() == "" && !m.Edited() {
		r.path = cmp.Or(m.Path(), "-")
	}
	return r
}

// take takes in what was found, and settles what that means. What is left out counts
// for nothing.
func (r *CheckReport) take(s *Check, found []check.Problem) {
	errorsLeft := 0
	for _, p := range found {
		if !s.wants(p) {
			r.Counts.LeftOut++
			continue
		}
		if p.Severity == check.Error {
			errorsLeft++
		}
		r.found = append(r.found, p)
	}
	if r.Runtime != nil && !r.Runtime.Loaded {
		r.join(s, errorsLeft == 0)
	}
	for _, p := range r.found {
		r.Problems = append(r.Problems, r.row(p))
		r.Counts.add(p.Severity)
	}
	r.OK = r.Counts.Error == 0 && (!s.Strict || r.Counts.Warning == 0)
}

// join puts what the runtime refuses beside what was found; where no error is, what is
// milder and says the same becomes one, or it is one by itself.
func (r *CheckReport) join(s *Check, alone bool) {
	at := r.Runtime.same(r.found)
	if alone && r.raise() {
		at, alone = 0, false
	}
	if alone {
		p := r.Runtime.problem()
		if !s.wants(p) {
			r.Counts.LeftOut++
			return
		}
		r.found, at = append([]check.Problem{p}, r.found...), 0
	}
	if at >= 0 {
		r.Runtime.Problem = &at
	}
}

// raise makes an error of what was told as milder and is why the runtime does not load
// the model, such as an operator that only a library has; it is the first then.
func (r *CheckReport) raise() bool {
	at := slices.IndexFunc(r.found, func(p check.Problem) bool { return r.Runtime.inFamily(p) && r.Runtime.sameThing(p) })
	if at < 0 {
		return false
	}
	p := r.found[at]
	p.Severity = check.Error
	r.found = slices.Insert(slices.Delete(r.found, at, at+1), 0, p)
	return true
}

func (c *problemCounts) add(s check.Severity) {
	switch s {
	case check.Error:
		c.Error++
	case check.Warning:
		c.Warning++
	default:
		c.Info++
	}
}

func (r *CheckReport) row(p check.Problem) problemRow {
	row := problemRow{Code: p.Code, Severity: p.Severity.String(), Message: p.Message, Hint: p.Hint, Fix: r.fix(p.Fix)}
	if p.Place != nil {
		row.Place = orEmpty(p.Place.Hops())
	}
	if p.Place != nil && p.Node >= 0 {
		name, op, index := nodeName(p.Place, p.Node), p.Place.Graph.Nodes()[p.Node].OpType(), p.Node
		row.Node, row.Op, row.Index = &name, &op, &index
	}
	if p.Value != "" {
		value := p.Value
		row.Value = &value
	}
	return row
}

// nodeName is a node as commands take it: by its name, or as #POSITION.
func nodeName(p *graphops.Place, index int) string {
	if name := p.Graph.Nodes()[index].Name(); name != "" {
		return name
	}
	return "#" + strconv.Itoa(index)
}

func (r *CheckReport) fix(f *check.Fix) *fixRow {
	if f == nil {
		return nil
	}
	row := &fixRow{Step: f.Step, Options: map[string][]string{}, Command: r.command(f)}
	for _, o := range f.Options {
		row.Options[o.Option] = append(row.Options[o.Option], o.Value)
	}
	return row
}

// command is the line that mends a problem and writes the result beside the model.
func (r *CheckReport) command(f *check.Fix) string { return r.commandAfter(f, 0) }

// commandAfter is the line that mends a problem after so many others were mended, each
// by such a line that reads what the one before has written.
func (r *CheckReport) commandAfter(f *check.Fix, before int) string {
	step, err := StepOf(f)
	if err != nil || r.path == "" || slices.ContainsFunc(f.Options, unspeakable) {
		return ""
	}
	if o, ok := session.WithRole(step, session.RoleModel); ok && len(o.Values()) == 0 {
		if err := o.Set(mendedName(r.path, before+1)); err != nil {
			return ""
		}
	}
	if before > 0 {
		return session.CommandOf(step, mendedName(r.path, before))
	}
	return session.CommandOf(step, r.path)
}

// unspeakable reports whether an option cannot be given on a command line, whose words
// end with a zero.
func unspeakable(s check.Setting) bool { return strings.ContainsRune(s.Value, 0) }

// mendedName is a new name beside the model, the first of several without a number.
func mendedName(path string, number int) string {
	mark := "mended"
	if number > 1 {
		mark += "-" + strconv.Itoa(number)
	}
	if path == "-" {
		return mark + ".onnx"
	}
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + "." + mark + ext
}

// Diagnosed implements session.Diagnosis.
func (r *CheckReport) Diagnosed() []check.Problem { return r.found }
