package graph

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

func TestOutline(t *testing.T) {
	o := outlineOf(graphtest.Model(t, `
		input x f32[2]
		input w f32[2]
		init w f32[2] 1
		a = Mul(x, w)
		named: b, _ = Split(a, )
		output b f32[1]
	`))
	var got []string
	for row := range o.Len() {
		got = append(got, o.Op(row)+" "+o.Name(row))
	}
	want := []string{"input x", "Mul → a", "Split named", "output b"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a"}, o.Reads(2)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"b"}, o.Makes(2)); diff != "" {
		t.Error(diff)
	}
}

func TestFindSelection(t *testing.T) {
	old := outlineOf(graphtest.Model(t, `
		input x f32
		one: a = Relu(x)
		two: b = Relu(a)
		three: c = Relu(b)
		output c f32`))
	next := outlineOf(graphtest.Model(t, `
		input y f32
		input x f32
		zero: z = Relu(y)
		other: b = Sigmoid(x)
		three: d = Relu(b)
		output c f32`))
	for row, want := range map[int]string{0: "x", 2: "other", 3: "three", 4: "c"} {
		if got := next.Name(next.Find(old, row)); got != want {
			t.Errorf("%s is found as %q, want %q", old.Name(row), got, want)
		}
	}
	// If the node is gone, the selection stays at its position.
	if got := next.Find(old, 1); got != 1 {
		t.Errorf("what is gone is found in row %d, want 1", got)
	}
	if got := outlineOf(graphtest.Model(t, "")).Find(old, 3); got != 0 {
		t.Errorf("in an empty graph row %d is found", got)
	}
}

func outlineOf(m *graphops.Model) *Outline { return NewOutline(m, m.Places()[0]) }
