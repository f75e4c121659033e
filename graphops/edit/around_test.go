package edit_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// halved computes in half precision, with indices beside.
const halved = `
	opset 19
	opset local 1
	input x f16[2,4]
	input rows i64[1]
	input c bool[]
	init w f16[4] 1
	init wide f32[4] 1
	value h f16[2,4]
	value n f16[2,4]
	value v f16[2,4]
	value k f16[1,4]
	value e f16[1,4]
	output n f16[2,4]
	output y f16[1,4]
	output z f16[2,4]
	function local Twice(a) -> (b)
	b = Add(a, a)
	end
	graph branch
	b = Neg(n)
	output b f16[2,4]
	end
	stem: h = Neg(x)
	norm: n = Mul(h, w)
	soft: v = Exp(n)
	take: k = Gather(v, rows)
	last: y = Add(k, k)
	choose: z = If(c) then_branch=@branch else_branch=@branch
	call: e = local::Twice(k)
	up: f = Cast(e) to=1
	wider: g = Mul(f, wide)
`

func TestInsertAround(t *testing.T) {
	tests := []struct {
		name    string
		around  []string
		nodes   string
		records []string
	}{
		{
			"a node whose result is an output and read in bodies",
			[]string{"norm"},
			`
stem: h = Neg(x)
h_cast: h_to_f32 = Cast(h) to=1
norm: n_before_cast = Mul(h_to_f32, w_to_f32)
n_cast: n = Cast(n_before_cast) to=10
soft: v = Exp(n)
take: k = Gather(v, rows)`,
			[]string{"h f16 2×4", "n f16 2×4", "v f16 2×4", "k f16 1×4", "e f16 1×4", "h_to_f32 f32 2×4", "w_to_f32 f32 4"},
		},
		{
			"nodes that follow each other, with indices",
			[]string{"take", "norm", "soft"},
			`
stem: h = Neg(x)
h_cast: h_to_f32 = Cast(h) to=1
norm: n_before_cast = Mul(h_to_f32, w_to_f32)
n_cast: n = Cast(n_before_cast) to=10
soft: v = Exp(n_before_cast)
take: k_before_cast = Gather(v, rows)
k_cast: k = Cast(k_before_cast) to=10`,
			[]string{"h f16 2×4", "n f16 2×4", "k f16 1×4", "e f16 1×4", "h_to_f32 f32 2×4", "w_to_f32 f32 4"},
		},
		{
			"a call, and what has the type already",
			[]string{"call", "up", "wider"},
			`
stem: h = Neg(x)
norm: n = Mul(h, w)
soft: v = Exp(n)
take: k = Gather(v, rows)
k_cast: k_to_f32 = Cast(k) to=1`,
			[]string{"h f16 2×4", "n f16 2×4", "v f16 2×4", "k f16 1×4", "k_to_f32 f32 1×4"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, halved)
			next, _ := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
				return edit.Insert(t.Context(), m, at(t, m), edit.InsertOptions{Around: tt.around, To: tensor.F32})
			})
			for _, line := range strings.Split(strings.TrimSpace(tt.nodes), "\n") {
				if !slices.Contains(graphtest.Nodes(next.Graph()), line) {
					t.Errorf("%q is missing in\n%s", line, lines(next))
				}
			}
			want := append(tt.records, "n f16 2×4", "y f16 1×4", "z f16 2×4")
			if diff := cmp.Diff(want, records(next.Graph())); diff != "" {
				t.Errorf("types (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInsertAroundRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		around []string
		to     tensor.DType
		want   string
	}{
		{"the type that it has", []string{"norm"}, tensor.F16, `node "norm" (Mul): nothing to cast: its floating-point inputs and outputs are all f16 already`},
		{"bodies", []string{"choose"}, tensor.F32, `node "choose" (If): has bodies`},
		{"unknown", []string{"norms"}, tensor.F32, `nearest names: "norm"`},
		{"an unknown type", []string{"wider"}, tensor.F16, `value "f": its type is unknown`},
		{"opset", []string{"norm"}, tensor.F8E8M0, `needs opset 24`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, halved)
			_, _, err := edit.Insert(t.Context(), m, at(t, m), edit.InsertOptions{Around: tt.around, To: tt.to})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v lacks %q", err, tt.want)
			}
		})
	}
}
