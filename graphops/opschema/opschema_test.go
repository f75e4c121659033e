package opschema

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

func find(t *testing.T, domain, op string, version int64) *Schema {
	t.Helper()
	s, ok := Find(domain, op, version)
	if !ok {
		t.Fatalf("%s::%s is not found in version %d", domain, op, version)
	}
	return s
}

func TestFindVersion(t *testing.T) {
	for _, c := range []struct {
		domain, op string
		version    int64
		since      int64 // 0: not found
		deprecated bool
	}{
		{"", "Conv", 0, 0, false},
		{"", "Conv", 1, 1, false},
		{"", "Conv", 10, 1, false},
		{"", "Conv", 11, 11, false},
		{"", "Conv", 21, 11, false},
		{"", "Conv", 22, 22, false},
		{"", "Conv", math.MaxInt64, 22, false},
		{"ai.onnx", "Conv", 12, 11, false},
		{"", "Conv", -1, 0, false},
		{"", "conv", 11, 0, false},
		{"", "Upsample", 9, 9, false},
		{"", "Upsample", 10, 10, true},
		{"", "Upsample", 21, 10, true},
		{"", "Scatter", 10, 9, false},
		{"", "Scatter", 13, 11, true},
		{"", "GroupNormalization", 18, 18, true},
		{"", "GroupNormalization", 21, 21, false},
		{"", "LayerNormalization", 11, 1, false}, // ONNX Runtime's, before the standard had one
		{"", "LayerNormalization", 17, 17, false},
		{"ai.onnx.ml", "TreeEnsemble", 4, 0, false},
		{"ai.onnx.ml", "TreeEnsemble", 5, 5, false},
		{"ai.onnx.ml", "TreeEnsembleRegressor", 5, 5, true},
		{"ai.onnx.preview.training", "Adam", 1, 1, false},
		{"com.microsoft", "Attention", 1, 1, false},
		{"com.microsoft", "Conv", 1, 0, false},
		{"com.microsoft.nchwc", "Conv", 1, 1, false},
		{"com.ms.internal.nhwc", "Conv", 11, 11, false},
		{"org.example", "Conv", 1, 0, false},
	} {
		s, ok := Find(c.domain, c.op, c.version)
		switch {
		case ok != (c.since != 0):
			t.Errorf("%s::%s in version %d: found: %t", c.domain, c.op, c.version, ok)
		case !ok:
		case s.Since != c.since || s.Deprecated != c.deprecated || s.Name != c.op || s.Domain != graphops.NormalDomain(c.domain):
			t.Errorf("%s::%s in version %d is %s::%s-%d, deprecated: %t; expected %d, %t",
				c.domain, c.op, c.version, s.Domain, s.Name, s.Since, s.Deprecated, c.since, c.deprecated)
		}
	}
}

// TestParams compares the parameters of operators with what the standard's page
// of them says.
func TestParams(t *testing.T) {
	for _, c := range []struct {
		domain, op      string
		version         int64
		inputs, outputs string
		counts          [4]int
	}{
		{"", "Conv", 11, "X:T W:T B?:T", "Y:T", [4]int{2, 3, 1, 1}},
		{"", "Concat", 13, "inputs*1:T", "concat_result:T", [4]int{1, math.MaxInt, 1, 1}},
		{"", "Loop", 11, "M?:I cond?:B v_initial*0~:V", "v_final_and_scan_outputs*1~:V", [4]int{2, math.MaxInt, 1, math.MaxInt}},
		{"", "Constant", 13, "", "output:T", [4]int{0, 0, 1, 1}},
		{"", "Shape", 19, "data:T", "shape:T1", [4]int{1, 1, 1, 1}},
		{"", "BatchNormalization", 15, "X:T scale:T1 B:T1 input_mean:T2 input_var:T2", "Y:T running_mean?:T2 running_var?:T2", [4]int{5, 5, 1, 3}},
		{"", "NonMaxSuppression", 11, "boxes:tensor(float) scores:tensor(float) max_output_boxes_per_class?:tensor(int64) iou_threshold?:tensor(float) score_threshold?:tensor(float)", "selected_indices:tensor(int64)", [4]int{2, 5, 1, 1}},
		{"ai.onnx.ml", "ZipMap", 1, "X:tensor(float)", "Z:T", [4]int{1, 1, 1, 1}},
		{"com.microsoft", "Attention", 1, "input:T weights:T bias?:T mask_index?:M past?:T attention_bias?:T past_sequence_length?:M", "output:T present?:T", [4]int{2, 7, 1, 2}},
		{"com.microsoft", "EPContext", 1, "inputs*0~:T", "outputs*1~:T", [4]int{0, math.MaxInt, 1, math.MaxInt}},
	} {
		s := find(t, c.domain, c.op, c.version)
		if got := written(s.Inputs); got != c.inputs {
			t.Errorf("inputs of %s: %s, expected %s", c.op, got, c.inputs)
		}
		if got := written(s.Outputs); got != c.outputs {
			t.Errorf("outputs of %s: %s, expected %s", c.op, got, c.outputs)
		}
		if got := [4]int{s.MinInputs, s.MaxInputs, s.MinOutputs, s.MaxOutputs}; got != c.counts {
			t.Errorf("counts of %s: %d, expected %d", c.op, got, c.counts)
		}
	}
}

