package sides

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/inputs"
	"lathe/session/proof"
	"lathe/session/runtime"
	"lathe/session/text"
	"lathe/session/torch"
	"lathe/session/torch/modules"
)

// moduleReport says in which module of the PyTorch model the exported model begins to differ.
type moduleReport struct {
	Case string `json:"case"`
	// Compared is the number of modules whose result is a value of the model. Right is the number
	// of those whose value is right.
	Compared int `json:"compared"`
	Right    int `json:"right"`
	// First is the first module with a wrong result. It is nil if all compared modules agree
	// although an output does not.
	First *wrongModule `json:"first"`
	// NotCompared are the modules that could not be compared and may be the first wrong one. Behind
	// is the first module after them that is wrong. Both are empty if First is known.
	NotCompared []moduleName `json:"not_compared,omitempty"`
	Behind      *moduleName  `json:"behind,omitempty"`
}

type moduleName struct {
	Module string `json:"module"`
	Class  string `json:"class"`
}

// String names the module, or the model itself.
func (m moduleName) String() string {
	if m.Module == "" {
		return "the model itself (" + text.Clean(m.Class) + ")"
	}
	return text.Clean(m.Module) + " (" + text.Clean(m.Class) + ")"
}

type wrongModule struct {
	Module string        `json:"module"` // its name in named_modules
	Class  string        `json:"class"`
	Value  string        `json:"value"`
	Node   string        `json:"node"`
	MaxAbs tensor.Number `json:"max_abs"`
	Shapes string        `json:"shapes,omitempty"` // both shapes, if they differ
}

// byModule compares the results of modules with the corresponding values of the model, on the worst
// case.
func (s *Comparison) byModule(ctx context.Context, env session.Env, p *Pairing, cases []inputs.Case, r *compare.Report) (*moduleReport, error) {
	e, ok := p.A.(*Eager)
	if !ok || r.Verdict != compare.Fail {
		return nil, nil
	}
	fails := func(c compare.CaseResult) bool { return c.Verdict == compare.Fail && len(c.Outputs) > 0 }
	// The example is preferred, because its numbers have the usual size, so that differences in
	// modules are visible.
	worst := slices.IndexFunc(r.Cases, func(c compare.CaseResult) bool { return c.Name == ExampleCase && fails(c) })
	if worst < 0 {
		worst = slices.IndexFunc(r.Cases, fails)
	}
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
		feeds[e.Paths[name]] = e.Leaves[name].Fed(v)
	}
	out := &moduleReport{Case: cases[at].Name}
	b := p.Models[len(p.Models)-1]
	return out, e.bridge.Modules(ctx, feeds, func(made []torch.Made) error {
		return out.judge(ctx, env, b, cases[at].Feeds, r.Cases[worst], made)
	})
}

func (r *moduleReport) judge(ctx context.Context, env session.Env, b *Executor, in graphops.Feeds, c compare.CaseResult, made []torch.Made) error {
	paths := make([]string, len(made))
	for i, m := range made {
		paths[i] = m.Path
	}
	g := modules.GraphOf(b.Model, paths)
	g.Compare = compareResult
	var err error
	if g.Values, err = valuesInside(ctx, env, b, in, g.Names()); err != nil {
		return err
	}
	maps.Copy(g.Values, tensorsOf(in))
	calls, err := g.Judge(len(made), func(i int) (modules.Made, error) { return readMade(made[i]) })
	if err != nil {
		return err
	}
	for _, call := range calls {
		switch call.Verdict {
		case modules.Right:
			r.Compared, r.Right = r.Compared+1, r.Right+1
		case modules.Wrong:
			r.Compared++
		}
	}
	var failing []string
	for _, o := range c.Outputs {
		if o.Verdict == compare.Fail {
			failing = append(failing, o.Name)
		}
	}
	r.name(g, made, calls, failing)
	return nil
}

// name decides which module is the first wrong one, or which modules may be.
func (r *moduleReport) name(g *modules.Graph, made []torch.Made, calls []modules.Call, failing []string) {
	first, unknown := modules.First(g.Model, calls, failing)
	if first < 0 {
		return
	}
	if left := calls[first].Skipped; left >= 0 {
		r.First = &wrongModule{Module: made[left].Path, Class: made[left].Class, Shapes: "the exported model has no node for it, and uses its input in place of its result"}
		return
	}
	unknown = slices.DeleteFunc(unknown, func(u int) bool { return made[u].Path == made[first].Path })
	if len(unknown) == 0 {
		w := wrongAt(g.Model, made[first], calls[first].Other, calls[first].Off)
		r.First = &w
		return
	}
	for _, u := range unknown {
		r.NotCompared = append(r.NotCompared, moduleName{made[u].Path, made[u].Class})
	}
	r.Behind = &moduleName{made[first].Path, made[first].Class}
}

