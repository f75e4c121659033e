package steps

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/inputs"
	"lathe/session/proof"
	"lathe/session/text"
	"lathe/session/torch"
	"lathe/session/torch/modules"
)

// moduleReport is where what was made of a PyTorch model begins to compute otherwise.
type moduleReport struct {
	Case string `json:"case"`
	// Compared are modules whose result is a value of the model, Right those that give it.
	Compared int `json:"compared"`
	Right    int `json:"right"`
	// First is the module whose result is the first that is wrong, and nil where none that was
	// compared is, although an output is.
	First *wrongModule `json:"first"`
}

type wrongModule struct {
	Module string        `json:"module"` // as named_modules has it
	Class  string        `json:"class"`
	Value  string        `json:"value"`
	Node   string        `json:"node"`
	MaxAbs tensor.Number `json:"max_abs"`
	Shapes string        `json:"shapes,omitempty"` // where they are not the same
}

// byModule compares what modules give with the values that they are in the model, on the worst
// case.
func (s *Validate) byModule(ctx context.Context, env session.Env, p *pairing, cases []inputs.Case, r *compare.Report) (*moduleReport, error) {
	e, ok := p.a.(*eager)
	if !ok || r.Verdict != compare.Fail {
		return nil, nil
	}
	worst := slices.IndexFunc(r.Cases, func(c compare.CaseResult) bool { return c.Verdict == compare.Fail && len(c.Outputs) > 0 })
	if worst < 0 {
		return nil, nil
	}
	at := slices.IndexFunc(cases, func(c inputs.Case) bool { return c.Name == r.Cases[worst].Name })
	if at < 0 {
		return nil, nil
	}
	env.Progress(session.Progress{Phase: "comparing modules"})
	feeds := graphops.Feeds{}
	for name, v := range cases[at].Feeds {
		feeds[e.paths[name]] = e.leaves[name].Fed(v)
	}
	out := &moduleReport{Case: cases[at].Name}
	b := p.models[len(p.models)-1]
	return out, e.bridge.Modules(ctx, feeds, func(made []torch.Made) error {
		return out.judge(ctx, env, b, cases[at].Feeds, r.Cases[worst], calledOnce(made))
	})
}

// calledOnce leaves out modules that were called more than once.
func calledOnce(made []torch.Made) []torch.Made {
	again := map[string]bool{}
	for _, m := range made {
		again[m.Path] = again[m.Path] || m.Call > 0
	}
	return slices.DeleteFunc(slices.Clone(made), func(m torch.Made) bool { return again[m.Path] })
}

func (r *moduleReport) judge(ctx context.Context, env session.Env, b *executor, in graphops.Feeds, c compare.CaseResult, made []torch.Made) error {
	paths := make([]string, len(made))
	for i, m := range made {
		paths[i] = m.Path
	}
	pairs := modules.Pairs(b.model, paths)
	got, err := valuesInside(ctx, env, b, in, pairedValues(b.model, pairs))
	if err != nil {
		return err
	}
	x := b.model.Graph().Index()
	wrong := make([]wrongModule, len(pairs))
	differs := make([]bool, len(pairs))
	for i, p := range pairs {
		w := wrongModule{Module: made[p.Module].Path, Class: made[p.Module].Class, Value: x.Name(p.Value)}
		if n := x.Producer(p.Value); n >= 0 {
			w.Node = b.model.Graph().Nodes()[n].Name()
		}
		want, err := made[p.Module].Tensor()
		if err != nil {
			return err
		}
		if differs[i], err = w.compare(want, got[w.Value]); err != nil {
			return err
		}
		wrong[i] = w
		r.Compared++
		if !differs[i] {
			r.Right++
		}
	}
	var failing []string
	for _, o := range c.Outputs {
		if o.Verdict == compare.Fail {
			failing = append(failing, o.Name)
		}
	}
	if first, ok := modules.First(b.model, pairs, differs, failing); ok {
		r.First = &wrong[first]
	}
	return nil
}

func pairedValues(m *graphops.Model, pairs []modules.Pair) []string {
	x := m.Graph().Index()
	var names []string
	for _, p := range pairs {
		if name := x.Name(p.Value); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// valuesInside runs a model for values that are none of its outputs.
func valuesInside(ctx context.Context, env session.Env, b *executor, in graphops.Feeds, names []string) (map[string]tensor.Tensor, error) {
	out := map[string]tensor.Tensor{}
	if len(names) == 0 {
		return out, nil
	}
	part, err := session.Expose(b.model, names)
	if err != nil {
		return nil, err
	}
	how := b.how
	how.Opt = "disable" // what is fused cannot be looked into
	l, err := env.Runtime.Load(ctx, part, how)
	if err != nil {
		return nil, err
	}
	defer func() { _ = l.Close() }() // its answer is in hand, or its error told
	got, err := session.RunWhole(ctx, l, session.FeedsOf(part, in))
	for _, g := range got {
		if g.Value.IsTensor() {
			out[g.Name] = g.Value.Tensor
		}
	}
	return out, err
}

// moduleSlack is by how much the absolute part of a tolerance exceeds that of the type, in
// relation to the magnitude of the module's result: sums inside of it may cancel.
const moduleSlack = 10

// compare tells whether the model's value is another than the module's.
func (w *wrongModule) compare(want, got tensor.Tensor) (bool, error) {
	if want.DType != got.DType || !slices.Equal(want.Shape, got.Shape) {
		w.Shapes = fmt.Sprintf("%s %s, and %s %s in PyTorch", got.DType, tensor.FormatShape(got.Shape), want.DType, tensor.FormatShape(want.Shape))
		return true, nil
	}
	t := compare.ToleranceAfterSum(want.DType)
	t.ATol *= max(moduleSlack*proof.Scale(want), 1)
	m, err := tensor.Compare(want, got, t)
	w.MaxAbs = tensor.Number(m.MaxAbs)
	return m.Mismatched > 0, err
}

func (r *moduleReport) write(p *text.Printer) {
	if line := r.line(); line != "" {
		p.Line("%s", line)
	}
}

// line tells of the first module that is wrong, safe to print; "" where none was compared.
func (r *moduleReport) line() string {
	if r == nil || r.Compared == 0 {
		return ""
	}
	if r.First == nil {
		return fmt.Sprintf("modules: in case %q all %d that were compared are right: the difference is made behind them", text.Clean(r.Case), r.Compared)
	}
	f := r.First
	what := fmt.Sprintf("off by %.3g at most", float64(f.MaxAbs))
	if f.Shapes != "" {
		what = text.CleanLine(f.Shapes)
	}
	return fmt.Sprintf("first divergent module: %s (%s), value \"%s\" of node %s, %s; in case %q %d of %d modules give what PyTorch's do",
		text.Clean(f.Module), text.Clean(f.Class), text.Clean(f.Value), text.Clean(f.Node), what, text.Clean(r.Case), r.Right, r.Compared)
}