// written spells parameters as the table does.
func written(params []Param) string {
	words := make([]string, len(params))
	for i, p := range params {
		mark := [...]string{Single: "", Optional: "?", Variadic: "*" + string(rune('0'+p.MinArity))}[p.Option]
		if !p.Homogeneous {
			mark += "~"
		}
		words[i] = p.Name + mark + ":" + p.Type
	}
	return strings.Join(words, " ")
}

func TestParamAt(t *testing.T) {
	concat, loop, conv := find(t, "", "Concat", 13), find(t, "", "Loop", 11), find(t, "", "Conv", 11)
	for _, c := range []struct {
		of   func(int) (Param, bool)
		at   int
		want string
	}{
		{conv.Input, 0, "X"},
		{conv.Input, 2, "B"},
		{conv.Input, 3, ""},
		{conv.Input, -1, ""},
		{conv.Output, 0, "Y"},
		{conv.Output, 1, ""},
		{concat.Input, 0, "inputs"},
		{concat.Input, 1000, "inputs"},
		{loop.Input, 1, "cond"},
		{loop.Input, 7, "v_initial"},
		{loop.Output, math.MaxInt, "v_final_and_scan_outputs"},
		{find(t, "", "Constant", 13).Input, 0, ""},
	} {
		if p, ok := c.of(c.at); p.Name != c.want || ok != (c.want != "") {
			t.Errorf("parameter %d is %q, %t; expected %q", c.at, p.Name, ok, c.want)
		}
	}
}

func TestTypes(t *testing.T) {
	for _, c := range []struct {
		domain, op string
		version    int64
		input      int
		want       string
	}{
		{"", "Conv", 11, 0, "f32 f16 f64"},
		{"", "Reshape", 5, 1, "i64"},
		{"", "If", 16, 0, "bool"},
		{"", "StringNormalizer", 10, 0, "str"},
		{"", "SequenceLength", 11, 0, "seq(f32) seq(u8) seq(i8) seq(u16) seq(i16) seq(i32) seq(i64) seq(str) seq(bool) seq(f16) seq(f64) seq(u32) seq(u64) seq(c64) seq(c128)"},
		{"ai.onnx.ml", "CastMap", 1, 0, "map(i64,f32) map(i64,str)"},
		{"ai.onnx.ml", "DictVectorizer", 1, 0, "map(i64,f32) map(i64,str) map(i64,f64) map(str,f32) map(str,i64) map(str,f64)"},
		{"com.microsoft", "SparseToDenseMatMul", 1, 0, "sparse(f32) sparse(i32) sparse(i64) sparse(f64) sparse(u32) sparse(u64)"},
	} {
		p, _ := find(t, c.domain, c.op, c.version).Input(c.input)
		var names []string
		for _, typ := range p.Types() {
			names = append(names, typ.String())
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s-%d takes %s, expected %s", c.op, c.version, got, c.want)
		}
	}
}

