//go:build cgo

package sides

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/compare"
	"lathe/session/flags"
	"lathe/session/sessiontest"
)

// decoderWith saves a model of testdata/decoders after a change of its graph.
func decoderWith(t *testing.T, name string, change func(e *graphops.GraphEditor)) string {
	t.Helper()
	m, err := graphops.Open(filepath.Join("../../testdata/decoders", name+".onnx"), graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	at := m.Places()[0]
	for _, p := range m.Places() {
		if p.Graph.Name() == "later" { // the branch with a past
			at = p
		}
	}
	e := graphops.EditGraph(at.Graph)
	change(e)
	path := filepath.Join(t.TempDir(), "fault.onnx")
	if _, err := graphops.Save(t.Context(), m.WithGraph(at, e.Graph()), path, graphops.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	return path
}

// behind inserts nodes behind the node that makes a value, which makes value/own instead. Other nodes
// read that too, if keep is set.
func behind(e *graphops.GraphEditor, value string, keep bool, nodes ...*graphops.Node) {
	at := -1
	for i, n := range e.Nodes {
		if slices.Contains(n.Outputs(), value) {
			at = i
			e.Nodes[i] = n.WithOutputs(renamed(n.Outputs(), value))
		} else if keep {
			e.Nodes[i] = n.WithInputs(renamed(n.Inputs(), value))
		}
	}
	e.Nodes = slices.Insert(e.Nodes, at+1, nodes...)
}

func renamed(list []string, value string) []string {
	list = slices.Clone(list)
	for i := range list {
		if list[i] == value {
			list[i] += "/own"
		}
	}
	return list
}

func faulty(op string, in []string, out string) *graphops.Node {
	return graphops.NewNode(graphops.NodeSpec{Op: op, Name: "fault_" + out, Inputs: in, Outputs: []string{out}})
}

func constant(e *graphops.GraphEditor, name string, t tensor.Tensor) {
	e.Initializers = append(e.Initializers, graphops.NewTensorOf(name, t))
}

// scaled multiplies a value that a node makes.
func scaled(value string, by float32) func(e *graphops.GraphEditor) {
	return func(e *graphops.GraphEditor) {
		constant(e, "by", tensor.FromSlice([]float32{by}))
		behind(e, value, false, faulty("Mul", []string{value + "/own", "by"}, value))
	}
}

// scaledWeight lets the readers of a weight read a multiple of it.
func scaledWeight(name string, by float32) func(e *graphops.GraphEditor) {
	return func(e *graphops.GraphEditor) {
		constant(e, "by", tensor.FromSlice([]float32{by}))
		for i, n := range e.Nodes {
			in := slices.Clone(n.Inputs())
			for k := range in {
				if in[k] == name {
					in[k] = "scaled"
				}
			}
			e.Nodes[i] = n.WithInputs(in)
		}
		e.Nodes = slices.Insert(e.Nodes, 0, faulty("Mul", []string{name, "by"}, "scaled"))
	}
}

// reversed exchanges the inputs of a Concat, so that new positions come before the old ones.
func reversed(node string) func(e *graphops.GraphEditor) {
	return func(e *graphops.GraphEditor) {
		for i, n := range e.Nodes {
			if n.Name() == node {
				e.Nodes[i] = n.WithInputs([]string{n.Inputs()[1], n.Inputs()[0]})
			}
		}
	}
}

// exchanged lets two presents change places.
func exchanged(a, b string) func(e *graphops.GraphEditor) {
	return func(e *graphops.GraphEditor) {
		behind(e, a, true)
		behind(e, b, true)
		e.Nodes = append(e.Nodes, faulty("Identity", []string{b + "/own"}, a), faulty("Identity", []string{a + "/own"}, b))
	}
}

// promptOnly spoils a present in runs with an empty cache, and nothing else.
func promptOnly(present, past string) func(e *graphops.GraphEditor) {
	return func(e *graphops.GraphEditor) {
		constant(e, "c_zero", tensor.FromSlice([]int64{0}))
		constant(e, "c_two", tensor.FromSlice([]int64{2}))
		constant(e, "c_most", tensor.FromSlice([]float32{3}))
		constant(e, "c_one", tensor.FromSlice([]float32{1}))
		behind(e, present, true,
			faulty("Shape", []string{past}, "past_shape"),
			faulty("Gather", []string{"past_shape", "c_two"}, "past_length"),
			faulty("Equal", []string{"past_length", "c_zero"}, "empty"),
			faulty("Where", []string{"empty", "c_most", "c_one"}, "factor"),
			faulty("Mul", []string{present + "/own", "factor"}, present))
	}
}

// TestGenerateFindsFaults: the first token that differs is reported with the node that is planted, or
// its first reader.
func TestGenerateFindsFaults(t *testing.T) {
	env := sessiontest.Env(t)
	for _, c := range []struct {
		name, model string
		fault       func(e *graphops.GraphEditor)
		nodes       []string // any of them
		later       bool     // the first token is right
		earlier     bool     // only the run of the prompt shows it
	}{
		{"a weight of layer 0", "joined", scaledWeight("val_132", 3), []string{"fault_scaled", "node_linear_5"}, false, false},
		{"a weight of layer 1", "joined", scaledWeight("val_205", 3), []string{"fault_scaled", "node_linear_10"}, false, false},
		{"the last weight", "joined", scaledWeight("val_218", -1), []string{"fault_scaled", "node_linear_14"}, false, false},
		{"a projection", "grouped", scaled("/model/layers.1/attn/o_proj/MatMul/output_0", 4), []string{"fault_/model/layers.1/attn/o_proj/MatMul/output_0"}, false, false},
		{"written at the wrong place", "joined", reversed("node_cat_11"), []string{"node_cat_11"}, true, false},
		{"a node in a branch", "encoded", scaled("later//down_1/MatMul_output_0", -20), []string{"fault_later//down_1/MatMul_output_0"}, true, false},
		{"written at the wrong place in a branch", "encoded", reversed("later//Concat_6"), []string{"later//Concat_6"}, true, false},
		{"layers exchanged", "joined", exchanged("present.0.key", "present.1.key"), []string{"fault_present.0.key", "fault_present.1.key"}, true, false},
		{"the prompt spoils the cache", "joined", promptOnly("present.0.value", "past_key_values.0.value"), []string{"fault_present.0.value"}, true, true},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			s := &Comparison{A: "../../testdata/decoders/" + c.model + ".onnx", B: decoderWith(t, c.model, c.fault)}
			s.Generate = 16
			r := validated(t, env, s)
			if r.Pass || r.FirstDivergence == nil || !slices.Contains(c.nodes, r.FirstDivergence.Node) {
				t.Fatalf("%s; first: %+v, want %v", r.Headline, r.FirstDivergence, c.nodes)
			}
			if !strings.Contains(r.Headline, "it begins at node "+r.FirstDivergence.Called()) {
				t.Errorf("headline %s", r.Headline)
			}
			if n := len(r.Generated.Located); (n == 2) != c.earlier {
				t.Errorf("%d runs were compared", n)
			}
			for _, p := range r.Generated.Prompts {
				if p.Differs != nil && c.later && p.Differs.Generated == 1 {
					t.Errorf("%s differs at its first token", p.Name)
				}
			}
			if r.Generated.KL.Max == 0 || r.Generated.Agreement.Same == r.Generated.Agreement.Of {
				t.Errorf("%+v, %+v", r.Generated.KL, r.Generated.Agreement)
			}
		})
	}
}

