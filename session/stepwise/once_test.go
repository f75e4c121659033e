//go:build cgo

package stepwise_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/roles"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
	"lathe/session/stepwise"
)

// recurrent is a model that takes one token in a run: a copy with more tokens fails at Squeeze.
const recurrent = `opset 18
input a i64[b,1]
input past_state f32[b,16]
init table f32[50,16] 0.3 -0.7 0.2 0.9 -0.4 0.5 0.1 -0.6 0.8 -0.3 0.7
init w f32[16,16] 0.5 -0.3 0.2 0.4 -0.6 0.1 0.3 -0.2
init axis i64[1] 1
init kept f32[] 0.5
x = Gather(table, a)
x1 = Squeeze(x, axis)
n = MatMul(x1, w)
o = Mul(past_state, kept)
present_state = Add(o, n)
init u f32[16,50] 0.4 -0.2 0.6 -0.5 0.3 0.1 -0.7
z = MatMul(present_state, u)
logits = Unsqueeze(z, axis)
output logits f32[b,1,50]
output present_state f32[b,16]
`

// TestAtOnce compares a model that takes one token with another program that takes all.
func TestAtOnce(t *testing.T) {
	on := sessiontest.Workers(t)
	m := graphtest.Model(t, recurrent)
	l, err := on.Load(t.Context(), m, runtime.Execution{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	run := func(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error) {
		return runtime.RunWhole(ctx, l, in)
	}
	for _, c := range []struct {
		name    string
		atOnce  stepwise.Run
		verdict string
		words   string
	}{
		{"the same", rolled(run, false), "pass", "one token at a time"},
		{"a program that forgets", rolled(run, true), "fail", "step by step differs from all at once"},
		{"a program that fails", func(context.Context, graphops.Feeds) ([]graphops.Got, error) { return nil, fmt.Errorf("no") }, "undecided", `input "a" takes one token in a run; all tokens at once are run by a test, where 3 tokens at once do not run: no`},
		{"nothing", nil, "undecided", `input "a" takes one token in a run`},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			shapes, err := shape.Infer(t.Context(), m, shape.Options{})
			if err != nil {
				t.Fatal(err)
			}
			found, err := roles.Find(t.Context(), m, roles.Options{Shapes: shapes})
			if err != nil {
				t.Fatal(err)
			}
			r, err := stepwise.Check(t.Context(), m, run, found, stepwise.Options{Types: l.Inputs(), AtOnce: c.atOnce, AtOnceBy: "a test"})
			if err != nil {
				t.Fatal(err)
			}
			if string(r.Verdict) != c.verdict || !strings.Contains(r.Headline, c.words) {
				t.Errorf("%s: %s", r.Verdict, r.Headline)
			}
		})
	}
}

// rolled runs all tokens one after the other, and returns all scores and the last state. If forgets is
// set, the state does not go from one token to the next.
func rolled(run stepwise.Run, forgets bool) stepwise.Run {
	return func(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error) {
		ids, state := in["a"].Tensor, in["past_state"]
		batch, tokens := ids.Shape[0], ids.Shape[1]
		scores := tensor.Tensor{DType: tensor.F32, Shape: []int64{batch, tokens, 50}, Data: make([]byte, batch*tokens*50*4)}
		var got []graphops.Got
		for i := range tokens {
			one := tensor.Tensor{DType: tensor.I64, Shape: []int64{batch, 1}}
			for b := range batch {
				at := (b*tokens + i) * 8
				one.Data = append(one.Data, ids.Data[at:at+8]...)
			}
			var err error
			if got, err = run(ctx, graphops.Feeds{"a": graphops.TensorValue(one), "past_state": state}); err != nil {
				return nil, err
			}
			for b := range batch {
				copy(scores.Data[(b*tokens+i)*200:], got[0].Value.Tensor.Data[b*200:(b+1)*200])
			}
			if !forgets {
				state = got[1].Value
			}
		}
		return []graphops.Got{{Name: "logits", Value: graphops.TensorValue(scores)}, got[1]}, nil
	}
}
