package mutate

import (
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/onnxpb"
)

// New returns a mutant of base and a description of the changes. Replacement operators and
// additional nodes come from the other bases. The same seed always gives the same mutant.
func New(base Base, others []Base, seed uint64) (*onnxpb.ModelProto, string) {
	m := mutatorOf(base, others, seed)
	var done []string
	for range 1 + m.rng.IntN(3) {
		for range maxTries {
			if did := m.change(); did != "" {
				done = append(done, did)
				break
			}
		}
	}
	return m.model, strings.Join(done, "; ")
}

// Numbered returns a mutant of one of the bases. It also returns the name of that base and a
// description of the changes. The same number always gives the same mutant.
func Numbered(bases []Base, number uint64) (*onnxpb.ModelProto, string) {
	base := bases[rand.New(rand.NewPCG(number, 0)).IntN(len(bases))]
	m, did := New(base, bases, number)
	return m, base.Name + ": " + did
}

// maxTries is how often another change is chosen if the chosen one does not apply to the model.
const maxTries = 20

// mutator changes one model.
type mutator struct {
	rng    *rand.Rand
	model  *onnxpb.ModelProto
	others []Base
}

// changes are the possible changes. Each is chosen with a probability proportional to its weight.
// It returns a description, or "" if it does not apply to the model.
var changes = []struct {
	weight int
	do     func(*mutator) string
}{
	{30, (*mutator).attribute},
	{6, (*mutator).dropAttribute},
	{6, (*mutator).foreignAttribute},
	{30, (*mutator).element},
	{12, (*mutator).tensorShape},
	{5, (*mutator).tensorType},
	{12, (*mutator).inputShape},
	{4, (*mutator).inputType},
	{12, (*mutator).pin},
	{4, (*mutator).outputType},
	{10, (*mutator).argument},
	{5, (*mutator).operator},
	{4, (*mutator).opset},
	{5, (*mutator).follow},
	{3, (*mutator).cycle},
	{3, (*mutator).nest},
	{2, (*mutator).call},
	{2, (*mutator).rename},
}

func mutatorOf(base Base, others []Base, seed uint64) *mutator {
	name := fnv.New64a()
	name.Write([]byte(base.Name))
	return &mutator{
		rng:    rand.New(rand.NewPCG(seed, name.Sum64())),
		model:  proto.CloneOf(base.Model),
		others: others,
	}
}

func (m *mutator) change() string {
	total := 0
	for _, c := range changes {
		total += c.weight
	}
	at := m.rng.IntN(total)
	for _, c := range changes {
		if at -= c.weight; at < 0 {
			return c.do(m)
		}
	}
	return ""
}

// graphs returns the main graph and all bodies below it.
func (m *mutator) graphs() []*onnxpb.GraphProto {
	return bodies(m.model.GetGraph())
}

func bodies(g *onnxpb.GraphProto) []*onnxpb.GraphProto {
	all := []*onnxpb.GraphProto{g}
	for _, n := range g.GetNode() {
		for _, a := range n.GetAttribute() {
			if a.GetG() != nil {
				all = append(all, bodies(a.GetG())...)
			}
			for _, b := range a.GetGraphs() {
				all = append(all, bodies(b)...)
			}
		}
	}
	return all
}

// nodes returns the nodes of all graphs and functions.
func (m *mutator) nodes() []*onnxpb.NodeProto {
	var all []*onnxpb.NodeProto
	for _, g := range m.graphs() {
		all = append(all, g.GetNode()...)
	}
	for _, f := range m.model.GetFunctions() {
		all = append(all, f.GetNode()...)
	}
	return all
}

// tensors returns the constants: initializers, and those in attributes.
func (m *mutator) tensors() []*onnxpb.TensorProto {
	var all []*onnxpb.TensorProto
	for _, g := range m.graphs() {
		all = append(all, g.GetInitializer()...)
	}
	for _, n := range m.nodes() {
		for _, a := range n.GetAttribute() {
			if a.GetT() != nil {
				all = append(all, a.GetT())
			}
		}
	}
	return all
}

// pick returns a random element of a list, or the zero value if the list is empty.
func pick[T any](m *mutator, list []T) (one T) {
	if len(list) == 0 {
		return one
	}
	return list[m.rng.IntN(len(list))]
}
