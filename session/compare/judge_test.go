package compare

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
)

func TestFactsOf(t *testing.T) {
	for _, c := range []struct {
		name, model string
		want        Fact
	}{
		{"elementwise", "input x f32[2,3]\nh = Relu(x)\noutput y f32\ny = Add(h, x)", Fact{}},
		{"a sum at the end", "input x f32[2,2]\noutput y f32\ny = MatMul(x, x)", Fact{Sum: "MatMul"}},
		{"a sum far before", "input x f32[2,2]\nh = MatMul(x, x)\ni = Relu(h)\noutput y f32\ny = Transpose(i)", Fact{Sum: "MatMul"}},
		{"a sum that only shapes", "input x f32[2,2]\nh = MatMul(x, x)\ns = Shape(h)\noutput y f32\ny = Reshape(x, s)", Fact{}},
		{"a sum that only decides", "input x f32[2,2]\nh = MatMul(x, x)\nc = Greater(h, x)\noutput y f32\ny = Where(c, x, x)", Fact{}},
		{"a sum beside", "input x f32[2,2]\noutput z f32\nz = MatMul(x, x)\noutput y f32\ny = Relu(x)", Fact{}},
		{"scores", "input x f32[2,2]\noutput y f32\ny = Softmax(x)", Fact{Sum: "Softmax", Classes: true}},
		{"scores of another axis", "input x f32[2,2]\noutput y f32\ny = Softmax(x) axis=0", Fact{Sum: "Softmax"}},
		{"a transform", "input x f32[1,4,1]\nh = DFT(x)\noutput y f32\ny = Relu(h)", Fact{Sum: "DFT", Fourier: true}},
		{"the greatest", "input x f32[2,2]\nh = Softmax(x)\noutput y f32\ny = ArgMax(h)", Fact{}},
	} {
		m := graphtest.Model(t, c.model)
		if got := FactsOf(nil, m)["y"]; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestTolerances(t *testing.T) {
	x := func(f float64) *float64 { return &f }
	sums := map[string]Fact{"y": {Sum: "Gemm"}}
	for _, c := range []struct {
		name string
		d    tensor.DType
		o    Options
		rule string
		tol  tensor.Tolerance
		why  string
	}{
		{"f32", tensor.F32, Options{}, RuleTolerance, tensor.Tolerance{RTol: 1e-5, ATol: 1e-6}, "f32"},
		{"f32 after a sum", tensor.F32, Options{Facts: sums}, RuleTolerance, tensor.Tolerance{RTol: 1e-5, ATol: 1e-5}, "f32 after a reduction, Gemm"},
		{"another output", tensor.F32, Options{Facts: map[string]Fact{"z": {Sum: "Gemm"}}}, RuleTolerance, tensor.Tolerance{RTol: 1e-5, ATol: 1e-6}, "f32"},
		{"f16 after a sum", tensor.F16, Options{Facts: sums}, RuleTolerance, tensor.Tolerance{RTol: 1e-3, ATol: 1e-2}, "f16 after a reduction, Gemm"},
		{"f16", tensor.F16, Options{}, RuleTolerance, tensor.Tolerance{RTol: 1e-3, ATol: 1e-3}, "f16"},
		{"bf16 after a sum", tensor.BF16, Options{Facts: sums}, RuleTolerance, tensor.Tolerance{RTol: 1e-2, ATol: 1e-2}, "bf16 after a reduction, Gemm"},
		{"f16 inside", tensor.F32, Options{Precision: tensor.F16, Facts: sums}, RuleTolerance, tensor.Tolerance{RTol: 1e-3, ATol: 1e-2}, "f16, which one side computes in, after a reduction, Gemm"},
		{"f16 inside without a sum", tensor.F32, Options{Precision: tensor.F16}, RuleTolerance, tensor.Tolerance{RTol: 1e-3, ATol: 1e-3}, "f16, which one side computes in"},
		{"whole numbers", tensor.I64, Options{Facts: sums}, RuleExact, tensor.Tolerance{}, "i64 is compared exactly"},
		{"quantized", tensor.F32, Options{Quantized: true, Facts: sums}, RuleSNR, tensor.Tolerance{RTol: 1e-5, ATol: 1e-5}, "f32 after a reduction, Gemm"},
		{"asked for", tensor.F32, Options{RTol: x(0.5)}, RuleOverride, tensor.Tolerance{RTol: 0.5, ATol: 1e-6}, "as asked"},
		{"asked for of one", tensor.F32, Options{RTol: x(0.5), Of: map[string]Asked{"y": {ATol: x(0.25)}}}, RuleOverride, tensor.Tolerance{RTol: 0.5, ATol: 0.25}, "as asked"},
		{"one goes before all", tensor.F32, Options{RTol: x(0.5), Of: map[string]Asked{"y": {RTol: x(0.25)}}}, RuleOverride, tensor.Tolerance{RTol: 0.25, ATol: 1e-6}, "as asked"},
		{"asked for of another", tensor.F32, Options{Of: map[string]Asked{"z": {RTol: x(0.25)}}}, RuleTolerance, tensor.Tolerance{RTol: 1e-5, ATol: 1e-6}, "f32"},
	} {
		got := (&comparison{o: c.o}).ruleFor("y", c.d, c.d)
		if got.rule != c.rule || got.tol != c.tol || got.why != c.why {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	part := (&comparison{o: Options{Of: map[string]Asked{"y": {RTol: x(0.5)}, "y[0]": {RTol: x(0.25)}}}}).ruleFor("y[0].values", tensor.F32, tensor.F32)
	if part.tol.RTol != 0.25 {
		t.Errorf("part of an output: %+v", part)
	}
}

// family returns a case of a family, with a number.
func family(i int64, f inputs.Family) inputs.Case {
	c := caseNumber(i)
	c.Family = f
	return c
}

// TestExtremeCases checks that an output that is not finite in A is not judged in extreme cases,
// and that large outputs have a larger absolute tolerance.
func TestExtremeCases(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		name    string
		f       inputs.Family
		a, b    []float32
		pass    bool
		verdict string
	}{
		{"a is not finite on zeros", inputs.Zeros, []float32{nan, 1}, []float32{0, 1}, true, "; compared in 1 of 2 cases: no zeros"},
		{"a is not finite on large numbers", inputs.Large, []float32{inf, 1}, []float32{nan, 1}, true, "; compared in 1 of 2 cases: no large"},
		{"b is not finite on zeros", inputs.Zeros, []float32{0, 1}, []float32{nan, 1}, false, "NaN"},
		{"a is not finite on random numbers", inputs.Seeds, []float32{nan, 1}, []float32{0, 1}, false, "NaN"},
		{"what cancels in large numbers", inputs.Large, []float32{1e4, 0}, []float32{1e4, 5e-3}, true, "atol times the output's magnitude 7.07e+03"},
		{"more than cancels", inputs.Large, []float32{1e4, 0}, []float32{1e4, 5e-2}, false, "outside"},
		{"the same of random numbers", inputs.Seeds, []float32{1e4, 0}, []float32{1e4, 5e-3}, false, "outside"},
		{"large and small in itself", inputs.Large, []float32{0.5, 0}, []float32{0.5, 1e-4}, false, "outside"},
	} {
		as := fake{answers: [][]execution.Got{got(floats("y", c.a...)), got(floats("y", 1, 2))}}
		bs := fake{answers: [][]execution.Got{got(floats("y", c.b...)), got(floats("y", 1, 2))}}
		r := run(t, as, bs, Options{}, family(0, c.f), family(1, inputs.Seeds))
		if r.Pass != c.pass || !strings.Contains(r.Headline, c.verdict) {
			t.Errorf("%s: pass %v, %s", c.name, r.Pass, r.Headline)
		}
	}
	a := fake{answers: [][]execution.Got{got(floats("y", inf))}}
	if r := run(t, a, a, Options{}, family(0, inputs.Zeros)); r.Pass || r.Headline != `undecided: output "y" cannot be judged in case "case 0": it is not finite in a itself on such inputs` {
		t.Errorf("nothing to judge: pass %v, %s", r.Pass, r.Headline)
	}
}

// TestCasesWorstFirst checks the order of cases: those that fail, then those that did not run, then
// the others by how much of the tolerance they use. Options.Failed is called for those that fail.
func TestCasesWorstFirst(t *testing.T) {
	a := fake{answers: [][]execution.Got{got(floats("y", 1))}, fail: map[int]string{2: "no"}}
	b := fake{answers: [][]execution.Got{got(floats("y", 1.000001)), got(floats("y", 1.00001)), nil, got(floats("y", 2)), got(floats("y", 1)), got(floats("y", 3))}, fail: map[int]string{2: "no"}}
	var failed []string
	o := Options{Failed: func(c inputs.Case, as []execution.Got) {
		failed = append(failed, c.Name)
		if len(as) != 1 {
			t.Errorf("case %q: %d outputs of a", c.Name, len(as))
		}
	}}
	r := run(t, a, b, o, caseNumber(0), caseNumber(1), caseNumber(2), caseNumber(3), caseNumber(4), caseNumber(5))
	var order []string
	for _, c := range r.Cases {
		order = append(order, strings.TrimPrefix(c.Name, "case "))
	}
	if got := strings.Join(order, ""); got != "532104" {
		t.Errorf("order %s", got)
	}
	if strings.Join(failed, ",") != "case 3,case 5" {
		t.Errorf("failed: %v", failed)
	}
	if r.Cases[2].Verdict != Undecided || r.Cases[1].Verdict != Fail {
		t.Errorf("%+v", r.Cases)
	}
}

// TestPatience checks that cases of other families than Seeds are skipped if the time is used up,
// and that findings say so.
func TestPatience(t *testing.T) {
	f := fake{answers: [][]execution.Got{got(floats("y", 1))}}
	o := Options{Patience: 1, NotRun: []inputs.NotRun{{Case: "large", Family: inputs.Large, Reason: "too much"}}}
	cases := []inputs.Case{family(0, inputs.Seeds), family(1, inputs.Zeros), family(2, inputs.Seeds), caseNumber(3)}
	time.Sleep(time.Millisecond)
	r := run(t, f, f, o, cases...)
	if len(r.Cases) != 3 || !r.Pass || !strings.HasSuffix(r.Headline, "; compared in 3 of 5 cases: no zeros, no large") {
		t.Errorf("%d cases, %s", len(r.Cases), r.Headline)
	}
	if len(r.Findings) != 2 || !strings.Contains(r.Findings[0].Reason, "--cases zeros runs it") || r.Findings[1].Reason != "not run: too much" {
		t.Errorf("%+v", r.Findings)
	}
}

// TestTopKOfQuantized checks that the best class of A may have another rank in B, but must be among
// the highest.
func TestTopKOfQuantized(t *testing.T) {
	sound, lost := make([]float32, 100*20), make([]float32, 100*20)
	a := make([]float32, 100*20)
	for i := range a {
		a[i] = float32(i % 20)
	}
	copy(sound, a)
	copy(lost, a)
	for row := range 4 { // four of a hundred rows may change their class
		sound[row*20+19] = 17.5 // third
		lost[row*20+19] = 10
	}
	for _, c := range []struct {
		b       []float32
		pass    bool
		verdict string
	}{
		{sound, true, "agrees in 96 of 100 rows (96 %, at least 95 % required) and the highest of a is among the 5 highest of b in 100 of 100"},
		{lost, false, "is among the 5 highest of b in 96 of 100 (96 %, at least 99 % required)"},
	} {
		r := once(t, got(output("logits", tensor.FromSlice(a, 100, 20))), got(output("logits", tensor.FromSlice(c.b, 100, 20))), Options{Quantized: true})
		if r.Pass != c.pass || !strings.Contains(r.Headline, c.verdict) {
			t.Errorf("pass %v, %s", r.Pass, r.Headline)
		}
	}
}

// slow is an executor that blocks in one case until its context ends.
type slow struct {
	fake
	on int64 // the case that takes it
}

func (s slow) Run(ctx context.Context, in graphops.Feeds) ([]execution.Got, error) {
	if n, err := in["case"].Tensor.Int64s(); err == nil && n[0] == s.on {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.fake.Run(ctx, in)
}

// TestPatienceWithin checks that a case that takes too long by itself is stopped and reported, and
// does not make the comparison fail.
func TestPatienceWithin(t *testing.T) {
	f := fake{name: "f", answers: [][]execution.Got{got(floats("y", 1))}}
	o := Options{Patience: 200 * time.Millisecond}
	cases := []inputs.Case{family(0, inputs.Seeds), family(1, inputs.Zeros), family(2, inputs.Large)}
	r, err := Compare(t.Context(), f, slow{f, 1}, cases, o, nil)
	if err != nil || len(r.Cases) != 1 || !r.Pass || len(r.Findings) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	if got := r.Findings[0].Reason; !strings.HasPrefix(got, "stopped after ") || !strings.HasSuffix(got, " ms: all cases other than seeds may take 200 ms together; --cases zeros runs them to the end") {
		t.Errorf("%s", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := Compare(ctx, f, slow{f, 1}, cases, o, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the user's own end: %v", err)
	}
}
