//go:build cgo && soak

package edit_test

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/graphops/execution"
	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/mutate"
	"lathe/graphops/onnxpb"
	"lathe/graphops/opschema"
	"lathe/graphops/reference"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/ort/crashtest"
	"lathe/session/ort/workertest"
	"lathe/session/quantization"
)

var (
	mutantsFrom = flag.Uint64("mutants-from", 1, "the number of the first mutant")
	mutants     = flag.Uint64("mutants", 600, "how many mutants are edited")
)

// TestEditsOfMutants edits mutants that run, as they are and in IR version 3.
func TestEditsOfMutants(t *testing.T) {
	bases := slices.Concat(mutate.Bases(t), mutate.Files(t, reference.Testdata.Dir(t), 64<<10), mutate.Files(t, mutate.Conformance, 8<<10))
	e := newEditing(t)
	for number := *mutantsFrom; number < *mutantsFrom+*mutants; number++ {
		m, did := mutate.Numbered(bases, number)
		e.all(fmt.Sprintf("mutant %d (%s)", number, did), m)
	}
	e.report()
}

// TestEditsOfModels edits the models of the corpora.
func TestEditsOfModels(t *testing.T) {
	e := newEditing(t)
	for _, folder := range []string{reference.Testdata.Dir(t), mutate.Conformance, reference.Shared.Dir(t)} {
		for _, base := range mutate.Files(t, folder, 1<<20) {
			e.all(base.Name, base.Model)
		}
	}
	e.report()
}

// editing makes edits and counts their results by the name of the edit.
type editing struct {
	*crashtest.Trial
	t      *testing.T
	counts map[string]map[string]int
}

func newEditing(t *testing.T) *editing {
	return &editing{crashtest.New(t, workertest.Options(t)), t, map[string]map[string]int{}}
}

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

// all makes every edit of a model as it is, and in IR version 3 with and without its initializers
// among the inputs.
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