// readMade reads a call of a module with its tensors.
func readMade(m torch.Made) (out modules.Made, err error) {
	out = modules.Made{Path: m.Path, Passes: m.Passes, Trained: m.Trained}
	if out.Results, err = torch.Tensors(m.Results); err == nil {
		out.Given, err = torch.Tensors(m.Given)
	}
	return out, err
}

// compareResult compares the result of a module with a value of its type and shape.
func compareResult(want, got tensor.Tensor) (differs bool, off float64, err error) {
	t := compare.ToleranceAfterSum(want.DType)
	t.ATol *= max(moduleSlack*proof.Scale(want), 1)
	m, err := tensor.Compare(want, got, t)
	return m.Mismatched > 0, m.MaxAbs, err
}

func tensorsOf(in graphops.Feeds) map[string]tensor.Tensor {
	out := map[string]tensor.Tensor{}
	for name, v := range in {
		if v.IsTensor() {
			out[name] = v.Tensor
		}
	}
	return out
}

// wrongAt describes a module with a wrong value.
func wrongAt(m *graphops.Model, of torch.Made, v graphops.ValueID, off float64) wrongModule {
	x := m.Graph().Index()
	w := wrongModule{Module: of.Path, Class: of.Class, Value: x.Name(v), MaxAbs: tensor.Number(off)}
	if n := x.Producer(v); n >= 0 {
		w.Node = m.Graph().Nodes()[n].Name()
	}
	return w
}

// valuesInside runs a model to get values that are not outputs.
func valuesInside(ctx context.Context, env session.Env, b *Executor, in graphops.Feeds, names []string) (map[string]tensor.Tensor, error) {
	out := map[string]tensor.Tensor{}
	if len(names) == 0 {
		return out, nil
	}
	part, err := runtime.Expose(b.Model, names)
	if err != nil {
		return nil, err
	}
	how := b.how
	how.Opt = "disable" // values inside a fused node cannot be read
	l, err := env.Runtime.Load(ctx, part, how)
	if err != nil {
		return nil, err
	}
	defer func() { _ = l.Close() }() // the result is complete, or there is another error
	got, err := runtime.RunWhole(ctx, l, runtime.FeedsOf(part, in))
	for _, g := range got {
		if g.Value.IsTensor() {
			out[g.Name] = g.Value.Tensor
		}
	}
	return out, err
}

// moduleSlack enlarges the absolute tolerance in proportion to the magnitude of the module's
// result, because sums inside the module may cancel and leave a larger relative error.
const moduleSlack = 10

func (r *moduleReport) write(p *text.Printer) {
	if line := r.Line(); line != "" {
		p.Line("%s", line)
	}
}

// Line describes the first wrong module, safe to print. It is "" if no module was compared.
func (r *moduleReport) Line() string {
	if r == nil || r.Compared == 0 {
		return ""
	}
	count := fmt.Sprintf("in case %q %d of %d modules give the same results as in PyTorch", text.Clean(r.Case), r.Right, r.Compared)
	switch f := r.First; {
	case r.Behind != nil:
		var names []string
		for _, m := range r.NotCompared {
			names = append(names, m.String())
		}
		return fmt.Sprintf("first divergent module: one of %s, which were not compared, or %s after them; %s", graphops.QuoteNames(names), r.Behind, count)
	case f == nil:
		return fmt.Sprintf("modules: in case %q all %d that were compared are right: the difference arises after them", text.Clean(r.Case), r.Compared)
	case f.Shapes != "":
		return fmt.Sprintf("first divergent module: %s: %s; %s", moduleName{f.Module, f.Class}, f.Shapes, count)
	default:
		return fmt.Sprintf("first divergent module: %s, value \"%s\" of node %s, off by %.3g at most; %s", moduleName{f.Module, f.Class}, text.Clean(f.Value), text.Clean(f.Node), float64(f.MaxAbs), count)
	}
}
