package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/diff"
	"lathe/graphops/graphtest"
)

// tower is a network of n layers as one of two exporters writes it. They differ in the
// name of the input, in attributes that follow from weights, in copies of weights, and
// in the operators at its end.
func tower(t testing.TB, n int, other bool) *graphops.Model {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	input, kernel := "input.1", " kernel_shape=[3,3] strides=[1,1] dilations=[1,1]"
	if other {
		input, kernel = "x", ""
	}
	line("input %s f32[1,4,8,8]", input)
	h := input
	for l := range n {
		line("init w%d f32[4,4,3,3] %d", l, l+2)
		w := fmt.Sprintf("w%d", l)
		if !other && l%3 == 0 {
			line("copy%[1]d = Identity(w%[1]d)", l)
			w = fmt.Sprintf("copy%d", l)
		}
		line("conv%d = Conv(%s, %s) pads=[1,1,1,1]%s", l, h, w, kernel)
		line("relu%d = Relu(conv%d)", l, l)
		line("sum%d = Add(relu%d, %s)", l, l, h)
		h = fmt.Sprintf("sum%d", l)
	}
	line("init axes i64[2] 2 3\ninit sizes i64[2] 1 4")
	if other {
		line("mean = ReduceMean(%s, axes)\ny = Reshape(mean, sizes)", h)
	} else {
		line("mean = GlobalAveragePool(%s)\ny = Flatten(mean)", h)
	}
	line("output y f32[1,4]")
	return graphtest.Model(t, b.String())
}

// TestExporters compares a network with itself as another exporter writes it: every
// node but the copies has its partner, in disguise and both ways.
func TestExporters(t *testing.T) {
	a, b := tower(t, 9, false), tower(t, 9, true)
	want := ""
	for seed := range uint64(4) {
		if seed > 0 {
			b = disguised(b, seed)
		}
		d := compare(t, a, b)
		got := tally(d)
		if want == "" {
			want = got
		}
		if got != want || mirrored(got) != tally(compare(t, b, a)) {
			t.Errorf("seed %d: told %q, once %q:%s", seed, got, want, summary(d))
		}
		if n := len(d.Places[0].Removed); n != 3 || len(d.Places[0].Added) != 0 {
			t.Errorf("seed %d: %d nodes are taken for removed, %d for added:%s", seed, n, len(d.Places[0].Added), summary(d))
		}
		checkRows(t, d.Places[0])
	}
}

// TestOtherNames gives inputs and outputs other names: those in one place that agree in
// type are renamed.
func TestOtherNames(t *testing.T) {
	for _, c := range []struct{ name, a, b, want string }{
		{"alone", "input a f32[2]\ny = Exp(a)\noutput y f32[2]", "input b f32[2]\ny = Log(b)\noutput y f32[2]", "renamed"},
		{"of several types", "input a f32[2]\ninput m i64[2]\ny = F(a, m)\noutput y f32[2]", "input b f32[2]\ninput n i64[2]\ny = F(b, n)\noutput y f32[2]", "renamed renamed"},
		{"another type, where nodes tell", "input a f32[2]\ny = Exp(a)\noutput y f32[2]", "input b f16[2]\ny = Exp(b)\noutput y f32[2]", "renamed retyped"},
		{"another shape, where nodes tell", "input a f32[2]\ny = Exp(a)\noutput y f32[2]", "input b f32[3]\ny = Exp(b)\noutput y f32[2]", "renamed retyped"},
		{"an output of another node", "input a f32[2]\ny = Exp(a)\noutput y f32[2]", "input a f32[2]\nb = Log(a)\nc = Sin(b)\nz = Tan(c)\noutput z f32[2]", "renamed rewired"},
		{
			"those that nodes tell", "input a f32[2]\ninput b f32[2]\nc = Exp(a)\nd = Log(b)\ny = Sub(c, d)\noutput y f32[2]",
			"input 2 f32[2]\ninput 1 f32[2]\nc = Exp(1)\nd = Log(2)\ny = Sub(c, d)\noutput y f32[2]", "renamed renamed reordered",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := compare(t, graphtest.Model(t, c.a), graphtest.Model(t, c.b))
			var got []string
			for _, x := range d.IO {
				got = append(got, string(x.Kind))
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("told %q, want %q:%s", got, c.want, summary(d))
			}
		})
	}
}

// TestTally counts every difference once.
func TestTally(t *testing.T) {
	d := compare(t, tower(t, 3, false), tower(t, 3, true))
	rows := 0
	for _, r := range d.Places[0].Rows {
		if d.Places[0].Counts(r) {
			rows++
		}
	}
	got := d.Tally()
	if nodes := got.Changed + got.Added + got.Removed; nodes != rows || got.Removed != 1 {
		t.Errorf("%d nodes differ in %d rows", nodes, rows)
	}
	if want := got.IO + rows + got.NewWeights + got.LostWeights; got.Total() != want {
		t.Errorf("%d differences in %+v", got.Total(), got)
	}
	if d := compare(t, tower(t, 3, true), tower(t, 3, true)); d.Tally() != (diff.Tally{}) {
		t.Errorf("equal models differ: %+v", d.Tally())
	}
}
