package compare

import (
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
)

// expecting returns a case with a number and with expected outputs.
func expecting(i int64, values ...execution.Got) inputs.Case {
	c := caseNumber(i)
	c.Expected = graphops.Feeds{}
	for _, v := range values {
		c.Expected[v.Name] = v.Value
	}
	return c
}

// TestExpected compares outputs with expected ones. Outputs for which nothing is expected do not
// count against the model.
func TestExpected(t *testing.T) {
	outputs := []graphops.NamedType{{Name: "y"}, {Name: "z"}}
	model := fake{name: "m.onnx", answers: [][]execution.Got{got(floats("y", 1, 2), floats("z", 3))}}
	for name, c := range map[string]struct {
		cases   []inputs.Case
		pass    bool
		verdict string
	}{
		"all":             {[]inputs.Case{expecting(0, floats("y", 1, 2), floats("z", 3))}, true, "pass"},
		"some":            {[]inputs.Case{expecting(0, floats("y", 1, 2))}, true, "pass"},
		"another number":  {[]inputs.Case{expecting(0, floats("y", 1, 5))}, false, "at [1]: expected 5, model 2"},
		"another shape":   {[]inputs.Case{expecting(0, floats("y", 1, 2, 3))}, false, `fail: output "y" in case "case 0": `},
		"another output":  {[]inputs.Case{expecting(0, floats("q", 1))}, false, "undecided: there is nothing to compare with"},
		"one of no words": {[]inputs.Case{caseNumber(1), expecting(0, floats("y", 1, 2))}, true, "; compared in 1 of 2 cases; not compared, only b has: \"z\""},
	} {
		r, err := Compare(t.Context(), Expected{"set", outputs}, model, c.cases, Options{}, nil)
		if err != nil || r.Pass != c.pass || !strings.Contains(r.Headline, c.verdict) {
			t.Errorf("%s: %v, %+v", name, err, r)
		}
	}
}

// sequence returns a sequence of tensors.
func sequence(name string, elements ...[]float32) execution.Got {
	of := graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32}
	var items []graphops.Value
	for _, e := range elements {
		items = append(items, graphops.TensorValue(tensor.FromSlice(e, int64(len(e)))))
	}
	return execution.Got{Name: name, Value: graphops.SequenceValue(of, items...)}
}

// TestSequences checks that sequences are equal only if they have the same number of elements and
// all elements are equal.
func TestSequences(t *testing.T) {
	none := sequence("s")
	one, two := sequence("s", []float32{1}), sequence("s", []float32{1}, []float32{2, 3})
	for name, c := range map[string]struct {
		a, b execution.Got
		pass bool
	}{
		"empty":           {none, none, false},
		"equal":           {two, two, true},
		"other names":     {two, sequence("t", []float32{1}, []float32{2, 3}), true},
		"longer":          {one, two, false},
		"shorter":         {two, one, false},
		"empty in b":      {one, none, false},
		"empty in a":      {none, one, false},
		"another element": {two, sequence("s", []float32{1}, []float32{2, 4}), false},
	} {
		if r := once(t, got(c.a), got(c.b), Options{}); r.Pass != c.pass {
			t.Errorf("%s: %+v", name, r)
		}
	}
	// The second case is longer on one side.
	a := fake{answers: [][]execution.Got{got(one), got(one)}}
	b := fake{answers: [][]execution.Got{got(one), got(two)}}
	for _, r := range []*Report{run(t, a, b, Options{}, caseNumber(0), caseNumber(1)), run(t, b, a, Options{}, caseNumber(0), caseNumber(1))} {
		if r.Pass {
			t.Errorf("%+v", r)
		}
	}
}
