package roles_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/mutate"
	"lathe/graphops/roles"
)

// TestModels finds the roles of models that others made, and counts what is known by what.
func TestModels(t *testing.T) {
	for _, e := range []struct{ pattern, want string }{
		{"llm/*/model.onnx", "66 ports: ids 6, logits 6, mask 6, past 24, present 24; operator 48, structure 18"},
		{"optimum/t5/*.onnx", "51 ports: branch 1, encoded 2, hidden 1, ids 4, logits 3, mask 4, past 16, present 20; structure 51"},
		{"optimum/whisper/*.onnx", "47 ports: branch 1, encoded 2, features 1, hidden 1, ids 3, logits 3, past 16, present 20; structure 47"},
		{"text/*.onnx", "37 ports: embeddings 1, hidden 2, ids 2, mask 1, past 13, present 13, segments 1, unknown 4; none 4, structure 33"},
		{"control/tiny_gpt2_beamsearch.onnx", "8 ports: generated 1, ids 1, setting 6; operator 8"},
	} {
		paths, _ := filepath.Glob(filepath.Join("../../../shared/models", e.pattern))
		if len(paths) == 0 {
			t.Skip("the shared models are not here")
		}
		kinds, sources, total := map[string]int{}, map[string]int{}, 0
		for _, path := range paths {
			m, err := graphops.Open(path, graphops.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			r := of(t, m)
			for _, list := range [][]roles.Port{r.Inputs, r.Outputs} {
				for i := range list {
					total++
					kinds[list[i].Kind.String()]++
					sources[list[i].Source().String()]++
				}
			}
		}
		if got := fmt.Sprintf("%d ports: %s; %s", total, counted(kinds), counted(sources)); got != e.want {
			t.Errorf("%s: got %s, want %s", e.pattern, got, e.want)
		}
	}
}

func counted(m map[string]int) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fmt.Sprintf("%s %d", k, m[k]))
	}
	return strings.Join(out, ", ")
}

// TestMutants finds the roles of small models of every operator after a few changes. Nothing may
// panic, and each pair has to be consistent with its ports.
func TestMutants(t *testing.T) {
	bases := mutate.Bases(t)
	for _, e := range slices.Concat(examples, ports) {
		bases = append(bases, mutate.Base{Name: e.name, Model: graphtest.Proto(t, e.model)})
	}
	for i, base := range slices.Concat(bases, bases) {
		p, _ := mutate.New(base, bases, uint64(i))
		bytes, err := proto.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		m, err := graphops.Decode(bytes)
		if err != nil {
			continue // damaged
		}
		consistent(t, of(t, m))
		r, err := roles.Find(t.Context(), m, roles.Options{})
		if err != nil {
			t.Fatal(err)
		}
		consistent(t, r)
	}
}

// consistent checks what holds for all roles.
func consistent(t *testing.T, r *roles.Roles) {
	t.Helper()
	used := make([]int, len(r.Pairs))
	for _, list := range [][]roles.Port{r.Inputs, r.Outputs} {
		for i := range list {
			p := &list[i]
			if (p.Kind == roles.Unknown) != (len(p.Evidence) == 0) || (p.Kind == roles.Past || p.Kind == roles.Present) != (p.Pair >= 0) {
				t.Fatalf("port %+v", p)
			}
			if p.Pair < 0 {
				continue
			}
			used[p.Pair]++
			if pair := r.Pairs[p.Pair]; pair.Past != p.Name && pair.Present != p.Name {
				t.Fatalf("port %+v has pair %+v", p, pair)
			}
		}
	}
	for i, p := range r.Pairs {
		want := 0
		for _, name := range []string{p.Past, p.Present} {
			if name != "" {
				want++
			}
		}
		if want != used[i] || p.Form == nil || p.Growth == 0 {
			t.Fatalf("pair %+v of %d ports", p, used[i])
		}
	}
}

// doubled is a model whose functions call each other twice, so that it expands to 2⁴⁰ nodes.
func doubled() string {
	var b strings.Builder
	b.WriteString("opset 17\nopset local 1\n")
	for i := range 40 {
		body := "b = Neg(a)"
		if i > 0 {
			body = fmt.Sprintf("m = local::F%d(a)\nb = local::F%[1]d(m)", i-1)
		}
		fmt.Fprintf(&b, "function local F%d(a) -> (b)\nopset local 1\n%s\nend\n", i, body)
	}
	return b.String() + "input x f32[2]\ny = local::F39(x)\noutput y f32[2]\n"
}

// TestLimits stops following a model that expands to too many nodes, and says so.
func TestLimits(t *testing.T) {
	r, err := roles.Find(t.Context(), graphtest.Model(t, doubled()), roles.Options{})
	if err != nil || len(r.Limits) != 1 || !strings.Contains(r.Limits[0], "expands to too many nodes") {
		t.Errorf("%v, %v", r.Limits, err)
	}
}

// chain is a decoder with many layers of caches.
func chain(layers int) string {
	var b strings.Builder
	b.WriteString(head)
	for i := range layers {
		fmt.Fprintf(&b, "input e%d f32[b,2,p,8]\nka%[1]d = Concat(e%[1]d, kh) axis=2\noutput ka%[1]d f32[b,2,t,8]\n", i)
		fmt.Fprintf(&b, "kt%d = Transpose(ka%[1]d) perm=[0,1,3,2]\nsc%[1]d = MatMul(qh, kt%[1]d)\np%[1]d = Softmax(sc%[1]d)\nc%[1]d = MatMul(p%[1]d, vh)\n", i)
		for k := range 15 {
			fmt.Fprintf(&b, "n%d_%d = Neg(c%[1]d)\n", i, k)
		}
	}
	return b.String()
}

// TestTime finds the roles of a large model.
func TestTime(t *testing.T) {
	sizes := []int{500}
	if !testing.Short() {
		sizes = append(sizes, 10000)
	}
	for _, layers := range sizes {
		m := graphtest.Model(t, chain(layers))
		m.Graph().Index()
		start := time.Now()
		r, err := roles.Find(context.Background(), m, roles.Options{})
		if err != nil || len(r.Pairs) != layers {
			t.Fatal(len(r.Pairs), err)
		}
		t.Logf("%d nodes, %d ports: %s", len(m.Graph().Nodes()), len(r.Inputs)+len(r.Outputs), time.Since(start))
	}
}
