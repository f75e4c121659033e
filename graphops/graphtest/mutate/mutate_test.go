package mutate

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

func TestBasesAreOfEverything(t *testing.T) {
	bases := Bases(t)
	var operators []string
	for _, b := range bases {
		for _, g := range bodies(b.Model.GetGraph()) {
			for _, n := range g.GetNode() {
				operators = append(operators, n.GetDomain()+":"+n.GetOpType())
			}
		}
	}
	for _, want := range []string{":MaxPool", ":Loop", ":If", ":Scan", ":SequenceAt", "ai.onnx.ml:TreeEnsemble", "com.microsoft:QAttention", "local.domain:Double"} {
		if !slices.Contains(operators, want) {
			t.Errorf("no base has %s", want)
		}
	}
	slices.Sort(operators)
	if kinds := len(slices.Compact(operators)); kinds < 200 {
		t.Errorf("%d kinds of operators, 200 are wanted", kinds)
	}
}

// TestSpell holds the short form against graphtest's.
func TestSpell(t *testing.T) {
	got := base(t, "opset 9\na, b = com.microsoft::Foo(f32[2,3], i64[2] 1 2, , x) k=[1,2]\ninput x f32[]").Model
	want := graphtest.Proto(t, header+`
		opset ai.onnx.ml 5
		opset 9
		input a0 f32[2,3]
		init a1 i64[2] 1 2
		a, b = com.microsoft::Foo(a0, a1, , x) k=[1,2]
		input x f32[]
		output a
		output b
	`)
	slices.SortFunc(got.OpsetImport, byDomain)
	slices.SortFunc(want.OpsetImport, byDomain)
	if !proto.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

func byDomain(a, b *onnxpb.OperatorSetIdProto) int {
	return strings.Compare(a.GetDomain(), b.GetDomain())
}

// TestNew makes mutants of every base: each differs from its base, is the same again,
// leaves the base as it was, and stays small.
func TestNew(t *testing.T) {
	bases := Bases(t)
	for i, b := range bases {
		before := proto.CloneOf(b.Model)
		for seed := range uint64(8) {
			m, did := New(b, bases, seed)
			again, _ := New(b, bases, seed)
			if !proto.Equal(m, again) {
				t.Fatalf("%s: seed %d gives two models", b.Name, seed)
			}
			if did == "" && !proto.Equal(m, b.Model) {
				t.Errorf("%s: seed %d changed what it does not tell", b.Name, seed)
			}
			if size := proto.Size(m); size > 16<<20 {
				t.Errorf("%s: seed %d (%s) takes %d bytes", b.Name, seed, did, size)
			}
		}
		if !proto.Equal(before, bases[i].Model) {
			t.Fatalf("%s: the base has changed", b.Name)
		}
	}
}

// TestEveryChangeHappens draws until all have: one that never applies would go
// unnoticed.
func TestEveryChangeHappens(t *testing.T) {
	bases := Bases(t)
	for i, c := range changes {
		happened := 0
		for seed := range uint64(500) {
			b := bases[seed%uint64(len(bases))]
			m := mutatorOf(b, bases, seed)
			if c.do(m) != "" && !proto.Equal(m.model, b.Model) {
				happened++
			}
		}
		if happened < 3 {
			t.Errorf("change %d happened %d times in 500", i, happened)
		}
	}
}

// TestReduce takes a model apart down to what a failure asks for.
func TestReduce(t *testing.T) {
	m := graphtest.Proto(t, `
		graph body
		b = Div(x, w) axis=3 pads=[1,2,3]
		c = Neg(b)
		output c f32[2]
		end
		input x f32[2]
		init w f32[8,2] 0
		init c f32[1] 1
		y = If(c) then_branch=@body else_branch=@body
		z = Relu(y)
		output z f32[2]
		output y
	`)
	asked := 0
	got := Reduce(m, 200, func(m *onnxpb.ModelProto) bool {
		asked++
		return slices.ContainsFunc((&mutator{model: m}).nodes(), func(n *onnxpb.NodeProto) bool { return n.GetOpType() == "Div" })
	})
	if asked > 200 {
		t.Errorf("asked %d times", asked)
	}
	want := graphtest.Proto(t, "b = Div(, )")
	want.OpsetImport = nil
	if len(got.GetGraph().GetNode()) != 1 || got.GetGraph().GetNode()[0].GetOpType() != "Div" || proto.Size(got) > proto.Size(want)+8 {
		t.Errorf("got %v", got)
	}
	if same := Reduce(m, 0, func(*onnxpb.ModelProto) bool { t.Error("asked"); return true }); len(same.GetGraph().GetNode()) != 2 {
		t.Errorf("without a question: %v", same)
	}
}

// TestSeedsSurviveTheArchive writes what text could not hold and reads it again.
func TestSeedsSurviveTheArchive(t *testing.T) {
	odd := graphtest.HostileProto(t, "\xff\x00\x1b[2J\n-- x --\n")
	path := filepath.Join(t.TempDir(), "seeds.txtar")
	seeds := []Seed{
		{Name: "one", Notes: []string{"a: b", "c"}, Model: odd},
		{Name: "two", Model: graphtest.Proto(t, "init w f32[3] nan -inf 1e-45\ny = Neg(w)\noutput y")},
	}
	WriteSeeds(t, path, "head\n", seeds)
	got := ReadSeeds(t, path)
	if len(got) != 2 || got[0].Name != "one" || !slices.Equal(got[0].Notes, seeds[0].Notes) || got[1].Notes != nil {
		t.Fatalf("got %v", got)
	}
	for i := range got {
		if !slices.Equal(got[i].Bytes(t), seeds[i].Bytes(t)) {
			t.Errorf("seed %s has changed", got[i].Name)
		}
	}
}
