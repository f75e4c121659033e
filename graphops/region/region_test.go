package region_test

import (
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/region"
)

const diamond = `
input x f32[2,2]
init w f32[2,2] 1 2 3 4
value h f32[9]
graph then
t = Relu(g)
output t f32[2,2]
end
graph else
e = Neg(x)
output e f32[2,2]
end
input c bool[]
h = MatMul(x, w)
g = Add(h, w)
k = Constant() value={f32[2,2] 1}
m = Mul(g, k)
y = If(c) then_branch=@then else_branch=@else
z = Sub(y, m)
output z f32[2,2]
`

func ids(t *testing.T, m *graphops.Model, names ...string) []graphops.ValueID {
	t.Helper()
	out := make([]graphops.ValueID, len(names))
	for i, n := range names {
		v, ok := m.Graph().Index().Value(n)
		if !ok {
			t.Fatalf("no value %q", n)
		}
		out[i] = v
	}
	return out
}

func TestPart(t *testing.T) {
	m := graphtest.Model(t, diamond)
	for name, c := range map[string]struct {
		cuts, of string
		nodes    string // operators, then inputs, then outputs of the part
	}{
		"one node":         {"h g m y z", "m", "Constant Mul | g | m_made"},
		"with a body":      {"h g m y z", "y", "If | x c g | y_made"},
		"several nodes":    {"h z", "z", "Add Constant Mul If Sub | x c h | z_made"},
		"two regions":      {"h g m y z", "g z", "Add Sub | h m y | g_made z_made"},
		"nothing between":  {"h g m y z", "h", "MatMul | x | h_made"},
		"a cut of its own": {"z", "z", "MatMul Add Constant Mul If Sub | x c | z_made"},
	} {
		t.Run(name, func(t *testing.T) {
			cut, err := region.At(m, ids(t, m, strings.Fields(c.cuts)...))
			if err != nil {
				t.Fatal(err)
			}
			p := cut.Part(ids(t, m, strings.Fields(c.of)...), func(graphops.ValueID) graphops.Type { return graphops.Type{} })
			var ops, ins, outs []string
			for _, n := range p.Model.Graph().Nodes() {
				ops = append(ops, n.OpType())
			}
			for _, v := range p.Model.Graph().Inputs() {
				ins = append(ins, v.Name())
			}
			for _, v := range p.Model.Graph().Outputs() {
				outs = append(outs, v.Name())
			}
			got := strings.Join([]string{strings.Join(ops, " "), strings.Join(ins, " "), strings.Join(outs, " ")}, " | ")
			if got != c.nodes {
				t.Errorf("got %s, want %s", got, c.nodes)
			}
			if problems := graphtest.Problems(p.Model); len(problems) > 0 {
				t.Error(problems)
			}
			if len(p.Model.Graph().ValueInfo()) > 0 {
				t.Error("types that the file declares are kept")
			}
		})
	}
	if _, err := region.At(m, ids(t, m, "x")); err == nil {
		t.Error("an input is cut")
	}
}

func TestSlice(t *testing.T) {
	m := graphtest.Model(t, diamond)
	part := region.Slice(m, map[int]bool{1: true, 2: true, 3: true}, []graphops.NamedType{{Name: "h"}}, []string{"m"})
	if got := graphtest.Nodes(part.Graph()); len(got) != 3 {
		t.Errorf("nodes %q", got)
	}
	if inits := part.Graph().Initializers(); len(inits) != 1 || inits[0].Name() != "w" {
		t.Errorf("%d initializers", len(inits))
	}
	if in := part.Graph().Inputs(); len(in) != 1 || in[0].Name() != "h" {
		t.Errorf("%d inputs", len(in))
	}
	var reads []string
	for v := range region.Reads(m.Graph(), 4) {
		reads = append(reads, m.Graph().Index().Name(v))
	}
	if slices.Sort(reads); !slices.Equal(reads, []string{"c", "g", "x"}) {
		t.Errorf("the If reads %q", reads)
	}
}

func TestPiece(t *testing.T) {
	m := graphtest.Model(t, diamond)
	for name, c := range map[string]struct {
		nodes []int
		want  string // operators, inputs, outputs
	}{
		"one node":          {[]int{1}, "Add | h | g"},
		"a constant joins":  {[]int{3}, "Constant Mul | g | m"},
		"a body's captures": {[]int{4}, "If | x c g | y"},
		"apart":             {[]int{0, 5}, "MatMul Sub | x y m | h z"},
		"beside each other": {[]int{0, 1}, "MatMul Add | x | g"},
		"all":               {[]int{0, 1, 2, 3, 4, 5}, "MatMul Add Constant Mul If Sub | x c | z"},
	} {
		t.Run(name, func(t *testing.T) {
			p := region.PieceOf(m, c.nodes)
			part := p.Model(func(string) graphops.Type { return graphops.Type{} }, p.Outputs)
			var ops, ins, outs []string
			for _, n := range part.Graph().Nodes() {
				ops = append(ops, n.OpType())
			}
			for _, v := range part.Graph().Inputs() {
				ins = append(ins, v.Name())
			}
			for _, v := range part.Graph().Outputs() {
				outs = append(outs, v.Name())
			}
			if got := strings.Join([]string{strings.Join(ops, " "), strings.Join(ins, " "), strings.Join(outs, " ")}, " | "); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if problems := graphtest.Problems(part); len(problems) > 0 {
				t.Error(problems)
			}
		})
	}
	declared := region.PieceOf(m, []int{0, 1}).Model(func(string) graphops.Type { return graphops.Type{} }, []string{"g"})
	if len(declared.Graph().ValueInfo()) != 1 || declared.Graph().ValueInfo()[0].Name() != "h" {
		t.Error("what the file declares of a value inside is lost")
	}
}

// A part of a model feeds what is made after a body, whose own values then have other
// names.
func TestPartLeavesBodiesTheirOwnNames(t *testing.T) {
	m := graphtest.Model(t, `
input x f32[2]
input c bool[]
graph yes
h = Abs(x)
o = Neg(h)
output o
end
z = If(c) then_branch=@yes else_branch=@yes
h = Neg(z)
y = Add(z, h)
output y f32[2]
`)
	cut, err := region.At(m, ids(t, m, "h", "y"))
	if err != nil {
		t.Fatal(err)
	}
	part := cut.Part(ids(t, m, "y"), func(graphops.ValueID) graphops.Type { return graphops.Type{} })
	if again, did := part.Model.Unshadowed(); again != part.Model {
		t.Errorf("a body makes values of names around it: %v", did.Renamed)
	}
}
