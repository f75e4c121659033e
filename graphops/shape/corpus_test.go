package shape_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/mutate"
	"lathe/graphops/onnxpb"
	"lathe/graphops/reference"
	"lathe/graphops/shape"
)

// told is everything that an inference tells, as text. Bodies and functions are
// among the places.
func told(t testing.TB, m *graphops.Model) map[string]string {
	t.Helper()
	r, err := shape.Infer(t.Context(), m, shape.Options{})
	if err != nil {
		return map[string]string{"error": err.Error()}
	}
	out := map[string]string{}
	for _, p := range m.Places() {
		x := p.Graph.Index()
		for v := range graphops.ValueID(x.Values()) {
			value := r.Value(p, v)
			out[fmt.Sprintf("%s: %q", p, x.Name(v))] = value.Type.String() + value.Elements()
		}
	}
	return out
}

// differing names a value that two inferences tell different things of, "" if there is
// none.
func differing(a, b map[string]string) string {
	for name, text := range a {
		if b[name] != text {
			return fmt.Sprintf("%s is %s, and then %s", name, text, b[name])
		}
	}
	if len(a) != len(b) {
		return fmt.Sprintf("%d values, and then %d", len(a), len(b))
	}
	return ""
}

// steady infers a model twice, and once more with its nodes shuffled. It panics
// where Infer does.
func steady(t testing.TB, p *onnxpb.ModelProto, r *rand.Rand) (fault string) {
	t.Helper()
	defer func() {
		if e := recover(); e != nil {
			fault = fmt.Sprintf("panic: %v\n%s", e, debug.Stack())
		}
	}()
	m, err := decode(p)
	if err != nil {
		return ""
	}
	first := told(t, m)
	if d := differing(first, told(t, m)); d != "" {
		return "a second time: " + d
	}
	if _, err := m.Graph().Order(); err != nil || len(m.Graph().Index().Duplicates)+len(m.Graph().Index().Overruled) > 0 {
		return ""
	}
	nodes := p.Graph.Node
	r.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
	shuffled, err := decode(p)
	if err != nil {
		return err.Error()
	}
	if len(m.Places()) > 1 { // the names of places hold positions of nodes
		told(t, shuffled)
		return ""
	}
	if d := differing(first, told(t, shuffled)); d != "" {
		return "shuffled: " + d
	}
	return ""
}

func decode(p *onnxpb.ModelProto) (*graphops.Model, error) {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(p)
	if err != nil {
		return nil, err
	}
	return graphops.Decode(b)
}

// TestSteady infers the models of the corpora, as they are and shuffled.
func TestSteady(t *testing.T) {
	t.Run("testdata", func(t *testing.T) { steadyFiles(t, reference.Testdata.Models(t), 1) })
	t.Run("shared", func(t *testing.T) { steadyFiles(t, reference.Shared.Models(t), 1) })
	t.Run("others", func(t *testing.T) {
		nth := 1
		if reference.Others() == reference.Debian {
			nth = 10
		}
		steadyFiles(t, reference.Others().Models(t), nth)
	})
}

// steadyFiles takes every nth file that is not large.
func steadyFiles(t *testing.T, files []string, nth int) {
	t.Helper()
	const large = 16 << 20
	r, checked := rand.New(rand.NewPCG(1, 2)), 0
	for i := 0; i < len(files); i += nth {
		b, err := os.ReadFile(files[i])
		if err != nil || len(b) > large {
			continue
		}
		var p onnxpb.ModelProto
		if proto.Unmarshal(b, &p) != nil || p.Graph == nil {
			continue
		}
		checked++
		if fault := steady(t, &p, r); fault != "" {
			t.Errorf("%s: %s", files[i], fault)
		}
	}
	t.Logf("%d models", checked)
}

// TestMutants infers models that are nearly valid.
func TestMutants(t *testing.T) {
	bases := mutate.Bases(t)
	r := rand.New(rand.NewPCG(3, 4))
	for seed := range uint64(1_000) {
		base := bases[seed%uint64(len(bases))]
		p, changes := mutate.New(base, bases, seed)
		if p.Graph == nil {
			continue
		}
		if fault := steady(t, p, r); fault != "" {
			t.Errorf("%s, seed %d, %s: %s", base.Name, seed, changes, fault)
		}
	}
}

// FuzzInfer mutates models and infers them.
func FuzzInfer(f *testing.F) {
	bases := mutate.Bases(f)
	for name, text := range hostileModels {
		bases = append(bases, mutate.Base{Name: name, Model: graphtest.Proto(f, text)})
	}
	for i := range bases {
		f.Add(uint64(i), uint(i))
	}
	f.Fuzz(func(t *testing.T, seed uint64, which uint) {
		base := bases[which%uint(len(bases))]
		p, changes := mutate.New(base, bases, seed)
		if p.Graph == nil {
			return
		}
		if fault := steady(t, p, rand.New(rand.NewPCG(seed, 1))); fault != "" {
			t.Errorf("%s: %s: %s", base.Name, changes, fault)
		}
	})
}
