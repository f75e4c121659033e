//go:build cgo && soak

package edit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/edit"
	"lathe/graphops/half"
	"lathe/graphops/opschema"
	"lathe/graphops/opset"
	"lathe/graphops/quant"
	"lathe/graphops/quant/static"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// soundEdit edits a model that runs. The result must load, and must give the same bits if the edit is
// exact. An edit may refuse a model with an error.
type soundEdit struct {
	name  string
	exact bool
	do    func(ctx context.Context, m *graphops.Model) (*graphops.Model, error)
}

var soundEdits = []soundEdit{
	{"rename", true, func(_ context.Context, m *graphops.Model) (*graphops.Model, error) { return renamedInside(m) }},
	{"to initializers", true, func(_ context.Context, m *graphops.Model) (*graphops.Model, error) {
		next, _, err := edit.ConstantsToInitializers(m, m.Places()[0], nil)
		return next, err
	}},
	{"to constants", true, func(_ context.Context, m *graphops.Model) (*graphops.Model, error) {
		next, _, err := edit.InitializersToConstants(m, m.Places()[0], nil)
		return next, err
	}},
	{"raise the IR version", true, func(_ context.Context, m *graphops.Model) (*graphops.Model, error) { return m.AtLeastIR(10), nil }},
	{"raise the opset", true, func(ctx context.Context, m *graphops.Model) (*graphops.Model, error) {
		next, _, err := opset.Raise(ctx, m, 21)
		return next, err
	}},
	{"prune", true, func(_ context.Context, m *graphops.Model) (*graphops.Model, error) {
		next, _, err := graphops.Prune(m, graphops.PruneOptions{})
		return next, err
	}},
	{"insert", true, identitiesInserted},
	{"merge", true, goneOnWithIdentities},
	{"annotate", true, annotatedAsInferred},
	{"clear types", true, typesCleared},
	{"attributes", true, defaultsWritten},
	{"cast around", false, castAroundOne},
	{"delete", false, deletedOne},
	{"bypass", false, bypassedOne},
	{"dynamic", false, func(ctx context.Context, m *graphops.Model) (*graphops.Model, error) {
		next, _, err := quant.Dynamic(ctx, m, quant.DefaultDynamicOptions(), nil)
		return next, err
	}},
	{"static", false, staticByOneRange},
	{"float16", false, func(ctx context.Context, m *graphops.Model) (*graphops.Model, error) {
		next, _, err := half.Float16(ctx, m, half.DefaultOptions(), nil)
		return next, err
	}},
}

// renamedInside renames the values of the main graph, except inputs, outputs and initializers.
func renamedInside(m *graphops.Model) (*graphops.Model, error) {
	x := m.Graph().Index()
	var o edit.RenameOptions
	for id := range graphops.ValueID(x.Values()) {
		if name := x.Name(id); name != "" && x.Producer(id) >= 0 && !x.IsOutput(id) {
			o.Values = append(o.Values, edit.Rename{From: name, To: name + "_renamed"})
		}
	}
	if len(o.Values) == 0 {
		return m, nil
	}
	next, _, err := edit.Names(m, m.Places()[0], o)
	return next, err
}

// bypassedOne bypasses the first node that can be bypassed.
func bypassedOne(ctx context.Context, m *graphops.Model) (*graphops.Model, error) {
	for i := range m.Graph().Nodes() {
		next, report, err := edit.Bypass(ctx, m, m.Places()[0], edit.BypassOptions{Nodes: []string{fmt.Sprintf("#%d", i)}})
		if err == nil && !slices.ContainsFunc(report.Warnings, func(w string) bool {
			return strings.Contains(w, "another shape") || strings.Contains(w, "is not known")
		}) {
			return next, nil
		}
	}
	return m, nil
}

