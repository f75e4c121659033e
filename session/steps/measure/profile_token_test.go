package measure

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"lathe/bench/profile"
	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/tensor"
)

func decoder(t *testing.T, name string) *graphops.Model {
	t.Helper()
	m, err := graphops.Open("../../../testdata/decoders/"+name+".onnx", graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// made returns the profile of a run in which each node of a place takes 1 µs, and no node of the others.
func made(p *graphops.Place) *profile.Result {
	r := &profile.Result{}
	place := ""
	if p.Kind != graphops.MainGraph {
		place = p.String()
		r.Nodes = append(r.Nodes, profile.Node{Name: "the If", US: 1e6, WithinUS: 1e6, Share: 0})
	}
	for i := range p.Graph.Nodes() {
		r.Nodes = append(r.Nodes, profile.Node{US: 1, Share: profile.Number(1 / float64(len(p.Graph.Nodes()))), Place: place, Index: &i})
	}
	return r
}

// TestToken adds up the nodes of the parts of the work, in the branch that ran.
func TestToken(t *testing.T) {
	for _, c := range []struct {
		model string
		place int
		pasts []string
		want  string
	}{
		{"joined", 0, []string{"past_key_values.0.key", "past_key_values.0.value"}, "one token after 5 positions, batch 2, 2 layers"},
		{"grouped", 0, []string{"past_key_values.0.key"}, "one token after 5 positions, batch 2, 2 layers"},
		{"encoded", 1, []string{"past_key_values.0.decoder.key"}, "one token after 5 positions, batch 2, 2 layers"},
		{"encoded", 2, []string{"past_key_values.0.decoder.key"}, "one token after 5 positions, batch 2, 2 layers"},
	} {
		m := decoder(t, c.model)
		r := made(m.Places()[c.place])
		costs, err := cost.Analyze(t.Context(), m, 0)
		if err != nil {
			t.Fatal(err)
		}
		l, err := languageOf(t.Context(), profile.Subject{Model: m, Costs: costs}, nil, r)
		if err != nil || l == nil {
			t.Fatalf("%s: %v, %v", c.model, l, err)
		}
		feeds := graphops.Feeds{"input_ids": graphops.TensorValue(tensor.FromSlice([]int64{1, 1}, 2, 1))}
		for _, name := range c.pasts {
			feeds[name] = graphops.TensorValue(tensor.FromSlice(make([]float32, 2*4*5*8), 2, 4, 5, 8))
		}
		got := l.token(r, feeds)
		if got.title() != c.want || got.Copied != (c.model == "grouped") {
			t.Errorf("%s: %q, copied %v", c.model, got.title(), got.Copied)
		}
		nodes, cache := 0, int64(0)
		for _, p := range got.Parts {
			nodes += p.Nodes
			cache += p.CacheBytes
			if p.Part == "attention" && (p.Nodes < 4 || p.WeightBytes == 0 || p.CacheBytes == 0) || p.Part == "feed-forward" && (p.Nodes < 4 || p.WeightBytes == 0) {
				t.Errorf("%s: %+v", c.model, p)
			}
		}
		if nodes != len(r.Nodes) || cache != int64(len(c.pasts))*4*2*4*5*8 {
			t.Errorf("%s: %d of %d nodes, %d bytes of cache", c.model, nodes, len(r.Nodes), cache)
		}
		var b bytes.Buffer
		got.write(&b)
		if !strings.HasPrefix(b.String(), c.want) || !strings.Contains(b.String(), "\nattention ") {
			t.Error(b.String())
		}
	}
}

// TestNoToken has no such parts for a model without a cache.
func TestNoToken(t *testing.T) {
	m, err := graphops.Open("../../../testdata/text_classifier.onnx", graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if l, err := languageOf(t.Context(), profile.Subject{Model: m}, nil, made(m.Places()[0])); l != nil || err != nil {
		t.Errorf("%v, %v", l, err)
	}
}

// TestDepth sets the sizes for one token after a past, and says what contradicts them.
func TestDepth(t *testing.T) {
	for _, c := range []struct {
		model string
		depth int64
		dims  map[string]int64
		want  string
	}{
		{"joined", 50, map[string]int64{}, ""},
		{"joined", 50, map[string]int64{"past": 50}, ""},
		{"joined", 50, map[string]int64{"past": 7}, "--depth: the size past is given as 7 by --dim, and would be 50"},
		{"joined", 50, map[string]int64{"sequence": 3}, "--depth: the size sequence is given as 3 by --dim, and would be 1"},
		{"joined", 0, map[string]int64{"sequence": 3}, ""},
		{"../digits", 50, map[string]int64{}, "the model has no input with a cache that grows"},
	} {
		s := &Profile{Depth: c.depth}
		err := s.atDepth(context.Background(), decoder(t, c.model), nil, c.dims)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", c.model, err)
			}
			continue
		}
		if err != nil || c.depth > 0 && (c.dims["past"] != c.depth || c.dims["sequence"] != 1) {
			t.Errorf("%s: %v, %v", c.model, err, c.dims)
		}
	}
}
