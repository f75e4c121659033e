package graphops_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// closure is what a prune must leave, found in a way of its own: on the
// generated messages, by going over all nodes until nothing more is needed.
type closure struct {
	cut          map[string]bool
	outputs      []string
	inputs       []string
	nodes        []*onnxpb.NodeProto
	initializers []*onnxpb.TensorProto
}

func newClosure(m *onnxpb.ModelProto, o graphops.PruneOptions) *closure {
	c := &closure{cut: map[string]bool{}, inputs: unique(o.Inputs), outputs: unique(o.Outputs)}
	for _, name := range o.Inputs {
		c.cut[name] = true
	}
	needed, kept := c.grow(m.Graph)
	for _, n := range m.Graph.Node {
		if kept[n] {
			c.nodes = append(c.nodes, n)
		}
	}
	for _, i := range m.Graph.Initializer {
		if needed[i.GetName()] && !c.cut[i.GetName()] {
			c.initializers = append(c.initializers, i)
		}
	}
	for _, i := range m.Graph.Input {
		if needed[i.GetName()] && !c.cut[i.GetName()] {
			c.inputs = append(c.inputs, i.GetName())
		}
	}
	return c
}

// grow adds the makers of what is needed until there are no more. Of several
// Constant nodes that make one value, ONNX Runtime takes the last.
func (c *closure) grow(g *onnxpb.GraphProto) (needed map[string]bool, kept map[*onnxpb.NodeProto]bool) {
	needed, kept = map[string]bool{}, map[*onnxpb.NodeProto]bool{}
	maker := map[string]*onnxpb.NodeProto{}
	for _, n := range g.Node {
		for _, o := range n.Output {
			maker[o] = n
		}
	}
	for _, name := range c.outputs {
		needed[name] = true
	}
	for before := -1; before != len(kept); {
		before = len(kept)
		for _, n := range slices.Backward(g.Node) {
			makes := func(o string) bool { return o != "" && needed[o] && !c.cut[o] && maker[o] == n }
			if kept[n] || !slices.ContainsFunc(n.Output, makes) {
				continue
			}
			kept[n] = true
			for _, name := range reads(n) {
				needed[name] = true
			}
		}
	}
	return needed, kept
}

