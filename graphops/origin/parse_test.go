package origin

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
)

func TestModules(t *testing.T) {
	const scopes, classes = "pkg.torch.onnx.name_scopes", "pkg.torch.onnx.class_hierarchy"
	for name, c := range map[string]struct {
		entries []graphops.Entry
		want    Modules
		not     bool
	}{
		"lists": {
			entries: []graphops.Entry{{Key: scopes, Value: `['', 'a', "it's", 'x']`}, {Key: classes, Value: `['M', 'A', 'B', 'aten.add']`}},
			want:    Modules{[]Module{{"", "M"}, {"a", "A"}, {"it's", "B"}}, "x", "aten.add"},
		},
		"escapes": {
			entries: []graphops.Entry{{Key: scopes, Value: `['a\\b\'\n\x1b\u202e\U0001f600', 'x']`}},
			want:    Modules{[]Module{{"a\\b'\n\x1b\u202e\U0001f600", ""}}, "x", ""},
		},
		"classes of another length": {
			entries: []graphops.Entry{{Key: scopes, Value: `['', 'x']`}, {Key: classes, Value: `['M']`}},
			want:    Modules{[]Module{{"", ""}}, "x", ""},
		},
		"namespace alone": {
			entries: []graphops.Entry{{Key: "namespace", Value: ": M/l.0: N/add: aten.add.Tensor"}},
			want:    Modules{[]Module{{"", "M"}, {"l.0", "N"}}, "add", "aten.add.Tensor"},
		},
		"a list that is none, beside a namespace": {
			entries: []graphops.Entry{{Key: scopes, Value: `['', `}, {Key: "namespace", Value: ": M/x: y"}},
			want:    Modules{[]Module{{"", "M"}}, "x", "y"},
		},
		"onnxscript's builder tells modules alone": {
			entries: []graphops.Entry{
				{Key: "pkg.onnxscript.name_scopes", Value: `['', 'layers.0']`},
				{Key: "pkg.onnxscript.class_hierarchy", Value: `['M', 'L']`},
			},
			want: Modules{[]Module{{"", "M"}, {"layers.0", "L"}}, "", ""},
		},
		"an empty list":     {entries: []graphops.Entry{{Key: scopes, Value: `[]`}}, want: Modules{Path: []Module{}}},
		"numbers":           {entries: []graphops.Entry{{Key: scopes, Value: `[1, 2]`}}, not: true},
		"a bad escape":      {entries: []graphops.Entry{{Key: scopes, Value: `['\q']`}}, not: true},
		"no code point":     {entries: []graphops.Entry{{Key: scopes, Value: `['\UFFFFFFFF']`}}, not: true},
		"a string":          {entries: []graphops.Entry{{Key: scopes, Value: `'a'`}}, not: true},
		"more behind":       {entries: []graphops.Entry{{Key: scopes, Value: `['a'] x`}}, not: true},
		"a million deep":    {entries: []graphops.Entry{{Key: scopes, Value: strings.Repeat("[", 1<<20)}}, not: true},
		"somebody's own":    {entries: []graphops.Entry{{Key: "namespace", Value: "encoder"}}, not: true},
		"an empty text":     {entries: []graphops.Entry{{Key: "namespace", Value: ""}}, not: true},
		"a class with a / ": {entries: []graphops.Entry{{Key: "namespace", Value: ": M/x: a/b"}}, not: true},
	} {
		t.Run(name, func(t *testing.T) {
			got := modules(view{entries: c.entries})
			if !got.Present || got.Understood == c.not {
				t.Fatalf("present %v, understood %v", got.Present, got.Understood)
			}
			if c.not && got.Raw != c.entries[0].Value {
				t.Errorf("the raw text is %q", got.Raw)
			}
			if d := cmp.Diff(c.want, got.Value); d != "" {
				t.Error(d)
			}
		})
	}
	if got := modules(view{}); got.Present {
		t.Errorf("nothing gives %+v", got)
	}
}

