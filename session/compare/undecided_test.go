package compare

import (
	"math"
	"strings"
	"testing"

	"lathe/graphops/execution"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
)

// TestUndecided checks that a comparison passes only if each output was compared in some case, with
// elements that could have differed.
func TestUndecided(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	empty := output("y", tensor.FromSlice([]float32{}, 0, 4))
	y, z := floats("y", 1, 2), floats("z", 3)
	noText := output("y", tensor.FromStrings(nil, 0))
	cases := func(answers ...[]execution.Got) [][]execution.Got { return answers }
	one := func(values ...execution.Got) [][]execution.Got { return cases(values) }
	for name, c := range map[string]struct {
		a, b     [][]execution.Got
		o        Options
		want     Verdict
		headline string
	}{
		"no elements":                      {one(empty), one(empty), Options{}, Undecided, `output "y" cannot be judged in case "case 0": it has no elements`},
		"no elements in two cases":         {cases(got(empty), got(empty)), cases(got(empty), got(empty)), Options{}, Undecided, `output "y" cannot be judged in any of 2 cases: it has no elements`},
		"no elements in one of two":        {cases(got(empty), got(y)), cases(got(empty), got(y)), Options{}, Pass, "; compared in 1 of 2 cases"},
		"no elements, quantized":           {one(empty), one(empty), Options{Quantized: true}, Undecided, "it has no elements"},
		"no elements, as asked":            {one(empty), one(empty), Options{RTol: new(float64)}, Undecided, "it has no elements"},
		"no text":                          {one(noText), one(noText), Options{}, Undecided, "it has no elements"},
		"no integers":                      {one(output("y", tensor.FromSlice([]int64{}, 0))), one(output("y", tensor.FromSlice([]int64{}, 0))), Options{}, Undecided, "it has no elements"},
		"no elements of another shape":     {one(empty), one(output("y", tensor.FromSlice([]float32{}, 0, 5))), Options{}, Fail, `output "y"`},
		"no elements on one side":          {one(empty), one(output("y", tensor.FromSlice([]float32{1, 2, 3, 4}, 1, 4))), Options{}, Fail, `output "y"`},
		"NaN":                              {one(floats("y", nan, nan)), one(floats("y", nan, nan)), Options{}, Undecided, "it is NaN on both sides"},
		"NaN, quantized":                   {one(floats("y", nan, nan)), one(floats("y", nan, nan)), Options{Quantized: true}, Undecided, "it is NaN on both sides"},
		"NaN on one side":                  {one(floats("y", nan, nan)), one(floats("y", 1, 2)), Options{}, Fail, "NaN"},
		"NaN on the other":                 {one(floats("y", 1, 2)), one(floats("y", nan, nan)), Options{}, Fail, "NaN"},
		"NaN beside a number":              {one(floats("y", nan, 2)), one(floats("y", nan, 2)), Options{}, Pass, "equal"},
		"NaN in one of two cases":          {cases(got(floats("y", nan)), got(y)), cases(got(floats("y", nan)), got(y)), Options{}, Pass, "; compared in 1 of 2 cases"},
		"NaN and no elements":              {cases(got(floats("y", nan)), got(empty)), cases(got(floats("y", nan)), got(empty)), Options{}, Undecided, "in any of 2 cases: it is NaN on both sides in 1 of them"},
		"infinities":                       {one(floats("y", inf, -inf)), one(floats("y", inf, -inf)), Options{}, Pass, "equal"},
		"infinities of other signs":        {one(floats("y", inf)), one(floats("y", -inf)), Options{}, Fail, ""},
		"a constant":                       {cases(got(y), got(y)), cases(got(y), got(y)), Options{}, Pass, "equal"},
		"zeros":                            {one(floats("y", 0, 0)), one(floats("y", 0, 0)), Options{}, Pass, "equal"},
		"a constant, quantized":            {one(floats("y", 1, 1)), one(floats("y", 1, 1)), Options{Quantized: true}, Pass, ""},
		"one output of two":                {one(empty, z), one(empty, z), Options{}, Undecided, `output "y" cannot be judged in case "case 0": it has no elements; all that can be judged passes, 1 output`},
		"one output of two, the other off": {one(empty, z), one(empty, floats("z", 4)), Options{}, Fail, `output "z"`},
		"each output in another case":      {cases(got(empty, z), got(y, floats("z", nan))), cases(got(empty, z), got(y, floats("z", nan))), Options{}, Pass, "equal"},
		"two outputs, neither":             {one(empty, floats("z", nan)), one(empty, floats("z", nan)), Options{}, Undecided, `output "y" cannot be judged in case "case 0": it has no elements; nor can 1 other output`},
		"other order":                      {one(y, z), one(z, y), Options{}, Pass, "equal"},
		"other type":                       {one(y), one(output("y", tensor.FromSlice([]float64{1, 2}, 2))), Options{}, Pass, ""},
		"no outputs":                       {one(), one(), Options{}, Undecided, "nothing was compared, the models have no outputs"},
		"what nobody can read":             {one(opaque), one(opaque), Options{}, Undecided, `output "s"`},
		"what nobody can read, and more":   {one(opaque, z), one(opaque, z), Options{}, Undecided, "; all that can be judged passes, 1 output"},
		"a sequence of none":               {one(sequence("s")), one(sequence("s")), Options{}, Undecided, `output "s" cannot be judged`},
		"a sequence of none, then of some": {
			cases(got(sequence("s")), got(sequence("s", []float32{1}))), cases(got(sequence("s")), got(sequence("s", []float32{1}))),
			Options{},
			Pass, "; compared in 1 of 2 cases",
		},
		"an element that is NaN in the one case that has it": {
			cases(got(sequence("s", []float32{1}, []float32{nan}))), cases(got(sequence("s", []float32{1}, []float32{nan}))),
			Options{},
			Pass, "equal",
		},
		"a name like an element's": {
			one(floats("a[0]", 1), output("a[1]", tensor.FromSlice([]float32{}, 0))), one(floats("a[0]", 1), output("a[1]", tensor.FromSlice([]float32{}, 0))),
			Options{},
			Undecided, `output "a[1]" cannot be judged`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var on []inputs.Case
			for i := range c.a {
				on = append(on, caseNumber(int64(i)))
			}
			r := run(t, fake{answers: c.a}, fake{answers: c.b}, c.o, on...)
			if r.Verdict != c.want || r.Pass != (c.want == Pass) {
				t.Errorf("%s, pass %v, want %s: %s", r.Verdict, r.Pass, c.want, r.Headline)
			}
			if !strings.HasPrefix(r.Headline, string(c.want)+": ") || !strings.Contains(r.Headline, c.headline) {
				t.Errorf("headline %q", r.Headline)
			}
		})
	}
}

// TestReach checks that the headline says in how many cases something was compared, and in which
// families nothing was.
func TestReach(t *testing.T) {
	y := got(floats("y", 1))
	a, b := fake{answers: [][]execution.Got{y}, fail: map[int]string{1: "no", 3: "no"}}, fake{answers: [][]execution.Got{y}, fail: map[int]string{1: "no", 3: "no"}}
	r := run(t, a, b, Options{NotRun: []inputs.NotRun{{Case: "large", Family: inputs.Large}}},
		family(0, inputs.Seeds), family(1, inputs.Sizes), family(2, inputs.Sizes), family(3, inputs.Zeros))
	if want := "; compared in 2 of 5 cases: 1 of 2 sizes, no zeros, no large"; r.Verdict != Pass || !strings.HasSuffix(r.Headline, want) {
		t.Errorf("%s, want %s", r.Headline, want)
	}
	all := run(t, fake{answers: [][]execution.Got{y}}, fake{answers: [][]execution.Got{y}}, Options{}, family(0, inputs.Seeds))
	if strings.Contains(all.Headline, "compared in") {
		t.Error(all.Headline)
	}
}
