package graphops

import (
	"fmt"
	"slices"
)

// inputs returns the requested inputs in their order, followed by those of the original that are
// still needed.
func (p *pruner) inputs() []*ValueInfo {
	var out []*ValueInfo
	done := map[string]bool{}
	for _, name := range p.o.Inputs {
		if done[name] {
			continue
		}
		done[name] = true
		if id := p.index.number(name); !p.needed[id] {
			p.warn("input %q is not needed by the outputs; it is kept because it was requested", name)
		}
		out = append(out, p.info(name))
	}
	for _, v := range p.graph.inputs {
		if done[v.name] {
			continue
		}
		if !p.needed[p.index.number(v.name)] {
			if id := p.index.number(v.name); p.index.IsInput(id) && !p.index.IsInitializer(id) {
				p.report.LostInputs = append(p.report.LostInputs, v.name)
			}
			continue
		}
		if !p.index.IsInput(p.index.number(v.name)) {
			continue // a Constant node with its name overrides it
		}
		out = append(out, v)
	}
	return out
}

func (p *pruner) outputInfos() []*ValueInfo {
	out := make([]*ValueInfo, len(p.outputs))
	for i, id := range p.outputs {
		out[i] = p.info(p.index.Name(id))
	}
	return out
}

// info returns the name and type of a value that becomes an input or output. If the type is
// unknown, it adds the value to the report.
func (p *pruner) info(name string) *ValueInfo {
	id := p.index.number(name)
	info := p.index.Info(id)
	if info == nil || info.Type().Kind == TypeUnknown {
		info = NewValueInfo(name, p.index.Type(id))
	}
	if given := p.types[name]; given.Kind != TypeUnknown {
		info = info.WithType(given)
	}
	t := info.Type()
	if t.Kind == TypeUnknown && !slices.Contains(p.report.Untyped, name) {
		p.report.Untyped = append(p.report.Untyped, name)
	}
	if t.Kind == TypeTensor && t.Shape == nil {
		p.warn("the rank of %q is unknown: ONNX Runtime runs such a model, but onnx.checker refuses it", name)
	}
	return info
}

// valueInfo returns the value_info of the result. It has the types of values that are neither
// inputs nor outputs, including those that were outputs of the original.
func (p *pruner) valueInfo() []*ValueInfo {
	done := make([]bool, p.index.Values())
	for _, id := range p.outputs {
		done[id] = true
	}
	for _, name := range p.o.Inputs {
		done[p.index.number(name)] = true
	}
	var out []*ValueInfo
	for _, list := range [][]*ValueInfo{p.graph.valueInfo, p.graph.outputs} {
		for _, v := range list {
			id, ok := p.index.Value(v.name)
			if ok && !done[id] && p.stays(id) && !p.index.IsInput(id) {
				done[id] = true
				out = append(out, v)
			}
		}
	}
	return out
}

// detachCuts handles a node with several outputs if one of them becomes an input of the model and
// another one is still needed. It renames the former output, because a graph must not define a name
// twice.
func (p *pruner) detachCuts(e *Editor) {
	for _, name := range p.o.Inputs {
		i := p.index.Producer(p.index.number(name))
		if i < 0 || !p.report.Keep[i] {
			continue
		}
		outputs := slices.Clone(e.Nodes[i].outputs)
		if j := slices.Index(outputs, name); j >= 0 {
			outputs[j] = e.Names().Value(name)
			e.Nodes[i] = e.Nodes[i].WithOutputs(outputs)
		}
	}
}

// unshadow renames values inside bodies that have the name of a value around the body. Pruning can
// make such a name invalid in two ways. A value that was computed after the body becomes an input,
// which exists before the body runs. Or a runtime orders the remaining nodes differently.
func (p *pruner) unshadow(m *Model) (*Model, error) {
	if len(p.o.Inputs) == 0 && p.report.RemovedNodes == 0 {
		return m, nil
	}
	next, did := m.Unshadowed()
	for _, name := range did.Bound {
		if slices.Contains(p.o.Inputs, name) {
			return nil, fmt.Errorf("input %q: an output of a body has the same name, which runtimes refuse, and must keep it because its operator finds it by name; rename the value outside of the body first, with lathe rename", name)
		}
	}
	if warning := did.Warning(); warning != "" {
		p.report.Warnings = append(p.report.Warnings, warning)
	}
	return next, nil
}
