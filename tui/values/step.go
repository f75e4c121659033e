package values

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/reporting"
	"lathe/session/text"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/workspace"
)

// The name of the step that computes values, and of the step whose options it uses.
const (
	StepName   = "value"
	ProberName = "run-model"
)

const (
	ActionValue     actions.Name = "value"
	ActionValueForm actions.Name = "value-inputs"
)

// Step runs the model up to some values, and keeps those in the worker so that the workbench
// can show them. Its options are those of the step run-model that concern inputs, execution
// providers and session options.
type Step struct {
	reporting.Prober
	names []string
	// Result is the result of a run, with the worker that keeps the values. Whoever takes it must
	// close it.
	Result *reporting.Probe
}

// Name implements session.Step.
func (s *Step) Name() string { return StepName }

// Summary implements session.Step.
func (s *Step) Summary() string {
	return "runs up to the selected row and shows the values that it makes"
}

// Options implements session.Step.
func (s *Step) Options() []session.Option { return s.ProbeOptions() }

// Run implements session.Step.
func (s *Step) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	p, err := s.Probe(ctx, env, m, s.names)
	if err != nil {
		return session.Result{}, err
	}
	s.Result = p
	return session.Result{Report: newProbeReport(p)}, nil
}

// Preview implements session.Step: it runs the model and keeps nothing.
func (s *Step) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	p, err := s.Probe(ctx, env, m, s.names)
	if err != nil {
		return session.Preview{}, err
	}
	return session.Preview{Report: newProbeReport(p)}, p.Close()
}

// probeReport lists the values of a run and what they were computed from. It is text, because the
// list of jobs keeps it longer than the worker keeps the values.
type probeReport []string

func newProbeReport(p *reporting.Probe) probeReport {
	var lines probeReport
	for _, g := range p.Values {
		lines = append(lines, fmt.Sprintf("%s  %s", text.Clean(g.Name), graph.TypeText(g.Value.Type)))
	}
	lines = append(lines, "where it comes from")
	for _, fact := range RanOn(p) {
		lines = append(lines, "  "+strings.TrimRight(cells.Fit(fact.Name, FactWidth-1)+" "+fact.What, " "))
	}
	return lines
}

// WriteText implements session.Report.
func (r probeReport) WriteText(w io.Writer) error {
	_, err := io.WriteString(w, strings.Join(r, "\n")+"\n")
	return err
}

// NewStep returns a step that computes the values of the selected row with the options of the
// last run; nil if no step can.
func NewStep(ws *workspace.Workspace) *Step {
	prober, ok := ws.NewStep(ProberName).(reporting.Prober)
	if !ok {
		return nil
	}
	s := &Step{Prober: prober, names: RowValues(ws, ws.Row())}
	apply(s, valueCall(ws))
	return s
}

// OwnStep returns the step that computes values if that is its name, or nil.
func OwnStep(ws *workspace.Workspace, name string) session.Step {
	if name == StepName {
		if s := NewStep(ws); s != nil {
			return s
		}
	}
	return nil
}

// apply sets the options that the step has. Values that an option no longer accepts are left out.
func apply(s session.Step, c session.Call) {
	for _, o := range s.Options() {
		i := slices.IndexFunc(c.Options, func(set session.Setting) bool { return set.Name == o.Name })
		if i < 0 {
			continue
		}
		o.Reset()
		for _, v := range c.Options[i].Values {
			if o.Set(v) != nil {
				o.Reset()
			}
		}
	}
}

// valueCall returns the options for the next run: those of the last run-model job, or those that
// were accepted in the form for computing values, whichever is newer.
func valueCall(ws *workspace.Workspace) session.Call {
	for _, j := range slices.Backward(ws.Jobs.List) {
		if j.ID > Of(ws).callAfter && j.Name == ProberName {
			return session.CallOf(j.Step)
		}
	}
	return Of(ws).call
}

// CommandOf returns the command that does the same as a step.
func CommandOf(ws *workspace.Workspace, s session.Step) string {
	v, ok := s.(*Step)
	if !ok {
		return session.CommandOf(s, ws.Options.Path)
	}
	run := ws.NewStep(ProberName)
	apply(run, session.CallOf(v))
	if workspace.SetOption(run, "value", v.names...) != nil {
		return ""
	}
	return session.CommandOf(run, ws.Options.Path)
}
