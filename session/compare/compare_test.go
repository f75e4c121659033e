package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
)

// fake is an executor with prepared outputs for each case. The input "case" is the number of the
// case.
type fake struct {
	name    string
	answers [][]graphops.Got
	fail    map[int]string
}

func (f fake) Name() string { return f.name }

func (f fake) Run(_ context.Context, in graphops.Feeds) ([]graphops.Got, error) {
	values, err := in["case"].Tensor.Int64s()
	if err != nil {
		return nil, err
	}
	i := int(values[0])
	if reason, ok := f.fail[i]; ok {
		return nil, errors.New(reason)
	}
	return f.answers[min(i, len(f.answers)-1)], nil
}

func caseNumber(i int64, labels ...int64) inputs.Case {
	return inputs.Case{
		Name:   "case " + string(rune('0'+i)),
		Feeds:  graphops.Feeds{"case": graphops.TensorValue(tensor.FromSlice([]int64{i}))},
		Labels: labels,
	}
}

func output(name string, t tensor.Tensor) graphops.Got {
	return graphops.Got{Name: name, Value: graphops.TensorValue(t)}
}

func floats(name string, values ...float32) graphops.Got {
	return output(name, tensor.FromSlice(values, int64(len(values))))
}

func run(t *testing.T, a, b fake, o Options, cases ...inputs.Case) *Report {
	t.Helper()
	a.name, b.name = "a.onnx", "b.onnx"
	r, err := Compare(t.Context(), a, b, cases, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// once compares two sets of outputs in a single case.
func once(t *testing.T, a, b []graphops.Got, o Options, labels ...int64) *Report {
	t.Helper()
	return run(t, fake{answers: [][]graphops.Got{a}}, fake{answers: [][]graphops.Got{b}}, o, caseNumber(0, labels...))
}

// opaque is a value of a type whose elements cannot be read.
var opaque = graphops.Got{Name: "s", Value: graphops.Value{Type: graphops.Type{Kind: graphops.TypeOpaque}}}

func got(values ...graphops.Got) []graphops.Got { return values }

// noisy returns a signal, and the same signal with noise, for a signal-to-noise ratio in dB.
func noisy(snr float64) (clean, noise []float32) {
	clean, noise = make([]float32, 100), make([]float32, 100)
	for i := range clean {
		clean[i] = float32(1 + i%2)
		noise[i] = clean[i] + float32(math.Sqrt(2.5*math.Pow(10, -snr/10))*float64(1-i%4/2*2))
	}
	return clean, noise
}

func TestVerdict(t *testing.T) {
	nan := float32(math.NaN())
	half, err := tensor.FromFloat64s(tensor.F16, []float64{1, 2}, 2)
	if err != nil {
		t.Fatal(err)
	}
	clean, sound := noisy(20)
	_, broken := noisy(9)
	ref := func(x float64) *float64 { return &x }
	ints := output("n", tensor.FromSlice([]int64{1}, 1))
	tests := []struct {
		name    string
		a, b    []graphops.Got
		o       Options
		pass    bool
		verdict string
	}{
		{
			"within tolerance", got(floats("y", 1, 2)), got(floats("y", 1, 2.00001)),
			Options{},
			true,
			`pass: every output within its tolerance; nearest to it is output "y" in case "case 0" at 47.7 % of rtol 1e-05 atol 1e-06 (f32)`,
		},
		{
			"outside", got(floats("y", 1, 2)), got(floats("y", 1, 2.001)),
			Options{},
			false,
			`fail: output "y" in case "case 0": 1 of 2 elements outside rtol 1e-05 atol 1e-06 (f32), the worst by a factor of 47.6 at [1]: a 2, b 2.0009999`,
		},
		{
			"asked for", got(floats("y", 1, 2)), got(floats("y", 1, 2.001)),
			Options{RTol: ref(1e-2), ATol: ref(0)},
			true,
			`pass: every output within its tolerance; nearest to it is output "y" in case "case 0" at 5 % of rtol 0.01 atol 0 (as asked)`,
		},
		{"of one that is asked for, the other follows from the type", got(floats("y", 1)), got(floats("y", 1)), Options{RTol: ref(1e-2)}, true, "rtol 0.01 atol 1e-06 (as asked)"},
		{"none of its own for integers", got(ints), got(ints), Options{ATol: ref(2)}, true, "rtol 0 atol 2 (as asked)"},
		{"no tolerance, equal", got(floats("y", 1, nan)), got(floats("y", 1, nan)), Options{RTol: ref(0), ATol: ref(0)}, true, "pass: every element of every output is equal"},
		{
			"no tolerance, not equal", got(floats("y", 1, 2)), got(floats("y", 1, math.Nextafter32(2, 3))),
			Options{RTol: ref(0), ATol: ref(0)},
			false, `1 of 2 elements differ, the worst at [1]: a 2, b 2.0000002`,
		},
		{"computed in f16", got(floats("y", 1, 2)), got(floats("y", 1, 2.001)), Options{Precision: tensor.F16}, true, "atol 0.001"},
		{"one side in f16", got(floats("y", 1, 2.001)), got(output("y", half)), Options{}, true, "atol 0.001"},
		{
			"integers", got(output("y", tensor.FromSlice([]int64{1, 2}, 2))), got(output("y", tensor.FromSlice([]int64{1, 3}, 2))),
			Options{Precision: tensor.BF16},
			false,
			`fail: output "y" in case "case 0": 1 of 2 elements differ, the worst at [1]: a 2, b 3`,
		},
		{
			"strings", got(output("y", tensor.FromStrings([]string{"a"}, 1))), got(output("y", tensor.FromStrings([]string{"\x1b"}, 1))),
			Options{},
			false,
			`fail: output "y" in case "case 0": 1 of 1 elements differ, the worst at [0]: a "a", b "\x1b"`,
		},
		{
			"equal", got(output("y", tensor.FromSlice([]bool{true}, 1))), got(output("y", tensor.FromSlice([]bool{true}, 1))),
			Options{},
			true,
			"pass: every element of every output is equal",
		},
		{
			"NaN", got(floats("y", 1, 2)), got(floats("y", 1, nan)),
			Options{},
			false,
			`fail: output "y" in case "case 0": of 2 elements, 1 are NaN and 0 infinite on one side only, the first at [1]: a 2, b NaN`,
		},
		{"NaN in both", got(floats("y", 1, nan)), got(floats("y", 1, nan)), Options{}, true, "pass:"},
		{
			"shape", got(floats("y", 1, 2)), got(floats("y", 1)),
			Options{},
			false,
			`fail: output "y" in case "case 0": the shapes differ: 2 and 1`,
		},
		{
			"sound quantization", got(floats("y", clean...)), got(floats("y", sound...)),
			Options{Quantized: true},
			true,
			`pass: judged as quantized, by signal-to-noise ratio: output "y", 20.0 dB over all cases and at least 10 dB in 1 of 1 (at least 10 dB and 95 % required); its worst case is "case 0" with 20.0 dB`,
		},
		{
			"broken quantization", got(floats("y", clean...)), got(floats("y", broken...)),
			Options{Quantized: true},
			false,
			`fail: output "y": judged as quantized, signal-to-noise ratio 9.0 dB over all cases and at least 10 dB in 0 of 1`,
		},
		{"quantized NaN", got(floats("y", 1, 2)), got(floats("y", 1, nan)), Options{Quantized: true}, false, "NaN"},
		{"quantized and equal", got(floats("y", 1, 2)), got(floats("y", 1, 2)), Options{Quantized: true}, true, "infinite dB"},
		{"quantized integers", got(output("y", tensor.FromSlice([]int32{1}, 1))), got(output("y", tensor.FromSlice([]int32{2}, 1))), Options{Quantized: true}, false, "elements differ"},
		{
			"quantized but asked for", got(floats("y", clean...)), got(floats("y", sound...)),
			Options{Quantized: true, RTol: ref(1e-3)},
			false, "outside rtol 0.001",
		},
		{
			"the worst output decides", got(floats("x", 1), floats("y", 1), floats("z", 1)), got(floats("x", 1.1), floats("y", 1.2), floats("z", 1)),
			Options{},
			false,
			`fail: output "y"`,
		},
		{
			"classes of a quantized model", got(floats("logits", 5, 4.9)), got(floats("logits", 4.9, 5)),
			Options{Quantized: true},
			false,
			`fail: output "logits": the highest score agrees in 0 of 1 rows (0 %, at least 95 % required)`,
		},
		{
			"close call within the tolerance", got(floats("class_probs", 1, 1.000001)), got(floats("class_probs", 1.000001, 1)),
			Options{},
			false,
			"agrees in 0 of 1 rows (0 %, at least 99 % required)",
		},
		{"not classes", got(floats("y", 5, 4.9)), got(floats("y", 4.9, 5)), Options{Quantized: true}, true, "dB"},
		{"nothing in common", got(floats("x", 1)), got(floats("y", 1, 2)), Options{}, false, "fail: no output of a can be compared"},
		{"no outputs", nil, nil, Options{}, false, "undecided: nothing was compared, the models have no outputs"},
	}
	for _, c := range tests {
		r := once(t, c.a, c.b, c.o)
		if r.Pass != c.pass || !strings.Contains(r.Headline, c.verdict) {
			t.Errorf("%s: pass %v, %s\nwant %v, %s", c.name, r.Pass, r.Headline, c.pass, c.verdict)
		}
	}
}

func TestPairing(t *testing.T) {
	f := func(name string, dims ...int64) graphops.Got {
		n, err := tensor.Elements(dims)
		if err != nil {
			t.Fatal(err)
		}
		return output(name, tensor.FromSlice(make([]float32, n), dims...))
	}
	ints := output("n", tensor.FromSlice([]int64{0, 0}, 2))
	tests := []struct {
		name     string
		a, b     []graphops.Got
		want     []Pair
		findings int
		pass     bool
	}{
		{"by name in another order", got(f("x", 2), f("y", 2)), got(f("y", 2), f("x", 2)), []Pair{{A: "x", B: "x", How: byName}, {A: "y", B: "y", How: byName}}, 0, true},
		{"by position", got(f("x", 2), f("y", 2)), got(f("p", 2), f("q", 2)), []Pair{{A: "x", B: "p", How: byPosition}, {A: "y", B: "q", How: byPosition}}, 0, true},
		{"by shape", got(f("x", 2), f("y", 3)), got(f("p", 3), f("q", 2)), []Pair{{A: "x", B: "q", How: byPosition}, {A: "y", B: "p", How: byPosition}}, 0, true},
		{"name goes first", got(f("x", 2), f("y", 2)), got(f("z", 2), f("x", 2)), []Pair{{A: "x", B: "x", How: byName}, {A: "y", B: "z", How: byPosition}}, 0, true},
		{"not of another kind", got(f("x", 2)), got(ints), []Pair{}, 2, false},
		{"a has more", got(f("x", 2), f("y", 3)), got(f("x", 2)), []Pair{{A: "x", B: "x", How: byName}}, 1, false},
		{"b has more", got(f("x", 2)), got(f("x", 2), f("y", 3)), []Pair{{A: "x", B: "x", How: byName}}, 1, true},
		{
			"an opaque value is named", got(f("x", 2), opaque), got(f("x", 2), opaque),
			[]Pair{{A: "x", B: "x", How: byName}},
			1, false,
		},
	}
	for _, c := range tests {
		r := once(t, c.a, c.b, Options{})
		if diff := cmp.Diff(c.want, r.Pairs, cmp.FilterPath(func(p cmp.Path) bool {
			name := p.Last().String()
			return name == ".classes" || name == ".all" || name == ".part"
		}, cmp.Ignore()), cmp.AllowUnexported(Pair{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if len(r.Findings) != c.findings || r.Pass != c.pass {
			t.Errorf("%s: pass %v, findings %+v", c.name, r.Pass, r.Findings)
		}
	}
}

// TestTypes checks that integers are not equal to floating-point numbers, and that the width
// matters only if types have to be equal.
func TestTypes(t *testing.T) {
	f32, f64 := output("x", tensor.FromSlice([]float32{1}, 1)), output("x", tensor.FromSlice([]float64{1}, 1))
	i32, i64 := output("x", tensor.FromSlice([]int32{1}, 1)), output("x", tensor.FromSlice([]int64{1}, 1))
	for _, c := range []struct {
		name string
		a, b graphops.Got
		same bool
		pass bool
	}{
		{"equal", f32, f32, true, true},
		{"another width", f32, f64, false, true},
		{"another width of whole numbers", i32, i64, false, true},
		{"another width, where types have to be equal", f32, f64, true, false},
		{"a real number for a whole one", i64, f32, false, false},
		{"a real number for a whole one, where types have to be equal", i64, f32, true, false},
	} {
		r := once(t, got(c.a), got(c.b), Options{SameTypes: c.same})
		if r.Pass != c.pass || !c.pass && !strings.Contains(r.Headline, "gives") {
			t.Errorf("%s: pass %v: %s", c.name, r.Pass, r.Headline)
		}
	}
}

// TestCaseThatFails checks that a case that one side cannot run becomes a finding, and that the
// other cases are still compared.
func TestCaseThatFails(t *testing.T) {
	same := [][]graphops.Got{got(floats("y", 1))}
	tests := []struct {
		name         string
		failA, failB map[int]string
		pass         bool
		findings     []Finding
		verdict      string
	}{
		{
			"b", nil,
			map[int]string{1: "worker crashed"},
			false,
			[]Finding{{Case: "case 1", Side: "b", Reason: "worker crashed", Decisive: true}},
			`fail: case "case 1" on side b: worker crashed`,
		},
		{
			"a",
			map[int]string{0: "bad shape"},
			nil, false,
			[]Finding{{Case: "case 0", Side: "a", Reason: "bad shape", Decisive: true}},
			`fail: case "case 0" on side a: bad shape`,
		},
		{
			"both",
			map[int]string{0: "odd"},
			map[int]string{0: "even"},
			true,
			[]Finding{{Case: "case 0", Side: "both", Reason: "a: odd; b: even"}},
			"compared in 2 of 3 cases",
		},
		{
			"a or b",
			map[int]string{0: "x", 1: "x"},
			map[int]string{2: "x"},
			false,
			[]Finding{
				{Case: "case 0", Side: "a", Reason: "x", Decisive: true},
				{Case: "case 1", Side: "a", Reason: "x", Decisive: true},
				{Case: "case 2", Side: "b", Reason: "x", Decisive: true},
			},
			`fail: no case ran on both sides; case "case 0" on side a: x`,
		},
	}
	for _, c := range tests {
		r := run(t, fake{answers: same, fail: c.failA}, fake{answers: same, fail: c.failB}, Options{}, caseNumber(0), caseNumber(1), caseNumber(2))
		if len(r.Cases) != 3 {
			t.Errorf("%s: %d cases in the report", c.name, len(r.Cases))
		}
		if diff := cmp.Diff(c.findings, r.Findings); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if r.Pass != c.pass || !strings.Contains(r.Headline, c.verdict) {
			t.Errorf("%s: pass %v, %s", c.name, r.Pass, r.Headline)
		}
	}
}

// TestNoCaseRan checks that the verdict is undecided if neither side ran any case, and that an
// error of both sides appears once.
func TestNoCaseRan(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want string
	}{
		{"x", "x", "undecided: nothing was compared, no case ran on either side: x"},
		{"x", "y", "undecided: nothing was compared, no case ran on either side: a: x; b: y"},
	} {
		a := fake{fail: map[int]string{0: c.a, 1: c.a}}
		b := fake{fail: map[int]string{0: c.b, 1: c.b}}
		r := run(t, a, b, Options{}, caseNumber(0), caseNumber(1))
		if r.Verdict != Undecided || r.Pass || r.Headline != c.want || r.NoCaseRan() == nil {
			t.Errorf("got %s, want %s", r.Headline, c.want)
		}
	}
}

// TestFindingsOfOneKind checks that equal findings of several cases share one line.
func TestFindingsOfOneKind(t *testing.T) {
	same := [][]graphops.Got{got(floats("y", 1))}
	fail := map[int]string{}
	var cases []inputs.Case
	for i := range 8 {
		cases = append(cases, caseNumber(int64(i)))
		if i != 3 && i != 7 {
			fail[i] = "no"
		}
	}
	fail[3] = "odd"
	r := run(t, fake{answers: same}, fake{answers: same, fail: fail}, Options{}, cases...)
	want := []string{
		`cases "case 0", "case 1", "case 2", "case 4", "case 5" and 1 more on side b: no`,
		`case "case 3" on side b: odd`,
	}
	if diff := cmp.Diff(want, r.FindingLines()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOutputMissingLater(t *testing.T) {
	a := fake{answers: [][]graphops.Got{got(floats("y", 1)), got(floats("y", 1))}}
	b := fake{answers: [][]graphops.Got{got(floats("y", 1)), nil}}
	r := run(t, a, b, Options{}, caseNumber(0), caseNumber(1))
	if r.Pass || !strings.Contains(r.Headline, `case "case 1" output "y": missing in this case`) {
		t.Errorf("pass %v, %s", r.Pass, r.Headline)
	}
}

func TestWorstCase(t *testing.T) {
	a := fake{answers: [][]graphops.Got{got(floats("y", 1)), got(floats("y", 100)), got(floats("y", 1))}}
	b := fake{answers: [][]graphops.Got{got(floats("y", 1.1)), got(floats("y", 101)), got(floats("y", 1))}}
	r := run(t, a, b, Options{}, caseNumber(0), caseNumber(1), caseNumber(2))
	// The error of case 1 is larger, but that of case 0 uses more of its tolerance.
	if len(r.Outputs) != 1 || r.Outputs[0].Case != "case 0" || r.Outputs[0].Pass {
		t.Errorf("%+v", r.Outputs)
	}
	if !r.Cases[2].Outputs[0].Pass {
		t.Errorf("the equal case: %+v", r.Cases[2].Outputs[0])
	}
}

// TestClassesOverAllCases checks that classes are judged over all cases. The cases are single rows,
// each of which either agrees or does not.
func TestClassesOverAllCases(t *testing.T) {
	var as, bs [][]graphops.Got
	var cases []inputs.Case
	for i := range int64(9) {
		as = append(as, got(floats("y", 0, 3)))
		bs = append(bs, got(floats("y", 0, 2.9)))
		cases = append(cases, caseNumber(i, i%2))
	}
	bs[4] = got(floats("y", 2.9, 2.8))
	r := run(t, fake{answers: as}, fake{answers: bs}, Options{Quantized: true}, cases...)
	o := r.Outputs[0]
	if r.Pass || o.ArgmaxRows != 9 || math.Abs(float64(*o.ArgmaxAgree)-8.0/9) > 1e-15 {
		t.Errorf("pass %v, %+v, %s", r.Pass, o, r.Headline)
	}
	want := []Accuracy{{Output: "y", Rows: 9, A: tensor.Number(4.0 / 9), B: tensor.Number(5.0 / 9), correctA: 4, correctB: 5}}
	if diff := cmp.Diff(want, r.Accuracy, cmp.AllowUnexported(Accuracy{})); diff != "" {
		t.Errorf("accuracy (-want +got):\n%s", diff)
	}
}

// TestLabelsThatAreNone checks that labels are used only for an axis that has as many elements as
// there are classes.
func TestLabelsThatAreNone(t *testing.T) {
	flip := func(labels ...int64) *Report {
		return once(t, got(output("y", tensor.FromSlice([]float32{5, 4.9, 0}, 1, 3))), got(output("y", tensor.FromSlice([]float32{4.9, 5, 0}, 1, 3))), Options{Quantized: true}, labels...)
	}
	for _, c := range []struct {
		labels []int64
		pass   bool
	}{
		{nil, true},
		{[]int64{2}, false}, // three classes
		{[]int64{4}, true},  // five classes, three scores
		{[]int64{-1}, true}, // no label
		{[]int64{2, 2}, false},
	} {
		r := flip(c.labels...)
		if r.Pass != c.pass {
			t.Errorf("labels %v: pass %v, %s", c.labels, r.Pass, r.Headline)
		}
		if want := len(c.labels) == 1 && c.labels[0] == 2; (len(r.Accuracy) == 1) != want {
			t.Errorf("labels %v: accuracy %+v", c.labels, r.Accuracy)
		}
	}
}

// TestQuietRow checks that one case with little signal does not make a quantized model fail, but
// that several do, and so does one that is not finite.
func TestQuietRow(t *testing.T) {
	clean, sound := noisy(30)
	nan := float32(math.NaN())
	for _, c := range []struct {
		name    string
		quiet   int // cases of little signal among 40
		answers []float32
		pass    bool
		verdict string
	}{
		{"two", 2, []float32{0.002, -0.002}, true, "10 dB in 38 of 40"},
		{"three", 3, []float32{0.002, -0.002}, false, "10 dB in 37 of 40"},
		{"one NaN", 1, []float32{nan, 0}, false, "NaN"},
		{"one of another shape", 1, []float32{0}, false, "the shapes differ: 2 and 1"},
		{"one loud", 1, []float32{1000, 0}, false, "over all cases"},
	} {
		var as, bs [][]graphops.Got
		var cases []inputs.Case
		for i := range int64(40) {
			as, bs = append(as, got(floats("y", clean...))), append(bs, got(floats("y", sound...)))
			cases = append(cases, caseNumber(i))
			if int(i) >= 40-c.quiet {
				as[i], bs[i] = got(floats("y", 0.001, 0.001)), got(floats("y", c.answers...))
			}
		}
		r := run(t, fake{answers: as}, fake{answers: bs}, Options{Quantized: true}, cases...)
		if r.Pass != c.pass || !strings.Contains(r.Headline, c.verdict) {
			t.Errorf("%s: pass %v, %s", c.name, r.Pass, r.Headline)
		}
	}
}

func TestToleranceOf(t *testing.T) {
	for _, c := range []struct {
		types []tensor.DType
		want  tensor.Tolerance
	}{
		{[]tensor.DType{tensor.F32, tensor.F32}, tensor.Tolerance{RTol: 1e-5, ATol: 1e-6}},
		{[]tensor.DType{tensor.F32, tensor.F16}, tensor.Tolerance{RTol: 1e-3, ATol: 1e-3}},
		{[]tensor.DType{tensor.BF16, tensor.F16}, tensor.Tolerance{RTol: 1e-2, ATol: 1e-2}},
		{[]tensor.DType{tensor.F32, tensor.Undefined}, tensor.Tolerance{RTol: 1e-5, ATol: 1e-6}},
		{[]tensor.DType{tensor.I8, tensor.Bool}, tensor.Tolerance{}},
		{[]tensor.DType{tensor.I8, tensor.F64}, tensor.Tolerance{RTol: 1e-10, ATol: 1e-11}},
	} {
		if got := ToleranceOf(c.types...); got != c.want {
			t.Errorf("%v: got %v, want %v", c.types, got, c.want)
		}
	}
	// Every floating-point type must have a tolerance. Otherwise it would be compared exactly.
	for d := tensor.F32; d.Valid(); d++ {
		float := d.Kind() == tensor.KindFloat || d.Kind() == tensor.KindComplex
		if zero := ToleranceOf(d) == (tensor.Tolerance{}); zero == float {
			t.Errorf("%s: tolerance %v", d, ToleranceOf(d))
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := fake{answers: [][]graphops.Got{got(floats("y", 1))}}
	_, err := Compare(ctx, f, f, []inputs.Case{caseNumber(0), caseNumber(1)}, Options{}, func(done, _ int) {
		if done == 1 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestNoCases(t *testing.T) {
	none := run(t, fake{}, fake{}, Options{})
	if none.Verdict != Undecided || none.Headline != "undecided: nothing was compared, there are no cases" {
		t.Errorf("%+v", none)
	}
	left := run(t, fake{}, fake{}, Options{NotRun: []inputs.NotRun{{Case: "large", Family: inputs.Large, Reason: "too much"}}})
	if left.Verdict != Undecided || left.Headline != `undecided: nothing was compared, no case ran; case "large": not run: too much` {
		t.Errorf("%+v", left)
	}
}

// TestContract checks the JSON keys that scripts depend on, also for strings and for a case that
// failed.
func TestContract(t *testing.T) {
	a := fake{answers: [][]graphops.Got{got(floats("y", 1, float32(math.Inf(1))), output("s", tensor.FromStrings([]string{"a"}, 1)))}, fail: map[int]string{1: "no"}}
	b := fake{answers: [][]graphops.Got{got(floats("y", 1, 2), output("s", tensor.FromStrings([]string{"b"}, 1)))}, fail: map[int]string{1: "no"}}
	r := run(t, a, b, Options{}, caseNumber(0), caseNumber(1))
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"cases", "outputs", "first_divergence", "pass"} {
		if _, ok := doc[key]; !ok {
			t.Errorf("no key %q", key)
		}
	}
	if doc["first_divergence"] != nil {
		t.Errorf("first_divergence is %v", doc["first_divergence"])
	}
	keys := []string{"name", "case", "max_abs", "max_rel", "mean_abs", "cosine", "snr_db", "mismatched", "total", "nan", "inf", "argmax_agree", "tolerance", "pass"}
	for _, o := range doc["outputs"].([]any) {
		for _, key := range keys {
			if _, ok := o.(map[string]any)[key]; !ok {
				t.Errorf("output %v: no key %q", o.(map[string]any)["name"], key)
			}
		}
	}
	first := doc["outputs"].([]any)[0].(map[string]any)
	if first["tolerance_used"] != "Infinity" || first["worst"].(map[string]any)["a"] != "Infinity" {
		t.Errorf("y: %v", first)
	}
	text := doc["outputs"].([]any)[1].(map[string]any)
	if text["max_abs"] != nil || text["worst"].(map[string]any)["b"] != "b" {
		t.Errorf("s: %v", text)
	}
	for i, c := range doc["cases"].([]any) {
		for _, key := range []string{"name", "inputs", "outputs"} {
			if c.(map[string]any)[key] == nil {
				t.Errorf("case %d: %q is missing or null", i, key)
			}
		}
	}
}

func TestWriteText(t *testing.T) {
	a := fake{answers: [][]graphops.Got{got(floats("logits", 0, 3), floats("x\x1b[2J", 1), output("n", tensor.FromSlice([]int64{1}, 1)))}, fail: map[int]string{1: "no such \x1b[31mthing"}}
	b := fake{answers: [][]graphops.Got{got(floats("logits", 0, 3.001), floats("p", 1), output("n", tensor.FromSlice([]int64{1}, 1)))}}
	r := run(t, a, b, Options{}, caseNumber(0, 1), caseNumber(1, 1))
	var out bytes.Buffer
	if err := r.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	want := `fail: output "logits" in case "case 0": 1 of 2 elements outside rtol 1e-05 atol 1e-06 (f32), the worst by a factor of 32.3 at [1]: a 3, b 3.0009999; signal-to-noise ratio 69.5 dB, largest difference 0.001
accuracy of "logits" on 1 label: a 100 %, b 100 %

a  a.onnx
b  b.onnx
2 cases

output    worst case  max abs   max rel    cosine    snr dB  mismatched  argmax
logits    case 0        0.001  0.000333  1.000000      69.5         1/2   100 %  FAIL
x\x1b[2J  case 0            0         0  1.000000  infinite         0/1       -  ok
n         case 0            0         0  1.000000  infinite         0/1       -  ok

case    worst output  max abs  snr dB  mismatched  error/limit
case 0  logits          0.001    69.5         1/2   32.3 times  FAIL
case 1  -                   -       -           -            -  FAIL
output "x\x1b[2J" of a is compared with "p" of b: same position and shape
finding: case "case 1" on side a: no such \x1b[31mthing
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := r.WriteText(brokenWriter{}); err == nil {
		t.Error("a write error was swallowed")
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// Cases that neither side runs share a line if they have the same reason on side a.
func TestFindingsOfBothSides(t *testing.T) {
	a := fake{fail: map[int]string{0: "no", 1: "no"}, answers: [][]graphops.Got{nil, nil, got(floats("y", 1))}}
	b := fake{fail: map[int]string{0: "3 against 4", 1: "5 against 6"}, answers: a.answers}
	r := run(t, a, b, Options{}, caseNumber(0), caseNumber(1), caseNumber(2))
	want := []string{`cases "case 0", "case 1" on both sides: a: no; b does not run either`}
	if diff := cmp.Diff(want, r.FindingLines()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
