package steps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"lathe/graphops"
	"lathe/graphops/axes"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/proof"
	"lathe/session/text"
)

// Axes names, frees and freezes dimensions.
type Axes struct {
	Dynamic []string
	Fix     []string
	Repair  bool
	output
}

// Name implements session.Step.
func (*Axes) Name() string { return "axes" }

// Summary implements session.Step.
func (*Axes) Summary() string { return "make axes of inputs and outputs dynamic, name or freeze them" }

// Options implements session.Step.
func (s *Axes) Options() []session.Option {
	return append([]session.Option{
		session.List(&s.Dynamic, "dynamic", "free or name an axis: `NAME:AXIS[=SYMBOL]`; repeat for several").Naming(session.NamesAxis, "="),
		session.List(&s.Fix, "fix", "freeze a symbol at a size: `SYMBOL=N`; repeat for several").Naming(session.NamesSymbol, "="),
		session.Switch(&s.Repair, "repair", "mend what holds a freed axis at a number, where that is provably the same"),
	}, s.output.options()...)
}

// Preview implements session.Step.
func (s *Axes) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	_, _, r, err := s.change(ctx, env, m)
	if err == nil {
		r.unproved = s.Repair
	}
	return session.Preview{Report: r}, err
}

// Run implements session.Step.
func (s *Axes) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	changed, c, r, err := s.change(ctx, env, m)
	if err != nil {
		return session.Result{}, err
	}
	if s.Repair {
		if err := s.output.check(ctx); err != nil {
			return session.Result{}, err
		}
		if err := s.prove(ctx, env, m, changed, c, r); err != nil {
			return session.Result{}, about(m, err)
		}
	}
	if r.File, err = s.save(ctx, env, changed, graphops.SaveOptions{}); err != nil {
		return session.Result{}, err
	}
	return session.Result{Model: changed, Report: r, Files: r.File.files()}, nil
}

func (s *Axes) change(ctx context.Context, env session.Env, m *graphops.Model) (*graphops.Model, *axes.Report, *AxesReport, error) {
	o, err := s.asked()
	if err != nil {
		return nil, nil, nil, err
	}
	if len(o.Free)+len(o.Fix) == 0 {
		return nil, nil, nil, session.UsageError("axes: name an axis with --dynamic NAME:AXIS[=SYMBOL] or a symbol with --fix SYMBOL=N")
	}
	env.Progress(session.Progress{Phase: "inferring shapes"})
	changed, c, err := axes.Change(ctx, m, o)
	if err != nil {
		return nil, nil, nil, about(m, err)
	}
	if len(o.Fix) > 0 {
		if err := checkSizes(ctx, changed, s.Fix); err != nil {
			return nil, nil, nil, about(m, err)
		}
	}
	return changed, c, &AxesReport{
		Schema:        "lathe.axes/1",
		ValuesChanged: len(c.Changed),
		Pins:          pinsOf(c.Pins),
		Repaired:      pinsOf(c.Repaired),
		Folded:        c.Folded,
		Inputs:        valuesOf(changed.Graph().FeedInputs()),
		Outputs:       valuesOf(changed.Graph().Outputs()),
		Warnings:      orEmpty(c.Warnings),
		findings:      append(findingsOf(c.Pins, false), findingsOf(c.Repaired, true)...),
	}, nil
}

// asked are the options as the request has them.
func (s *Axes) asked() (axes.Options, error) {
	o := axes.Options{Repair: s.Repair}
	for _, a := range s.Dynamic {
		axis, err := parseAxis(a)
		if err != nil {
			return o, err
		}
		o.Free = append(o.Free, axis)
	}
	for _, f := range s.Fix {
		symbol, size, err := parseFix(f)
		if err != nil {
			return o, err
		}
		o.Fix = append(o.Fix, axes.Size{Symbol: symbol, Size: size})
	}
	return o, nil
}

// axisForm is "NAME:AXIS=SYMBOL" read from the right, since a name may hold
// colons and equals signs itself.
var axisForm = regexp.MustCompile(`^(.+):(-?[0-9]+)(?:=([^:]+))?$`)

