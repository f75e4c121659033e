package reporting_test

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/graphtest"
	"lathe/session/reporting"
)

// sentence returns what the summary of a model says.
func sentence(t *testing.T, m *graphops.Model, given map[string]int64) string {
	t.Helper()
	costs, err := cost.Analyze(t.Context(), m, 0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := reporting.SummaryOf(t.Context(), m, costs, given, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.Text
}

func TestSentences(t *testing.T) {
	for file, want := range map[string]string{
		"text_classifier": "4 × encoder layer (attention 8 × 8, MLP 256) · 221 K parameters, f32 · 14.7 MMACs at batch 1, 64 tokens · inputs ids, mask · batch free",
		"digits":          "2 × linear layer · 2 × convolution (3×3, 16–32 channels) · 139 K parameters, f32 · 217 KMACs · input input · batch fixed at 1",
		"cnn_batch1":      "3 × convolution (3×3, 1×1, 8–16 channels) · 6.7 K parameters, f32 · 142 KMACs at batch 1, 32×32 · input image · batch fixed at 1",
		"rnn_batch1":      "2 × LSTM layer (16 wide, bidirectional) · 1 × GRU layer (8 wide) · 11.3 K parameters, f32 · 74.8 KMACs · input features · batch fixed at 1",
		"mlp_dynamo":      "3 × MLP (32 → 128) · 25.8 K parameters, f32 · 25.2 KMACs at batch 1 · input features · batch free",
		"strings":         "3 × StringConcat, 1 × RegexFullMatch, 1 × Unsqueeze · 1 parameter, i64 · inputs text, closing · batch free",
	} {
		m, err := graphops.Open("../../testdata/"+file+".onnx", graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := sentence(t, m, nil); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", file, got, want)
		}
	}
}

// TestRoles groups inputs by what is certain about them.
func TestRoles(t *testing.T) {
	for _, c := range []struct{ model, want string }{
		{"input input_ids i64[batch,n]\ninput attention_mask i64[batch,n]\ninput past_0.key f32[batch,2,p,4]\ninput past_0.value f32[batch,2,p,4]\ny = Identity(input_ids)\noutput y i64[batch,n]", "inputs ids, mask, cache (2) · batch free"},
		{"input a f32[1,3,8,8]\ny = Relu(a)\noutput y f32[1,3,8,8]", "input image · batch fixed at 1"},
		{"input a f32[4,3,8,8]\ny = Relu(a)\noutput y f32[4,3,8,8]", "input image · batch fixed at 4"},
		{"input a f32[4,5]\ny = Relu(a)\noutput y f32[4,5]", "input a"},              // 4 may be anything
		{"input a f32[1,5]\ny = ReduceSum(a) keepdims=0\noutput y f32[]", "input a"}, // the output has no such axis
		{"y = Constant() value_int=1\noutput y i64[]", ""},
	} {
		got := sentence(t, graphtest.Model(t, c.model), nil)
		want := got[:len(got)-len(c.want)] + c.want
		if len(c.want) > len(got) || got != want {
			t.Errorf("%s:\ngot  %s\nwant it to end in %s", c.model, got, c.want)
		}
	}
}

// TestGivenSizes uses given sizes for the multiply-accumulates.
func TestGivenSizes(t *testing.T) {
	m := graphtest.Model(t, "input x f32[batch,8]\ninit w f32[8,8] 1\ny = MatMul(x, w)\noutput y f32[batch,8]")
	if got, want := sentence(t, m, map[string]int64{"batch": 4}), "1 × linear layer · 64 parameters, f32 · 256 MACs at batch 4 · input x · batch free"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
