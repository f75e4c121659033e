//go:build soak

package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/check"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/mutate"
	"lathe/graphops/half"
	"lathe/graphops/onnxpb"
	"lathe/graphops/opset"
	"lathe/graphops/quant"
	"lathe/graphops/quant/static"
	"lathe/graphops/reference"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/steps"
)

// soundEdit makes a model of one that runs. What keeps promises the same bits must load and
// give them; what does not must load. ErrNothing and errors that say why are fine.
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

// editMutants is how many mutants TestEditsOfMutants makes; LATHE_EDIT_MUTANTS says another
// number.
const editMutants = 600

// TestEditsOfMutants makes edits of models that run, and of their forms in IR version 3.
func TestEditsOfMutants(t *testing.T) {
	bases := slices.Concat(mutate.Bases(t), mutate.Files(t, "testdata", 64<<10), mutate.Files(t, mutate.Conformance, 8<<10))
	count := editMutants
	if n, err := strconv.Atoi(os.Getenv("LATHE_EDIT_MUTANTS")); err == nil {
		count = n
	}
	e := newEditing(t)
	for number := *huntFrom; number < *huntFrom+uint64(count); number++ {
		m, did := drawn(bases, number)
		e.all(fmt.Sprintf("mutant %d (%s)", number, did), m)
	}
	e.report()
}

// TestEditsOfModels makes them of testdata, of the conformance models, and of those that
// others made.
func TestEditsOfModels(t *testing.T) {
	e := newEditing(t)
	for _, folder := range []string{"testdata", mutate.Conformance, reference.Shared.Folder} {
		for _, base := range mutate.Files(t, folder, 1<<20) {
			e.all(base.Name, base.Model)
		}
	}
	e.report()
}

// editing counts what became of edits, by name.
type editing struct {
	*trial
	counts map[string]map[string]int
}

func newEditing(t *testing.T) *editing { return &editing{newTrial(t), map[string]map[string]int{}} }

func (e *editing) count(edit, what string) {
	if e.counts[edit] == nil {
		e.counts[edit] = map[string]int{}
	}
	e.counts[edit][what]++
}

func (e *editing) report() {
	for _, name := range slices.Sorted(maps.Keys(e.counts)) {
		e.t.Logf("%-22s %v", name, e.counts[name])
	}
}

// all makes every edit of a model as it is, and in IR version 3 with initializers listed
// and not.
func (e *editing) all(name string, p *onnxpb.ModelProto) {
	for _, form := range []struct {
		name   string
		listed bool
	}{{"", false}, {" in IR 3", false}, {" in IR 3, listed", true}} {
		q := proto.CloneOf(p)
		if form.name != "" {
			if len(p.Functions) > 0 || p.Graph == nil {
				continue
			}
			early(q, form.listed)
		}
		e.each(name+form.name, q)
	}
	e.bfloat16(name, p)
}

// early makes a model one of IR version 3.
func early(p *onnxpb.ModelProto, listed bool) {
	p.IrVersion = proto.Int64(3)
	there := map[string]bool{}
	for _, v := range p.Graph.Input {
		there[v.GetName()] = true
	}
	for _, t := range p.Graph.Initializer {
		if !listed || there[t.GetName()] {
			continue
		}
		shape := &onnxpb.TensorShapeProto{}
		for _, d := range t.Dims {
			shape.Dim = append(shape.Dim, &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: d}})
		}
		p.Graph.Input = append(p.Graph.Input, &onnxpb.ValueInfoProto{Name: t.Name, Type: &onnxpb.TypeProto{Value: &onnxpb.TypeProto_TensorType{
			TensorType: &onnxpb.TypeProto_Tensor{ElemType: t.DataType, Shape: shape},
		}}})
	}
}

func (e *editing) each(name string, p *onnxpb.ModelProto) {
	m, feeds, before, err := e.original(p)
	if err != nil {
		e.count("original", "does not run")
		return
	}
	e.count("original", "runs")
	for _, x := range soundEdits {
		next, err := x.do(e.t.Context(), m)
		if err != nil || next == m {
			e.count(x.name, "nothing to do, or refused")
			continue
		}
		after, err := e.outputs(next, feeds)
		if err == nil && x.exact && before != after {
			before, after = e.anew(m, next, feeds)
		}
		if err != nil || x.exact && before != after {
			if reason := e.pardoned(x, m, err); reason != "" {
				e.count(x.name, "justified: "+reason)
				continue
			}
		}
		switch {
		case err != nil && x.name == "bypass" && !isLoading(err):
			e.count(x.name, "loads and does not run")
		case err != nil && x.exact || isLoading(err):
			e.count(x.name, "wrong")
			e.t.Errorf("%s: %s: %v", name, x.name, err)
		case x.exact && before != after:
			e.count(x.name, "wrong")
			e.t.Errorf("%s: %s gives other bits", name, x.name)
		default:
			e.count(x.name, "right")
		}
	}
}

