package filter_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/filter"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// TestMetadata looks into doc strings and metadata of nodes, values and tensors.
func TestMetadata(t *testing.T) {
	m := graphtest.Proto(t, `
		value h f32[2]
		init w f32[2] 1
		a: h = Add(w, w)
		b: y = Relu(h)`)
	entry := func(key, value string) []*onnxpb.StringStringEntryProto {
		return []*onnxpb.StringStringEntryProto{{Key: proto.String(key), Value: proto.String(value)}}
	}
	m.Graph.Node[0].MetadataProps = entry("pkg.torch.namespace", "Net/Linear: fc1")
	m.Graph.Node[1].DocString = proto.String("made by File \"model.py\", line 3")
	m.Graph.ValueInfo[0].MetadataProps = entry("unit", "m/s")
	m.Graph.Initializer[0].DocString = proto.String("weights of fc1")
	p := graphtest.Decode(t, m).Places()[0]
	f := filter.NewFacts(p, filter.Options{})
	for _, c := range []struct{ expr, nodes, values string }{
		{"meta:namespace", "a", ""},
		{"meta:pkg.torch*", "a", ""},
		{"meta:namespace=fc1", "a", ""},
		{"meta:namespace=FC1", "", ""},
		{`meta:namespace="Linear: fc"`, "a", ""},
		{"meta:namespace=fc1*", "", ""},
		{"meta:unit,namespace=none", "", "h"},
		{"doc:model.py", "b", ""},
		{"doc=model.py", "", ""},
		{"doc:fc1", "", "w"},
		{"doc!=x", "a b", "w h y"},
		{"has:doc", "b", "w"},
		{"has:meta", "a", "h"},
	} {
		match, err := f.Compile(c.expr)
		if err != nil {
			t.Fatalf("%s: %v", c.expr, err)
		}
		var nodes, values []string
		for i, n := range p.Graph.Nodes() {
			if match.Node(i) {
				nodes = append(nodes, n.Name())
			}
		}
		for v := range p.Graph.Index().Values() {
			if match.Value(graphops.ValueID(v)) {
				values = append(values, p.Graph.Index().Name(graphops.ValueID(v)))
			}
		}
		if got := strings.Join(nodes, " "); got != c.nodes {
			t.Errorf("%s: nodes %q, want %q", c.expr, got, c.nodes)
		}
		if got := strings.Join(values, " "); got != c.values {
			t.Errorf("%s: values %q, want %q", c.expr, got, c.values)
		}
	}
}

// TestNoAllocation holds what a filter is asked 200,000 times for.
func TestNoAllocation(t *testing.T) {
	f := facts(t, workshop)
	for _, expr := range []string{
		"conv", "op:Conv,*elu", "name:*c?/*", "shape:*x224 rank>2", "params>1K bytes<1M", "in:/s -after:w2", "is:dead|has:shape", "input:out readers=1", "attr:axis",
	} {
		m, err := f.Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() { m.Node(0); m.Value(0) }); n != 0 {
			t.Errorf("%s: %v allocations for a node and a value", expr, n)
		}
	}
}

// TestManyAtOnce asks the same facts from several goroutines.
func TestManyAtOnce(t *testing.T) {
	f := facts(t, workshop)
	var all sync.WaitGroup
	for _, expr := range []string{"shape:*x8", "params>1", "is:dead", "in:/s", "attr:group", "after:w2", "bytes>1"} {
		all.Go(func() {
			m, err := f.Compile(expr)
			if err != nil {
				t.Error(err)
				return
			}
			if got, err := m.All(context.Background()); err != nil || len(got) == 0 {
				t.Errorf("%s: %v, %v", expr, got, err)
			}
			f.Complete(context.Background(), expr[:strings.IndexAny(expr, ":>")+1], 99)
		})
	}
	all.Wait()
}

// TestHugeNames compares names of a megabyte that go on matching until their end.
func TestHugeNames(t *testing.T) {
	m := graphtest.Proto(t, "x = A()")
	m.Graph.Node[0].Name = proto.String(strings.Repeat("aA", 1<<19))
	p := graphtest.Decode(t, m).Places()[0]
	f := filter.NewFacts(p, filter.Options{})
	for expr, want := range map[string]bool{
		"aaaaab": false, "name:*a*a*a*a*b": false, "name:*aaaaaaab*": false, "name:*a?a": true, "name:" + strings.Repeat("a?*", 200): true, "name=aaa": false,
	} {
		match, err := f.Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		if got := match.Node(0); got != want {
			t.Errorf("%.20s: %v, want %v", expr, got, want)
		}
	}
	if got := f.Complete(context.Background(), "name:a", 6); len(got) != 1 {
		t.Errorf("%d offers", len(got))
	}
}

// TestTypesFromElsewhere takes types that the file does not tell.
func TestTypesFromElsewhere(t *testing.T) {
	p := graphtest.Model(t, `
		input x f32[2]
		a: h = Relu(x)
		b: y = Relu(h)`).Places()[0]
	told := map[string]graphops.Type{"h": {Kind: graphops.TypeTensor, Elem: 1, Shape: graphops.Shape{graphops.SymbolDim("batch")}}}
	f := filter.NewFacts(p, filter.Options{TypeOf: func(v graphops.ValueID) graphops.Type { return told[p.Graph.Index().Name(v)] }})
	for _, c := range []struct{ expr, want string }{{"shape:batch", "a"}, {"type:f32", "a"}, {"shape:2", ""}, {"type!=f32", "b"}} {
		if got := found(t, f, p.Graph, c.expr); got != c.want {
			t.Errorf("%s finds %q, want %q", c.expr, got, c.want)
		}
	}
}
