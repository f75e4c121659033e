//go:build cgo

package evaluate_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/evaluate"
	"lathe/graphops/graphtest"
	"lathe/graphops/opschema"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
	"lathe/session/ort/orttest"
	"lathe/session/sessiontest"
)

var (
	evaluations     = flag.Int("evaluations", 40, "how many nodes of each operator, in each version")
	evaluationsFrom = flag.Uint64("evaluations-from", 1, "the seed that nodes are made from")
)

// TestEvaluate computes random nodes of every known operator, and lets ONNX Runtime compute them, too.
// The bits must be the same.
func TestEvaluate(t *testing.T) {
	w := sessiontest.Workers(t)
	known := evaluate.Operators()
	versions := []int64{10, 13, 23}
	if *evaluations > 40 {
		versions = []int64{8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 21, 23}
	}
	for _, version := range versions {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			random := rand.New(rand.NewPCG(*evaluationsFrom, uint64(version)))
			var nodes []evaluated
			for _, op := range slices.Sorted(maps.Keys(known)) {
				if known[op] > version {
					continue
				}
				for range *evaluations {
					for range 50 { // until the runtime has a kernel for it
						if n, ok := newEvaluated(random, op, version); ok {
							nodes = append(nodes, n)
							break
						}
					}
				}
			}
			counts := map[string]int{}
			compareEvaluated(t, w, computed(t, nodes), counts)
			for _, op := range slices.Sorted(maps.Keys(known)) {
				if known[op] <= version && counts[op]*4 < *evaluations {
					t.Errorf("only %d of %d nodes of %s were compared", counts[op], *evaluations, op)
				}
			}
			t.Log(counts)
		})
	}
}

// evaluated is a node whose inputs are constants.
type evaluated struct {
	op         string
	version    int64
	inputs     []*graphops.Tensor
	attributes []*graphops.Attribute
	outputs    int
	made       []*graphops.Tensor // the outputs, as they were computed
}

func (e evaluated) String() string {
	text := fmt.Sprintf("%s-%d", e.op, e.version)
	for _, t := range e.inputs {
		text += fmt.Sprintf(" %s%v", t.DType(), t.Dims())
		if n, _ := t.Elements(); n <= 8 {
			if v, err := t.Read(); err == nil {
				list, _ := v.Texts()
				text += fmt.Sprint(list)
			}
		}
	}
	for _, a := range e.attributes {
		text += fmt.Sprintf(" %s=%d%v%q", a.Name(), a.Int(), a.Ints(), a.Text())
	}
	return text
}

// failsBefore130 reports whether the runtime is older than 1.30 and cannot run the node: some of these
// versions divide by 0 in a OneHot without indices and have no kernel for a Trilu of int32.
func (e evaluated) failsBefore130() bool {
	n, _ := e.inputs[0].Elements()
	lib, err := orttest.Find()
	return err == nil && opschema.CompareReleases(lib.Version, "1.30") < 0 &&
		(e.op == "OneHot" && n == 0 || e.op == "Trilu" && e.inputs[0].DType() == tensor.I32)
}

// compareEvaluated runs nodes together. If the runtime refuses one of them, it runs each half.
func compareEvaluated(t *testing.T, w graphops.Runner, nodes []evaluated, counts map[string]int) {
	t.Helper()
	if len(nodes) == 0 {
		return
	}
	m, want := evaluatedModel(t, nodes)
	got := map[string]tensor.Tensor{}
	err := w.Run(t.Context(), m, nil, graphops.Whole(want...), func(g graphops.Got) error {
		got[g.Name] = g.Value.Tensor
		return nil
	})
	switch {
	case err != nil && len(nodes) == 1 && nodes[0].failsBefore130():
		return
	case err != nil && len(nodes) == 1:
		t.Errorf("%s: ONNX Runtime refuses it: %v", nodes[0], err)
		return
	case err != nil:
		compareEvaluated(t, w, nodes[:len(nodes)/2], counts)
		compareEvaluated(t, w, nodes[len(nodes)/2:], counts)
		return
	}
	for i, n := range nodes {
		counts[n.op]++
		for k, o := range n.made {
			v, err := o.Read()
			if err != nil {
				t.Errorf("%s: %v", n, err)
				continue
			}
			if w := got[fmt.Sprintf("y%d_%d", i, k)]; v.DType != w.DType || !slices.Equal(v.Shape, w.Shape) || !bytes.Equal(v.Data, w.Data) || !slices.Equal(v.Strings, w.Strings) {
				a, _ := v.Texts()
				b, _ := w.Texts()
				at := 0
				for at < min(len(a), len(b))-1 && a[at] == b[at] {
					at++
				}
				t.Errorf("%s: output %d is %s%v %s, ONNX Runtime has %s%v %s (element %d)", n, k, v.DType, v.Shape, some(a, at), w.DType, w.Shape, some(b, at), at)
			}
		}
	}
}

