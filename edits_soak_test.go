//go:build soak

package main

import (
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
	"lathe/graphops/check"
	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/mutate"
	"lathe/graphops/onnxpb"
	"lathe/graphops/opschema"
	"lathe/graphops/reference"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/steps"
)

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
		after, err := e.edited(x, next, feeds)
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

// pardoned tells why an edit of a model may not keep what it promises, "" if it must.
func (e *editing) pardoned(x soundEdit, m *graphops.Model, failure error) string {
	if failure != nil && (judge(ort.Running, failure).fails() || strings.Contains(failure.Error(), "memory")) {
		return "too large for the worker"
	}
	if failure != nil && x.name == "cast around" && isLoading(failure) {
		return "the runtime refuses the other type, of which the command asks it"
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

// original runs a model twice. One that draws numbers is left out, and so is one that reads
// what nobody wrote.
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
		return nil, nil, "", errors.New("has weights elsewhere, or draws numbers")
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

// edited is a digest of what an edited model computes: of the original's inputs if the edit
// promises the same bits, else of its own, which may be of other types.
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
