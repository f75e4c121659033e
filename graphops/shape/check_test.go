package shape_test

import (
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/shape"
)

// example is a model with what an inference finds in it.
type example struct {
	name  string
	model string // as graphtest reads it
	fresh bool   // as Options.Fresh
	// want are types of values by name: "f32 batch×2*seq+1", "i64 scalar", "f32 ?"
	// where the rank is not known, "?" where nothing is. Behind " = " stand the
	// elements, "[batch 3 -1]"; without it nobody asks for them, and " = ?" is that
	// none are followed.
	want map[string]string
	// problems are parts of the text of each problem, in the order of the nodes.
	problems []string
	// demands are all equations that must hold, as "batch = 2*seq".
	demands []string
}

// check infers each example and compares. Problems and demands that are not
// named are mistakes.
func check(t *testing.T, examples []example) {
	t.Helper()
	for _, x := range examples {
		t.Run(x.name, func(t *testing.T) {
			t.Helper()
			m := graphtest.Model(t, x.model)
			r, err := shape.Infer(t.Context(), m, shape.Options{Fresh: x.fresh})
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range x.want {
				v, ok := valueOf(m, r, name)
				if got := describe(v, want); !ok || got != want {
					t.Errorf("%s is %s, want %s (there: %v)", name, got, want, ok)
				}
			}
			checkList(t, "problems", problemTexts(r), x.problems, strings.Contains)
			checkList(t, "demands", demandTexts(r), x.demands, func(got, want string) bool { return got == want })
		})
	}
}

// checkList compares texts one by one.
func checkList(t *testing.T, what string, got, want []string, same func(got, want string) bool) {
	t.Helper()
	ok := len(got) == len(want)
	for i := range min(len(got), len(want)) {
		ok = ok && same(got[i], want[i])
	}
	if !ok {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// valueOf finds a value by name: in the main graph, else in the first body or
// function that has it.
func valueOf(m *graphops.Model, r *shape.Result, name string) (shape.Value, bool) {
	for _, p := range m.Places() {
		x := p.Graph.Index()
		if id, ok := x.Value(name); ok && x.IsDefined(id) {
			return r.Value(p, id), true
		}
	}
	return shape.Value{}, false
}

// describe writes a value as the examples do, with its elements where want asks for
// them.
func describe(v shape.Value, want string) string {
	text := v.Type.String()
	if !strings.Contains(want, " = ") {
		return text
	}
	if elems := v.Elements(); elems != "" {
		return text + " = " + elems
	}
	return text + " = ?"
}

func problemTexts(r *shape.Result) []string {
	var out []string
	for _, p := range r.Problems {
		out = append(out, p.String())
	}
	return out
}

// asksForRoom reports whether a demand is that a size is no smaller than a number.
func asksForRoom(d shape.Demand) bool {
	_, number := d.A.Size.Number()
	return d.Relation == shape.AtMost && number
}

func demandTexts(r *shape.Result) []string {
	var out []string
	for _, d := range r.Demands {
		if d.Tolerated || asksForRoom(d) { // TestSizes compares those
			continue
		}
		sign := map[shape.Relation]string{shape.Equals: "=", shape.Broadcasts: "=", shape.Spreads: "=", shape.Multiple: "divides", shape.AtMost: "<="}[d.Relation]
		if d.Relation == shape.Multiple {
			d.A, d.B = d.B, d.A
		}
		out = append(out, d.A.Size.String()+" "+sign+" "+d.B.Size.String())
	}
	return out
}

// TestCheck holds the helper itself against one of each.
func TestCheck(t *testing.T) {
	check(t, []example{
		{name: "values", model: `
			input x f32[batch,4]
			input u f32
			init w f32[4,8] 1
			s = Shape(x)
			y = MatMul(x, w)
			z = Relu(u)
			q = com.example::Op(u)
		`, want: map[string]string{
			"x": "f32 batch×4", "s": "i64 2 = [batch 4]", "y": "f32 batch×8", "z": "f32 ?", "q": "?", "w": "f32 4×8 = ?",
		}},
		{name: "problems and demands", model: `
			input x f32[batch,4]
			input y f32[3,seq]
			input w f32[3,8]
			a = Add(x, y)
			first: m = MatMul(x, w)
		`, want: map[string]string{"m": "f32 batch×8"}, problems: []string{`node "first" (MatMul)`}, demands: []string{"batch = 3", "4 = seq"}},
	})
}
