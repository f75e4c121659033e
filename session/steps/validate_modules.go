package steps

import (
	"context"
	"fmt"
	"maps"
	"math"
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
	// NotCompared are modules of which nothing is known and that may be the first, and Behind the
	// first that is seen to be wrong behind them; nil where First is known.
	NotCompared []moduleName `json:"not_compared,omitempty"`
	Behind      *moduleName  `json:"behind,omitempty"`
}

type moduleName struct {
	Module string `json:"module"`
	Class  string `json:"class"`
}

// String is the name, and that of the model itself.
func (m moduleName) String() string {
	if m.Module == "" {
		return "the model itself (" + text.Clean(m.Class) + ")"
	}
	return text.Clean(m.Module) + " (" + text.Clean(m.Class) + ")"
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
		return out.judge(ctx, env, b, cases[at].Feeds, r.Cases[worst], made)
	})
}

func (r *moduleReport) judge(ctx context.Context, env session.Env, b *executor, in graphops.Feeds, c compare.CaseResult, made []torch.Made) error {
	paths := make([]string, len(made))
	for i, m := range made {
		paths[i] = m.Path
	}
	g := &moduleGraph{model: b.model, scopes: modules.Scopes(b.model, paths)}
	var err error
	if g.values, err = valuesInside(ctx, env, b, in, g.names()); err != nil {
		return err
	}
	maps.Copy(g.values, tensorsOf(in))
	calls := make([]modules.Call, len(made))
	wrong := make([]wrongModule, len(made))
	for i, m := range made {
		if calls[i], wrong[i], err = g.judge(m); err != nil {
			return err
		}
		switch calls[i].Verdict {
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
	return r.name(g, made, calls, wrong, failing)
}

// name says which module is the first that is wrong, or which may be.
func (r *moduleReport) name(g *moduleGraph, made []torch.Made, calls []modules.Call, wrong []wrongModule, failing []string) error {
	first, unknown := modules.First(g.model, calls, failing)
	if first < 0 {
		return nil
	}
	for _, u := range unknown {
		skipped, err := g.skips(made[u], calls[first])
		if err != nil {
			return err
		}
		if skipped {
			r.First = &wrongModule{Module: made[u].Path, Class: made[u].Class, Shapes: "the model has no node of it, and what it is given in the place of what it gives"}
			return nil
		}
		r.NotCompared = append(r.NotCompared, moduleName{made[u].Path, made[u].Class})
	}
	if len(unknown) > 0 {
		r.Behind = &moduleName{made[first].Path, made[first].Class}
		return nil
	}
	r.First = &wrong[first]
	return nil
}

// moduleGraph are the values of a model that results of modules are looked for among.
type moduleGraph struct {
	model  *graphops.Model
	scopes map[string]modules.Scope
	values map[string]tensor.Tensor
}

// names are those of all such values that nodes make.
func (g *moduleGraph) names() []string {
	x := g.model.Graph().Index()
	wanted := map[string]bool{}
	for _, s := range g.scopes {
		for _, list := range [][]graphops.ValueID{s.Takes, s.Gives} {
			for _, v := range list {
				if x.Producer(v) >= 0 {
					wanted[x.Name(v)] = true
				}
			}
		}
	}
	for _, o := range g.model.Graph().Outputs() {
		wanted[o.Name()] = true
	}
	return slices.Sorted(maps.Keys(wanted))
}

// gives are the values that can be results of a module: those that leave its nodes, of the whole
// model its outputs, and of a module without nodes any that another one gives.
func (g *moduleGraph) gives(path string) (list []graphops.ValueID, own bool) {
	if s, ok := g.scopes[path]; ok {
		return s.Gives, true
	}
	x := g.model.Graph().Index()
	if path == "" {
		for _, o := range g.model.Graph().Outputs() {
			if v, ok := x.Value(o.Name()); ok {
				list = append(list, v)
			}
		}
		return list, true
	}
	for _, s := range g.scopes {
		list = append(list, s.Gives...)
	}
	slices.Sort(list)
	return slices.Compact(list), false
}

// judge looks for the results of a call. One that is nowhere, where there is a value of its type
// and shape that is the result of no other, differs from that value.
func (g *moduleGraph) judge(m torch.Made) (modules.Call, wrongModule, error) {
	call := modules.Call{Path: m.Path, Verdict: modules.Unknown, Other: modules.NoValue}
	w := wrongModule{Module: m.Path, Class: m.Class}
	if m.Passes {
		call.Verdict = modules.Passing
		return call, w, nil
	}
	results, err := torch.Tensors(m.Results)
	if err != nil {
		return call, w, err
	}
	left, own := g.gives(m.Path)
	var lost []tensor.Tensor
	for _, want := range results {
		v, _, err := g.nearest(want, left)
		switch {
		case err != nil:
			return call, w, err
		case v.differs && own:
			lost = append(lost, want)
		case !v.differs && v.id != modules.NoValue:
			call.Verdict, call.Same = modules.Right, append(call.Same, v.id)
		}
	}
	left = slices.DeleteFunc(slices.Clone(left), func(v graphops.ValueID) bool { return slices.Contains(call.Same, v) })
	for _, want := range lost {
		v, off, err := g.nearest(want, left)
		if err != nil {
			return call, w, err
		}
		if v.id != modules.NoValue {
			call.Verdict, call.Other = modules.Wrong, v.id
			w.at(g.model, v.id, off)
			break
		}
	}
	return call, w, nil
}

// near is the value that is nearest to a result.
type near struct {
	id      graphops.ValueID
	differs bool
}

// nearest is the one of some values of the type and shape of a result that is nearest to it, and
// by how much it is off at most.
func (g *moduleGraph) nearest(want tensor.Tensor, among []graphops.ValueID) (near, float64, error) {
	x := g.model.Graph().Index()
	best, off := near{id: modules.NoValue}, math.Inf(1)
	for _, v := range among {
		got, ok := g.values[x.Name(v)]
		if !ok || want.DType != got.DType || !slices.Equal(want.Shape, got.Shape) {
			continue
		}
		t := compare.ToleranceAfterSum(want.DType)
		t.ATol *= max(moduleSlack*proof.Scale(want), 1)
		m, err := tensor.Compare(want, got, t)
		if err != nil {
			return best, off, err
		}
		differs := m.Mismatched > 0
		if best.id == modules.NoValue || !differs && best.differs || differs == best.differs && m.MaxAbs < off {
			best, off = near{v, differs}, m.MaxAbs
		}
	}
	return best, off, nil
}

// skips reports whether the nodes behind a module take what it is given, and it has none itself.
func (g *moduleGraph) skips(m torch.Made, behind modules.Call) (bool, error) {
	if _, has := g.scopes[m.Path]; has {
		return false, nil
	}
	given, err := torch.Tensors(m.Given)
	if err != nil {
		return false, err
	}
	for _, want := range given {
		v, _, err := g.nearest(want, g.scopes[behind.Path].Takes)
		if err != nil || v.id != modules.NoValue && !v.differs {
			return err == nil, err
		}
	}
	return false, nil
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

// at notes the value that differs.
func (w *wrongModule) at(m *graphops.Model, v graphops.ValueID, off float64) {
	x := m.Graph().Index()
	w.Value, w.MaxAbs = x.Name(v), tensor.Number(off)
	if n := x.Producer(v); n >= 0 {
		w.Node = m.Graph().Nodes()[n].Name()
	}
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
	count := fmt.Sprintf("in case %q %d of %d modules give what PyTorch's do", text.Clean(r.Case), r.Right, r.Compared)
	switch f := r.First; {
	case r.Behind != nil:
		var names []string
		for _, m := range r.NotCompared {
			names = append(names, m.String())
		}
		return fmt.Sprintf("first divergent module: one of %s, which were not compared, or %s behind them; %s", graphops.QuoteNames(names), r.Behind, count)
	case f == nil:
		return fmt.Sprintf("modules: in case %q all %d that were compared are right: the difference is made behind them", text.Clean(r.Case), r.Compared)
	case f.Shapes != "":
		return fmt.Sprintf("first divergent module: %s: %s; %s", moduleName{f.Module, f.Class}, f.Shapes, count)
	default:
		return fmt.Sprintf("first divergent module: %s, value \"%s\" of node %s, off by %.3g at most; %s", moduleName{f.Module, f.Class}, text.Clean(f.Value), text.Clean(f.Node), float64(f.MaxAbs), count)
	}
}
