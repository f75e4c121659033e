//go:build cgo && soak

package reduce_test

import (
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/proof"
	"lathe/session/reduce"
	"lathe/session/sessiontest"
)

var ownModels = []string{
	"../../testdata/gather_mlp.onnx", "../../testdata/cnn_batch1.onnx", "../../testdata/vit_batch1.onnx", "../../testdata/text_classifier.onnx",
}

var (
	plantModels = flag.String("plant-models", strings.Join(ownModels, ","), "paths of models, with commas")
	plantFaults = flag.Int("plant-faults", 2, "faults of each kind in each model")
	plantSeed   = flag.Uint64("plant-seed", 1, "seed")
	plantLevel  = flag.String("plant-level", "disable", "how far b is optimized")
)

// plants are faults of a node: they change what it computes, or keep it from loading.
var plants = []struct {
	name string
	put  func(e *graphops.Editor, m *graphops.Model, node int, rng *rand.Rand) bool
}{
	{"weight", weight}, {"operator", operator}, {"unknown operator", unknown}, {"unknown attribute", attribute}, {"type", typed},
}

func weight(e *graphops.Editor, m *graphops.Model, node int, rng *rand.Rand) bool {
	n, x := e.Nodes[node], m.Graph().Index()
	for i, name := range n.Inputs() {
		v, ok := x.Value(name)
		if !ok || x.Initializer(v) == nil || x.Initializer(v).DType() != tensor.F32 || slices.Contains([]string{"Resize", "Clip", "Pad", "QuantizeLinear", "DequantizeLinear"}, n.OpType()) {
			continue
		}
		w, err := x.Initializer(v).Read()
		if err != nil || w.Len() == 0 {
			return false
		}
		list, err := w.Float64s()
		if err != nil {
			return false
		}
		largest := 0.0
		for _, x := range list {
			largest = max(largest, math.Abs(x))
		}
		list[rng.IntN(len(list))] += 0.5*largest + 0.01
		changed, err := tensor.FromFloat64s(tensor.F32, list, w.Shape...)
		if err != nil {
			return false
		}
		fresh := e.Names().Value(name + "_faulty")
		e.Initializers = append(e.Initializers, graphops.NewTensorOf(fresh, changed))
		inputs := slices.Clone(n.Inputs())
		inputs[i] = fresh
		e.Nodes[node] = n.WithInputs(inputs)
		return true
	}
	return false
}

func operator(e *graphops.Editor, _ *graphops.Model, node int, _ *rand.Rand) bool {
	n := e.Nodes[node]
	to, ok := map[string]string{"Relu": "Softplus", "Add": "Sub", "Sub": "Add", "Mul": "Add", "Div": "Mul", "Tanh": "Sigmoid", "Sqrt": "Exp", "Erf": "Tanh", "Softmax": "LogSoftmax"}[n.OpType()]
	if ok {
		e.Nodes[node] = graphops.NewNode(graphops.NodeSpec{Op: to, Name: n.Name(), Inputs: n.Inputs(), Outputs: n.Outputs(), Attributes: n.Attributes()})
	}
	return ok
}

func unknown(e *graphops.Editor, _ *graphops.Model, node int, _ *rand.Rand) bool {
	n := e.Nodes[node]
	e.SetOpset("nowhere", 1)
	e.Nodes[node] = graphops.NewNode(graphops.NodeSpec{Op: n.OpType(), Domain: "nowhere", Name: n.Name(), Inputs: n.Inputs(), Outputs: n.Outputs()})
	return true
}

func attribute(e *graphops.Editor, _ *graphops.Model, node int, _ *rand.Rand) bool {
	n := e.Nodes[node]
	e.Nodes[node] = n.WithAttributes(append(slices.Clone(n.Attributes()), graphops.IntAttribute("no_such_thing", 1)))
	return n.Domain() == graphops.DefaultDomain && n.OpType() != "Constant"
}

// typed casts one of several inputs to another type.
func typed(e *graphops.Editor, _ *graphops.Model, node int, _ *rand.Rand) bool {
	n := e.Nodes[node]
	if !slices.Contains([]string{"Add", "Mul", "Sub", "Div", "MatMul", "Concat"}, n.OpType()) {
		return false
	}
	inputs := slices.Clone(n.Inputs())
	cast := e.Names().Value(inputs[0] + "_cast")
	to := graphops.NewNode(graphops.NodeSpec{
		Op: "Cast", Name: "planted", Inputs: []string{inputs[0]}, Outputs: []string{cast},
		Attributes: []*graphops.Attribute{graphops.IntAttribute("to", int64(tensor.C64))},
	})
	if n.OpType() != "Concat" {
		to = graphops.NewNode(graphops.NodeSpec{Op: "Cast", Name: "planted", Inputs: []string{inputs[0]}, Outputs: []string{cast}, Attributes: []*graphops.Attribute{graphops.IntAttribute("to", int64(tensor.Bool))}})
	}
	inputs[0] = cast
	e.Nodes[node] = n.WithInputs(inputs)
	e.Nodes = slices.Insert(e.Nodes, node, to)
	return true
}

// TestPlants puts faults into random nodes of models. The faulty node must be in the reduced model,
// with at most one other node.
func TestPlants(t *testing.T) {
	for path := range strings.SplitSeq(*plantModels, ",") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			m, err := graphops.Open(path, graphops.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			p := proof.Prover{Runner: sessiontest.Workers(t)}
			sizes, err := p.Settle(t.Context(), m, nil)
			if err != nil {
				t.Skip(err)
			}
			in, err := p.Feeds(m, sizes, 1)
			if err != nil {
				t.Skip(err)
			}
			s := sides(t, *plantLevel)
			for k, plant := range plants {
				rng := rand.New(rand.NewPCG(*plantSeed, uint64(k)))
				done := 0
				for _, node := range rng.Perm(len(m.Graph().Nodes())) {
					if done == *plantFaults {
						break
					}
					n := m.Graph().Nodes()[node]
					e := graphops.Edit(m)
					if len(n.Outputs()) == 0 || n.Outputs()[0] == "" || !plant.put(e, m, node, rng) {
						continue
					}
					part := reduce.Part{A: m, B: e.Model(), Feeds: in}
					r, err := reduce.Reduce(t.Context(), part, s, reduce.Options{})
					if errors.Is(err, reduce.ErrSound) {
						continue // the fault does not reach an output
					}
					if err != nil {
						t.Errorf("%s in %q (%s): %v", plant.name, n.Name(), n.OpType(), err)
						continue
					}
					done++
					var ops []string
					has := false
					for _, x := range r.B.Graph().Nodes() {
						if x.OpType() != "Constant" || x.Outputs()[0] == n.Outputs()[0] {
							ops = append(ops, x.OpType())
						}
						has = has || slices.Contains(x.Outputs(), n.Outputs()[0])
					}
					t.Logf("%s in %q (%s): %s, %d → %d nodes %q, %d inputs, %d tried, %v", plant.name, n.Name(), n.OpType(), r.Symptom.Kind, r.From, r.Nodes, ops, len(r.B.Graph().FeedInputs()), r.Tried, r.Took.Round(1e6))
					if !has || len(ops) > 2 || !r.Minimal {
						t.Errorf("%s in %q (%s): left %q, minimal %v", plant.name, n.Name(), n.OpType(), ops, r.Minimal)
					}
				}
			}
		})
	}
}
