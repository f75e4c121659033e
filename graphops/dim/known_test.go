package dim_test

import (
	"math/rand/v2"
	"testing"

	"lathe/graphops/dim"
)

// TestWhereAtMost holds what is left of random sizes under a condition against their
// values wherever the condition holds.
func TestWhereAtMost(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	shorter := 0
	for range 4_000 {
		e, most := randomExpression(r, 1, polynomial).build(), randomExpression(r, 1, polynomial).build()
		d := randomExpression(r, 2, len(operators)).build().Add(e.Min(most.Add(dim.Number(int64(r.IntN(3))))).Mul(randomExpression(r, 1, polynomial).build()))
		got := d.WhereAtMost(e, most)
		if !got.Equal(d) {
			shorter++
		}
		for range 8 {
			size := sizeOf(randomSizes(r))
			low, err := e.Eval(size)
			high, err2 := most.Eval(size)
			want, err3 := d.Eval(size)
			if err != nil || err2 != nil || err3 != nil || low > high {
				continue
			}
			if n, err := got.Eval(size); err != nil || n != want {
				t.Fatalf("%s, where %s is at most %s, is said to be %s: %d, %v in place of %d", d, e, most, got, n, err, want)
			}
		}
	}
	if shorter < 1_000 {
		t.Errorf("%d were shorter, which is too few", shorter)
	}
}

func TestMinBeside(t *testing.T) {
	for _, c := range []struct{ of, beside, want string }{
		{"min(64,n)", "n", "64"},
		{"min(64,n+1)", "n+1", "64"},
		{"min(64,n)", "64", "n"},
		{"min(64,n)", "m", ""},
		{"min(64,n)+1", "n+1", ""},
		{"max(64,n)", "n", ""},
		{"min(64,m,n)", "n", "min(64,m)"},
		{"n", "n", ""},
	} {
		got, ok := parse(t, c.of).MinBeside(parse(t, c.beside))
		if ok != (c.want != "") || ok && !got.Equal(parse(t, c.want)) {
			t.Errorf("of %s, beside %s: %s, %v", c.of, c.beside, got, ok)
		}
	}
}
