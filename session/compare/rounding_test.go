package compare

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
)

// preciseFake is a Truth that also has outputs in float64.
type preciseFake struct {
	fake
	precise []execution.Got
	err     error
	asked   *int
}

func (preciseFake) Word() string { return "PyTorch" }

func (f preciseFake) Precisely(context.Context, graphops.Feeds) ([]execution.Got, error) {
	*f.asked++
	return f.precise, f.err
}

// TestRounding checks outputs that exceed the tolerance. They pass if A's own rounding error is
// nearly as large. They are not judged if rounding dominates A's output. Otherwise they fail.
func TestRounding(t *testing.T) {
	exact := []float64{1, 2, 4, 8}
	truth := floats("y", 1.0001, 1.9999, 4.0003, 7.9998) // of itself 86 dB
	for name, c := range map[string]struct {
		precise []float64
		err     error
		b       execution.Got
		o       Options
		verdict string
		rule    string
		asked   int
	}{
		"as equal":         {exact, nil, truth, Options{}, "pass: every element of every output is equal", RuleTolerance, 0},
		"rounds otherwise": {exact, nil, floats("y", 0.9990, 2.0005, 3.9998, 8.0010), Options{}, "pass: every output within its tolerance; nearest to it is output \"y\" in case \"case 0\" at 39.1 % of 10 times the rounding error of a itself, 0.0003", RuleRounding, 1},
		"is wrong":         {exact, nil, floats("y", 1.005, 2, 4, 8), Options{}, "fail: ", RuleTolerance, 1},
		"nobody knows":     {[]float64{1, 2, 4, 8.5}, nil, floats("y", 1, 2, 4, 9), Options{}, "undecided: output \"y\" cannot be judged in case", RuleTolerance, 1},
		"cannot be asked":  {exact, errors.New("Float is wanted"), floats("y", 0.9990, 2.0005, 3.9998, 8.0010), Options{}, "fail: ", RuleTolerance, 1},
		"as asked":         {exact, nil, floats("y", 0.9990, 2.0005, 3.9998, 8.0010), Options{RTol: new(float64)}, "fail: ", RuleOverride, 0},
		"not a number":     {exact, nil, floats("y", float32(math.NaN()), 2, 4, 8), Options{}, "fail: ", RuleTolerance, 0},
		"another shape":    {exact[:3], nil, floats("y", 0.9990, 2.0005, 3.9998, 8.0010), Options{}, "fail: ", RuleTolerance, 1},
		"no error at all":  {[]float64{1.0001, 1.9999, 4.0003, 7.9998}, nil, floats("y", 1.0002, 1.9999, 4.0003, 7.9998), Options{}, "fail: ", RuleTolerance, 1},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			a := preciseFake{fake{name: "PyTorch", answers: [][]execution.Got{{truth}}}, []execution.Got{output("y", tensor.FromSlice(c.precise, int64(len(c.precise))))}, c.err, &asked}
			if name == "no error at all" { // as far as float32 can be told from it
				x, err := truth.Value.Tensor.Float64s()
				if err != nil {
					t.Fatal(err)
				}
				a.precise = []execution.Got{output("y", tensor.FromSlice(x, 4))}
			}
			r, err := Compare(t.Context(), a, fake{name: "b.onnx", answers: [][]execution.Got{{c.b}}}, []inputs.Case{caseNumber(0)}, c.o, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(r.Headline, c.verdict) || r.Outputs[0].Rule != c.rule || asked != c.asked {
				t.Errorf("%s, by %s, asked %d times", r.Headline, r.Outputs[0].Rule, asked)
			}
			if (r.Outputs[0].Own != nil) != (c.rule == RuleRounding || name == "is wrong" || name == "nobody knows") {
				t.Errorf("of itself %+v", r.Outputs[0].Own)
			}
		})
	}
}
