package filter_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/filter"
	"lathe/graphops/graphtest"
	"lathe/graphops/scope"
)

// workshop has something for every field.
const workshop = `
	opset com.microsoft 1
	input image f32[batch,3,224,224]
	input mask:0 bool[?,8]
	input flag bool[]
	value /s/c1/out f16[batch,8,112,112]
	value /s/c2/out f32[batch,8,224]
	value /m/add/out f32[1,8]
	output scores f32[batch,10]
	init w1 f32[8,3,7,7] 1
	init w2 f32[8,8] 1
	init b i64[8] 1
	sparse few f32[100] 3 4 at 1 5
	graph then
	init inner f32[5] 1
	t = Add(/m/add/out, inner)
	output t f32[1,8]
	end
	function local Twice(a) -> (c)
	c = Add(a, a)
	end
	/s/c1/Conv: /s/c1/out = Conv(image, w1, b) kernel_shape=[7,7] group=1 auto_pad='SAME_UPPER'
	/s/c2/Conv: /s/c2/out = Conv(/s/c1/out, w2) kernel_shape=[3,3] group=8
	/m/Gelu: /m/gelu/out = com.microsoft::Gelu(/s/c2/out)
	/m/Add: /m/add/out = Add(/m/gelu/out, few)
	/m/Cast: cast = Cast(mask:0) to=10
	/m/If: picked = If(flag) then_branch=@then else_branch=@then
	scores = Softmax(picked) axis=-1 alpha=0.1
	/x/lost: lost = local::Twice(w2)`

func facts(t testing.TB, text string) *filter.Facts {
	t.Helper()
	return filter.NewFacts(graphtest.Model(t, text).Places()[0], filter.Options{})
}