// TestGenerateSame: a model generates the same in two settings, and no node is looked for.
func TestGenerateSame(t *testing.T) {
	env := sessiontest.Env(t)
	for _, name := range []string{"joined", "grouped", "encoded"} {
		s := &Comparison{A: "../../testdata/decoders/" + name + ".onnx"}
		s.Generate, s.sides.B = 20, []string{"opt=disable"}
		r := validated(t, env, s)
		if !r.Pass || len(r.Generated.Located) != 0 || r.Generated.Agreement.Share != 1 || r.Generated.KL.Max > 1e-9 || r.Generated.Agreement.Of != 3*(promptTokens+19) {
			t.Errorf("%s: %s, %+v", name, r.Headline, r.Generated)
		}
		if r.Sides.A.Opt != "all" || r.Sides.B.Opt != "disable" || !strings.HasPrefix(r.Headline, "pass: the same 20 tokens of 3 prompts") {
			t.Errorf("%s: %+v, %s", name, r.Sides, r.Headline)
		}
	}
}

// TestGeneratePrompts: the rows of token ids are prompts, and anything else is an error.
func TestGeneratePrompts(t *testing.T) {
	env := sessiontest.Env(t)
	run := func(input string, tokens int64, change func(s *Comparison)) (*Report, error) {
		s := &Comparison{A: "../../testdata/decoders/grouped.onnx", Feeding: flags.Feeding{Input: []string{input}}}
		s.Generate, s.sides.B = tokens, []string{"opt=disable"}
		if change != nil {
			change(s)
		}
		r, err := s.Run(t.Context(), env)
		if err != nil {
			return nil, err
		}
		return r.Report.(*Report), nil
	}
	r, err := run("input_ids=i64[2,3]{5,6,7,8,9,10}", 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Generated.Prompts; len(got) != 2 || !slices.Equal(got[1].Prompt, []int64{8, 9, 10}) || got[1].Name != "row 1" || len(got[1].A) != 3 {
		t.Errorf("%+v", got)
	}
	if r, err = run("input_ids=i64[2]{5,6}", 3, nil); err != nil || len(r.Generated.Prompts) != 1 {
		t.Errorf("one row: %v, %v", r, err)
	}
	for _, c := range []struct {
		input, want string
		tokens      int64
		change      func(s *Comparison)
	}{
		{"input_ids=i64[1,2]{5,96}", "the prompt has token 96, and", 3, nil},
		{"input_ids=i64[1,2]{5,-1}", "the prompt has token -1, and", 3, nil},
		{"input_ids=i64[1,1,2]{5,6}", "a row for each prompt", 3, nil},
		{"input_ids=zeros", "a rule makes no prompts", 3, nil},
		{"input_ids=i64[1,2]{5,6}", "need 65 positions, and side a has 64", 63, nil},
		{"input_ids=i64[1,2]{5,6}", "--generate and --tolerance", 3, func(s *Comparison) { s.Tolerance = []string{"logits=1"} }},
		{"input_ids=i64[1,2]{5,6}", "nothing to compare the model with", 3, func(s *Comparison) { s.sides.B = nil }},
	} {
		if _, err := run(c.input, c.tokens, c.change); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %d tokens: %v, want %s", c.input, c.tokens, err, c.want)
		}
	}
}

