package diff_test

import (
	"bytes"
	"testing"

	"lathe/graphops"
	"lathe/graphops/diff"
	"lathe/graphops/graphtest"
)

// FuzzCompare compares whatever models some bytes hold: each with itself, where
// nothing differs as far as it can be read, and both with each other, where the rows
// hold every node once.
func FuzzCompare(f *testing.F) {
	one, two := graphtest.Bytes(f, nested), graphtest.Bytes(f, "input x f32[2]\nsparse s f32[4] 3 at 1\na = Add(x, b)\nb = Foo(a, s) t={f32[2] 1 2}\noutput b f32[2]\n")
	f.Add(one, one)
	f.Add(one, two)
	f.Add(two, one)
	f.Fuzz(func(t *testing.T, x, y []byte) {
		a, err := graphops.Decode(x)
		if err != nil {
			return
		}
		if d := compare(t, a, a); !d.Identical {
			t.Errorf("not identical with itself: %+v%s", d.Notes, summary(d))
		}
		if again, err := graphops.Decode(bytes.Clone(x)); err == nil {
			if d := compare(t, a, again); !d.Identical && len(d.Notes.Unread) == 0 {
				t.Errorf("not identical with what the same bytes hold: %+v%s", d.Notes, summary(d))
			}
		}
		b, err := graphops.Decode(y)
		if err != nil {
			return
		}
		for _, p := range compare(t, a, b).Places {
			checkRows(t, p)
		}
	})
}

func checkRows(t *testing.T, p *diff.PlaceDiff) {
	t.Helper()
	seen := map[[2]int]bool{}
	for _, r := range p.Rows {
		for which, i := range []int{r.A, r.B} {
			if i >= 0 && seen[[2]int{which, i}] {
				t.Errorf("node %d stands in two rows", i)
			}
			seen[[2]int{which, i}] = i >= 0
		}
	}
	want := 0
	for _, place := range []*graphops.Place{p.A, p.B} {
		if place != nil {
			want += len(place.Graph.Nodes())
		}
	}
	got := 0
	for _, there := range seen {
		if there {
			got++
		}
	}
	if got != want {
		t.Errorf("%d of %d nodes stand in rows", got, want)
	}
}