// staticByOneRange quantizes a model statically with the same range for all values.
func staticByOneRange(ctx context.Context, m *graphops.Model) (*graphops.Model, error) {
	o := static.DefaultOptions()
	_, values, err := static.Wanted(ctx, m, o)
	if err != nil {
		return nil, err
	}
	table := &calibration.Table{Method: calibration.MethodMinMax, Tensors: map[string]calibration.Calibrated{}}
	for _, name := range values {
		table.Tensors[name] = calibration.Calibrated{Elem: tensor.F32, Range: calibration.Range{Low: -4, High: 4}}
	}
	next, _, err := static.Quantize(ctx, m, table, o)
	return next, err
}

// firstThatWorks returns the result of the first edit that is not refused, or the model if all are.
func firstThatWorks(m *graphops.Model, count int, do func(i int) (*graphops.Model, error)) *graphops.Model {
	for i := range count {
		if next, err := do(i); err == nil {
			return next
		}
	}
	return m
}

// madeInside are the outputs of nodes of the main graph that something reads.
func madeInside(m *graphops.Model) []string {
	x := m.Graph().Index()
	var names []string
	for id := range graphops.ValueID(x.Values()) {
		if x.Producer(id) >= 0 && (len(x.Readers(id)) > 0 || x.IsOutput(id)) {
			names = append(names, x.Name(id))
		}
	}
	return names
}

// identitiesInserted puts an Identity after every value, or after the first that can have one.
func identitiesInserted(ctx context.Context, m *graphops.Model) (*graphops.Model, error) {
	insert := func(on []string) (*graphops.Model, error) {
		next, report, err := edit.Insert(ctx, m, m.Places()[0], edit.InsertOptions{On: on})
		if err == nil && slices.ContainsFunc(report.Warnings, func(w string) bool { return strings.Contains(w, "has no kernel") }) {
			err = errors.New("the edit warns that the runtime has no kernel")
		}
		return next, err
	}
	names := madeInside(m)
	if next, err := insert(names); err == nil {
		return next, nil
	}
	return firstThatWorks(m, len(names), func(i int) (*graphops.Model, error) { return insert(names[i : i+1]) }), nil
}

// goneOnWithIdentities merges a model with one that copies each of its outputs. It leaves out models
// with outputs that are not tensors, because early versions of Identity copy only tensors.
func goneOnWithIdentities(ctx context.Context, m *graphops.Model) (*graphops.Model, error) {
	e := graphops.Edit(m)
	e.Nodes, e.Initializers, e.Sparse, e.Inputs, e.ValueInfo, e.Functions = nil, nil, nil, nil, nil, nil
	var o edit.MergeOptions
	for _, v := range m.Graph().Outputs() {
		x := m.Graph().Index()
		if id, ok := x.Value(v.Name()); !ok || x.IsInput(id) || v.Type().Kind != graphops.TypeTensor {
			return m, nil
		}
		fed := v.Name() + "_copied"
		e.Inputs = append(e.Inputs, v.WithName(fed))
		e.Nodes = append(e.Nodes, graphops.NewNode(graphops.NodeSpec{Op: "Identity", Inputs: []string{fed}, Outputs: []string{v.Name()}}))
		o.Connect = append(o.Connect, edit.Connection{From: v.Name(), To: fed})
	}
	next, _, err := edit.Merge(ctx, m, e.Model(), o)
	return next, err
}

// annotatedAsInferred declares the inferred types.
func annotatedAsInferred(ctx context.Context, m *graphops.Model) (*graphops.Model, error) {
	inferred, err := shape.Infer(ctx, m, shape.Options{NameAxes: true})
	if err != nil {
		return nil, err
	}
	p := m.Places()[0]
	var types []edit.ValueType
	for _, name := range madeInside(m) {
		id, _ := p.Graph.Index().Value(name)
		if t := inferred.Type(p, id); t.Kind == graphops.TypeTensor && t.Elem != tensor.Undefined {
			types = append(types, edit.ValueType{Name: name, Type: t})
		}
	}
	declare := func(types []edit.ValueType) (*graphops.Model, error) {
		next, _, err := edit.Annotate(ctx, m, p, edit.AnnotateOptions{Types: types})
		return next, err
	}
	if next, err := declare(types); err == nil {
		return next, nil
	}
	return firstThatWorks(m, len(types), func(i int) (*graphops.Model, error) { return declare(types[i : i+1]) }), nil
}

