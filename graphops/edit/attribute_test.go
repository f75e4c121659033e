package edit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// setting is an attribute setting of the kind that is there or that is spelled.
func setting(name, text string) edit.AttributeSetting {
	return edit.AttributeSetting{Name: name, Text: text}
}

// ofKind is one of a stated kind.
func ofKind(kind graphops.AttributeKind, name, text string) edit.AttributeSetting {
	return edit.AttributeSetting{Name: name, Kind: kind, Text: text}
}

// attributesOf applies an edit of attributes to the first node of a model.
func attributesOf(t *testing.T, m *graphops.Model, o edit.AttributeOptions) (*graphops.Model, *edit.Report) {
	t.Helper()
	o.Nodes = []string{"#0"}
	return apply(t, m, func() (*graphops.Model, *edit.Report, error) {
		return edit.Attributes(t.Context(), m, at(t, m), o)
	})
}

func TestAttributes(t *testing.T) {
	const model = "input x f32[2]\noutput y f32[2]\ny = my::Foo(x) %s\n"
	const doubt = "the types that follow from the change are unknown without a runtime: declared types of values after it are removed"
	for _, tt := range []struct {
		name     string
		before   string
		set      []edit.AttributeSetting
		remove   []string
		after    string
		changes  string
		warnings []string
	}{
		{name: "an int", before: "a=1", set: []edit.AttributeSetting{setting("a", "-2")}, after: "a=-2", changes: "a: 1 → -2"},
		{name: "a float that looks like an int", before: "a=1.5", set: []edit.AttributeSetting{setting("a", "2")}, after: "a=2.0", changes: "a: 1.5 → 2.0"},
		{name: "a float", before: "a=1.5", set: []edit.AttributeSetting{setting("a", "1e-5")}, after: "a=1e-5", changes: "a: 1.5 → 1e-05"},
		{name: "infinite", before: "a=1.5", set: []edit.AttributeSetting{setting("a", "-inf")}, after: "a=-inf", changes: "a: 1.5 → -inf"},
		{name: "a string that looks like an int", before: "a='b'", set: []edit.AttributeSetting{setting("a", "3")}, after: "a='3'", changes: `a: "b" → "3"`},
		{name: "a string with the sign", before: "a='b'", set: []edit.AttributeSetting{setting("a", "ij,jk->ik=")}, after: "a='ij,jk->ik='", changes: `a: "b" → "ij,jk->ik="`},
		{name: "a string made empty", before: "a='b'", set: []edit.AttributeSetting{setting("a", "")}, after: "a=''", changes: `a: "b" → ""`},
		{name: "ints", before: "a=[1,2]", set: []edit.AttributeSetting{setting("a", "[ 3, -4,5 ]")}, after: "a=[3,-4,5]", changes: "a: [1,2] → [3,-4,5]"},
		{name: "floats", before: "a=[1.5]", set: []edit.AttributeSetting{setting("a", "[1,nan]")}, after: "a=[1.0,nan]", changes: "a: [1.5] → [1.0,nan]"},
		{name: "strings", before: "a=['b']", set: []edit.AttributeSetting{setting("a", `["c","d"]`)}, after: "a=['c','d']", changes: `a: ["b"] → ["c","d"]`},
		{name: "a tensor", before: "a={f32[2] 1 2}", set: []edit.AttributeSetting{setting("a", "i64[1,1]{7}")}, after: "a={i64[1,1] 7}", changes: "a: f32[2]{1,2} → i64[1,1]{7}"},
		{name: "a scalar of strings", before: "a={str[] b}", set: []edit.AttributeSetting{setting("a", `str[]{"c"}`)}, after: "a={str[] c}", changes: `a: str[]{"b"} → str[]{"c"}`},
		{name: "a new int", set: []edit.AttributeSetting{setting("a", "3")}, after: "a=3", changes: "a:  → 3"},
		{name: "a new float", set: []edit.AttributeSetting{setting("a", "0.5")}, after: "a=0.5", changes: "a:  → 0.5"},
		{name: "a new nan", set: []edit.AttributeSetting{setting("a", "nan")}, after: "a=nan", changes: "a:  → nan"},
		{name: "new ints", set: []edit.AttributeSetting{setting("a", "[1,2]")}, after: "a=[1,2]", changes: "a:  → [1,2]"},
		{name: "new floats", set: []edit.AttributeSetting{setting("a", "[1,2.5]")}, after: "a=[1.0,2.5]", changes: "a:  → [1.0,2.5]"},
		{name: "new strings", set: []edit.AttributeSetting{setting("a", `["b"]`)}, after: "a=['b']", changes: `a:  → ["b"]`},
		{name: "a new tensor", set: []edit.AttributeSetting{setting("a", "f16[2]{1,2}")}, after: "a={f16[2] 1 2}", changes: "a:  → f16[2]{1,2}"},
		{name: "a new string", set: []edit.AttributeSetting{setting("a", "SAME_UPPER")}, after: "a='SAME_UPPER'", changes: `a:  → "SAME_UPPER"`},
		{name: "a stated kind", set: []edit.AttributeSetting{ofKind(graphops.AttrFloat, "a", "1")}, after: "a=1.0", changes: "a:  → 1.0"},
		{name: "another kind", before: "a=1", set: []edit.AttributeSetting{ofKind(graphops.AttrString, "a", "1")}, after: "a='1'", changes: `a: 1 → "1"`},
		{name: "order", before: "a=1 b=2 c=3", set: []edit.AttributeSetting{setting("d", "4"), setting("b", "5")}, remove: []string{"c"}, after: "a=1 b=5 d=4", changes: "c: 3 →  d:  → 4 b: 2 → 5"},
		{name: "the same twice", before: "a=1", set: []edit.AttributeSetting{setting("a", "2"), setting("a", "3")}, after: "a=3", changes: "a: 1 → 2 a: 2 → 3"},
		{name: "the last one removed", before: "a=1", remove: []string{"a"}, after: "", changes: "a: 1 → "},
		{name: "doubles", before: "a=1 a=2 b=3", set: []edit.AttributeSetting{setting("a", "4")}, after: "a=4 b=3", changes: "a: 1 → 4", warnings: []string{`node #0 (Foo): attribute "a" occurred 2 times, which no runtime accepts; one is kept`}},
		{name: "doubles removed", before: "a=1 b=3 a=2", remove: []string{"a"}, after: "b=3", changes: "a: 1 →  a: 2 → "},
		{name: "long ones", before: "a=[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18]", remove: []string{"a"}, changes: "a: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,… 2 more] → "},
		{name: "large tensors", before: "a={f32[3,6] 1}", remove: []string{"a"}, changes: "a: f32[3,6]{…} → "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, fmt.Sprintf(model, tt.before))
			next, report := attributesOf(t, m, edit.AttributeOptions{Set: tt.set, Remove: tt.remove})
			want := graphtest.Proto(t, fmt.Sprintf(model, tt.after))
			want.Graph.Output[0].Type = nil // what a foreign operator makes may be anything
			if diff := cmp.Diff(want, graphtest.Message(t, next), protocmp.Transform(), cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var changes []string
			for _, c := range report.Changes {
				if c.What == "attribute" {
					changes = append(changes, strings.TrimPrefix(c.Name, "#0:")+": "+c.From+" → "+c.To)
				}
			}
			if got := strings.Join(changes, " "); got != tt.changes {
				t.Errorf("changes %q, want %q", got, tt.changes)
			}
			if diff := cmp.Diff(append(tt.warnings, doubt), report.Warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAttributesDeclared sets attributes that are not there yet: the operator, in
// the version that the place imports, tells their kind.
func TestAttributesDeclared(t *testing.T) {
	const model = "opset %d\nopset com.microsoft 1\nopset ai.onnx.ml 3\ninput x f32[2]\noutput y f32[2]\ny = %s(x)%s\n%s"
	for _, tt := range []struct {
		opset          int
		op, attr, text string
		want, function string
	}{
		{17, "LeakyRelu", "alpha", "1", "alpha=1.0", ""},
		{17, "LeakyRelu", "beta", "1", "beta=1", ""},
		{17, "ai.onnx.ml::Scaler", "scale", "[1,2]", "scale=[1.0,2.0]", ""},
		{17, "Conv", "pads", "[]", "pads=[]", ""},
		{17, "Upsample", "mode", "3", "mode='3'", ""},
		{5, "Cast", "to", "1", "to='1'", ""}, // a name, before opset 6
		{6, "Cast", "to", "1", "to=1", ""},
		{17, "com.microsoft::Gelu", "alpha", "1", "alpha=1", ""},
		{17, "com.microsoft::QuickGelu", "alpha", "1", "alpha=1.0", ""},
		{17, "com.microsoft::QuickGelu", "alpha", "1", "alpha=1", "function com.microsoft QuickGelu(a) -> (b)\n\tb = Relu(a)\nend\n"},
	} {
		t.Run(fmt.Sprint(tt.op, tt.opset, tt.attr), func(t *testing.T) {
			m := graphtest.Model(t, fmt.Sprintf(model, tt.opset, tt.op, "", tt.function))
			next, _ := attributesOf(t, m, edit.AttributeOptions{Set: []edit.AttributeSetting{setting(tt.attr, tt.text)}})
			want := graphtest.Proto(t, fmt.Sprintf(model, tt.opset, tt.op, " "+tt.want, tt.function)).Graph.Node
			if tt.text == "[]" {
				want[0].Attribute[0].Type = onnxpb.AttributeProto_INTS.Enum() // the language has no kind for it
			}
			if diff := cmp.Diff(want, graphtest.Message(t, next).Graph.Node, protocmp.Transform()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestAttributesSame sets what is there already: the model itself comes back, and
// nobody is asked anything.
func TestAttributesSame(t *testing.T) {
	m := graphtest.Model(t, "input x f32[2]\noutput y f32[2]\ny = Foo(x) i=1 f=-inf s='a' is=[1,2] fs=[0.5] ss=['a'] t={f32[2] 1 2} ts={str[1] a} n=nan\n")
	var set []edit.AttributeSetting
	for _, s := range [][2]string{{"i", "1"}, {"f", "-inf"}, {"s", "a"}, {"is", "[1,2]"}, {"fs", "[0.5]"}, {"ss", `["a"]`}, {"t", "f32[2]{1,2}"}, {"ts", `str[1]{"a"}`}} {
		set = append(set, setting(s[0], s[1]))
	}
	next, report := attributesOf(t, m, edit.AttributeOptions{Set: set, Typing: edit.Typing{Typer: &typer{err: errors.New("asked")}}})
	if next != m || len(report.Changes)+len(report.Warnings) > 0 || report.NodesAfter != 1 {
		t.Errorf("report %v", report)
	}
}

// TestAttributesWithoutType states a value anew whose type the file leaves out.
func TestAttributesWithoutType(t *testing.T) {
	p := graphtest.Proto(t, "input x f32[2]\noutput y f32[2]\ny = Softmax(x) axis=0\n")
	want := graphtest.Message(t, graphtest.Decode(t, p))
	p.Graph.Node[0].Attribute[0].Type = nil
	next, _ := attributesOf(t, graphtest.Decode(t, p), edit.AttributeOptions{Typing: edit.Typing{Keep: true}, Set: []edit.AttributeSetting{setting("axis", "0")}})
	if diff := cmp.Diff(want, graphtest.Message(t, next), protocmp.Transform()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAttributesBack sets and sets back: an equal model, and a doc_string that was
// never touched.
func TestAttributesBack(t *testing.T) {
	p := graphtest.Proto(t, "input x f32[2]\noutput y f32[2]\ny = LeakyRelu(x) alpha=0.5 s='a' t={f32[2] 1 2}\n")
	p.Graph.Node[0].Attribute[0].DocString = proto.String("slope")
	p.Graph.Node[0].Attribute[2].T.Name = proto.String("constant")
	m := graphtest.Decode(t, p)
	there, _ := attributesOf(t, m, edit.AttributeOptions{Typing: edit.Typing{Keep: true}, Set: []edit.AttributeSetting{setting("alpha", "0.25"), setting("s", "b"), setting("t", "f32[1]{9}"), setting("new", "[1]")}})
	back, _ := attributesOf(t, there, edit.AttributeOptions{Typing: edit.Typing{Keep: true}, Set: []edit.AttributeSetting{setting("alpha", "0.5"), setting("s", "a"), setting("t", "f32[2]{1,2}")}, Remove: []string{"new"}})
	if diff := cmp.Diff(graphtest.Message(t, m), graphtest.Message(t, back), protocmp.Transform()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// parameterized is a function whose node follows an attribute of it.
func parameterized(t *testing.T) *graphops.Model {
	p := graphtest.Proto(t, "input x f32[2]\noutput y f32[2]\nfunction l F(a) -> (b)\nslope: b = LeakyRelu(a) alpha=0.5\nend\ny = l::F(x) k=0.25\n")
	f := p.Functions[0]
	f.Attribute = []string{"k"}
	f.AttributeProto = []*onnxpb.AttributeProto{{Name: proto.String("d"), F: proto.Float32(2), Type: onnxpb.AttributeProto_FLOAT.Enum()}}
	a := f.Node[0].Attribute[0]
	a.F, a.RefAttrName = nil, proto.String("k")
	return graphtest.Decode(t, p)
}

func TestAttributesInFunction(t *testing.T) {
	m := parameterized(t)
	for _, tt := range []struct {
		name     string
		set      edit.AttributeSetting
		want     *onnxpb.AttributeProto
		change   string
		warnings []string
	}{
		{
			"a value in place of a reference", setting("alpha", "0.5"),
			&onnxpb.AttributeProto{Name: proto.String("alpha"), F: proto.Float32(0.5), Type: onnxpb.AttributeProto_FLOAT.Enum()},
			`the function's "k" → 0.5`,
			[]string{`node "slope" (LeakyRelu): attribute "alpha" no longer takes the value of the function's attribute "k"`},
		},
		{
			"another reference",
			edit.AttributeSetting{Name: "alpha", Ref: true, Text: "d"},
			&onnxpb.AttributeProto{Name: proto.String("alpha"), RefAttrName: proto.String("d"), Type: onnxpb.AttributeProto_FLOAT.Enum()},
			`the function's "k" → the function's "d"`, nil,
		},
		{
			"a new reference, its kind that of the default",
			edit.AttributeSetting{Name: "beta", Ref: true, Text: "d"},
			&onnxpb.AttributeProto{Name: proto.String("beta"), RefAttrName: proto.String("d"), Type: onnxpb.AttributeProto_FLOAT.Enum()},
			` → the function's "d"`,
			[]string{`node "slope" (LeakyRelu): LeakyRelu has no attribute "beta"; it has "alpha"`},
		},
		{
			"a new reference of a stated kind",
			edit.AttributeSetting{Name: "beta", Ref: true, Kind: graphops.AttrFloat, Text: "k"},
			&onnxpb.AttributeProto{Name: proto.String("beta"), RefAttrName: proto.String("k"), Type: onnxpb.AttributeProto_FLOAT.Enum()},
			` → the function's "k"`,
			[]string{`node "slope" (LeakyRelu): LeakyRelu has no attribute "beta"; it has "alpha"`},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			next, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
				return edit.Attributes(t.Context(), m, at(t, m, "l:F"), edit.AttributeOptions{Nodes: []string{"slope"}, Set: []edit.AttributeSetting{tt.set}})
			})
			list := graphtest.Message(t, next).Functions[0].Node[0].Attribute
			if diff := cmp.Diff(tt.want, list[len(list)-1], protocmp.Transform()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if c := report.Changes[0]; len(report.Changes) != 1 || c.Name != "slope:"+tt.set.Name || c.From+" → "+c.To != tt.change {
				t.Errorf("changes %q", report.Changes)
			}
			if diff := cmp.Diff(tt.warnings, report.Warnings, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
			if got := graphtest.Message(t, next).Graph.Output[0].GetType().GetTensorType().GetShape(); len(got.GetDim()) != 1 {
				t.Errorf("a float changed the shape of the output to %v", got)
			}
		})
	}
}

func TestAttributesRefuses(t *testing.T) {
	m := graphtest.Model(t, branching)
	f := parameterized(t)
	plain := graphtest.Model(t, "input x f32[2]\noutput y f32[2]\ngemm: y = Gemm(x) transB=1 alpha=0.5 is=[1] fs=[0.5] t={f32[1] 1}\nbare: z = Relu(x)\n")
	typed := graphtest.Proto(t, "input x f32[2]\noutput y f32[2]\no: y = Optional(x) type=1 many=1\n")
	for _, a := range typed.Graph.Node[0].Attribute {
		a.Type, a.I, a.Tp = onnxpb.AttributeProto_TYPE_PROTO.Enum(), nil, typed.Graph.Input[0].Type
	}
	tests := []struct {
		name string
		m    *graphops.Model
		hops []string
		node string
		o    edit.AttributeOptions
		want string
	}{
		{"name is no text", plain, nil, "bare", edit.AttributeOptions{Set: []edit.AttributeSetting{{Name: "a\xff", Text: "1"}}}, `"a\xff" is not UTF-8`},
		{"unknown node", plain, nil, "gem", edit.AttributeOptions{Remove: []string{"a"}}, `node "gem": the graph has none of that name; nearest names: "gemm"`},
		{"unknown attribute", plain, nil, "gemm", edit.AttributeOptions{Remove: []string{"transA"}}, `node "gemm" (Gemm): attribute "transA": the node has none of that name; it has "transB"`},
		{"no attributes", plain, nil, "bare", edit.AttributeOptions{Remove: []string{"alpha"}}, `node "bare" (Relu): attribute "alpha": the node has no attributes`},
		{"nothing alike", plain, nil, "gemm", edit.AttributeOptions{Remove: []string{"zzzzzzz"}}, `it has "transB", "alpha", "is", "fs", "t"`},
		{"no int", plain, nil, "gemm", edit.AttributeOptions{Set: []edit.AttributeSetting{setting("transB", "0.5")}}, `attribute "transB": is of kind int: "0.5" is not a whole number; to change the kind, write it as in transB:float=0.5`},
		{"too large an int", plain, nil, "gemm", edit.AttributeOptions{Set: []edit.AttributeSetting{setting("transB", "9223372036854775808")}}, "does not fit 64 bits"},
		{"no float", plain, nil, "gemm", edit.AttributeOptions{Set: []edit.AttributeSetting{setting("alpha", "x")}}, `is of kind float: "x" is not a number; to change the kind, write it as in alpha:string=text`},
		{"too large a float", plain, nil, "gemm", edit.AttributeOptions{Set: []edit.AttributeSetting{setting("alpha", "1e39")}}, "1e39 is beyond the largest f32"},
		{"no list", plain, nil, "gemm", edit.AttributeOptions{Set: []edit.AttributeSetting{setting("is", "3")}}, `is of kind ints: "3" is not a list in brackets`},
		{"a wrong item", plain, nil, "gemm", edit.AttributeOptions{Set: []edit.AttributeSetting{setting("is", "[1,a]")}}, `item 1: "a" is not a whole number`},
		{"no tensor", plain, nil, "gemm", edit.AttributeOptions{Set: []edit.AttributeSetting{setting("t", "3")}}, `is of kind tensor: "3" is not a tensor such as f32[2]{1,2}`},
		{"an empty list", plain, nil, "gemm", edit.AttributeOptions{Set: []edit.AttributeSetting{setting("new", "[]")}}, `attribute "new": the kind of an empty list is unknown; write it as in pads:ints=[]`},
		{"a list of words", plain, nil, "gemm", edit.AttributeOptions{Set: []edit.AttributeSetting{setting("new", "[a,b]")}}, `[a,b] is neither a list of numbers nor one of strings`},
		{"another kind than declared", plain, nil, "gemm", edit.AttributeOptions{Set: []edit.AttributeSetting{setting("transA", "0.5")}}, `attribute "transA": is of kind int: "0.5" is not a whole number; to change the kind, write it as in transA:float=0.5`},
		{"strings without quotes", plain, nil, "gemm", edit.AttributeOptions{Set: []edit.AttributeSetting{ofKind(graphops.AttrStrings, "new", "[a]")}}, `"a" is not a string in double quotes`},
		{"a graph set", m, nil, "outer", edit.AttributeOptions{Set: []edit.AttributeSetting{setting("then_branch", "1")}}, "holds a graph, which this edit can neither set nor remove; to edit inside it, use --in NODE:ATTRIBUTE"},
		{"a graph removed", m, nil, "outer", edit.AttributeOptions{Remove: []string{"then_branch"}}, "holds a graph"},
		{"a type that is declared", graphtest.Model(t, "input x f32[2]\noutput y f32[2]\no: y = Optional(x)\n"), nil, "o", edit.AttributeOptions{Set: []edit.AttributeSetting{setting("type", "1")}}, "is of kind type_proto, which cannot be written as text"},
		{"a type", graphtest.Decode(t, typed), nil, "o", edit.AttributeOptions{Set: []edit.AttributeSetting{setting("type", "1")}}, "is of kind type_proto, which cannot be written as text"},
		{"a reference outside", plain, nil, "gemm", edit.AttributeOptions{Set: []edit.AttributeSetting{{Name: "alpha", Ref: true, Text: "k"}}}, "only a node in a function can refer to an attribute of the function"},
		{"a reference to nothing", f, []string{"l:F"}, "slope", edit.AttributeOptions{Set: []edit.AttributeSetting{{Name: "alpha", Ref: true, Text: "j"}}}, `function "F" has no attribute "j"; it has "k", "d"`},
		{"a reference of unknown kind", f, []string{"l:F"}, "slope", edit.AttributeOptions{Set: []edit.AttributeSetting{{Name: "beta", Ref: true, Text: "k"}}}, `the kind of "k" is unknown; write it as in beta:ref(float)=k`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.Nodes = []string{tt.node}
			_, _, err := edit.Attributes(t.Context(), tt.m, at(t, tt.m, tt.hops...), tt.o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v lacks %q", err, tt.want)
			}
		})
	}
}

// TestAttributesHidden removes kinds that have no spelling, and sets an empty list.
func TestAttributesHidden(t *testing.T) {
	p := graphtest.Proto(t, "input x f32[2]\noutput y f32[2]\no: y = Optional(x) type=1 pads=[1]\n")
	a := p.Graph.Node[0].Attribute[0]
	a.Type, a.I, a.Tp = onnxpb.AttributeProto_TYPE_PROTO.Enum(), nil, p.Graph.Input[0].Type
	m := graphtest.Decode(t, p)
	next, _ := attributesOf(t, m, edit.AttributeOptions{Remove: []string{"type"}, Set: []edit.AttributeSetting{setting("pads", "[]")}})
	list := next.Graph().Nodes()[0].Attributes()
	if len(list) != 1 || list[0].Kind() != graphops.AttrInts || len(list[0].Ints()) != 0 {
		t.Errorf("attributes %v", list)
	}
}
