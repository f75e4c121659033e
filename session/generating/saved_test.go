package generating

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/roles"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
	"lathe/session/compare"
	"lathe/session/generation"
	"lathe/session/inputs"
)

// planOf returns how a model of testdata/decoders generates.
func planOf(t *testing.T, name string) *generation.Plan {
	t.Helper()
	m, err := graphops.Open("../../testdata/decoders/"+name+".onnx", graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	shapes, err := shape.Infer(t.Context(), m, shape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := roles.Find(t.Context(), m, roles.Options{Shapes: shapes})
	if err != nil {
		t.Fatal(err)
	}
	made, err := inputs.Generate(graphops.NamedTypes(m.Graph().FeedInputs()), inputs.Options{Model: m, Roles: found, Batch: 1})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := generation.Of(m, found, made.Feeds)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// saved is a side whose runs return saved scores. It checks what it is fed.
type saved struct {
	t      *testing.T
	scores map[string]tensor.Tensor // by the first token of a prompt
	now    string
	as     tensor.DType // the type of the scores; Undefined is that of the file
}

func (s *saved) run(_ context.Context, in graphops.Feeds) ([]graphops.Got, error) {
	ids, _ := in["input_ids"].Tensor.Int64s()
	position, _ := in["position_ids"].Tensor.Int64s()
	past := in["past_key_values.0.key"].Tensor.Shape[2]
	if past == 0 {
		s.now = fmt.Sprint(ids)
	}
	if mask := in["attention_mask"].Tensor.Shape[1]; position[0] != past || mask != past+int64(len(ids)) {
		s.t.Errorf("fed position %v, past %d and a mask of %d", position, past, mask)
	}
	rows, err := s.scores[s.now].Rows(past, past+int64(len(ids)))
	if err != nil {
		return nil, err
	}
	rows.Shape = append([]int64{1}, rows.Shape...)
	if s.as != tensor.Undefined {
		values, _ := rows.Float64s()
		if rows, err = tensor.FromFloat64s(s.as, values, rows.Shape...); err != nil {
			return nil, err
		}
	}
	got := []graphops.Got{{Name: "logits", Value: graphops.TensorValue(rows)}}
	for _, name := range []string{"0.key", "0.value", "1.key", "1.value"} {
		shape := []int64{1, 4, past + int64(len(ids)), 8}
		got = append(got, graphops.Got{Name: "present." + name, Value: graphops.TensorValue(tensor.FromSlice(make([]float32, product(shape)), shape...))})
	}
	return got, nil
}

func product(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}

// savedSides returns two sides with the scores of testdata/scores.npz, and the prompts.
func savedSides(t *testing.T) (sides [2]*saved, plan *generation.Plan, prompts []Prompt) {
	t.Helper()
	plan = planOf(t, "joined")
	entries, err := npz.Open("testdata/scores.npz", npz.Options{})
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]tensor.Tensor{}
	for _, e := range entries {
		by[e.Name] = e.Tensor
	}
	sides = [2]*saved{{t: t, scores: map[string]tensor.Tensor{}}, {t: t, scores: map[string]tensor.Tensor{}}}
	ids, _ := by["prompts"].Int64s()
	for i, p := range slices.Collect(slices.Chunk(ids, 5)) {
		prompts = append(prompts, Prompt{Name: fmt.Sprintf("seed %d", i), IDs: p})
		sides[0].scores[fmt.Sprint(p)], sides[1].scores[fmt.Sprint(p)] = by[fmt.Sprintf("a%d", i)], by[fmt.Sprintf("b%d", i)]
	}
	return sides, plan, prompts
}

func sideOf(s *saved, plan *generation.Plan) *Side {
	return &Side{Decoder: Model{Run: s.run, Plan: plan}}
}

// TestAgainstNumPy: the scores of two models, which ONNX Runtime's Python package returned, compare as
// NumPy says.
func TestAgainstNumPy(t *testing.T) {
	content, err := os.ReadFile("testdata/summary.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Tokens                  [][]int64
		Same, Of                int
		Mean, P99, Max, Largest float64
		Differs                 []int
	}
	if err := json.Unmarshal(content, &want); err != nil {
		t.Fatal(err)
	}
	sides, plan, prompts := savedSides(t)
	r, spot, err := Compare(t.Context(), sideOf(sides[0], plan), sideOf(sides[1], plan), prompts, Options{Tokens: 12, Tolerance: tensor.Tolerance{ATol: 1e-5}})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range r.Prompts {
		if !slices.Equal(p.A, want.Tokens[i]) || p.Differs == nil || p.Differs.Generated != want.Differs[i]+1 || p.Beyond != p.Differs {
			t.Errorf("%s: tokens %v, want %v; differs: %+v, want token %d", p.Name, p.A, want.Tokens[i], p.Differs, want.Differs[i]+1)
		}
		if n := p.Differs.Generated - 1; !slices.Equal(p.A[:n], p.B[:n]) || p.A[n] == p.B[n] || len(p.B) != 12 {
			t.Errorf("%s: a %v, b %v", p.Name, p.A, p.B)
		}
	}
	if r.Agreement.Same != want.Same || r.Agreement.Of != want.Of || r.Verdict != compare.Fail || spot == nil {
		t.Errorf("%+v, %s", r.Agreement, r.Headline)
	}
	for _, x := range []struct {
		name      string
		got, want float64
	}{{"mean", float64(r.KL.Mean), want.Mean}, {"p99", float64(r.KL.P99), want.P99}, {"max", float64(r.KL.Max), want.Max}, {"largest", float64(r.Largest), want.Largest}} {
		if math.Abs(x.got-x.want) > 1e-6*x.want {
			t.Errorf("%s: %v, want %v", x.name, x.got, x.want)
		}
	}
}

// TestSame: a side that is compared with itself has the same tokens and no divergence.
func TestSame(t *testing.T) {
	for _, as := range []tensor.DType{tensor.Undefined, tensor.F16, tensor.BF16, tensor.F64} {
		sides, plan, prompts := savedSides(t)
		sides[0].as = as
		other := *sides[0]
		r, spot, err := Compare(t.Context(), sideOf(sides[0], plan), sideOf(&other, plan), prompts, Options{Tokens: 12})
		if err != nil {
			if as == tensor.BF16 { // has other best tokens, whose scores are not saved
				continue
			}
			t.Fatal(err)
		}
		if !r.Pass || r.KL.Max != 0 || r.KL.Positions != 48 || r.Agreement.Share != 1 || spot != nil || r.Largest != 0 {
			t.Errorf("%s: %s, %+v, %+v, spot %v", as, r.Headline, r.KL, r.Agreement, spot)
		}
	}
}

// TestTies: other tokens are rounding if the tolerance allows the difference of their scores.
func TestTies(t *testing.T) {
	sides, plan, prompts := savedSides(t)
	r, _, err := Compare(t.Context(), sideOf(sides[0], plan), sideOf(sides[1], plan), prompts, Options{Tokens: 12, Tolerance: tensor.Tolerance{ATol: 1}, Asked: true})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Pass || !strings.Contains(r.Headline, "equally good") || r.Prompts[0].Differs == nil || r.Prompts[0].Beyond != nil {
		t.Errorf("%s, %+v", r.Headline, r.Prompts[0])
	}
}

// TestNotNumbers: scores that are NaN decide, and are left out of the divergence.
func TestNotNumbers(t *testing.T) {
	for _, c := range []struct {
		sides []int
		want  compare.Verdict
	}{{[]int{0}, compare.Undecided}, {[]int{1}, compare.Fail}, {[]int{0, 1}, compare.Undecided}} {
		sides, plan, prompts := savedSides(t)
		sides[1].scores = sides[0].scores
		for _, i := range c.sides {
			run := sides[i].scores[fmt.Sprint(prompts[1].IDs)]
			values, _ := run.Float64s()
			values[len(values)-1] = math.NaN() // of the last token
			broken, _ := tensor.FromFloat64s(run.DType, values, run.Shape...)
			all := map[string]tensor.Tensor{}
			for k, v := range sides[i].scores {
				all[k] = v
			}
			all[fmt.Sprint(prompts[1].IDs)] = broken
			sides[i].scores = all
		}
		r, _, err := Compare(t.Context(), sideOf(sides[0], plan), sideOf(sides[1], plan), prompts, Options{Tokens: 12})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != c.want || r.KL.Positions != 47 || r.NotNumbers.A+r.NotNumbers.B != len(c.sides) || *r.NotNumbers.First != (Place{1, 16, 12}) {
			t.Errorf("%v: %s, %+v at %+v", c.sides, r.Headline, r.NotNumbers, r.NotNumbers.First)
		}
	}
}

// TestBrokenSides: what a model returns wrong is an error that names the side.
func TestBrokenSides(t *testing.T) {
	sides, plan, prompts := savedSides(t)
	a := sideOf(sides[0], plan)
	for _, c := range []struct {
		name, want string
		change     func(got []graphops.Got) []graphops.Got
	}{
		{"no scores", `b: the run returned no scores in "logits"`, func(got []graphops.Got) []graphops.Got { return got[1:] }},
		{"no present", `b: the run did not return "present.1.value"`, func(got []graphops.Got) []graphops.Got { return got[:len(got)-1] }},
		{"other words", "a has scores of 96 tokens and b of 2", func(got []graphops.Got) []graphops.Got {
			got[0].Value = graphops.TensorValue(tensor.FromSlice(make([]float32, 4), 1, 2, 2))
			return got
		}},
		{"empty", `b: the scores in "logits" are f32 0×96`, func(got []graphops.Got) []graphops.Got {
			got[0].Value = graphops.TensorValue(tensor.FromSlice([]float32{}, 0, 96))
			return got
		}},
		{"integers", `b: the scores in "logits" are i64`, func(got []graphops.Got) []graphops.Got {
			got[0].Value = graphops.TensorValue(tensor.FromSlice(make([]int64, 96), 1, 96))
			return got
		}},
		{"scalar", `b: the run returned no scores`, func(got []graphops.Got) []graphops.Got {
			got[0].Value = graphops.TensorValue(tensor.FromSlice([]float32{1}))
			return got
		}},
	} {
		b := &Side{Decoder: Model{Plan: plan, Run: func(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error) {
			got, err := sides[0].run(ctx, in)
			return c.change(got), err
		}}}
		_, _, err := Compare(t.Context(), a, b, prompts, Options{Tokens: 2})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}