func parseAxis(s string) (axes.Axis, error) {
	m := axisForm.FindStringSubmatch(s)
	if m == nil {
		return axes.Axis{}, session.UsageError(fmt.Sprintf("--dynamic %q: expected NAME:AXIS or NAME:AXIS=SYMBOL, as input:0=batch", s))
	}
	axis, err := strconv.Atoi(m[2])
	if err != nil {
		return axes.Axis{}, session.UsageError(fmt.Sprintf("--dynamic %q: axis %s is out of range", s, m[2]))
	}
	if err := checkSymbol(m[3]); err != nil {
		return axes.Axis{}, session.UsageError(fmt.Sprintf("--dynamic %q: %s", s, err))
	}
	return axes.Axis{Value: m[1], Axis: axis, Symbol: m[3]}, nil
}

// checkSymbol refuses a symbol that whoever reads the result takes for something
// else.
func checkSymbol(s string) error {
	switch _, err := strconv.ParseInt(s, 10, 64); {
	case err == nil:
		return fmt.Errorf("%s is a size, expected a symbol such as batch; --fix SYMBOL=N gives a symbol a size", s)
	case s == "?":
		return errors.New("? stands for what is not known, expected a symbol such as batch")
	case !utf8.ValidString(s):
		return fmt.Errorf("%q is not UTF-8, which the format wants of all text", s)
	}
	if name, ok := dim.OfText(s).IsSymbol(); s != "" && (!ok || name != s) {
		return fmt.Errorf("%q reads as an expression, expected a name such as batch", s)
	}
	return nil
}

func parseFix(s string) (string, int64, error) {
	i := strings.LastIndexByte(s, '=')
	if i <= 0 {
		return "", 0, session.UsageError(fmt.Sprintf("--fix %q: expected SYMBOL=N, as batch=8", s))
	}
	n, err := strconv.ParseInt(s[i+1:], 10, 64)
	if err != nil || n < 0 {
		return "", 0, session.UsageError(fmt.Sprintf("--fix %q: %q is no size", s, s[i+1:]))
	}
	return s[:i], n, nil
}

// maxElements is more than any value of a model that runs.
const maxElements = 1 << 40

// checkSizes refuses sizes by which a value becomes larger than any can be.
func checkSizes(ctx context.Context, changed *graphops.Model, fixed []string) error {
	var problem error
	_, err := shape.Infer(ctx, changed, shape.Options{Visit: func(v shape.Visit) {
		for i, out := range v.Out {
			if problem == nil && i < len(v.Node.Outputs()) && tooLarge(out.Dims) {
				problem = fmt.Errorf("--fix %s: value %q would be larger than any that fits: it has more than %d elements",
					strings.Join(fixed, " --fix "), v.Node.Outputs()[i], int64(maxElements))
			}
		}
	}})
	for _, v := range changed.Graph().Inputs() {
		if problem == nil && tooLarge(sizesOf(v)) {
			problem = fmt.Errorf("--fix %s: input %q would be larger than any that fits: it has more than %d elements",
				strings.Join(fixed, " --fix "), v.Name(), int64(maxElements))
		}
	}
	return errors.Join(err, problem)
}

func sizesOf(v *graphops.ValueInfo) []dim.Dim {
	var out []dim.Dim
	for _, d := range v.Type().Shape {
		out = append(out, shape.SizeFromFile(d))
	}
	return out
}

// tooLarge reports whether a value has too many elements, as far as its sizes are
// numbers; those that do not fit a number are faults.
func tooLarge(dims []dim.Dim) bool {
	var known []int64
	for _, d := range dims {
		if errors.Is(d.Err(), dim.ErrOverflow) {
			return true
		}
		if n, ok := d.Number(); ok {
			known = append(known, n)
		}
	}
	n, err := tensor.Elements(known)
	return err != nil || n > maxElements
}