// found lists the nodes that match by the last part of their names, and unnamed
// ones by operator.
func found(t *testing.T, f *filter.Facts, g *graphops.Graph, expr string) string {
	t.Helper()
	m, err := f.Compile(expr)
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	all, err := m.All(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, i := range all {
		name := g.Nodes()[i].Name()
		if name == "" {
			name = g.Nodes()[i].OpType()
		}
		out = append(out, strings.TrimPrefix(name, "/"))
	}
	return strings.Join(out, " ")
}

func TestNodes(t *testing.T) {
	g := graphtest.Model(t, workshop).Graph()
	f := facts(t, workshop)
	const all = "s/c1/Conv s/c2/Conv m/Gelu m/Add m/Cast m/If Softmax x/lost"
	for _, c := range []struct{ expr, want string }{
		{"", all},
		{"  ", all},
		{"conv", "s/c1/Conv s/c2/Conv"},
		{"Conv", "s/c1/Conv s/c2/Conv"},
		{"cONV", ""},
		{"mask", "m/Cast"},
		{"mask:0", "m/Cast"},
		{`"mask:0"`, "m/Cast"},
		{"c1 conv", "s/c1/Conv"}, // the second one only reads /s/c1/out
		{"c1 AND conv NOT c2", "s/c1/Conv"},
		{"c1 conv -c2", "s/c1/Conv"},
		{"c1 !c2", "s/c1/Conv"},
		{"gelu|cast", "m/Gelu m/Cast"},
		{"gelu OR op:cast", "m/Gelu m/Cast"},
		{"(gelu | op:cast) -add", "m/Gelu m/Cast"},
		{"-(gelu | op:cast | conv) in:/m", "m/Add m/If"},
		{"in:/m gelu|cast", "m/Gelu m/Cast"},
		{"in:/s gelu | cast", "m/Cast"}, // looser than a space
		{"in:/m (gelu)|op:If", "m/Gelu m/If"},
		{"in:/m op:Gelu|If", "m/Gelu m/If"},
		{"in:/m op:Gelu|op:If,Cast", "m/Gelu m/Cast m/If"},
		{"in:/m -op:Gelu|If", "m/Add m/Cast"},
		{"in:/m -gelu|if", "m/Add m/Cast"},
		{"in:/m op:Gelu|-has:attr", "m/Gelu m/Add"},
		{"op:Conv,Add", "s/c1/Conv s/c2/Conv m/Add"},
		{"op:conv", "s/c1/Conv s/c2/Conv"},
		{"op:C*", "s/c1/Conv s/c2/Conv m/Cast"},
		{"op:?f", "m/If"},
		{"op:on", ""},
		{"op!=Conv in:/s", ""},
		{"-op:Conv,If in:/m", "m/Gelu m/Add m/Cast"},
		{"OP:Conv", "s/c1/Conv s/c2/Conv"},
		{"domain:ai.onnx -in:/s -in:/m", "Softmax"},
		{"domain:com.microsoft,local", "m/Gelu x/lost"},
		{"local::Twice", ""},
		{"index>=6", "Softmax x/lost"},
		{"index:1..2,7", "s/c2/Conv m/Gelu x/lost"},
		{"name:add", "m/Add"},
		{"name=/m/Add", "m/Add"},
		{"name=add", ""},
		{"name:*/Conv", "s/c1/Conv s/c2/Conv"},
		{"name!=/m/Add,/m/If in:/m", "m/Gelu m/Cast"},
		{"input:w2", "s/c2/Conv x/lost"},
		{"output:out", "s/c1/Conv s/c2/Conv m/Gelu m/Add"},
		{"type:f16", "s/c1/Conv"},
		{"type:float16,FLOAT", "s/c1/Conv s/c2/Conv m/Add Softmax"},
		{"type:f*", "s/c1/Conv s/c2/Conv m/Add Softmax"},
		{"shape:*x224", "s/c2/Conv"},
		{"shape:batch*", "s/c1/Conv s/c2/Conv Softmax"},
		{"shape:batchx*x112", "s/c1/Conv"},
		{"shape:batch×8×224", "s/c2/Conv"},
		{"shape:[1,8],[batch,10]", "m/Add Softmax"},
		{"shape:1x?", ""},
		{"shape!=1x8 op:Add,Conv", "s/c1/Conv s/c2/Conv"},
		{"rank:2", "m/Add Softmax"},
		{"rank>2", "s/c1/Conv s/c2/Conv"},
		{"rank:..2", "m/Add Softmax"},
		{"params>1K", "s/c1/Conv"},
		{"params:1184", "s/c1/Conv"},
		{"params=2", "m/Add"},
		{"params:10", "m/If"},
		{"bytes>=256 bytes<1KiB", "s/c2/Conv x/lost"},
		{"readers=0", "m/Cast Softmax x/lost"},
		{"readers:1 in:/m", "m/Gelu m/Add m/If"}, // two bodies of one node read once
		{"attr:group", "s/c1/Conv s/c2/Conv"},
		{"attr:group=8", "s/c2/Conv"},
		{"attr:group!=8", "s/c1/Conv"},
		{"attr:group>1", "s/c2/Conv"},
		{"attr:kernel_shape=7", "s/c1/Conv"},
		{"attr:kernel_shape=[3,3],group=1", "s/c1/Conv s/c2/Conv"},
		{"attr:kernel_shape=[3,*]", "s/c2/Conv"},
		{"attr:auto_pad=same*", "s/c1/Conv"},
		{"attr:axis=-1", "Softmax"},
		{"attr:alpha=0.1", "Softmax"},
		{"attr:to=f16", "m/Cast"},
		{"attr:to=float16", "m/Cast"},
		{"attr:*_pad", "s/c1/Conv"},
		{"in:/s", "s/c1/Conv s/c2/Conv"},
		{"after:/s", "m/Gelu m/Add m/If Softmax"},
		{"after:/s/c1/Conv before:/m/Add", "s/c2/Conv m/Gelu"},
		{"after:w2", "s/c2/Conv m/Gelu m/Add m/If Softmax x/lost"},
		{"after:#4", ""},
		{"before:picked -in:/s", "m/Gelu m/Add m/If"},
		{"between:/s/c2/Conv../m/Add", "s/c2/Conv m/Gelu m/Add"},
		{`between:"/s/c2/Conv".."/m/Add"`, "s/c2/Conv m/Gelu m/Add"},
		{"reads:/m/Add", "m/If"},
		{"reads:/m/add/out", "m/If"},
		{"makes:/m/Add", "m/Gelu"},
		{"makes:/*/out", "s/c1/Conv s/c2/Conv m/Gelu m/Add"},
		{"is:dead", "m/Cast x/lost"},
		{"is:unused,unnamed", "m/Cast Softmax x/lost"},
		{"has:body", "m/If"},
		{"has:constant", "s/c1/Conv s/c2/Conv m/Add x/lost"},
		{"has:input", "s/c1/Conv m/Cast m/If"},
		{"has:output", "Softmax"},
		{"has:shape", "s/c1/Conv s/c2/Conv m/Add Softmax"},
		{"-has:type", "m/Gelu m/Cast m/If x/lost"},
		{"has:attr", "s/c1/Conv s/c2/Conv m/Cast m/If Softmax"},
	} {
		if got := found(t, f, g, c.expr); got != c.want {
			t.Errorf("%s: %q, want %q", c.expr, got, c.want)
		}
	}
}

func TestValues(t *testing.T) {
	g := graphtest.Model(t, workshop).Graph()
	f := facts(t, workshop)
	x := g.Index()
	for _, c := range []struct{ expr, want string }{
		{"mask:0", "mask:0"},
		{"name:out", "/s/c1/out /s/c2/out /m/gelu/out /m/add/out"},
		{"op:Cast", "mask:0 cast"},
		{"op:Conv is:constant", "w1 w2 b"},
		{"is:input", "image mask:0 flag"},
		{"is:output", "scores"},
		{"is:dead", "mask:0 cast lost"},
		{"type:bool", "mask:0 flag"},
		{"shape:[]", "flag"},
		{"shape:scalar", "flag"},
		{"shape:?x8", "mask:0"},
		{"params>100", "w1"},
		{"bytes=32", "/m/add/out"},
		{"readers:2", "w2"},
		{"after:/m/Add", "/m/add/out picked scores"},
		{"before:/m/Add is:input", "image"},
		{"reads:image", "image w1 b /s/c1/out"},
		{"in:/m -type:f32 is:unused", "cast"},
		{"is:undefined", ""},
		{"-has:type", "few /m/gelu/out cast picked lost"},
	} {
		m, err := f.Compile(c.expr)
		if err != nil {
			t.Errorf("%s: %v", c.expr, err)
			continue
		}
		var got []string
		for v := range x.Values() {
			if m.Value(graphops.ValueID(v)) {
				got = append(got, x.Name(graphops.ValueID(v)))
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q, want %q", c.expr, s, c.want)
		}
	}
}

func TestTensors(t *testing.T) {
	g := graphtest.Model(t, workshop).Graph()
	f := facts(t, workshop)
	for _, c := range []struct{ expr, want string }{
		{"", "w1 w2 b"},
		{"type:i64", "b"},
		{"params>1000", "w1"},
		{"bytes<=256", "w2 b"},
		{"shape:8x*", "w1 w2"},
		{"op:Conv -op:Twice", "w1 b"},
		{"in:/x", "w2"},
		{"after:/s/c1/Conv", "w2"}, // read by the nodes behind it
		{"before:/s/c1/Conv", "w1 b"},
		{"is:external", ""},
		{"is:dead", ""},
		{"name:w?", "w1 w2"},
	} {
		m, err := f.Compile(c.expr)
		if err != nil {
			t.Errorf("%s: %v", c.expr, err)
			continue
		}
		var got []string
		for _, x := range g.Initializers() {
			if m.Constant(x, x.Name()) {
				got = append(got, x.Name())
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q, want %q", c.expr, s, c.want)
		}
	}
}

// TestErrors holds what a mistake says, and where it is.
func TestErrors(t *testing.T) {
	f := facts(t, workshop)
	for _, c := range []struct {
		expr, part, want    string
		unfinished, missing bool
	}{
		{"oop:Conv", "oop", `"oop" at column 1: no field is called that; nearest names: "op", "doc"`, false, false},
		{"a colour:red", "colour", `"colour" at column 3: no field is called that; there are after, attr, before, between, bytes, doc, domain, file, has, in, index, input, is, makes, meta, name, op, output, params, rank, readers, reads, shape, type`, false, false},
		{"op:", "op:", `"op:" at column 1: expected an operator behind it`, true, false},
		{"op: Conv", "op:", `"op:" at column 1: expected an operator behind it`, false, false},
		{"op:Conv,", "op:Conv,", `"op:Conv," at column 1: expected an operator behind it`, true, false},
		{"op>3", "op>", `"op>" at column 1: expected ":", "=" or "!=" behind it`, false, false},
		{"params>", "params>", `"params>" at column 1: expected a count such as 1M behind it`, true, false},
		{"params>1Q", "params>1Q"[7:], `"1Q" at column 8: expected a count such as 1M`, true, false},
		{"params>inf x", "inf", `"inf" at column 8: expected a count such as 1M`, false, false},
		{"params>1..2", "1..2", `"1..2" at column 8: expected a count such as 1M`, true, false},
		{"é (op:Conv", "(", `"(" at column 3: no ")" behind it`, true, false},
		{"op:Conv)", ")", `")" at column 8: no "(" before it`, true, false},
		{`name:"a b`, `"a b`, `"\"a b" at column 6: the quote is not closed; end it with "`, true, false},
		{"a |", "", `column 4: expected a test or text on both sides of "|"`, true, false},
		{"op:Conv|", "op:Conv|", `"op:Conv|" at column 1: expected an operator behind it`, true, false},
		{"a|", "", `column 3: expected a test or text on both sides of "|"`, true, false},
		{"a||b", "", `column 3: expected a test or text on both sides of "|"`, false, false},
		{"| a", "", `column 1: expected a test or text on both sides of "|"`, false, false},
		{"a -", "-", `column 3: expected a test or text behind the negation`, true, false},
		{"a AND", "", `column 6: expected a test or text behind "AND"`, true, false},
		{"in:/nowhere", "in:/nowhere"[3:], `"/nowhere" at column 4: no scope has that name`, false, true},
		{"after:/m/Ad", "/m/Ad", `"/m/Ad" at column 7: no node, value or scope has that name; nearest names: "/m/Add", "/m/If"`, true, true},
		{"after:/m/Ad x", "/m/Ad", `"/m/Ad" at column 7: no node, value or scope has that name; nearest names: "/m/Add", "/m/If"`, false, true},
		{"between:a", "a", `"a" at column 9: expected two names as A..B`, true, false},
		{"is:alive", "alive", `"alive" at column 4: expected one of captured, constant, dead, external, input, output, undefined, unnamed, unused`, true, false},
		{"attr:=3", "=3", `"=3" at column 6: expected the name of an attribute, or name=value`, true, false},
		{"attr:axis>x", "axis>x", `"axis>x" at column 6: expected a number behind ">"`, true, false},
		{"meta:=x", "=x", `"=x" at column 6: expected a key, or key=text`, true, false},
		{strings.Repeat("(", 100) + "a", "(", `"(" at column 65: nested deeper than 64`, false, false},
		{strings.Repeat("-", 100) + "a", "-", `"-" at column 65: nested deeper than 64`, false, false},
		{strings.Repeat("a", 20_000), "", `column 1: the filter is longer than 16 KiB`, false, false},
	} {
		_, err := f.Compile(c.expr)
		var e *filter.Error
		if !errors.As(err, &e) {
			t.Errorf("%.40s: %v, want an error", c.expr, err)
			continue
		}
		if e.Error() != c.want || e.Missing != c.missing || e.Unfinished != c.unfinished {
			t.Errorf("%.40s:\n%s (missing %v, unfinished %v), want\n%s", c.expr, e, e.Missing, e.Unfinished, c.want)
		}
		if len(c.expr) < 1000 && c.part != "" && c.expr[e.From:e.To] != c.part && !(c.part == "-" && e.From == 2) {
			t.Errorf("%.40s: at fault is %q, want %q", c.expr, c.expr[e.From:e.To], c.part)
		}
	}
}

// TestGivenScopes uses a tree that is there already.
func TestGivenScopes(t *testing.T) {
	g := graphtest.Model(t, workshop).Graph()
	other := graphtest.Model(t, "/elsewhere/a: x = A()").Places()[0]
	f := filter.NewFacts(other, filter.Options{Scopes: scope.Build(other.Graph)})
	if _, err := f.Compile("in:/elsewhere"); err != nil {
		t.Error(err)
	}
	if got := found(t, facts(t, workshop), g, "in:/s/c*"); got != "s/c1/Conv s/c2/Conv" {
		t.Errorf("in every /s/c*: %s", got)
	}
}

// TestCapturedScopes filters a body by a module that only the name of a weight tells
// which it takes from around it.
func TestCapturedScopes(t *testing.T) {
	p := graphtest.Model(t, `
		init enc.fc.weight f32[2] 1
		graph body
		a = Mul(x, enc.fc.weight)
		output a
		end
		input x f32[2]
		input go bool[]
		y = If(go) then_branch=@body else_branch=@body`).Places()[1]
	m, err := filter.NewFacts(p, filter.Options{}).Compile("in:/enc/fc")
	if err != nil {
		t.Fatal(err)
	}
	if !m.Node(0) {
		t.Error("the node that reads the weight is not in its module")
	}
}

// TestBody filters a body, which reads what stands around it.
func TestBody(t *testing.T) {
	p := graphtest.Model(t, `
		init w f32[7] 1
		graph body
		init own f32[3] 1
		a = Add(w, own)
		b = Mul(a, x)
		c = Sub(a, nowhere)
		output b
		end
		input x f32[2,2]
		input go bool[]
		y = If(go) then_branch=@body else_branch=@body`).Places()[1]
	f := filter.NewFacts(p, filter.Options{})
	for _, c := range []struct{ expr, nodes, values string }{
		{"is:captured", "", "w x"},
		{"is:undefined", "", "nowhere"},
		{"params=10", "Add", ""},
		{"type:f32 rank:2", "", "x"},
		{"bytes:16,28", "", "w x"},
		{"is:dead", "Sub", "c nowhere"},
	} {
		m, err := f.Compile(c.expr)
		if err != nil {
			t.Fatalf("%s: %v", c.expr, err)
		}
		var nodes, values []string
		for i, n := range p.Graph.Nodes() {
			if m.Node(i) {
				nodes = append(nodes, n.OpType())
			}
		}
		for v := range p.Graph.Index().Values() {
			if m.Value(graphops.ValueID(v)) {
				values = append(values, p.Graph.Index().Name(graphops.ValueID(v)))
			}
		}
		if diff := cmp.Diff([]string{c.nodes, c.values}, []string{strings.Join(nodes, " "), strings.Join(values, " ")}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.expr, diff)
		}
	}
}

func TestCancelled(t *testing.T) {
	m, err := facts(t, workshop).Compile("")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got, err := m.All(ctx); !errors.Is(err, context.Canceled) || got != nil {
		t.Errorf("%v, %v", got, err)
	}
}
