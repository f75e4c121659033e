package accuracy

import (
	"math"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// TestJudged: of equal scores the class with the lower number comes first, and a NaN is wrong.
func TestJudged(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		scores []float64
		label  int64
		want   verdict
	}{
		"first":             {[]float64{1, 3, 2, 0, 0, 0}, 1, verdict{first: true, five: true}},
		"fifth":             {[]float64{9, 8, 7, 6, 5, 4}, 4, verdict{five: true}},
		"sixth":             {[]float64{9, 8, 7, 6, 5, 4}, 5, verdict{}},
		"tie, lower":        {[]float64{3, 3, 0, 0, 0, 0}, 0, verdict{first: true, five: true, tie: true}},
		"tie, higher":       {[]float64{3, 3, 0, 0, 0, 0}, 1, verdict{five: true, tie: true}},
		"tie below":         {[]float64{3, 2, 2, 0, 0, 0}, 2, verdict{five: true}},
		"all equal":         {[]float64{1, 1, 1, 1, 1, 1}, 5, verdict{tie: true}},
		"NaN elsewhere":     {[]float64{9, nan, 0, 0, 0, 0}, 0, verdict{unusable: true}},
		"NaN of the label":  {[]float64{nan, 1, 0, 0, 0, 0}, 0, verdict{unusable: true}},
		"infinite":          {[]float64{1, inf, -inf, 0, 0, 0}, 1, verdict{first: true, five: true}},
		"one class":         {[]float64{1}, 0, verdict{first: true, five: true}},
		"minus zero, a tie": {[]float64{0, math.Copysign(0, -1), -1, -1, -1, -1}, 1, verdict{five: true, tie: true}},
	} {
		if got := judged(c.scores, c.label); got != c.want {
			t.Errorf("%s: got %+v, expected %+v", name, got, c.want)
		}
	}
}

// gots are outputs, each as NAME=LITERAL.
func gots(t *testing.T, list ...string) (out []graphops.Got) {
	t.Helper()
	for _, s := range list {
		name, literal, _ := strings.Cut(s, "=")
		v, err := tensor.ParseLiteral(literal)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, graphops.Got{Name: name, Value: graphops.TensorValue(v)})
	}
	return out
}

// TestFind: the output with the scores is found, or the error says why not.
func TestFind(t *testing.T) {
	for name, c := range map[string]struct {
		outputs []string
		asked   string
		want    output
		err     string
	}{
		"the only one":     {[]string{"y=f32[2,3]{1,2,3,4,5,6}"}, "", output{name: "y"}, ""},
		"a pooled image":   {[]string{"y=f16[2,3,1,1]{1,2,3,4,5,6}"}, "", output{name: "y"}, ""},
		"one row":          {[]string{"y=f32[3]{1,2,3}"}, "", output{name: "y"}, ""},
		"by its name":      {[]string{"features=f32[2,3]{1,2,3,4,5,6}", "Logits=f32[2,2]{1,2,3,4}"}, "", output{name: "Logits"}, ""},
		"asked":            {[]string{"x=f32[2,3]{1,2,3,4,5,6}", "y=f32[2,2]{1,2,3,4}"}, "x", output{name: "x"}, ""},
		"chosen classes":   {[]string{"y=i64[2]{1,2}"}, "", output{"y", true}, ""},
		"scores first":     {[]string{"label=i64[2]{1,2}", "p=f32[2,2]{1,2,3,4}"}, "", output{name: "p"}, ""},
		"chosen, asked":    {[]string{"label=i64[2,1]{1,2}", "p=f32[2,2]{1,2,3,4}"}, "label", output{"label", true}, ""},
		"several":          {[]string{"x=f32[1,2]{1,2}", "y=f32[1,2]{3,4}"}, "", output{}, `several outputs can have the scores of classes; its outputs are "x", "y"`},
		"a mask":           {[]string{"y=f32[1,2,2,2]{1,2,3,4,5,6,7,8}"}, "", output{}, "no output has a score for each class"},
		"no such":          {[]string{"y=f32[1,2]{1,2}"}, "z", output{}, `has no output "z"; its outputs are "y"`},
		"one number a row": {[]string{"y=f32[2,1]{1,2}"}, "y", output{}, `output "y" is f32 2×1; expected a score for each class`},
	} {
		got, _, err := find(gots(t, c.outputs...), c.asked)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

// TestLosses: the interval is that of the formula, computed by hand for 20 texts, and of blocks if there
// are fewer.
func TestLosses(t *testing.T) {
	var l losses
	for i := range 20 {
		l.begin()
		for range 1 + i%2 { // texts of one and two tokens
			l.add(float64(i % 2))
		}
	}
	// 30 tokens with the sum 20: the mean is 2/3. The residuals of the texts are -2/3 and 2/3, so that
	// the half width is z·√(20/19·20·4/9)/30.
	got, half := l.summary(), 1.959963984540054*math.Sqrt(20.0/19*20*4/9)/30
	if math.Abs(float64(got.Difference)-2.0/3) > 1e-12 || math.Abs(float64(got.High)-2.0/3-half) > 1e-12 || math.Abs(float64(got.Low)-2.0/3+half) > 1e-12 {
		t.Errorf("got %+v, expected 2/3 ± %v", got, half)
	}
	if !got.Significant || got.GroupsOf != "texts" || got.Groups != 20 {
		t.Errorf("got %+v", got)
	}
	few := losses{}
	few.begin()
	few.begin() // a text without a usable token
	for range 19*block + 1 {
		few.add(1)
	}
	if got := few.summary(); got.Groups != 20 || got.GroupsOf != "blocks of 64 tokens" || !got.Significant || got.Low != 1 {
		t.Errorf("blocks: %+v", got)
	}
	none := losses{}
	none.begin()
	none.add(5)
	if got := none.summary(); got.Significant || !math.IsNaN(float64(got.Low)) || got.Difference != 5 {
		t.Errorf("one token: %+v", got)
	}
}
