package cut

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"lathe/graphops"
	"lathe/graphops/axes"
	"lathe/graphops/dim"
	"lathe/graphops/pattern"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/reporting"
)

// Axes changes the dimensions of inputs and outputs: it makes them dynamic, renames their symbols,
// or gives symbols a fixed size.
type Axes struct {
	Dynamic []string
	Fix     []string
	Repair  bool
	on      flags.ProofInputs
	flags.Saving
}

// Name implements session.Step.
func (*Axes) Name() string { return "axes" }

// Summary implements session.Step.
func (*Axes) Summary() string { return "make axes of inputs and outputs dynamic, or name or fix them" }

// Options implements session.Step.
func (s *Axes) Options() []session.Option {
	return append([]session.Option{
		session.List(&s.Dynamic, "dynamic", "make an axis dynamic, or name its symbol: `NAME:AXIS[=SYMBOL]`; repeat for several").NamingAtLeast(session.NamesAxis, "="),
		session.List(&s.Fix, "fix", "replace a symbol by a fixed size: `SYMBOL=N`; repeat for several").Naming(session.NamesSymbol, "="),
		session.Switch(&s.Repair, "repair", "rewrite nodes that fix a dynamic axis to a number, if the result is provably the same").AsUsual(),
	}, append(append(s.on.Options("with --repair: "), s.on.MemoryOption("with --repair: ")), s.Saving.Options()...)...)
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
		if err := s.Saving.CheckTarget(ctx); err != nil {
			return session.Result{}, err
		}
		on, err := s.on.Of(m, s.Out)
		if err != nil {
			return session.Result{}, err
		}
		if err := s.prove(ctx, env, m, changed, c, r, on); err != nil {
			return session.Result{}, session.InModel(m, err)
		}
	}
	if r.File, err = s.Save(ctx, env, changed, graphops.SaveOptions{}); err != nil {
		return session.Result{}, err
	}
	return session.Result{Model: changed, Report: r, Files: r.File.Files(), No: r.isDoubtful()}, nil
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
		return nil, nil, nil, session.InModel(m, err)
	}
	return changed, c, &AxesReport{
		Schema:        "lathe.axes/1",
		ValuesChanged: len(c.Changed),
		Pins:          pinsOf(c.Pins),
		Repaired:      pinsOf(c.Repaired),
		Folded:        c.Folded,
		Inputs:        reporting.ValuesOf(changed.Graph().FeedInputs()),
		Outputs:       reporting.ValuesOf(changed.Graph().Outputs()),
		Warnings:      reporting.OrEmpty(c.Warnings),
		NotProved:     []string{},
		findings:      append(findingsOf(c.Pins, false), findingsOf(c.Repaired, true)...),
	}, nil
}

// asked translates the flags to the options of package axes.
func (s *Axes) asked() (axes.Options, error) {
	o := axes.Options{Repair: s.Repair}
	if !s.Repair {
		if err := s.on.Refuse("nothing is checked without --repair"); err != nil {
			return o, err
		}
	}
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

// axisForm matches "NAME:AXIS" and "NAME:AXIS=SYMBOL". A name may contain colons and equals signs,
// so the last ones in the text separate the parts.
var axisForm = pattern.New(`^(.+):(-?[0-9]+)(?:=([^:]+))?$`)

func parseAxis(s string) (axes.Axis, error) {
	m := axisForm.FindStringSubmatch(s)
	if m == nil {
		return axes.Axis{}, session.UsageError(fmt.Sprintf("--dynamic %q: expected NAME:AXIS or NAME:AXIS=SYMBOL, such as input:0=batch", s))
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

// checkSymbol returns an error for a name that is not usable as a symbol, because it would be read
// as a number, as "unknown" or as an expression when the model is opened again.
func checkSymbol(s string) error {
	switch _, err := strconv.ParseInt(s, 10, 64); {
	case err == nil:
		return fmt.Errorf("%s is a size, expected a symbol such as batch; --fix SYMBOL=N gives a symbol a size", s)
	case s == "?":
		return errors.New("? means an unknown size, expected a symbol such as batch")
	case !utf8.ValidString(s):
		return fmt.Errorf("%q is not UTF-8, which the ONNX format requires", s)
	}
	if name, ok := dim.OfText(s).IsSymbol(); s != "" && (!ok || name != s) {
		return fmt.Errorf("%q reads as an expression, expected a name such as batch", s)
	}
	return nil
}

func parseFix(s string) (string, int64, error) {
	i := strings.LastIndexByte(s, '=')
	if i <= 0 {
		return "", 0, session.UsageError(fmt.Sprintf("--fix %q: expected SYMBOL=N, such as batch=8", s))
	}
	n, err := strconv.ParseInt(s[i+1:], 10, 64)
	if err != nil || n < 0 {
		return "", 0, session.UsageError(fmt.Sprintf("--fix %q: %q is not a size", s, s[i+1:]))
	}
	return s[:i], n, nil
}