// computed returns the nodes that can be computed without a runtime, with their outputs.
func computed(t *testing.T, nodes []evaluated) []evaluated {
	t.Helper()
	m, _ := evaluatedModel(t, nodes)
	inferred, err := shape.Infer(t.Context(), m, shape.Options{Fresh: true})
	if err != nil {
		t.Fatal(err)
	}
	var out []evaluated
	for i, n := range nodes {
		var types []evaluate.Type
		place, x := m.Places()[0], m.Graph().Index()
		for k := range n.outputs {
			id, _ := x.Value(fmt.Sprintf("y%d_%d", i, k))
			types = append(types, evaluatedType(inferred.Value(place, id)))
		}
		n.made, err = evaluate.Compute(t.Context(), &graphops.Scratch{}, n.node(types))
		switch {
		case err == nil:
			out = append(out, n)
		case !errors.Is(err, evaluate.ErrUnable):
			t.Errorf("%s: %v", n, err)
		}
	}
	return out
}

func some(list []string, at int) string {
	return strings.Join(list[min(at, len(list)):min(at+4, len(list))], " ")
}

func evaluatedType(v shape.Value) evaluate.Type {
	t := evaluate.Type{Elem: v.Elem}
	if v.Dims == nil {
		return t
	}
	t.Dims = []int64{}
	for _, d := range v.Dims {
		n, ok := d.Number()
		if !ok {
			return evaluate.Type{Elem: v.Elem}
		}
		t.Dims = append(t.Dims, n)
	}
	return t
}

func (e evaluated) node(types []evaluate.Type) evaluate.Node {
	return evaluate.Node{
		Op: e.op, Version: e.version, Inputs: e.inputs, Outputs: types,
		Attribute: func(name string) (*graphops.Attribute, bool) {
			i := slices.IndexFunc(e.attributes, func(a *graphops.Attribute) bool { return a.Name() == name })
			if i < 0 {
				return nil, false
			}
			return e.attributes[i], true
		},
	}
}

// evaluatedModel has nodes i with inputs xi_k and outputs yi_k.
func evaluatedModel(t *testing.T, nodes []evaluated) (m *graphops.Model, outputs []string) {
	t.Helper()
	e := graphops.Edit(graphtest.Model(t, fmt.Sprintf("opset %d", nodes[0].version)))
	for i, n := range nodes {
		spec := graphops.NodeSpec{Op: n.op, Name: fmt.Sprint(n.op, i), Attributes: n.attributes}
		for k, in := range n.inputs {
			name := fmt.Sprintf("x%d_%d", i, k)
			spec.Inputs = append(spec.Inputs, name)
			e.Initializers = append(e.Initializers, in.WithName(name))
		}
		for k := range n.outputs {
			name := fmt.Sprintf("y%d_%d", i, k)
			spec.Outputs = append(spec.Outputs, name)
			outputs = append(outputs, name)
		}
		e.Nodes = append(e.Nodes, graphops.NewNode(spec))
	}
	m = e.Model()
	inferred, err := shape.Infer(context.Background(), m, shape.Options{Fresh: true})
	if err != nil {
		t.Fatal(err)
	}
	e = graphops.Edit(m)
	place, x := m.Places()[0], m.Graph().Index()
	for _, name := range outputs {
		id, _ := x.Value(name)
		e.Outputs = append(e.Outputs, graphops.NewValueInfo(name, graphops.Type{Kind: graphops.TypeTensor, Elem: inferred.Value(place, id).Elem}))
	}
	return e.Model(), outputs
}
