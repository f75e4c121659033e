package look

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/session"
	"lathe/session/reporting"
)

// checkReport says what is wrong with a model and what is risky.
type checkReport struct {
	Schema string `json:"schema"`
	// OK reports that there is no error and, with Strict, no warning.
	OK       bool          `json:"ok"`
	Strict   bool          `json:"strict,omitempty"`
	Problems []problemRow  `json:"problems"` // the worst first
	Counts   problemCounts `json:"counts"`
	Checked  lookedAt      `json:"checked"`
	// Runtime is the result of loading the model in ONNX Runtime. It is nil without --runtime-load.
	Runtime *runtimeSaid `json:"runtime"`

	found   []check.Problem // the same as Problems
	path    string          // of the model; "-" for standard input, "" if no command can name the model
	all     bool
	newStep func(name string) session.Step
}

// lookedAt says what was checked, and for which version of ONNX Runtime.
type lookedAt struct {
	Weights bool `json:"weights"`
	// Runtime is the version of ONNX Runtime that the model was judged for. Assumed is set if it is
	// the newest known version, because no runtime was found or its version is unknown.
	Runtime string `json:"runtime"`
	Assumed bool   `json:"assumed"`

	unknown string // why a version was assumed
}

type problemCounts struct {
	Error   int `json:"error"`
	Warning int `json:"warning"`
	Info    int `json:"info"`
	LeftOut int `json:"left_out"` // not selected by --severity, --include and --exclude
}

// problemRow is a problem in JSON. Node is the node's name, or #POSITION if it has none, as other
// commands accept it. It is null, like the keys beside it, if the problem is not about a node.
// Place is the path to the node's graph, as --in accepts it. It is null if the problem is about the
// whole model.
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
	// Cause is what this and other problems follow from. It is omitted if that is not known.
	Cause *causeRow `json:"cause,omitempty"`
	// Suspect is an attribute that probably causes the problem. It is omitted if no single
	// attribute does.
	Suspect *suspectRow `json:"suspect,omitempty"`
}

// suspectRow is an attribute with whose other values, those in Fits, the problem is gone.
type suspectRow struct {
	Place     []string `json:"place"`
	Node      string   `json:"node"`
	Index     int      `json:"index"`
	Op        string   `json:"op"`
	Attribute string   `json:"attribute"`
	Is        string   `json:"is"`
	Fits      []string `json:"fits"`
	Message   string   `json:"message"`
}

func newSuspectRow(s *check.Suspect) *suspectRow {
	if s == nil {
		return nil
	}
	return &suspectRow{
		Place: reporting.OrEmpty(s.Place.Hops()), Node: nodeName(s.Place, s.Node), Index: s.Node,
		Op: s.Place.Graph.Nodes()[s.Node].OpType(), Attribute: s.Attribute, Is: s.Is, Fits: s.Fits, Message: s.Text,
	}
}

// causeRow is the node from which several problems follow. Nodes are the nodes that it makes wrong.
type causeRow struct {
	Place   []string `json:"place"`
	Node    string   `json:"node"`
	Index   int      `json:"index"`
	Op      string   `json:"op"`
	Message string   `json:"message"`
	Nodes   []string `json:"nodes"`
}

func newCauseRow(c *check.Cause) *causeRow {
	if c == nil {
		return nil
	}
	row := &causeRow{
		Place: reporting.OrEmpty(c.Place.Hops()), Node: nodeName(c.Place, c.Node), Index: c.Node,
		Op: c.Place.Graph.Nodes()[c.Node].OpType(), Message: c.Text,
	}
	for _, i := range c.Nodes {
		row.Nodes = append(row.Nodes, nodeName(c.Place, i))
	}
	return row
}

// fixRow is a step that fixes a problem. Command is the same step as a shell command. It is omitted
// if the model has no name that a shell command can use.
type fixRow struct {
	Step    string              `json:"step"`
	Options map[string][]string `json:"options"`
	Command string              `json:"command,omitempty"`
}

func newCheckReport(m *graphops.Model, s *Check) *checkReport {
	r := &checkReport{
		Schema: "lathe.check/1", Strict: s.Strict, Problems: []problemRow{},
		Checked: lookedAt{Weights: s.Weights}, all: s.All, newStep: s.NewStep,
	}
	if m.Machine() == "" && !m.Edited() {
		r.path = cmp.Or(m.Path(), "-")
	}
	return r
}

// take adds the problems that are selected, and decides whether the model is ok. Other problems are
// only counted.
func (r *checkReport) take(s *Check, found []check.Problem) {
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

// join connects the runtime's message with the problem that has the same cause. If alone is set,
// the checks found no error. Then the warning or note with the same cause becomes an error. If no
// problem has that cause, the runtime's message is added as an error of its own.
func (r *checkReport) join(s *Check, alone bool) {
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

// raise turns a milder problem into an error if it is why the runtime does not load the model, such
// as an operator that only a custom library has. It becomes the first problem.
func (r *checkReport) raise() bool {
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

func (r *checkReport) row(p check.Problem) problemRow {
	row := problemRow{Code: p.Code, Severity: p.Severity.String(), Message: p.Message, Hint: p.Hint, Fix: r.fix(p.Fix), Cause: newCauseRow(p.Cause), Suspect: newSuspectRow(p.Suspect)}
	if p.Place != nil {
		row.Place = reporting.OrEmpty(p.Place.Hops())
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

// nodeName returns a node as commands accept it: its name, or #POSITION.
func nodeName(p *graphops.Place, index int) string {
	if name := p.Graph.Nodes()[index].Name(); name != "" {
		return name
	}
	return "#" + strconv.Itoa(index)
}

func (r *checkReport) fix(f *check.Fix) *fixRow {
	if f == nil {
		return nil
	}
	row := &fixRow{Step: f.Step, Options: map[string][]string{}, Command: r.command(f)}
	for _, o := range f.Options {
		row.Options[o.Option] = append(row.Options[o.Option], o.Value)
	}
	return row
}

// command returns the command that fixes a problem and writes the result beside the model.
func (r *checkReport) command(f *check.Fix) string { return r.commandAfter(f, 0) }

// commandAfter returns the command that fixes a problem after a number of other fixes. Each command
// reads the file that the one before wrote.
func (r *checkReport) commandAfter(f *check.Fix, before int) string {
	if r.newStep == nil {
		return ""
	}
	step, err := reporting.StepOf(f, r.newStep)
	if err != nil || r.path == "" || slices.ContainsFunc(f.Options, unspeakable) {
		return ""
	}
	if o, ok := session.WithRole(step, session.RoleModel); ok && len(o.Values()) == 0 {
		if err := o.Set(fixedName(r.path, before+1)); err != nil {
			return ""
		}
	}
	if before > 0 {
		return session.CommandOf(step, fixedName(r.path, before))
	}
	return session.CommandOf(step, r.path)
}

// unspeakable reports whether a value cannot be given on a command line, because it contains a zero
// byte.
func unspeakable(s check.Setting) bool { return strings.ContainsRune(s.Value, 0) }

// fixedName returns the name of the file for a fix, beside the model. The first one has no number.
func fixedName(path string, number int) string {
	mark := "fixed"
	if number > 1 {
		mark += "-" + strconv.Itoa(number)
	}
	if path == "-" {
		return mark + ".onnx"
	}
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + "." + mark + ext
}

// Diagnosed implements reporting.Diagnosis.
func (r *checkReport) Diagnosed() []check.Problem { return r.found }