// early changes a model to IR version 3.
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
		after, err := e.edited(x, next, feeds)
		if err == nil && x.exact && before != after {
			before, after = e.runAgain(m, next, feeds)
		}
		if err != nil || x.exact && before != after {
			if reason := e.pardoned(x, m, err); reason != "" {
				e.count(x.name, "justified: "+reason)
				continue
			}
		}
		switch {
		case err != nil && !x.exact && !isLoading(err):
			e.count(x.name, "loads and does not run")
			e.t.Logf("%s: %s: %v", name, x.name, err)
		case err != nil:
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

// pardoned returns the reason why an edit need not keep its promise for a model, or "".
func (e *editing) pardoned(x soundEdit, m *graphops.Model, failure error) string {
	if failure != nil && (crashtest.Judge(ort.Running, failure).Fails() || strings.Contains(failure.Error(), "memory")) {
		return "too large for the worker"
	}
	if failure != nil && x.name == "cast around" && isLoading(failure) {
		return "the runtime refuses the other type, which the command would report"
	}
	problems, err := check.Model(e.t.Context(), m, check.Options{})
	if err != nil || slices.ContainsFunc(problems, func(p check.Problem) bool { return p.Severity == check.Error }) {
		return "the original has errors"
	}
	if failure != nil && strings.Contains(failure.Error(), "Shape mismatch attempting to re-use buffer") {
		return "the runtime infers another shape than its kernel makes, and the edit moves what is in memory"
	}
	if x.exact && len(m.Graph().Index().Overruled) > 0 {
		return "which of several constants of one name is read depends on their size and place"
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

// runAgain runs a model and its edited form once more, each in a new worker. The place of tensors in
// memory decides how some kernels round.
func (e *editing) runAgain(m, next *graphops.Model, feeds graphops.Feeds) (before, after string) {
	e.Fresh()
	before, _ = e.outputs(m, feeds)
	e.Fresh()
	after, _ = e.outputs(next, feeds)
	return before, after
}

// errLoading means that a model does not load.
var errLoading = errors.New("does not load")

func isLoading(err error) bool { return errors.Is(err, errLoading) }

// original runs a model twice. It leaves out a model that draws random numbers or reads uninitialized
// memory.
func (e *editing) original(p *onnxpb.ModelProto) (*graphops.Model, graphops.Feeds, string, error) {
	content, err := proto.MarshalOptions{Deterministic: true}.Marshal(p)
	if err != nil {
		return nil, nil, "", err
	}
	m, err := graphops.Decode(content)
	if err != nil {
		return nil, nil, "", err
	}
	if m.HasExternalData() || drawsNumbers(m) {
		return nil, nil, "", errors.New("has external weights, or draws random numbers")
	}
	feeds, err := generated(m)
	if err != nil {
		return nil, nil, "", err
	}
	first, err := e.outputs(m, feeds)
	if err != nil {
		return nil, nil, "", err
	}
	if again, err := e.outputs(m, feeds); err != nil || again != first {
		return nil, nil, "", fmt.Errorf("two runs differ: %w", err)
	}
	return m, feeds, first, nil
}

func drawsNumbers(m *graphops.Model) bool {
	for n := range m.AllNodes() {
		if opschema.DrawsOf(n.Domain(), n.OpType()) != opschema.DrawsNever {
			return true
		}
	}
	return false
}

func generated(m *graphops.Model) (graphops.Feeds, error) {
	made, err := inputs.Generate(graphops.NamedTypes(m.Graph().FeedInputs()), inputs.Options{MaxBytes: 1 << 20, Model: m})
	if err != nil {
		return nil, err
	}
	return made.Feeds, nil
}

// edited is a digest of what an edited model computes: on the original's inputs if the edit promises
// the same bits, otherwise on inputs of its own, whose types may differ.
func (e *editing) edited(x soundEdit, next *graphops.Model, feeds graphops.Feeds) (string, error) {
	if x.exact {
		return e.outputs(next, feeds)
	}
	own, err := generated(next)
	if err != nil {
		return "", err
	}
	return e.outputs(next, own)
}

// outputs is a digest of what a model computes without optimizations. It tries again in a new worker
// if the first may have run out of memory.
func (e *editing) outputs(m *graphops.Model, feeds graphops.Feeds) (string, error) {
	sum, err := e.outputsOnce(m, feeds)
	if err != nil {
		e.Fresh()
		sum, err = e.outputsOnce(m, feeds)
	}
	return sum, err
}

func (e *editing) outputsOnce(m *graphops.Model, feeds graphops.Feeds) (string, error) {
	content := graphtest.Encode(e.t, m)
	loaded, err := e.Load(ort.Model{Bytes: content, Name: crashtest.ModelName}, ort.OptimizeDisable)
	if err != nil {
		return "", fmt.Errorf("%w: %w", errLoading, err)
	}
	var want []execution.Want
	for _, out := range loaded.Outputs() {
		want = append(want, execution.Want{Name: out.Name, Elements: true})
	}
	left := graphops.Feeds{}
	for _, v := range m.Graph().FeedInputs() {
		left[v.Name()] = feeds[v.Name()]
	}
	sum := sha256.New()
	err = loaded.Run(e.t.Context(), left, want, func(g execution.Got) error {
		for at, t := range g.Value.Tensors() {
			fmt.Fprintln(sum, g.Name, at, t.DType, t.Shape, t.Strings, t.Data)
		}
		return nil
	})
	if err != nil {
		e.Survive(err)
		return "", err
	}
	return string(sum.Sum(nil)), nil
}

// bfloat16 runs the step, which checks its own result.
func (e *editing) bfloat16(name string, p *onnxpb.ModelProto) {
	content, err := proto.Marshal(p)
	if err != nil {
		return
	}
	m, err := graphops.Decode(content)
	if err != nil {
		return
	}
	s := &quantization.Quantization{Mode: "bfloat16"}
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