// AxesReport is what a change of axes did.
type AxesReport struct {
	Schema        string `json:"schema"`
	ValuesChanged int    `json:"values_changed"`
	Pins          []pin  `json:"pins"`
	Repaired      []pin  `json:"repaired"`
	Folded        int    `json:"folded"`
	// Proof is what running the models showed; nil where nothing was run.
	Proof    *proof.Axes `json:"proof"`
	Inputs   []value     `json:"inputs"`
	Outputs  []value     `json:"outputs"`
	Warnings []string    `json:"warnings"`
	File     *savedFile  `json:"file,omitempty"`

	findings []session.Finding
	unproved bool // nothing was run, as of a preview
}

// Findings implements session.Finder: the pins, those that are left first.
func (r *AxesReport) Findings() []session.Finding { return r.findings }

func findingsOf(pins []axes.Pin, mended bool) []session.Finding {
	out := make([]session.Finding, len(pins))
	for i, p := range pinsOf(pins) {
		out[i] = session.Finding{Place: pins[i].Place, Node: p.Index, Text: p.needs(), Remedy: p.Repair, IsMended: mended}
	}
	return out
}

// pin is a place that holds a dynamic axis at a number.
type pin struct {
	Node  string `json:"node"`
	Index int    `json:"index"` // of the node
	Op    string `json:"op"`
	Place string `json:"place,omitempty"` // that the node stands in, if not the main graph
	Value string `json:"value"`           // the constant
	// Axis is the element of the constant, or the axis of it if Stored.
	Axis     int    `json:"axis"`
	Stored   bool   `json:"stored,omitempty"`
	Constant int64  `json:"constant"`
	Needs    string `json:"needs"` // what would have to stand there
	Repair   string `json:"repair"`
	Mendable bool   `json:"mendable"`
}

func pinsOf(pins []axes.Pin) []pin {
	out := make([]pin, len(pins))
	for i, p := range pins {
		n := p.Place.Graph.Nodes()[p.Node]
		out[i] = pin{n.Name(), p.Node, n.OpType(), p.Place.String(), p.Value, p.Axis, p.Stored, p.Constant, p.Needs, p.Repair, p.Mendable}
	}
	return out
}

// WriteText implements session.Report.
func (r *AxesReport) WriteText(w io.Writer) error {
	r.writeTypes(w)
	for _, p := range r.Repaired {
		fmt.Fprintln(w, text.CleanLine(fmt.Sprintf("repaired: %s; %s", p, p.Repair)))
	}
	for _, p := range r.Pins {
		fmt.Fprintln(w, text.CleanLine(fmt.Sprintf("pin: %s; repair: %s", p, p.Repair)))
	}
	r.writeEnd(w)
	if r.unproved {
		fmt.Fprintln(w, "not proved: nothing is run without -o")
	}
	return nil
}

// WriteRest implements session.Finder.
func (r *AxesReport) WriteRest(w io.Writer) error {
	r.writeTypes(w)
	r.writeEnd(w)
	return nil
}

func (r *AxesReport) writeTypes(w io.Writer) {
	fmt.Fprintf(w, "changes the type of %s\n", text.Plural(r.ValuesChanged, "value"))
	writeValues(w, "inputs", r.Inputs)
	writeValues(w, "outputs", r.Outputs)
}

func (r *AxesReport) writeEnd(w io.Writer) {
	if r.Folded > 0 {
		fmt.Fprintf(w, "%s became constant\n", text.Plural(r.Folded, "node"))
	}
	writeProof(w, r.Proof)
	writeWarnings(w, r.Warnings)
	r.File.writeText(w)
}

// String tells what holds which axis.
func (p pin) String() string {
	node := fmt.Sprintf("node %q (%s)", p.Node, p.Op)
	if p.Node == "" {
		node = fmt.Sprintf("node %d (%s)", p.Index, p.Op)
	}
	return node + " " + p.needs()
}

// needs tells what would have to stand where the constant does.
func (p pin) needs() string {
	what := fmt.Sprintf("element %d of %q", p.Axis, p.Value)
	if p.Stored {
		what = fmt.Sprintf("axis %d of %q", p.Axis, p.Value)
	}
	return fmt.Sprintf("needs %s where %s is %d", p.Needs, what, p.Constant)
}
