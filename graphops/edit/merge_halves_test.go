package edit_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/graphops/reference"
	"lathe/graphops/shape"
)

// TestMergeHalves cuts models in two at random values and puts the halves
// together again: every output must be computed as it was.
func TestMergeHalves(t *testing.T) {
	own, err := filepath.Glob("../../testdata/*.onnx")
	if err != nil || len(own) == 0 {
		t.Fatal("no models in testdata", err)
	}
	halve(t, own, 6)
}

// TestMergeHalvesOfOthers does the same to models that others made.
func TestMergeHalvesOfOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	halve(t, reference.Shared.Models(t), 2)
}

func halve(t *testing.T, paths []string, times int) {
	merged := 0
	for _, path := range paths {
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil || len(m.MissingExternal()) > 0 {
			t.Logf("%s: left out: %v", path, err)
			continue
		}
		rng := rand.New(rand.NewPCG(7, uint64(len(m.Graph().Nodes()))))
		want := outputDigests(t, m)
		sound := len(graphtest.Problems(m)) == 0
		for range times {
			cuts := randomValues(rng, m.Graph())
			types := madeTypes(t, m, cuts)
			first, err := pruned(m, graphops.PruneOptions{Outputs: cuts}, types)
			if err != nil {
				continue // such as a value that nothing defines
			}
			second, err := pruned(m, graphops.PruneOptions{Inputs: cuts}, types)
			if err != nil {
				continue
			}
			if len(cuts) == 0 {
				break
			}
			next, report, err := edit.Merge(t.Context(), first, second, edit.MergeOptions{})
			if err != nil {
				t.Errorf("%s cut at %q: %v", path, cuts, err)
				continue
			}
			merged++
			if problems := graphtest.Problems(next); sound && len(problems) > 0 {
				t.Errorf("%s cut at %q: %q; %+v", path, cuts, problems, report)
			}
			got := outputDigests(t, next)
			for i, o := range m.Graph().Outputs() {
				if i >= len(next.Graph().Outputs()) || next.Graph().Outputs()[i].Name() != o.Name() || got[o.Name()] != want[o.Name()] {
					t.Errorf("%s cut at %q: output %q is not computed as it was", path, cuts, o.Name())
				}
			}
		}
	}
	if merged < len(paths) {
		t.Errorf("%d merges of %d models, too few to tell anything", merged, len(paths))
	}
}

// madeTypes are the types of values as the graph makes them.
func madeTypes(t *testing.T, m *graphops.Model, names []string) map[string]graphops.Type {
	t.Helper()
	r, err := shape.Infer(t.Context(), m, shape.Options{NameAxes: true})
	if err != nil {
		t.Fatal(err)
	}
	main, types := m.Places()[0], map[string]graphops.Type{}
	for _, name := range names {
		id, _ := main.Graph.Index().Value(name)
		types[name] = r.ForFile(r.Believe(main, id, main.Type(id)))
	}
	return types
}

// randomValues are up to three values that nodes of the graph make.
func randomValues(rng *rand.Rand, g *graphops.Graph) []string {
	var made, out []string
	for _, n := range g.Nodes() {
		for _, o := range n.Outputs() {
			if o != "" {
				made = append(made, o)
			}
		}
	}
	for range 1 + rng.IntN(3) {
		if len(made) > 0 {
			out = append(out, made[rng.IntN(len(made))])
		}
	}
	return out
}

// outputDigests tell for every output how it is computed: by which operators,
// from which constants, inputs and bodies, whatever the values between are called.
func outputDigests(t *testing.T, m *graphops.Model) map[string]digest {
	t.Helper()
	p := graphtest.Message(t, m)
	s := newDigester(t, p.Graph, nil)
	for _, v := range p.Graph.Input {
		s.known[v.GetName()] = sum("input", v.GetName())
	}
	s.constants()
	out := map[string]digest{}
	for _, o := range p.Graph.Output {
		out[o.GetName()] = s.value(o.GetName())
	}
	return out
}

type digest [sha256.Size]byte

func sum(parts ...any) digest { return sha256.Sum256(fmt.Appendf(nil, "%q", parts)) }

// digester finds digests of the values of one graph.
type digester struct {
	t     *testing.T
	graph *onnxpb.GraphProto
	outer *digester
	known map[string]digest
	maker map[string]*onnxpb.NodeProto
}

func newDigester(t *testing.T, g *onnxpb.GraphProto, outer *digester) *digester {
	s := &digester{t: t, graph: g, outer: outer, known: map[string]digest{}, maker: map[string]*onnxpb.NodeProto{}}
	for _, n := range g.Node {
		for _, o := range n.Output {
			s.maker[o] = n
		}
	}
	return s
}

// constants makes known what initializers hold. A Constant of the same name
// counts before one.
func (s *digester) constants() {
	for _, c := range s.graph.Initializer {
		c = proto.CloneOf(c)
		name := c.GetName()
		c.Name = nil
		s.known[name] = sum("constant", s.message(c))
	}
	for name, n := range s.maker {
		if n.GetOpType() == "Constant" {
			delete(s.known, name)
		}
	}
}

func (s *digester) message(m proto.Message) digest {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		s.t.Fatal(err)
	}
	return sha256.Sum256(b)
}

func (s *digester) value(name string) digest {
	if d, ok := s.known[name]; ok {
		return d
	}
	n := s.maker[name]
	switch {
	case n == nil && s.outer != nil:
		return s.outer.value(name)
	case n == nil:
		return sum("nothing", name)
	}
	whole := s.node(n)
	for i, o := range n.Output {
		if o != "" && s.maker[o] == n {
			s.known[o] = sum(whole, i)
		}
	}
	return s.known[name]
}

func (s *digester) node(n *onnxpb.NodeProto) digest {
	parts := []any{n.GetDomain(), n.GetOpType(), n.GetOverload()}
	for _, in := range n.Input {
		if in == "" {
			parts = append(parts, "none")
			continue
		}
		parts = append(parts, s.value(in))
	}
	for _, a := range n.Attribute {
		parts = append(parts, a.GetName())
		for _, g := range append(a.Graphs, a.G) {
			if g != nil {
				parts = append(parts, s.body(g))
			}
		}
		if a.G == nil && a.Graphs == nil {
			parts = append(parts, s.message(a))
		}
	}
	return sum(parts...)
}

// body tells what a body computes. Its inputs are known by their positions.
func (s *digester) body(g *onnxpb.GraphProto) digest {
	inner := newDigester(s.t, g, s)
	for i, v := range g.Input {
		inner.known[v.GetName()] = sum("formal", i, len(g.Node))
	}
	inner.constants()
	var parts []any
	for _, o := range g.Output {
		parts = append(parts, inner.value(o.GetName()))
	}
	return sum(parts...)
}

// pruned prunes, with the types of values that become inputs and outputs.
func pruned(m *graphops.Model, o graphops.PruneOptions, types map[string]graphops.Type) (*graphops.Model, error) {
	plan, err := graphops.PlanPrune(m, o)
	if err != nil {
		return nil, err
	}
	model, _, err := plan.Model(types)
	return model, err
}