// typesCleared removes the declared types of values that are not inputs or outputs.
func typesCleared(ctx context.Context, m *graphops.Model) (*graphops.Model, error) {
	x := m.Graph().Index()
	var names []string
	for _, v := range m.Graph().ValueInfo() {
		if id, ok := x.Value(v.Name()); ok && x.Producer(id) >= 0 && !x.IsOutput(id) && !slices.Contains(names, v.Name()) {
			names = append(names, v.Name())
		}
	}
	if len(names) == 0 {
		return m, nil
	}
	next, _, err := edit.Annotate(ctx, m, m.Places()[0], edit.AnnotateOptions{Clear: names})
	return next, err
}

// defaultsWritten sets attributes to their defaults on every node that lacks them.
func defaultsWritten(ctx context.Context, m *graphops.Model) (*graphops.Model, error) {
	next := m
	for i, n := range m.Graph().Nodes() {
		settings := defaultsOf(m, n)
		if len(settings) == 0 {
			continue
		}
		changed, _, err := edit.Attributes(ctx, next, next.Places()[0], edit.AttributeOptions{Nodes: []string{fmt.Sprintf("#%d", i)}, Set: settings})
		if err == nil {
			next = changed
		}
	}
	return next, nil
}

func defaultsOf(m *graphops.Model, n *graphops.Node) (out []edit.AttributeSetting) {
	version, ok := m.Opset(n.Domain())
	schema, known := opschema.Find(n.Domain(), n.OpType(), version)
	if !ok || !known || slices.ContainsFunc(m.Functions(), func(f *graphops.Function) bool { return f.Key() == n.Calls() }) {
		return nil
	}
	for _, a := range schema.Attributes {
		if _, there := n.Attribute(a.Name); there || !a.HasDefault() {
			continue
		}
		switch a.Kind {
		case graphops.AttrInt:
			out = append(out, edit.AttributeSetting{Name: a.Name, Text: strconv.FormatInt(a.Int(), 10)})
		case graphops.AttrFloat:
			out = append(out, edit.AttributeSetting{Name: a.Name, Text: strconv.FormatFloat(float64(a.Float()), 'g', -1, 32)})
		case graphops.AttrString:
			out = append(out, edit.AttributeSetting{Name: a.Name, Text: a.Text()})
		}
	}
	return out
}

// castAroundOne lets the first possible node compute in another type.
func castAroundOne(ctx context.Context, m *graphops.Model) (*graphops.Model, error) {
	nodes := len(m.Graph().Nodes())
	return firstThatWorks(m, 2*nodes, func(i int) (*graphops.Model, error) {
		to := []tensor.DType{tensor.F64, tensor.F16}[i%2]
		next, _, err := edit.Insert(ctx, m, m.Places()[0], edit.InsertOptions{Around: []string{fmt.Sprintf("#%d", i/2)}, To: to})
		return next, err
	}), nil
}

// deletedOne deletes the last possible node, with all nodes that depend on it and all that only it
// needs.
func deletedOne(_ context.Context, m *graphops.Model) (*graphops.Model, error) {
	nodes := len(m.Graph().Nodes())
	return firstThatWorks(m, nodes, func(i int) (*graphops.Model, error) {
		next, _, err := edit.Delete(m, m.Places()[0], edit.DeleteOptions{Nodes: []string{fmt.Sprintf("#%d", nodes-1-i)}, Downstream: true, Unused: true})
		return next, err
	}), nil
}
