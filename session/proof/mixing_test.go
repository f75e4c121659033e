package proof_test

import (
	"context"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session/proof"
)

func TestMixes(t *testing.T) {
	for name, c := range map[string]struct {
		model string
		mixes bool
	}{
		"rows of a product":        {"input x f32[n,4]\ninit w f32[4,3] 1\ny = MatMul(x, w)", false},
		"columns of a product":     {"input x f32[4,n]\ninput w f32[n,3]\ny = MatMul(x, w)", true},
		"the columns of the right": {"input x f32[3,4]\ninput w f32[4,n]\ny = MatMul(x, w)", false},
		"a turned product":         {"input x f32[n,4]\ninput w f32[n,3]\ny = Gemm(x, w) transA=1", true},
		"a product of rows":        {"input x f32[n,4]\ninit w f32[3,4] 1\ny = Gemm(x, w) transB=1", false},
		"softmax of each":          {"input x f32[n,4]\ny = Softmax(x)", false},
		"softmax over all":         {"input x f32[n,4]\ny = Softmax(x) axis=0", true},
		"mean of each":             {"opset 13\ninput x f32[n,4,5]\ny = ReduceMean(x) axes=[1,2]", false},
		"mean over all":            {"opset 13\ninput x f32[n,4,5]\ny = ReduceMean(x) axes=[-3]", true},
		"mean of everything":       {"opset 13\ninput x f32[n,4]\ny = ReduceMean(x)", true},
		"mean by an input":         {"opset 18\ninput x f32[n,4]\ninit axes i64[1] 0\ny = ReduceMean(x, axes)", true},
		"mean by another input":    {"opset 18\ninput x f32[n,4]\ninit axes i64[1] 1\ny = ReduceMean(x, axes)", false},
		"a running sum":            {"input x f32[n,4]\ninit axis i64[] 0\ny = CumSum(x, axis)", true},
		"one scale for all":        {"input x f32[n,4]\ny, s, z = DynamicQuantizeLinear(x)", true},
		"a batch of steps":         {"input x f32[5,n,4]\ninit w f32[1,12,4] 1\ninit r f32[1,12,3] 1\ny = GRU(x, w, r) hidden_size=3", false},
		"steps":                    {"input x f32[n,2,4]\ninit w f32[1,12,4] 1\ninit r f32[1,12,3] 1\ny = GRU(x, w, r) hidden_size=3", true},
		"scanned":                  {"input x f32[n,4]\ninit s f32[4] 0\ngraph body\ninput a f32[4]\ninput b f32[4]\nc = Add(a, b)\noutput c f32[4]\nend\ny = Scan(s, x) body=@body num_scan_inputs=1", true},
		"taken item by item": {`
			input x f32[n,4]
			init count i64[] 3
			init yes bool[] 1
			graph body
			input i i64[]
			input c bool[]
			k = Identity(c)
			row = Gather(x, i)
			output k bool[]
			output row f32[4]
			end
			y = Loop(count, yes) body=@body
		`, true},
		"letters that stay":      {"input x f32[n,4]\ninit w f32[4,3] 1\ny = Einsum(x, w) equation='ij,jk->ik'", false},
		"letters that go":        {"input x f32[n,4]\ninput w f32[n,3]\ny = Einsum(x, w) equation='ij,ik->jk'", true},
		"a norm of each":         {"input x f32[n,4]\ny = LpNormalization(x)", false},
		"a norm over all":        {"input x f32[n,4]\ny = LpNormalization(x) axis=0", true},
		"groups of each":         {"opset 21\ninput x f32[n,4,2]\ninit w f32[4] 1\ny = GroupNormalization(x, w, w) num_groups=2", false},
		"groups of channels":     {"opset 21\ninput x f32[1,4,n]\ninit w f32[4] 1\ny = GroupNormalization(x, w, w) num_groups=2", true},
		"statistics over all":    {"input x f32[n,4,2,2]\ny = MeanVarianceNormalization(x)", true},
		"statistics of each":     {"input x f32[n,4,2,2]\ny = MeanVarianceNormalization(x) axes=[1,2,3]", false},
		"neighbours of each":     {"input x f32[n,4,2,2]\ny = LRN(x) size=3", false},
		"neighbours":             {"input x f32[1,n,2,2]\ny = LRN(x) size=3", true},
		"normalized":             {"opset 15\ninput x f32[n,4]\ninit w f32[4] 1\ny = BatchNormalization(x, w, w, w, w)", false},
		"normalized in training": {"opset 15\ninput x f32[n,4]\ninit w f32[4] 1\ny, a, b = BatchNormalization(x, w, w, w, w) training_mode=1", true},
		"of another domain":      {"opset other 1\ninput x f32[n,4]\ny = other::Softmax(x) axis=0", false},
		"another symbol":         {"input x f32[n,m]\ninput w f32[m,3]\ny = MatMul(x, w)", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := proof.Mixes(context.Background(), graphtest.Model(t, c.model), "n")
			if err != nil || (len(got) > 0) != c.mixes {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}
