package shape_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lathe/graphops/graphtest"
	"lathe/graphops/shape"
)

// nested are loops in each other, the innermost first: what it carries grows along one
// axis each time, and each loop turns that into another axis.
func nested(levels int) string {
	var b strings.Builder
	fmt.Fprint(&b, "init m i64[] 3\ninit yes bool[] 1\n")
	fmt.Fprint(&b, "graph b0\ninput i0 i64\ninput c0 bool\ninput s0 f32\nd0 = Identity(c0)\nt0 = Concat(s0, s0) axis=0\noutput d0\noutput t0\nend\n")
	for k := 1; k < levels; k++ {
		fmt.Fprintf(&b, "graph b%[1]d\ninput i%[1]d i64\ninput c%[1]d bool\ninput s%[1]d f32\nd%[1]d = Identity(c%[1]d)\nr%[1]d = Transpose(s%[1]d) perm=[2,0,1]\nt%[1]d = Loop(m, yes, r%[1]d) body=@b%[2]d\noutput d%[1]d\noutput t%[1]d\nend\n", k, k-1)
	}
	fmt.Fprintf(&b, "input x f32[n,4,2]\ninput z f32[n,4,2]\ny = Loop(m, yes, x) body=@b%d\noutput y f32", levels-1)
	return b.String()
}

// TestNestedLoops has loops in loops: each is inferred with each round of those around
// it, which must not double with every level.
func TestNestedLoops(t *testing.T) {
	for levels, want := range map[int]string{1: "f32 ?×4×2", 2: "f32 ?×?×?", 30: "f32 ?×?×?"} {
		m := graphtest.Model(t, nested(levels))
		start, visits := time.Now(), 0
		r, err := shape.Infer(t.Context(), m, shape.Options{Limit: 100_000, Visit: func(shape.Visit) { visits++ }})
		if took := time.Since(start); err != nil || took > deadline {
			t.Fatalf("%d levels: %v after %v", levels, err, took)
		}
		if v, ok := valueOf(m, r, "y"); !ok || v.Type.String() != want {
			t.Errorf("%d levels: y is %s, want %s", levels, v.Type, want)
		}
		if all := 2 + 3*(levels-1) + 1; visits != all {
			t.Errorf("%d levels: %d visits, want one of each of the %d nodes", levels, visits, all)
		}
	}
}

// TestLoopsInLoops tells what a loop in another one knows: only what changes there or
// around it is lost.
func TestLoopsInLoops(t *testing.T) {
	grows := "graph g\ninput i i64\ninput c bool\ninput s f32\nd = Identity(c)\nt = Concat(s, s) axis=1\noutput d\noutput t\nend\n"
	check(t, []example{
		{
			name: "another axis changes in each", model: grows + `
				graph b
				input j i64
				input e bool
				input p f32
				f = Identity(e)
				q = Loop(m, yes, p) body=@g
				r = Concat(q, q) axis=0
				output f
				output r
				end
				init m i64[] 3
				init yes bool[] 1
				input x f32[n,4,2]
				y = Loop(m, yes, x) body=@b
			`, want: map[string]string{"y": "f32 ?×?×2", "q": "f32 ?×?×2"},
		},
		{
			name: "the inner one begins anew", model: grows + `
				graph b
				input j i64
				input e bool
				input p f32
				f = Identity(e)
				q = Loop(m, yes, x) body=@g
				r = Concat(p, x) axis=0
				output f
				output r
				output q
				end
				init m i64[] 3
				init yes bool[] 1
				input x f32[n,4,2]
				y, z = Loop(m, yes, x) body=@b
			`, want: map[string]string{"y": "f32 ?×4×2", "q": "f32 n×?×2", "z": "f32 3×n×?×2"},
		},
		{
			name: "a function in both", model: "opset f 1\n" + grows + `
				function f F(a, m, yes) -> (o)
				o = Loop(m, yes, a) body=@g
				end
				graph b
				input j i64
				input e bool
				input p f32
				f = Identity(e)
				q = f::F(x, m, yes)
				w = f::F(once, m, yes)
				r = Concat(p, x) axis=0
				output f
				output r
				output q
				output w
				end
				init m i64[] 3
				init yes bool[] 1
				input x f32[n,4,2]
				input once f32[7,4,2]
				y, z, v = Loop(m, yes, x) body=@b
			`, want: map[string]string{"z": "f32 3×n×?×2", "v": "f32 3×7×?×2"},
		},
	})
}
