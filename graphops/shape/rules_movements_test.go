package shape_test

import (
	"context"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/shape"
)

// TestSplitOutside splits what is followed into parts that lie outside of it.
func TestSplitOutside(t *testing.T) {
	check(t, []example{
		{name: "behind", model: `
			opset 13
			init x i64[4] 1 2 3 4
			init s i64[3] 3 9223372036854775807 1
			a, b, c = Split(x, s)
		`, want: map[string]string{"a": "i64 3 = [1 2 3]", "b": "i64 9223372036854775807 = ?"}},
		{name: "before", model: `
			opset 13
			init x i64[4] 1 2 3 4
			init s i64[3] -3 2 5
			a, b, c = Split(x, s)
		`, want: map[string]string{"a": "i64 ? = ?", "b": "i64 2 = ?"}, problems: []string{"size -3"}},
	})
}

// TestDepartures covers what ONNX Runtime 1.30 makes otherwise than the standard says: the
// standard's sizes, and none where those are asked for on which both agree.
func TestDepartures(t *testing.T) {
	for _, tt := range []struct{ name, model, value, standard, agreed string }{
		{"fewer outputs than parts", "input x f32[2,9]\na, y = Split(x) axis=1 num_outputs=3", "y", "f32 2×3", "f32 2×?"},
		{"of parts that are not equal", "input x f32[8]\na, y = Split(x) num_outputs=3", "y", "f32 3", "f32 ?"},
		{"of a symbolic axis", "input x f32[n,2]\na, y = Split(x) num_outputs=3", "y", "f32 floor((n+2)/3)×2", "f32 ?×2"},
		{"one output of two", "input x f32[9]\ny = Split(x) num_outputs=2", "y", "f32 5", "f32 ?"},
		{"as many outputs as parts", "input x f32[8]\na, b, y = Split(x) num_outputs=3", "y", "f32 2", "f32 2"},
		{"an empty list of axes", "input x f32[1,3,1]\ninit a i64[0]\ny = Squeeze(x, a)", "y", "f32 1×3×1", "f32 ?"},
		{"an empty list of axes as an attribute", "opset 11\ninput x f32[1,3]\ny = Squeeze(x) axes=[]", "y", "f32 1×3", "f32 ?"},
		{"an empty list of axes, none of size 1", "input x f32[2,3]\ninit a i64[0]\ny = Squeeze(x, a)", "y", "f32 2×3", "f32 2×3"},
		{"a list of axes", "input x f32[1,3,1]\ninit a i64[1] 0\ny = Squeeze(x, a)", "y", "f32 3×1", "f32 3×1"},
	} {
		m := graphtest.Model(t, "opset 18\n"+tt.model)
		for _, o := range []struct {
			agreed bool
			want   string
		}{{false, tt.standard}, {true, tt.agreed}} {
			r, err := shape.Infer(context.Background(), m, shape.Options{Agreed: o.agreed})
			if err != nil {
				t.Fatal(err)
			}
			id, _ := m.Graph().Index().Value(tt.value)
			if got := r.Value(m.Places()[0], id).String(); got != o.want {
				t.Errorf("%s, agreed %t: %s, expected %s", tt.name, o.agreed, got, o.want)
			}
		}
	}
}