func TestAllows(t *testing.T) {
	i64 := graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.I64, Shape: graphops.FixedShape([]int64{2})}
	f8 := graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F8E4M3FN}
	for _, c := range []struct {
		op    string
		typ   graphops.Type
		since int64 // of the oldest version that takes it as its first input; 0: none
	}{
		{"Identity", i64, 1},
		{"Identity", f8, 19},
		{"Identity", graphops.Type{}, 1},
		{"Identity", graphops.Type{Kind: graphops.TypeTensor}, 1},
		{"Identity", graphops.Type{Kind: graphops.TypeTensor, Elem: 99}, 0},
		{"Identity", graphops.Type{Kind: graphops.TypeSparse, Elem: tensor.F32}, 0},
		{"Identity", graphops.Type{Kind: graphops.TypeSequence, Of: &i64}, 14},
		{"Identity", graphops.Type{Kind: graphops.TypeSequence, Of: &f8}, 0},
		{"Identity", graphops.Type{Kind: graphops.TypeSequence}, 14},
		{"Identity", graphops.Type{Kind: graphops.TypeOptional, Of: &graphops.Type{Kind: graphops.TypeSequence, Of: &i64}}, 16},
		{"Identity", graphops.Type{Kind: graphops.TypeOptional, Of: &graphops.Type{Kind: graphops.TypeOptional, Of: &i64}}, 0},
		{"Identity", graphops.Type{Kind: graphops.TypeMap, Elem: tensor.I64, Of: &i64}, 0},
		{"Gather", f8, 0},
	} {
		since := int64(0)
		for _, s := range slices.Backward(Versions("", c.op)) {
			if s.Inputs[0].Allows(c.typ) {
				since = s.Since
			}
		}
		if since != c.since {
			t.Errorf("%s takes %s from version %d on, expected %d", c.op, c.typ, since, c.since)
		}
	}
}

func TestConstraint(t *testing.T) {
	s := find(t, "", "Shape", 13)
	if c, ok := s.Constraint("T1"); !ok || len(c.Types) != 1 || c.Types[0].Elem != tensor.I64 {
		t.Errorf("T1 of Shape is %v, %t", c, ok)
	}
	if c, ok := s.Constraint("U"); ok {
		t.Errorf("U of Shape is %v", c)
	}
}

func TestAttributes(t *testing.T) {
	a := func(domain, op string, version int64, name string) Attribute {
		t.Helper()
		a, ok := find(t, domain, op, version).Attribute(name)
		if !ok {
			t.Errorf("%s has no attribute %s", op, name)
		}
		return a
	}
	for _, c := range []struct {
		a          Attribute
		kind       graphops.AttributeKind
		required   bool
		hasDefault bool
	}{
		{a("", "Conv", 11, "group"), graphops.AttrInt, false, true},
		{a("", "Conv", 11, "pads"), graphops.AttrInts, false, false},
		{a("", "Cast", 13, "to"), graphops.AttrInt, true, false},
		{a("", "If", 16, "then_branch"), graphops.AttrGraph, true, false},
		{a("", "ConstantOfShape", 9, "value"), graphops.AttrTensor, false, false},
		{a("", "Constant", 13, "sparse_value"), graphops.AttrSparseTensor, false, false},
		{a("", "Optional", 15, "type"), graphops.AttrTypeProto, false, false},
	} {
		if c.a.Kind != c.kind || c.a.Required != c.required || c.a.HasDefault() != c.hasDefault {
			t.Errorf("%+v, default: %t; expected %d, %t, %t", c.a, c.a.HasDefault(), c.kind, c.required, c.hasDefault)
		}
	}
	if got := a("", "Gemm", 13, "alpha").Float(); got != 1 {
		t.Errorf("alpha of Gemm is %v", got)
	}
	if got := a("", "Softmax", 13, "axis").Int(); got != -1 {
		t.Errorf("axis of Softmax is %v", got)
	}
	if got := a("", "BatchNormalization", 15, "epsilon").Float(); got != 1e-5 {
		t.Errorf("epsilon of BatchNormalization is %v", got)
	}
	if got := a("", "Conv", 11, "auto_pad").Text(); got != "NOTSET" {
		t.Errorf("auto_pad of Conv is %q", got)
	}
	if got := a("", "RNN", 14, "activations").Texts(); !slices.Equal(got, []string{"Tanh", "Tanh"}) {
		t.Errorf("activations of RNN are %q", got)
	}
	if got := a("com.microsoft", "Attention", 1, "unidirectional"); got.Int() != 0 || !got.HasDefault() {
		t.Errorf("unidirectional of Attention is %+v", got)
	}
	if a, ok := find(t, "", "Conv", 11).Attribute("axis"); ok || a.HasDefault() || a.Int() != 0 || a.Ints() != nil {
		t.Errorf("axis of Conv is %+v", a)
	}
}