// pardoned tells why an edit of a model may not keep what it promises, "" if it must.
func (e *editing) pardoned(x soundEdit, m *graphops.Model, failure error) string {
	if failure != nil && (judge(ort.Running, failure).fails() || strings.Contains(failure.Error(), "memory")) {
		return "too large for the worker"
	}
	problems, err := check.Model(e.t.Context(), m, check.Options{})
	if err != nil || slices.ContainsFunc(problems, func(p check.Problem) bool { return p.Severity == check.Error }) {
		return "the original has errors"
	}
	for n := range m.AllNodes() {
		if n.OpType() == "AveragePool" && x.name == "raise the opset" {
			return "AveragePool of a later version averages otherwise, see docs/opset.md"
		}
		for _, a := range n.Attributes() {
			if a.Kind() == graphops.AttrInt && a.Int() != int64(int32(a.Int())) {
				return "an attribute that the runtime takes for another number"
			}
		}
	}
	return ""
}

// anew runs a model and what became of it once more, each first in a worker of its own: where
// the memory lies decides how some kernels round.
func (e *editing) anew(m, next *graphops.Model, feeds graphops.Feeds) (before, after string) {
	e.fresh()
	before, _ = e.outputs(m, feeds)
	e.fresh()
	after, _ = e.outputs(next, feeds)
	return before, after
}

// errLoading is that a model does not load.
var errLoading = errors.New("does not load")

func isLoading(err error) bool { return errors.Is(err, errLoading) }

// original runs a model twice: one that draws numbers is left out.
func (e *editing) original(p *onnxpb.ModelProto) (*graphops.Model, graphops.Feeds, string, error) {
	content, err := proto.MarshalOptions{Deterministic: true}.Marshal(p)
	if err != nil {
		return nil, nil, "", err
	}
	m, err := graphops.Decode(content)
	if err != nil {
		return nil, nil, "", err
	}
	if m.HasExternalData() {
		return nil, nil, "", errors.New("has weights elsewhere")
	}
	made, err := inputs.Generate(graphops.NamedTypes(m.Graph().FeedInputs()), inputs.Options{MaxBytes: 1 << 20, Model: m})
	if err != nil {
		return nil, nil, "", err
	}
	first, err := e.outputs(m, made.Feeds)
	if err != nil {
		return nil, nil, "", err
	}
	if again, err := e.outputs(m, made.Feeds); err != nil || again != first {
		return nil, nil, "", fmt.Errorf("two runs differ: %w", err)
	}
	return m, made.Feeds, first, nil
}

// outputs is a digest of what a model computes without optimizations. A failure is tried
// again in a new worker: one may have no memory left.
func (e *editing) outputs(m *graphops.Model, feeds graphops.Feeds) (string, error) {
	sum, err := e.outputsOnce(m, feeds)
	if err != nil {
		e.fresh()
		sum, err = e.outputsOnce(m, feeds)
	}
	return sum, err
}

func (e *editing) outputsOnce(m *graphops.Model, feeds graphops.Feeds) (string, error) {
	content := graphtest.Encode(e.t, m)
	loaded, err := e.worker().Load(e.t.Context(), ort.Model{Bytes: content, Name: mutantName}, ort.SessionOptions{Optimization: ort.OptimizeDisable, IntraThreads: 1})
	if err != nil {
		e.survive(err)
		return "", fmt.Errorf("%w: %w", errLoading, err)
	}
	var want []graphops.Want
	for _, out := range loaded.Outputs() {
		want = append(want, graphops.Want{Name: out.Name, Elements: true})
	}
	left := graphops.Feeds{}
	for _, v := range m.Graph().FeedInputs() {
		left[v.Name()] = feeds[v.Name()]
	}
	sum := sha256.New()
	err = loaded.Run(e.t.Context(), left, want, func(g graphops.Got) error {
		for at, t := range g.Value.Tensors() {
			fmt.Fprintln(sum, g.Name, at, t.DType, t.Shape, t.Strings, t.Data)
		}
		return nil
	})
	if err != nil {
		e.survive(err)
		return "", err
	}
	return string(sum.Sum(nil)), nil
}

// survive replaces a worker that a model brought down.
func (e *editing) survive(err error) {
	if judge(ort.Loading, err).fails() {
		e.fresh()
	}
}

// bfloat16 runs the command's own step, which judges its result.
func (e *editing) bfloat16(name string, p *onnxpb.ModelProto) {
	content, err := proto.Marshal(p)
	if err != nil {
		return
	}
	m, err := graphops.Decode(content)
	if err != nil {
		return
	}
	s := &steps.Quantize{Mode: "bfloat16"}
	s.NoTrial = true
	_, err = s.Run(e.t.Context(), session.Env{Progress: func(session.Progress) {}}, m)
	switch {
	case err != nil && strings.Contains(err.Error(), "fault of lathe"):
		e.count("bfloat16", "wrong")
		e.t.Errorf("%s: bfloat16: %v", name, err)
	case err != nil:
		e.count("bfloat16", "nothing to do, or refused")
	default:
		e.count("bfloat16", "right")
	}
}

// renamedInside gives all values of the main graph other names that are no inputs, outputs
// or initializers.
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

// bypassedOne bypasses the first node that can be.
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

// staticByOneRange quantizes a model statically, all of whose values have one range.
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