func unique(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// reads are the values that a node takes from the graph it stands in.
func reads(n *onnxpb.NodeProto) []string {
	out := slices.DeleteFunc(slices.Clone(n.Input), func(name string) bool { return name == "" })
	for _, a := range n.Attribute {
		for _, g := range append(slices.Clone(a.Graphs), a.G) {
			out = append(out, freeNames(g)...)
		}
	}
	return out
}

// freeNames are those that a body uses and does not define.
func freeNames(g *onnxpb.GraphProto) []string {
	defined := definedIn(g)
	var used []string
	for _, n := range g.GetNode() {
		used = append(used, reads(n)...)
	}
	for _, o := range g.GetOutput() {
		used = append(used, o.GetName())
	}
	return slices.DeleteFunc(used, func(name string) bool { return defined[name] > 0 })
}

// definedIn counts what makes each name. An initializer of a name that is an
// input too is the default of that input, which makes one definition of both.
func definedIn(g *onnxpb.GraphProto) map[string]int {
	defined := map[string]int{}
	for _, i := range g.GetInitializer() {
		defined[i.GetName()] = 1
	}
	for _, i := range g.GetSparseInitializer() {
		defined[i.GetValues().GetName()] = 1
	}
	for _, i := range g.GetInput() {
		defined[i.GetName()] = 1
	}
	for _, n := range g.GetNode() {
		for _, o := range n.Output {
			if o != "" {
				defined[o]++
			}
		}
	}
	return defined
}

// check tells where a pruned model is not the closure.
func (c *closure) check(got *onnxpb.ModelProto) error {
	g := got.GetGraph()
	if names := valueNames(g.Output); !slices.Equal(names, c.outputs) {
		return fmt.Errorf("outputs %q, want %q", names, c.outputs)
	}
	if names := valueNames(g.Input); !slices.Equal(names, c.inputs) {
		return fmt.Errorf("inputs %q, want %q", names, c.inputs)
	}
	if len(g.Node) != len(c.nodes) {
		return fmt.Errorf("%d nodes, want %d", len(g.Node), len(c.nodes))
	}
	for i, n := range g.Node {
		if !c.sameNode(c.nodes[i], n) {
			return fmt.Errorf("node %d %s %q to %q is not %s %q to %q of the original", i,
				n.GetOpType(), n.Input, n.Output, c.nodes[i].GetOpType(), c.nodes[i].Input, c.nodes[i].Output)
		}
	}
	if !slices.EqualFunc(c.initializers, g.Initializer, sameTensor) {
		return fmt.Errorf("%d initializers are not the %d that are needed", len(g.Initializer), len(c.initializers))
	}
	return checkNames(g)
}

// sameNode compares a node with the original. An output that became an input
// of the graph has a name of its own; a node written anew for that does without
// a domain that is stated and empty.
func (c *closure) sameNode(want, got *onnxpb.NodeProto) bool {
	if len(want.Output) != len(got.Output) {
		return false
	}
	got = proto.CloneOf(got)
	for i, o := range want.Output {
		if c.cut[o] && got.Output[i] == o {
			return false
		}
		if c.cut[o] {
			got.Output[i] = o
			if got.GetDomain() == want.GetDomain() {
				got.Domain = want.Domain
			}
		}
	}
	return proto.Equal(want, got)
}

// sameTensor compares a tensor with the original. One whose elements lie
// outside is written in another form.
func sameTensor(want, got *onnxpb.TensorProto) bool {
	if want.GetDataLocation() == onnxpb.TensorProto_EXTERNAL {
		return want.GetName() == got.GetName() && slices.Equal(want.Dims, got.Dims)
	}
	return proto.Equal(want, got)
}

func valueNames(list []*onnxpb.ValueInfoProto) []string {
	var out []string
	for _, v := range list {
		out = append(out, v.GetName())
	}
	return out
}

// checkNames finds names that are defined twice, and types of values that are
// gone.
func checkNames(g *onnxpb.GraphProto) error {
	defined := definedIn(g)
	for name, times := range defined {
		if times > 1 {
			return fmt.Errorf("%q is defined %d times", name, times)
		}
	}
	for _, v := range g.ValueInfo {
		if defined[v.GetName()] == 0 {
			return fmt.Errorf("value_info tells the type of %q, which is gone", v.GetName())
		}
	}
	return nil
}

// TestClosureFindsFaults makes each mistake that a prune could make.
func TestClosureFindsFaults(t *testing.T) {
	const text = `
		input x f32[n,4]
		input z f32[n,4]
		output y f32[n,4]
		value a f32[n,4]
		init w f32[4,4] 1
		init v f32[4,4] 2
		graph body
		k = MatMul(a, v)
		output k
		end
		a, b = Split(x)
		c = MatMul(b, w)
		y = If(c) then_branch=@body else_branch=@body
		other: u = Neg(z)`
	o := graphops.PruneOptions{Inputs: []string{"b"}, Outputs: []string{"y"}}
	for _, tt := range []struct {
		name  string
		plant func(g *onnxpb.GraphProto)
		want  string
	}{
		{"nothing", func(*onnxpb.GraphProto) {}, ""},
		{"a node too many", func(g *onnxpb.GraphProto) { g.Node = append(g.Node, graphtest.Proto(t, text).Graph.Node[3]) }, "4 nodes, want 3"},
		{"a captured value lost", func(g *onnxpb.GraphProto) { g.Node = g.Node[1:] }, "2 nodes, want 3"},
		{"another attribute", func(g *onnxpb.GraphProto) { g.Node[2].Attribute = g.Node[2].Attribute[:1] }, "node 2 If"},
		{"a captured weight lost", func(g *onnxpb.GraphProto) { g.Initializer = g.Initializer[:1] }, "1 initializers"},
		{"another weight", func(g *onnxpb.GraphProto) { g.Initializer[0].Dims[0] = 2 }, "are not the 2 that are needed"},
		{"an input too many", func(g *onnxpb.GraphProto) { g.Input = append(g.Input, g.Output[0]) }, "inputs"},
		{"another output", func(g *onnxpb.GraphProto) { g.Output = g.Input[:1] }, "outputs"},
		{"a value made twice", func(g *onnxpb.GraphProto) { g.Node[0].Output[1] = "b" }, "node 0 Split"},
		{"a value made twice under another name", func(g *onnxpb.GraphProto) { g.Node[0].Output[1] = "c" }, `"c" is defined 2 times`},
		{"the type of what is gone", func(g *onnxpb.GraphProto) { g.ValueInfo[0].Name = proto.String("u") }, `"u", which is gone`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Proto(t, text)
			pruned, _, err := graphops.Prune(graphtest.Decode(t, m), o)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			if err := graphops.Write(&b, pruned); err != nil {
				t.Fatal(err)
			}
			got := unmarshal(t, []byte(b.String()))
			tt.plant(got.Graph)
			err = newClosure(m, o).check(got)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
