package cost_test

import (
	"context"
	"testing"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/graphtest"
)

func analyze(t *testing.T, m *graphops.Model) *cost.Result {
	t.Helper()
	r, err := cost.Analyze(context.Background(), m, 0)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestMACs holds the formulas against products that are written out. Outputs are
// declared, so that the formulas alone decide.
func TestMACs(t *testing.T) {
	for _, c := range []struct{ model, want string }{
		// Batch, channels of the output, rows and columns; channels of a group, kernel.
		{"input x f32[n,6,8,8]\ninit w f32[4,6,3,3]\ny = Conv(x, w) pads=[1,1,1,1]\noutput y f32[n,4,8,8]", "13824*n"},
		{"input x f32[n,6,8,8]\ninit w f32[6,1,3,3]\ny = Conv(x, w) group=6 pads=[1,1,1,1]\noutput y f32[n,6,8,8]", "3456*n"},
		{"input x f32[1,6,h]\ninit w f32[4,6,3]\ny = Conv(x, w) strides=[2] pads=[1,1]\noutput y f32[1,4,floor((h-1)/2)+1]", "72*floor((h+1)/2)"},
		{"input x f32[n,6,8,8]\ninit w f32[6,4,2,2]\ny = ConvTranspose(x, w) strides=[2,2]\noutput y f32[n,4,16,16]", "6144*n"},
		{"input x u8[1,2,4,4]\ninit w u8[3,2,1,1]\ny = ConvInteger(x, w)\noutput y i32[1,3,4,4]", "96"},
		{"input x u8[1,2,4,4]\ninput s f32[]\ninput z u8[]\ninit w u8[3,2,1,1]\ny = QLinearConv(x, s, z, w, s, z, s, z)\noutput y u8[1,3,4,4]", "96"},
		{"input x f32[1,2,4,4]\ninit w f32[3,2,1,1]\ny = com.microsoft::FusedConv(x, w) activation='Relu'\noutput y f32[1,3,4,4]", "96"},
		{"input x f32[1,2,8]\ninit w f32[2,1,4]\ny, p = com.microsoft::CausalConvWithState(x, w)\noutput y f32[1,2,8]\noutput p f32[1,2,3]", "64"},
		{"input x f32[1,4,4,2]\ninit w f32[3,2,1,1]\ny = com.microsoft::NhwcConv(x, w)\noutput y f32[1,4,4,3]", "96"},

		{"input x f32[batch,seq,8]\ninit w f32[8,5]\ny = MatMul(x, w)\noutput y f32[batch,seq,5]", "40*batch*seq"},
		{"input x f32[8]\ninput w f32[8]\ny = MatMul(x, w)\noutput y f32[]", "8"},
		{"input x f32[2,1,3,4]\ninput w f32[5,4,6]\ny = MatMul(x, w)\noutput y f32[2,5,3,6]", "720"},
		{"input x u8[3,k]\ninput w u8[k,2]\ny = MatMulInteger(x, w)\noutput y i32[3,2]", "6*k"},
		{"input x u8[3,4]\ninput s f32[]\ninput z u8[]\ninit w u8[4,2]\ny = QLinearMatMul(x, s, z, w, s, z, s, z)\noutput y u8[3,2]", "24"},
		{"input x f32[3,4]\ninput w f32[4,2]\ny = Gemm(x, w)\noutput y f32[3,2]", "24"},
		{"input x f32[4,3]\ninput w f32[2,4]\ny = Gemm(x, w) transA=1 transB=1\noutput y f32[3,2]", "24"},
		{"input x f32[7,4,3]\ninput w f32[7,4,2]\ny = com.microsoft::FusedMatMul(x, w) transA=1\noutput y f32[7,3,2]", "168"},
		{"input x f32[7,3,4]\ninput w f32[7,2,4]\ny = com.microsoft::FusedMatMul(x, w) transB=1\noutput y f32[7,3,2]", "168"},
		{"input x f32[3,7,4]\ninput w f32[7,4,2]\ny = com.microsoft::FusedMatMul(x, w) transBatchA=1\noutput y f32[7,3,2]", "168"},
		{"input x f32[4,7,3]\ninput w f32[7,4,2]\ny = com.microsoft::FusedMatMul(x, w) transA=1 transBatchA=1\noutput y f32[7,3,2]", "168"},
		{"input x f32[3,4]\ninput w f32[4,2]\ny = com.microsoft::FusedGemm(x, w) activation='Relu'\noutput y f32[3,2]", "24"},
		{"input x u8[3,4]\ninput s f32[]\ninput z u8[]\ninput w u8[2,4]\ny = com.microsoft::QGemm(x, s, z, w, s, z) transB=1\noutput y f32[3,2]", "24"},
		{"input x f32[b,3,64]\ninit w u8[10,2,16]\ninit s f32[20]\ny = com.microsoft::MatMulNBits(x, w, s) K=64 N=10 block_size=32\noutput y f32[b,3,10]", "1920*b"},

		{"input x f32[b,i,j]\ninput y f32[b,j,k]\nz = Einsum(x, y) equation='bij,bjk->bik'\noutput z f32[b,i,k]", "b*i*j*k"},
		{"input x f32[2,3,4,5]\ninput y f32[3,5,6]\nz = Einsum(x, y) equation='...ij, ...jk'\noutput z f32[2,3,4,6]", "720"},
		{"input x f32[3,4]\nz = Einsum(x) equation='ij->ji'\noutput z f32[4,3]", "0"},
		{"input x f32[3]\ninput y f32[4]\ninput z f32[5]\nw = Einsum(x, y, z) equation='i,j,k->ijk'\noutput w f32[3,4,5]", "120"},
		{"input x f32[3,3]\ninput y f32[3]\nw = Einsum(x, y) equation='ii,i->i'\noutput w f32[3]", "3"},

		// Steps, batch; gates×hidden×(input+hidden).
		{"input x f32[s,b,10]\ninit w f32[1,20,10]\ninit r f32[1,20,5]\ny = LSTM(x, w, r) hidden_size=5\noutput y f32[s,1,b,5]", "300*b*s"},
		{"input x f32[s,b,10]\ninit w f32[2,15,10]\ninit r f32[2,15,5]\ny = GRU(x, w, r) hidden_size=5 direction='bidirectional'\noutput y f32[s,2,b,5]", "450*b*s"},
		{"input x f32[b,7,10]\ninit w f32[1,5,10]\ninit r f32[1,5,5]\ny = RNN(x, w, r) hidden_size=5 layout=1\noutput y f32[b,7,1,5]", "525*b"},
		{"input x f32[7,1,10]\ninit w i8[1,10,20]\ninit r i8[1,5,20]\ninit s f32[1]\ninit z i8[1]\ny = com.microsoft::DynamicQuantizeLSTM(x, w, r, , , , , , s, z, s, z) hidden_size=5\noutput y f32[7,1,1,5]", "2100"},

		// Heads 2, size 4, result 6: queries×keys×2×(4+6).
		{"opset 23\ninput q f32[1,2,5,4]\ninput k f32[1,2,7,4]\ninput v f32[1,2,7,6]\ny = Attention(q, k, v)\noutput y f32[1,2,5,6]", "700"},
		{"opset 23\ninput q f32[1,5,8]\ninput k f32[1,7,8]\ninput v f32[1,7,12]\ny = Attention(q, k, v) q_num_heads=2 kv_num_heads=2\noutput y f32[1,5,12]", "700"},
		{"opset 23\ninput q f32[1,2,1,4]\ninput k f32[1,2,1,4]\ninput v f32[1,2,1,4]\ninput p f32[1,2,past,4]\ny, a, b = Attention(q, k, v, , p, p)\noutput y f32[1,2,1,4]\noutput a f32[1,2,past+1,4]\noutput b f32[1,2,past+1,4]", "16*past+16"},
		// Batch 1, 5 rows of 8: the projection to 3×8 is 960, the scores 5×5×(8+8).
		{"input x f32[1,5,8]\ninit w f32[8,24]\ninit b f32[24]\ny = com.microsoft::Attention(x, w, b) num_heads=2\noutput y f32[1,5,8]", "1360"},
		{"input x f32[1,5,8]\ninit w f32[8,24]\ninit b f32[24]\ninput p f32[2,1,2,3,4]\ny = com.microsoft::Attention(x, w, b, , p) num_heads=2\noutput y f32[1,5,8]", "1600"},
		{"input x u8[1,5,8]\ninit w u8[8,24]\ninit b f32[24]\ninit s f32[]\ny = com.microsoft::QAttention(x, w, b, s, s) num_heads=2\noutput y f32[1,5,8]", "1360"},
		{"input q f32[1,5,8]\ninput k f32[1,7,8]\ninput v f32[1,7,12]\ny = com.microsoft::MultiHeadAttention(q, k, v) num_heads=2\noutput y f32[1,5,12]", "700"},
		{"input q f32[1,5,2,3,4]\ny = com.microsoft::MultiHeadAttention(q) num_heads=2\noutput y f32[1,5,8]", "400"},
		{"input q f32[1,5,8]\ninput k f32[1,7,2,2,4]\ny = com.microsoft::MultiHeadAttention(q, k) num_heads=2\noutput y f32[1,5,8]", "560"},
		{"input q f32[1,1,8]\ninput k f32[1,1,4]\ninput p f32[1,1,9,4]\ninput n i32[1]\ninput m i32[]\ny, a, b = com.microsoft::GroupQueryAttention(q, k, k, p, p, n, m) num_heads=2 kv_num_heads=1\noutput y f32[1,1,8]\noutput a f32[1,1,10,4]\noutput b f32[1,1,10,4]", "160"},

		{"opset ai.onnx.ml 1\ninput x f32[n,4]\ny, z = ai.onnx.ml::LinearClassifier(x) coefficients=[1.,2.,3.,4.,5.,6.,7.,8.,9.,1.,2.,3.] classlabels_ints=[1,2,3]\noutput y i64[n]\noutput z f32[n,3]", "12*n"},

		{"input x f32[3,4]\ny = Softmax(x)\noutput y f32[3,4]", "0"},
		{"input x f32[1,3,8,8]\ny = MaxPool(x) kernel_shape=[2,2]\noutput y f32[1,3,7,7]", "0"},
	} {
		m := graphtest.Model(t, c.model)
		if got := analyze(t, m).Node(m.Places()[0], 0).MACs.String(); got != c.want {
			t.Errorf("%s\nis %s, want %s", c.model, got, c.want)
		}
	}
}

// TestUnknownMACs covers what must not be taken for nothing.
func TestUnknownMACs(t *testing.T) {
	for name, model := range map[string]string{
		"no table knows it":     "input x f32[3]\ny = nobody::Op(x)\noutput y f32[3]",
		"no formula":            "input x f32[3,4]\ninit w f32[5,4]\ny = com.microsoft::CDist(x, w)\noutput y f32[3,5]",
		"a kernel of no shape":  "input x f32[1,3,8,8]\ninput w f32\ny = Conv(x, w)\noutput y f32[1,4,6,6]",
		"an input of no shape":  "input x f32\ninput w f32\ny = MatMul(x, w)\noutput y f32[2,2]",
		"an axis of no size":    "input i f32[4]\nz = NonZero(i)\nt = Transpose(z)\nx = Cast(t) to=1\ninit w f32[1,2]\ny = MatMul(x, w)\noutput y f32[?,2]",
		"a loop of no end":      "graph body\ninput i i64[]\ninput c bool[]\ninput s f32[2,2]\nd = Identity(c)\nt = MatMul(s, s)\noutput d bool[]\noutput t f32[2,2]\nend\ninput n i64[]\ninput x f32[2,2]\ny = Loop(n, , x) body=@body\noutput y f32[2,2]",
		"labels that do not go": "input x f32[3,4]\ninput y f32[4,3]\nz = Einsum(x, y) equation='ijk,jk->i'\noutput z f32[3]",
	} {
		total := analyze(t, graphtest.Model(t, model)).Total()
		if total.MACs.Left != 1 {
			t.Errorf("%s: %d nodes left out, want 1", name, total.MACs.Left)
		}
		if _, whole := total.MACs.Whole(); whole {
			t.Errorf("%s: the sum says that it is whole", name)
		}
	}
}