// TestPathKey checks the promise that equal keys are equal paths, on texts where
// cutting at a comma would be wrong.
func TestPathKey(t *testing.T) {
	texts := []string{
		`['', 'a', 'x']`, `['', 'a', 'y']`, `['', 'a, b', 'x']`, `['', 'a']`, `['', 'a, b']`, `['', "a, 'b"]`, `['', "a", 'x']`,
		`['', 'a\', 'b']`, `['', 'a\'', 'b']`, `[]`, `['x']`, `', '`, `['', ']`, `['', 'a', ']`, `['', 'a', '']`, `, ']`,
	}
	paths := map[string][]Module{}
	for _, text := range texts {
		key, ok := pathKey(text)
		said := modules(view{entries: []graphops.Entry{{Key: keyScopes, Value: text}}})
		if !ok || !said.Understood {
			continue
		}
		if before, known := paths[key]; known && !cmp.Equal(before, said.Value.Path) {
			t.Errorf("%s: key %q is of %v and of %v", text, key, before, said.Value.Path)
		}
		paths[key] = said.Value.Path
	}
	if len(paths) < 3 {
		t.Errorf("only %d texts have a key", len(paths))
	}
}

func TestStackFrames(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []Frame
	}{
		"two calls":      {"File \"a.py\", line 1, in f\n    x = g(\n  File \"b c.py\", line 20, in <lambda>\n    y", []Frame{{"a.py", 1, "f", "x = g("}, {"b c.py", 20, "<lambda>", "y"}}},
		"underlined":     {"  File \"a.py\", line 1, in f\n    x = g(y)\n        ^^^~~\n", []Frame{{"a.py", 1, "f", "x = g(y)"}}},
		"no source":      {"Traceback (most recent call last):\n  File \"a.py\", line 3, in f", []Frame{{"a.py", 3, "f", ""}}},
		"several lines":  {"File \"a.py\", line 1, in f\n    x(\n      1)", []Frame{{"a.py", 1, "f", "x(\n1)"}}},
		"quotes":         {`File "a", line 2, in x".py", line 7, in f`, []Frame{{`a", line 2, in x".py`, 7, "f", ""}}},
		"no number":      {`File "a", line x, in f`, nil},
		"number too big": {`File "a", line 99999999999999999999, in f`, nil},
		"empty":          {"", nil},
	} {
		got, ok := stackFrames(c.text)
		if ok != (c.want != nil) {
			t.Errorf("%s: understood %v", name, ok)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestFXNode(t *testing.T) {
	for text, want := range map[string]FX{
		"%a : [num_users=1] = call_function[target=operator.eq](args = (%x, 16000), kwargs = {})":                            {"a", "call_function", "operator.eq", "%x, 16000", ""},
		"%a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {dim: [0, 1]})":                                 {"a", "call_function", "f", "%x", "dim: [0, 1]"},
		"%a : [num_users=1] = call_function[target=f](args = (), kwargs = {})":                                               {"a", "call_function", "f", "", ""},
		`%a : Tensor "f32[1][1]cpu"[num_users=1] = call_function[target=f](args = (%x, (1, (2, 3))), kwargs = {})`:           {"a", "call_function", "f", "%x, (1, (2, 3))", ""},
		"%w : [num_users=1] = get_attr[target=w.0]":                                                                          {"w", "get_attr", "w.0", "", ""},
		"%x : Tensor [num_users=1] = placeholder[target=x]":                                                                  {"x", "placeholder", "x", "", ""},
		"%a : [num_users=1] = call_function[target=cond](args = (%p, %true_graph_0, %false_graph_0, (%x, %y)), kwargs = {})": {"a", "call_function", "cond", "%p, %true_graph_0, %false_graph_0, (%x, %y)", ""},
	} {
		got, ok := fxNode(text)
		if !ok {
			t.Errorf("%s: not understood", text)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
	for _, text := range []string{"", "%", "a = b", "%a = f", "return (%x,)", "%a = f[target=x](args = (", "%a = f[target=x](args = (1), kwargs = {"} {
		if got, ok := fxNode(text); ok {
			t.Errorf("%q is understood as %+v", text, got)
		}
	}
}

const everyKind = `
# inputs
p_w: PARAMETER target='w'
b_1: BUFFER target='b.1' persistent=True
b_2: BUFFER target='b.2' persistent=False
c_0: CONSTANT_TENSOR target='it's persistent=True'
o: CUSTOM_OBJ target='o'
token: TOKEN
x: USER_INPUT

# outputs
token_1: TOKEN
add: BUFFER_MUTATION target='b.1'
set: PARAMETER_MUTATION target='w'
mul: USER_INPUT_MUTATION target='x'
loss: LOSS_OUTPUT
gw: GRADIENT_TO_PARAMETER target='w'
gx: GRADIENT_TO_USER_INPUT target='x'
out: USER_OUTPUT
`

const everyKindRepr = `ExportGraphSignature(input_specs=[InputSpec(kind=<InputKind.PARAMETER: 2>, arg=TensorArgument(name='p_w'), target='w', persistent=None), ` +
	`InputSpec(kind=<InputKind.BUFFER: 3>, arg=TensorArgument(name='b_1'), target='b.1', persistent=True), ` +
	`InputSpec(kind=<InputKind.BUFFER: 3>, arg=TensorArgument(name='b_2'), target='b.2', persistent=False), ` +
	`InputSpec(kind=<InputKind.CONSTANT_TENSOR: 4>, arg=TensorArgument(name='c_0'), target="it's persistent=True", persistent=None), ` +
	`InputSpec(kind=<InputKind.CUSTOM_OBJ: 5>, arg=CustomObjArgument(name='o', class_fqn='c', fake_val=None), target='o', persistent=None), ` +
	`InputSpec(kind=<InputKind.TOKEN: 6>, arg=TokenArgument(name='token'), target=None, persistent=None), ` +
	`InputSpec(kind=<InputKind.USER_INPUT: 1>, arg=TensorArgument(name='x'), target=None, persistent=None)], ` +
	`output_specs=[OutputSpec(kind=<OutputKind.TOKEN: 8>, arg=TokenArgument(name='token_1'), target=None), ` +
	`OutputSpec(kind=<OutputKind.BUFFER_MUTATION: 3>, arg=TensorArgument(name='add'), target='b.1'), ` +
	`OutputSpec(kind=<OutputKind.PARAMETER_MUTATION: 4>, arg=TensorArgument(name='set'), target='w'), ` +
	`OutputSpec(kind=<OutputKind.USER_INPUT_MUTATION: 7>, arg=TensorArgument(name='mul'), target='x'), ` +
	`OutputSpec(kind=<OutputKind.LOSS_OUTPUT: 2>, arg=TensorArgument(name='loss'), target=None), ` +
	`OutputSpec(kind=<OutputKind.GRADIENT_TO_PARAMETER: 5>, arg=TensorArgument(name='gw'), target='w'), ` +
	`OutputSpec(kind=<OutputKind.GRADIENT_TO_USER_INPUT: 6>, arg=TensorArgument(name='gx'), target='x'), ` +
	`OutputSpec(kind=<OutputKind.USER_OUTPUT: 1>, arg=TensorArgument(name='out'), target=None)])`

// TestSignature covers every kind in both forms that PyTorch has written.
func TestSignature(t *testing.T) {
	want := Signature{
		Inputs: []Spec{
			{"p_w", parameter, "w", PersistenceUntold},
			{"b_1", buffer, "b.1", Persistent},
			{"b_2", buffer, "b.2", NotPersistent},
			{"c_0", constantTensor, "it's persistent=True", PersistenceUntold},
			{"o", customObject, "o", PersistenceUntold},
			{"token", token, "", PersistenceUntold},
			{"x", userInput, "", PersistenceUntold},
		},
		Outputs: []Spec{
			{Name: "token_1", Kind: token},
			{Name: "add", Kind: bufferMutation, Target: "b.1"},
			{Name: "set", Kind: parameterMutation, Target: "w"},
			{Name: "mul", Kind: userInputMutation, Target: "x"},
			{Name: "loss", Kind: lossOutput},
			{Name: "gw", Kind: gradientToParameter, Target: "w"},
			{Name: "gx", Kind: gradientToUserInput, Target: "x"},
			{Name: "out", Kind: userOutput},
		},
	}
	for name, text := range map[string]string{"lines": everyKind, "repr": everyKindRepr} {
		got, ok := signature(text)
		if !ok {
			t.Errorf("%s: not understood", name)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	for _, list := range [][]Spec{want.Inputs, want.Outputs} {
		for _, s := range list {
			if s.Kind.String() == string(s.Kind) {
				t.Errorf("%s has no words", s.Kind)
			}
		}
	}
}

func TestSignatureNotUnderstood(t *testing.T) {
	for _, text := range []string{
		"", "x", "ExportGraphSignature()", "ExportGraphSignature(input_specs=[1], output_specs=[])",
		"# inputs\nno kind", "# inputs\na: b c", "# nothing", "# inputs\na: X target='open", "# inputs\na: BUFFER persistent=Maybe",
	} {
		if got, ok := signature(text); ok {
			t.Errorf("%q is understood as %+v", text, got)
		}
	}
	// What could be read is there all the same.
	if got, _ := signature("# inputs\nno kind\nx: USER_INPUT"); len(got.Inputs) != 1 {
		t.Errorf("the good line is lost: %+v", got)
	}
}

func TestRanges(t *testing.T) {
	got, ok := ranges("{u0: VR[-int_oo, int_oo], s34: VR[2, 9223372036854775806], s27: VR[-3, 1024]}")
	want := []Range{
		{"u0", Bound{Text: "-int_oo"}, Bound{Text: "int_oo"}},
		{"s34", Bound{"2", 2, true, true}, Bound{Text: "9223372036854775806"}},
		{"s27", Bound{"-3", -3, true, true}, Bound{"1024", 1024, true, true}},
	}
	if d := cmp.Diff(want, got); d != "" || !ok {
		t.Error(ok, d)
	}
	if got, ok := ranges("{}"); !ok || len(got) > 0 {
		t.Errorf("{} gives %v, %v", got, ok)
	}
	for _, text := range []string{"", "{", "{a: 1}", "{a: VR[1]}", "{a: VR[[1], 2]}", "[1, 2]", "{: VR[1, 2]}"} {
		if got, ok := ranges(text); ok {
			t.Errorf("%q is understood as %+v", text, got)
		}
	}
}

func TestRulesAndFoldedFrom(t *testing.T) {
	n := Node{view{entries: []graphops.Entry{{Key: "pkg.onnxscript.rewriter.rule_name", Value: "A, B, A"}}}}
	if d := cmp.Diff([]string{"A", "B", "A"}, n.Rules().Value); d != "" {
		t.Error(d)
	}
	v := OfValue([]graphops.Entry{{Key: "pkg.onnxscript.optimizer.folded_from", Value: "['val_1', 'val_2']"}, {Key: "mine", Value: "1"}})
	if d := cmp.Diff([]string{"val_1", "val_2"}, v.FoldedFrom().Value); d != "" {
		t.Error(d)
	}
	if len(v.Rest()) != 1 || v.Rest()[0].Key != "mine" {
		t.Errorf("the rest is %v", v.Rest())
	}
	kind := OfValue([]graphops.Entry{{Key: keyInputKind, Value: "LATER"}}).InputKind()
	if kind.Understood || kind.Value != "LATER" || kind.Raw != "LATER" {
		t.Errorf("a kind that is not known: %+v", kind)
	}
}

// FuzzViews feeds every parser: none may panic, and none may lose the raw text.
func FuzzViews(f *testing.F) {
	for _, seed := range []string{
		everyKind, everyKindRepr, "{s0: VR[2, int_oo]}", "['', \"a\\x41\"]", ": M/x: y",
		"File \"a.py\", line 1, in f\n  x", "%a : [num_users=1] = f[target=g](args = (%x,), kwargs = {})", "<", "a(", "'\\",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, key := range append(append(nodeKeys, valueKeys...), graphKeys...) {
			v := view{entries: []graphops.Entry{{Key: key, Value: s}}}
			n, val, g := Node{v}, Value{v}, Graph{v}
			n.FX()
			n.Stack()
			n.Rules()
			val.FoldedFrom()
			val.InputKind()
			val.Persistence()
			g.Ranges()
			if m := n.Modules(); m.Present && m.Raw != s {
				t.Fatalf("raw text of modules: %q", m.Raw)
			}
			if sig := g.Signature(); sig.Present && sig.Raw != s {
				t.Fatalf("raw text of the signature: %q", sig.Raw)
			}
		}
	})
}
