package sides

import (
	"context"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/graphops/simplify"
)

// branches is the pass that replaces an If by its branch.
const branches = "constant-branches"

// switches reports whether an input chooses a branch.
func (st *stage) switches() bool { return st.plan != nil && len(st.plan.Switches()) > 0 }

// branched returns a stage whose model is only what runs with the given inputs, if an input chooses a
// branch of an If. Otherwise it returns the stage itself. Values inside of a branch can be compared only
// if they are in the main graph.
func (st *stage) branched(ctx context.Context, fed graphops.Feeds) (*stage, error) {
	if !st.switches() {
		return st, nil
	}
	e := graphops.EditGraph(st.x.Model.Graph())
	for _, name := range st.plan.Switches() {
		v, ok := fed[name]
		at := slices.IndexFunc(e.Inputs, func(i *graphops.ValueInfo) bool { return i.Name() == name })
		if !ok || !v.IsTensor() || at < 0 {
			return st, nil
		}
		e.Inputs = slices.Delete(e.Inputs, at, at+1)
		e.Initializers = append(e.Initializers, graphops.NewTensorOf(name, v.Tensor))
	}
	m := st.x.Model
	m = m.WithGraph(m.Places()[0], e.Graph())
	o := simplify.Options{}
	for _, p := range simplify.Passes() {
		if p.Name != branches && !p.Optional {
			o.Without = append(o.Without, p.Name)
		}
	}
	m, _, err := simplify.Simplify(ctx, m, o)
	if err != nil || slices.ContainsFunc(m.Graph().Nodes(), func(n *graphops.Node) bool { return n.Is("If") }) {
		return st, ctx.Err() // the If stays one node
	}
	out := *st
	out.x = &Executor{env: st.x.env, Path: st.x.Path, how: st.x.how, library: st.x.library, Model: m}
	return &out, out.x.Load(ctx)
}

// branchesOf returns both stages as their branches, with the inputs that these have, and what releases
// them. If one of the two has a branch and stays whole, both do.
func branchesOf(ctx context.Context, a, b *stage, fed graphops.Feeds) (x, y *stage, in graphops.Feeds, end func(), err error) {
	x, err = a.branched(ctx, fed)
	y = b
	if err == nil && x != a {
		y, err = b.branched(ctx, fed)
	}
	end = func() {
		for was, is := range map[*stage]*stage{a: x, b: y} {
			if is != nil && is != was {
				is.x.Close()
			}
		}
	}
	if err != nil || x == a || y == b && b.switches() {
		end()
		return a, b, fed, func() {}, err
	}
	in = maps.Clone(fed)
	for _, name := range a.plan.Switches() {
		delete(in, name)
	}
	return x, y, in, end, nil
}
