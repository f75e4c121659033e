package compare

import (
	"reflect"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
)

func TestDraws(t *testing.T) {
	for _, c := range []struct {
		name, model string
		want        []Draw
	}{
		{"noise that is added", "input x f32[2]\nr = RandomNormalLike(x)\noutput y f32\ny = Add(x, r)", []Draw{{Op: "RandomNormalLike"}}},
		{"with a seed", "input x f32[2]\nr = RandomNormalLike(x) seed=1.0\noutput y f32\ny = Add(x, r)", []Draw{{Op: "RandomNormalLike", Seeded: true}}},
		{"noise beside", "input x f32[2]\noutput z f32\nz = RandomNormalLike(x)\noutput y f32\ny = Relu(x)", nil},
		{"noise that only shapes", "input x f32[2]\nr = RandomNormalLike(x)\ns = Shape(r)\noutput y i64\ny = Add(s, s)", nil},
		{"noise that decides", "input x f32[2]\nr = Bernoulli(x) dtype=9\noutput y f32\ny = Where(r, x, x)", []Draw{{Op: "Bernoulli"}}},
		{"a dropout that is off", "input x f32[2]\noutput y f32\ny = Dropout(x)", nil},
		{"off by a constant", "input x f32[2]\ninit r f32[] 0.5\ninit t bool[] 0\noutput y f32\ny = Dropout(x, r, t)", nil},
		{"on by a constant", "input x f32[2]\ninit r f32[] 0.5\ninit t bool[] 1\noutput y f32\ny = Dropout(x, r, t)", []Draw{{Op: "Dropout"}}},
		{"on, of nothing", "input x f32[2]\ninit r f32[] 0\ninit t bool[] 1\noutput y f32\ny = Dropout(x, r, t)", nil},
		{"on by an input", "input x f32[2]\ninput t bool[]\ninit r f32[] 0.5\noutput y f32\ny = Dropout(x, r, t)", []Draw{{Op: "Dropout", When: "t"}}},
		{"off unless an input says so", "input x f32[2]\ninput t bool[]\ninit t bool[] 0\ninit r f32[] 0.5\noutput y f32\ny = Dropout(x, r, t)", []Draw{{Op: "Dropout", When: "t", Idle: true}}},
	} {
		if got := FactsOf(graphtest.Model(t, c.model))["y"].Draws; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestRandomIsUndecided checks that a random output neither fails nor passes, and that the other
// outputs are judged.
func TestRandomIsUndecided(t *testing.T) {
	as, bs := got(floats("y", 1, 2), floats("z", 3)), got(floats("y", 1, 5), floats("z", 3))
	wrong := got(floats("y", 1, 5), floats("z", 4))
	draws := func(d Draw) Options { return Options{Facts: map[string]Fact{"y": {Draws: []Draw{d}}}} }
	on := func(b bool) inputs.Case {
		c := caseNumber(0)
		c.Feeds["t"] = graphops.TensorValue(tensor.FromSlice([]bool{b}))
		return c
	}
	for _, c := range []struct {
		name    string
		a, b    []execution.Got
		o       Options
		one     inputs.Case
		pass    bool
		verdict string
	}{
		{"drawn, and another output right", as, bs, draws(Draw{Op: "Bernoulli"}), caseNumber(0), false, `undecided: output "y" cannot be judged in case "case 0": it is random, made by Bernoulli`},
		{"drawn, and another output wrong", as, wrong, draws(Draw{Op: "Bernoulli"}), caseNumber(0), false, `fail: output "z"`},
		{"drawn alone", as[:1], bs[:1], draws(Draw{Op: "Bernoulli"}), caseNumber(0), false, `undecided: output "y" cannot be judged in case "case 0": it is random, made by Bernoulli`},
		{"drawn alone, and an output missing", as, bs[:1], draws(Draw{Op: "Bernoulli"}), caseNumber(0), false, `fail: output "z"`},
		{"drawn, equal all the same", as[:1], as[:1], draws(Draw{Op: "Bernoulli"}), caseNumber(0), true, "equal"},
		{"with a seed", as[:1], bs[:1], draws(Draw{Op: "Bernoulli", Seeded: true}), caseNumber(0), false, `fail: output "y"`},
		{"in training", as[:1], bs[:1], draws(Draw{Op: "Dropout", When: "t"}), on(true), false, "undecided"},
		{"not in training", as[:1], bs[:1], draws(Draw{Op: "Dropout", When: "t"}), on(false), false, `fail: output "y"`},
		{"not said, on", as[:1], bs[:1], draws(Draw{Op: "Dropout", When: "t"}), caseNumber(0), false, "undecided"},
		{"not said, off", as[:1], bs[:1], draws(Draw{Op: "Dropout", When: "t", Idle: true}), caseNumber(0), false, "fail"},
		{"another shape", as[:1], got(floats("y", 1, 2, 3)), draws(Draw{Op: "Bernoulli"}), caseNumber(0), false, `undecided: output "y" cannot be judged in case "case 0": it is random, made by Bernoulli, and its shape may be random too`},
		{"another shape, with a seed", as[:1], got(floats("y", 1, 2, 3)), draws(Draw{Op: "Bernoulli", Seeded: true}), caseNumber(0), false, `fail: output "y"`},
		{"another shape, and another output right", as, got(floats("y", 1, 2, 3), floats("z", 3)), draws(Draw{Op: "Bernoulli"}), caseNumber(0), false, `undecided: output "y" cannot be judged in case "case 0": it is random, made by Bernoulli`},
	} {
		r := run(t, fake{answers: [][]execution.Got{c.a}}, fake{answers: [][]execution.Got{c.b}}, c.o, c.one)
		if r.Pass != c.pass || !strings.Contains(r.Headline, c.verdict) {
			t.Errorf("%s: pass %v, %s", c.name, r.Pass, r.Headline)
		}
	}
	expected := expecting(0, floats("y", 1, 2))
	seeded := draws(Draw{Op: "Bernoulli", Seeded: true})
	r, err := Compare(t.Context(), Expected{"set", []graphops.NamedType{{Name: "y"}}}, fake{answers: [][]execution.Got{bs}}, []inputs.Case{expected}, seeded, nil)
	if err != nil || r.Pass || !strings.HasPrefix(r.Headline, "undecided: ") {
		t.Errorf("a seed tells nothing of another program: %v, %+v", err, r)
	}
}

// TestDrawnAgreesByAccident checks that a random output that is equal in one case and differs in
// another is not judged. It is judged if it is equal in every case.
func TestDrawnAgreesByAccident(t *testing.T) {
	zeros, some, others := got(floats("y", 0, 0)), got(floats("y", 1, 0)), got(floats("y", 0, 1))
	o := Options{Facts: map[string]Fact{"y": {Draws: []Draw{{Op: "Dropout"}}}}}
	for _, c := range []struct {
		name    string
		a, b    [][]execution.Got
		verdict Verdict
		reach   int
	}{
		{"zeros first", [][]execution.Got{zeros, some}, [][]execution.Got{zeros, others}, Undecided, 0},
		{"zeros last", [][]execution.Got{some, zeros}, [][]execution.Got{others, zeros}, Undecided, 0},
		{"always equal", [][]execution.Got{zeros, some}, [][]execution.Got{zeros, some}, Pass, 2},
	} {
		r := run(t, fake{answers: c.a}, fake{answers: c.b}, o, caseNumber(0), caseNumber(1))
		judged := 0
		for _, one := range r.Cases {
			if one.Verdict != Undecided {
				judged++
			}
		}
		if r.Verdict != c.verdict || judged != c.reach {
			t.Errorf("%s: %s, judged in %d cases: %s", c.name, r.Verdict, judged, r.Headline)
		}
	}
}