func TestFlags(t *testing.T) {
	for _, c := range []struct {
		domain, op        string
		version           int64
		function, runtime bool
	}{
		{"", "Conv", 11, false, false},
		{"", "Gelu", 20, true, false}, // its body depends on an attribute
		{"", "HardSwish", 14, true, false},
		{"", "LayerNormalization", 16, false, true},
		{"", "LayerNormalization", 17, true, false},
		{"com.microsoft", "Gelu", 1, false, true},
	} {
		s := find(t, c.domain, c.op, c.version)
		if s.Function != c.function || s.Runtime != c.runtime {
			t.Errorf("%s-%d is function: %t, runtime: %t", c.op, c.version, s.Function, s.Runtime)
		}
	}
}

func TestVersionsAndNames(t *testing.T) {
	all := 0
	for _, d := range Domains() {
		names := Names(d)
		if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) || len(names) == 0 {
			t.Errorf("names of %q: %q", d, names)
		}
		for _, name := range names {
			for i, s := range Versions(d, name) {
				all++
				if found, _ := Find(d, name, s.Since); found != s {
					t.Errorf("version %d of %s is another schema than the one that is found", s.Since, name)
				}
				if i == 0 {
					if _, ok := Find(d, name, s.Since-1); ok {
						t.Errorf("%s is found before its first version, %d", name, s.Since)
					}
				}
				if s.Since > Latest(d) {
					t.Errorf("%s-%d is newer than its domain, %d", name, s.Since, Latest(d))
				}
			}
		}
	}
	if all != strings.Count(text, "\nop ") {
		t.Errorf("%d schemas by their names, %d in the table", all, strings.Count(text, "\nop "))
	}
	if got := Versions("", "NoSuchOperator"); len(got) != 0 {
		t.Errorf("versions of an unknown operator: %v", got)
	}
	if got := Names("org.example"); got != nil {
		t.Errorf("names of an unknown domain: %q", got)
	}
}

func TestDomains(t *testing.T) {
	want := []string{"", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training", "com.microsoft", "com.microsoft.nchwc", "com.ms.internal.nhwc"}
	if got := Domains(); !slices.Equal(got, want) {
		t.Errorf("domains %q, expected %q", got, want)
	}
	if Latest("") < 28 || Latest("ai.onnx") != Latest("") || Latest("ai.onnx.ml") < 5 || Latest("com.microsoft") != 1 || Latest("org.example") != 0 {
		t.Errorf("latest versions: %d, %d, %d, %d, %d",
			Latest(""), Latest("ai.onnx"), Latest("ai.onnx.ml"), Latest("com.microsoft"), Latest("org.example"))
	}
}

// TestConcurrentFind asks for schemas that nobody has parsed from many sides: all
// get the same one.
func TestConcurrentFind(t *testing.T) {
	x := embedded(t)
	var wait sync.WaitGroup
	got := make([][]*Schema, 8)
	for i := range got {
		wait.Go(func() {
			for _, name := range []string{"Cast", "If", "Loop", "Identity", "Optional"} {
				for _, e := range x.operators[operator{"", name}] {
					got[i] = append(got[i], e.schema(x))
				}
			}
		})
	}
	wait.Wait()
	for i, list := range got {
		if len(list) == 0 || !slices.Equal(list, got[0]) {
			t.Errorf("asker %d got other schemas", i)
		}
	}
}

func TestFindAllocatesNothing(t *testing.T) {
	find(t, "ai.onnx", "Conv", 13)
	if n := testing.AllocsPerRun(100, func() {
		s, _ := Find("ai.onnx", "Conv", 13)
		s.Input(1)
		s.Attribute("group")
		s.Constraint("T")
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
