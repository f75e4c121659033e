package graphops

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// settle follows the freed axes through the graph. A repair lets them go
// further, where the next pin may stand: it ends because each repair takes one
// of finitely many pins away.
func (f *axesFreer) settle(ctx context.Context, e *Editor, typer Typer, repair bool) error {
	for {
		types, err := f.follow(ctx, e, typer)
		if err != nil {
			return err
		}
		pins := f.findPins(e.Nodes, types)
		mended := 0
		for _, p := range pins {
			if repair && p.mendable {
				f.mend(e, p)
				f.report.Repaired = append(f.report.Repaired, p)
				mended++
			}
		}
		if mended == 0 {
			f.report.Pins = pins
			f.dropUnread(e)
			return nil
		}
	}
}

// follow rewrites the shapes that depend on a freed input. The types are nil
// where the runtime could not tell them.
func (f *axesFreer) follow(ctx context.Context, e *Editor, typer Typer) (map[string]Type, error) {
	behind := f.downstream()
	open := func(v *ValueInfo) bool {
		_, asked := f.set[v.name]
		return !asked && behind[v.name] && v.Type().Kind == TypeTensor
	}
	for _, list := range [][]*ValueInfo{e.Outputs, e.ValueInfo} {
		for i, v := range list {
			if t := v.Type(); open(v) {
				t.Shape = nil
				list[i] = v.WithType(t)
			}
		}
	}
	if typer == nil {
		f.warn("the shapes that follow from the freed axes are not known without a runtime and are left open")
		return nil, nil
	}
	types, err := typer.Types(ctx, f.draft(e), slices.Sorted(maps.Keys(behind)))
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		f.warn("the shapes that follow from the freed axes are left open: %v", err)
		return nil, nil
	}
	for _, list := range [][]*ValueInfo{e.Outputs, e.ValueInfo} {
		for i, v := range list {
			if t, ok := types[v.name]; ok && open(v) && t.Shape != nil {
				list[i] = v.WithType(t)
			}
		}
	}
	return types, nil
}

// draft is the model as edited so far, sharing no list that is edited further.
func (f *axesFreer) draft(e *Editor) *Model {
	g := *e.GraphEditor
	g.Outputs, g.ValueInfo = slices.Clone(g.Outputs), slices.Clone(g.ValueInfo)
	d := *e
	d.GraphEditor = &g
	return d.Model()
}

func (f *axesFreer) warn(format string, args ...any) {
	f.report.Warnings = append(f.report.Warnings, fmt.Sprintf(format, args...))
}

// downstream are the values that depend on a freed input.
func (f *axesFreer) downstream() map[string]bool {
	g := f.model.graph
	x := g.Index()
	behind := map[string]bool{}
	stack := slices.Clone(f.freed)
	for len(stack) > 0 {
		name := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		id, ok := x.ids[name]
		if !ok {
			continue
		}
		for _, i := range x.Readers(id) {
			for _, o := range g.nodes[i].outputs {
				if o != "" && !behind[o] {
					behind[o] = true
					stack = append(stack, o)
				}
			}
		}
	}
	return behind
}

// collect lists what differs from the original.
func (f *axesFreer) collect(e *Editor) {
	old := map[*ValueInfo]bool{}
	g := f.model.graph
	for _, list := range [][]*ValueInfo{g.inputs, g.outputs, g.valueInfo} {
		for _, v := range list {
			old[v] = true
		}
	}
	for _, list := range [][]*ValueInfo{e.Inputs, e.Outputs, e.ValueInfo} {
		for _, v := range list {
			if !old[v] {
				f.report.Changed = append(f.report.Changed, v.name)
			}
		}
	}
	for _, v := range e.Outputs {
		if v.Type().Kind == TypeTensor && v.Type().Shape == nil {
			f.warn("output %q: its shape is left open", v.name)
		}
	}
}