// TestGenerateOthers: what does not generate is an error that says why.
func TestGenerateOthers(t *testing.T) {
	env := sessiontest.Env(t)
	for _, c := range []struct{ a, b, want string }{
		{"../../testdata/digits.onnx", "../../testdata/decoders/joined.onnx", "cannot generate: no input is known to take token ids"},
		{"../../testdata/decoders/joined.onnx", "../../testdata/text_classifier.onnx", "text_classifier.onnx cannot generate"},
	} {
		s := &Comparison{A: c.a, B: c.b}
		s.Generate = 2
		if _, err := s.Run(t.Context(), env); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s and %s: %v, want %s", c.a, c.b, err, c.want)
		}
	}
	// The table of positions ends at 20: side a runs on, and b stops.
	short := decoderWith(t, "joined", func(e *graphops.GraphEditor) {
		constant(e, "places", tensor.FromSlice(make([]int64, 20), 20))
		behind(e, "logits", false,
			faulty("Gather", []string{"places", "position_ids"}, "place"),
			faulty("ReduceMax", []string{"place"}, "zero"),
			faulty("Cast", []string{"zero"}, "nothing").WithAttributes([]*graphops.Attribute{graphops.IntAttribute("to", 1)}),
			faulty("Add", []string{"logits/own", "nothing"}, "logits"))
	})
	s := &Comparison{A: "../../testdata/decoders/joined.onnx", B: short}
	if s.Generate = 4; !validated(t, env, s).Pass {
		t.Error("four tokens do not pass")
	}
	s.Generate = 8
	if r := validated(t, env, s); r.Verdict != compare.Fail || !strings.Contains(r.Headline, "b stops where a does not: ") {
		t.Errorf("%s", r.Headline)
	}
	folder := t.TempDir()
	s = &Comparison{A: "../../testdata/decoders/joined.onnx", B: savedModel(t, folder, "b.onnx", "input x f32[2]\noutput y f32\ny = NoSuchOperator(x)")}
	s.Generate = 2
	if r := validated(t, env, s); r.Verdict != compare.Fail || !strings.Contains(r.Headline, "b does not load") {
		t.Errorf("%s", r.Headline)
	}
}
