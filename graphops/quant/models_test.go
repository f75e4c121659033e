package quant

import "testing"

// models are small graphs, each for one thing that quantizing must get right.
// Tests name the departures that they bring up with default options.
var models = []struct {
	name, text string
	departures []Departure
	subgraphs  bool // with bodies
}{
	{name: "matmul", text: `
		input x f32[n,3]
		output y f32[n,2]
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		fc: y = MatMul(x, w)`},
	{name: "unnamed", text: `
		input x f32[n,3]
		output y f32[n,2]
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		y = MatMul(x, w)`},
	{name: "unnamed twice", text: `
		input x f32[n,3]
		output y f32[n,2]
		output z f32[n,2]
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		y = MatMul(x, w)
		z = MatMul(x, w)`},
	{name: "shared input", text: `
		input x f32[n,3]
		output y f32[n,2]
		output z f32[n,1]
		init w f32[3,2] 1 -2 3 4 -5 6.5
		init v f32[3,1] 0.1 0.2 0.3
		a: y = MatMul(x, w)
		b: z = MatMul(x, v)`},
	{name: "shared weight", text: `
		input x f32[n,3]
		output y f32[n,3]
		init w f32[3,3] 1 -2 3 4 -5 6.5 7 8 0.125
		a: h = MatMul(x, w)
		r: g = Relu(h)
		b: y = MatMul(g, w)`},
	{name: "weight read elsewhere", text: `
		input x f32[n,3]
		output y f32[n,2]
		output s f32[1,1]
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		fc: y = MatMul(x, w)
		sum: s = ReduceSum(w) keepdims=1`},
	{name: "weight read before and after", text: `
		input x f32[n,3]
		output y f32[n,2]
		output r f32[3,2]
		output s f32[3,2]
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		r: r = Relu(w)
		fc: y = MatMul(x, w)
		s: s = Sigmoid(w)`},
	{name: "weight is an output", text: `
		input x f32[n,3]
		output y f32[n,2]
		output w f32[3,2]
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		fc: y = MatMul(x, w)`},
	{name: "conv", text: `
		input x f32[n,2,5,5]
		output y f32[n,3,3,3]
		init w f32[3,2,1,1] 0.5 -1 2 0.25 -0.75 1.5
		init b f32[3] 0.5 0.25 -1
		c: y = Conv(x, w, b) strides=[2,2]`},
	{name: "conv, unnamed, of one axis", text: `
		input x f32[n,2,5]
		output y f32[n,3,5]
		init w f32[3,1,1] 0.5 -1 2
		h = Relu(x)
		g = Concat(h, h, h) axis=1
		s, r = Split(g, sizes) axis=1
		init sizes i64[2] 3 3
		y = Conv(s, w) group=3`},
	{name: "conv twice", text: `
		input x f32[n,2,5,5]
		output y f32[n,2,5,5]
		init w f32[2,2,1,1] 0.5 -1 2 0.25
		init b f32[2] 0.5 0.25
		c: h = Conv(x, w, b)
		d: y = Conv(h, w, b)`},
	{name: "conv and matmul of one weight", text: `
		input x f32[2,2,5,2]
		output y f32[2,2,4,1]
		output z f32[2,2,5,2]
		init w f32[2,2,2,2] 0.5 -1 2 0.25 3 1 -2 0.125 0.5 -1 2 0.25 3 1 -2 0.125
		c: y = Conv(x, w)
		m: z = MatMul(x, w)`},
	{name: "lstm", text: `
		input x f32[4,n,2]
		output y f32
		init w f32[1,12,2] 0.5 -1 2 0.25 -0.75 1.5 0.125
		init r f32[1,12,3] 0.5 -0.25 0.75 0.1 -1
		init b f32[1,24] 0.5 0.25 -1
		l: y, , = LSTM(x, w, r, b) hidden_size=3`},
	{name: "lstm of two directions, unnamed, with everything", text: `
		input x f32[4,2,2]
		output y f32
		output h f32
		output c f32
		init w f32[2,12,2] 0.5 -1 2 0.25 -0.75 1.5 0.125
		init r f32[2,12,3] 0.5 -0.25 0.75 0.1 -1
		init b f32[2,24] 0.5 0.25 -1
		init len i32[2] 4 3
		init h0 f32[2,2,3] 0.5 -0.25
		init c0 f32[2,2,3] 0.25 -0.5 1
		init p f32[2,9] 0.25 -0.5 1
		y, h, c = LSTM(x, w, r, b, len, h0, c0, p) direction='bidirectional' hidden_size=3 clip=3.0 activations=['Sigmoid','Tanh','Tanh','Sigmoid','Tanh','Tanh'] layout=0`},
	{name: "lstm with the batch first", departures: []Departure{batchAxisFirst}, text: `
		input x f32[n,4,3]
		output y f32[n,4,2,2]
		output h f32[n,2,2]
		output c f32[n,2,2]
		init w f32[2,8,3] 0.5 -1 2 0.25 -0.75 1.5 0.125
		init r f32[2,8,2] 0.5 -0.25 0.75 0.1 -1
		init h0 f32[3,2,2] 0.5 -0.25 0.1
		init c0 f32[3,2,2] 0.25 -0.5 1
		a: y, h, c = LSTM(x, w, r, , , h0, c0) direction='bidirectional' hidden_size=2 layout=1`},
	{name: "two lstms after an embedding", text: `
		input ids i64[4,n]
		output y f32
		output e f32[4,n,2]
		init table f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		init w f32[1,12,2] 0.5 -1 2 0.25 -0.75 1.5 0.125
		init r f32[1,12,3] 0.5 -0.25 0.75 0.1 -1
		init v f32[1,12,3] 0.5 -1 2 0.25 -0.75 1.5 0.125
		init u f32[1,12,3] 0.1 -0.25 0.75 0.1 -1
		init axes i64[1] 1
		embed: e = Gather(table, ids)
		a: f, , = LSTM(e, w, r) hidden_size=3
		q: g = Squeeze(f, axes)
		b: y, , = LSTM(g, v, u) hidden_size=3`},
	{name: "lstms share weights", departures: []Departure{sharedGates}, text: `
		input x f32[4,n,3]
		output y f32
		output s f32
		init w f32[1,12,3] 0.5 -1 2 0.25 -0.75 1.5 0.125
		init r f32[1,12,3] 0.1 -0.25 0.75 0.1 -1
		init v f32[1,12,3] 0.1 -0.25 0.5 0.1 -1
		init axes i64[1] 1
		a: f, , = LSTM(x, w, r) hidden_size=3
		q: g = Squeeze(f, axes)
		b: y, , = LSTM(g, w, v) hidden_size=3
		m: h = Relu(v)
		sum: s = ReduceSum(v)`},
	{name: "lstm of a looked-up state", departures: []Departure{unrestoredOperand}, text: `
		input x f32[4,2,2]
		input ids i64[2]
		output y f32
		init states f32[3,2,3] 0.25 -0.5 1
		init w f32[1,12,2] 0.5 -1 2 0.25 -0.75 1.5 0.125
		init r f32[1,12,3] 0.5 -0.25 0.75 0.1 -1
		init one i64[1] 0
		embed: h = Gather(states, one)
		l: y, , = LSTM(x, w, r, , , h) hidden_size=3`},
	{name: "fused attention", text: `
		opset 17
		opset com.microsoft 1
		input x f32[2,4,6]
		input mask i32[2]
		output y f32[2,4,6]
		init w f32[6,18] 0.5 -1 2 0.25 -0.75 1.5 0.125
		init b f32[18] 0.5 0.25 -1
		a: y = com.microsoft::Attention(x, w, b, mask) num_heads=2`},
	{name: "fused attention with a past", text: `
		opset 17
		opset com.microsoft 1
		input x f32[2,4,6]
		input past f32[2,2,2,5,3]
		output y f32[2,4,6]
		output present f32[2,2,2,9,3]
		init w f32[6,18] 0.5 -1 2 0.25 -0.75 1.5 0.125
		init v f32[6,6] 0.5 -1 2 0.25
		init b f32[18] 0.5 0.25 -1
		h = Relu(x)
		z, present = com.microsoft::Attention(h, w, b, , past) num_heads=2 unidirectional=1
		value z f32[2,4,6]
		p: y = MatMul(z, v)`},
	{name: "fused attentions that QAttention cannot do", departures: []Departure{lostOperand}, text: `
		opset 17
		opset com.microsoft 1
		input x f32[2,4,6]
		input bias f32[2,2,4,4]
		output a f32[2,4,6]
		output c f32[2,4,6]
		output d f32[2,4,6]
		init w f32[6,18] 0.5 -1 2 0.25 -0.75 1.5 0.125
		init v f32[18] 0.5 0.25 -1
		init u f32[6,6] 0.5 0.25 -1
		biased: a = com.microsoft::Attention(x, w, v, , , bias) num_heads=2
		varied: c = com.microsoft::Attention(x, w, v) num_heads=2 qkv_hidden_sizes=[6,6,6]
		m: d = MatMul(x, u)`},
	{name: "fused embedding", text: `
		opset 17
		opset com.microsoft 1
		input ids i32[2,4]
		input segments i32[2,4]
		input mask i32[2,4]
		output y f32[2,4,6]
		output at i32[2]
		init words f32[5,6] 0.5 -1 2 0.25 -0.75 1.5 0.125
		init positions f32[4,6] 0.5 -1 2 0.25 -0.75
		init kinds f32[3,6] 0.5 -1 2
		init gamma f32[6] 1 0.5 0.75
		init beta f32[6] 0.5 0.25 -1
		e: y, at = com.microsoft::EmbedLayerNormalization(ids, segments, words, positions, kinds, gamma, beta, mask) epsilon=1e-12`},
	{name: "fused embedding without segments, unnamed", text: `
		opset 17
		opset com.microsoft 1
		input ids i32[2,4]
		output y f32[2,4,6]
		output at i32[2]
		init words f32[5,6] 0.5 -1 2 0.25 -0.75 1.5 0.125
		init positions f32[4,6] 0.5 -1 2 0.25 -0.75
		init gamma f32[6] 1 0.5 0.75
		init beta f32[6] 0.5 0.25 -1
		y, at = com.microsoft::EmbedLayerNormalization(ids, , words, positions, , gamma, beta)`},
	{name: "fused embeddings that are otherwise", departures: []Departure{lostOperand, missingMaskOutput}, text: `
		opset 17
		opset com.microsoft 1
		input ids i32[2,4]
		input places i32[2,4]
		output y f32[2,4,6]
		output z f32[2,4,6]
		output s f32[2,4,6]
		init words f32[5,6] 0.5 -1 2 0.25 -0.75 1.5 0.125
		init positions f32[4,6] 0.5 -1 2 0.25 -0.75
		init gamma f32[6] 1 0.5 0.75
		init beta f32[6] 0.5 0.25 -1
		a: y, = com.microsoft::EmbedLayerNormalization(ids, , words, positions, , gamma, beta)
		b: z, za = com.microsoft::EmbedLayerNormalization(ids, , words, positions, , gamma, beta, , places)
		c: v, va, s = com.microsoft::EmbedLayerNormalization(ids, , words, positions, , gamma, beta)`},
	{name: "conv of a decoded kernel", departures: []Departure{alreadyQuantized}, text: `
		input x f32[1,2,4,4]
		output y f32[1,2,3,3]
		output z f32[1,2,4,3]
		init w i8[2,2,2,2] 1 -2 3 4 -5 6 7 8 1 -1 2 -2 3 -3 4 -4
		init s f32[] 0.5
		init v f32[4,3] 1 -2 3 4 -5 6.5 7 8 0.125 1 2 -3
		d = DequantizeLinear(w, s)
		c: y = Conv(x, d)
		fc: z = MatMul(x, v)`},
	{name: "conv of a computed kernel", departures: []Departure{weightElsewhere}, text: `
		input x f32[n,2,5,5]
		input k f32[3,2,3,3]
		output y f32[n,3,3,3]
		output z f32[n,3,3,3]
		init b f32[3] 0.5 0.25 -1
		c: y = Conv(x, k)
		d: z = Conv(x, k, b)`},
	{name: "conv with groups, padding and dilation", text: `
		input x f32[n,4,6,6]
		output y f32
		output z f32
		init w f32[4,2,3,3] 0.5 -1 2 0.25 -0.75 1.5 0.125
		init v f32[4,1,2,2] 0.5 -1 2 0.25 -0.75 1.5 0.125
		init b f32[4] 0.5 0.25 -1
		c: y = Conv(x, w, b) group=2 pads=[1,1,1,1] dilations=[2,2]
		d: z = Conv(y, v, b) group=4 auto_pad='SAME_UPPER' kernel_shape=[2,2]`},
	{name: "conv of three axes", text: `
		input x f32[2,2,4,4,4]
		output y f32
		init w f32[3,2,2,2,2] 0.5 -1 2 0.25 -0.75 1.5 0.125
		init b f32[3] 0.5 0.25 -1
		c: y = Conv(x, w, b) strides=[1,2,1]`},
	{name: "gemm", text: `
		input x f32[n,3]
		output y f32[n,2]
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		init c f32[2] 0.5 0.25
		fc: y = Gemm(x, w, c)`},
	{name: "gemm transposed", text: `
		input x f32[n,3]
		output y f32[n,2]
		init w f32[2,3] 0.5 -1 2 0.25 -0.75 1.5
		init c f32[2] 0.5 0.25
		fc: y = Gemm(x, w, c) transB=1 alpha=1.0 beta=1.0`},
	{name: "gemm without bias, unnamed", text: `
		input x f32[n,3]
		output y f32[n,2]
		init w f32[2,3] 0.5 -1 2 0.25 -0.75 1.5
		y = Gemm(x, w) transB=1`},
	{name: "gemm with alpha", text: `
		input x f32[n,3]
		output y f32[n,2]
		output z f32[n,2]
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		init v f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		scaled: y = Gemm(x, w) alpha=0.5
		plain: z = MatMul(x, v)`},
	{name: "gemm, bias is a weight", text: `
		input x f32[2,2]
		output y f32[2,2]
		output z f32[2,2]
		init w f32[2,2] 0.5 -1 2 0.25
		init v f32[2,2] 1 2 3 4
		a: y = MatMul(x, w)
		b: z = Gemm(x, v, w)`},
	{name: "gather", text: `
		input ids i64[n]
		output e f32[n,4]
		init table f32[3,4] 0.5 -1 2 0.25 -0.75 1.5 3 -2.5
		embed: e = Gather(table, ids)`},
	{name: "gather to matmul", text: `
		input ids i64[n]
		output y f32[n,2]
		init table f32[3,4] 0.5 -1 2 0.25 -0.75 1.5 3 -2.5
		init w f32[4,2] 0.5 -1 2 0.25 -0.75 1.5
		embed: e = Gather(table, ids)
		fc: y = MatMul(e, w)`},
	{name: "gather to everything", text: `
		input ids i64[n]
		output y f32[n,2]
		output r f32[4,n]
		output e f32[n,4]
		init table f32[3,4] 0.5 -1 2 0.25 -0.75 1.5 3 -2.5
		init w f32[4,2] 0.5 -1 2 0.25 -0.75 1.5
		embed: e = Gather(table, ids)
		t: f = Transpose(e) perm=[1,0]
		r: r = Relu(f)
		fc: y = MatMul(e, w)
		again: s = Sigmoid(e)`},
	{name: "gather of a weight", text: `
		input ids i64[n]
		output y f32[n,3]
		init w f32[3,3] 1 -2 3 4 -5 6.5 7 8 0.125
		embed: e = Gather(w, ids) axis=0
		fc: y = MatMul(e, w)`},
	{name: "transpose after matmul", text: `
		input x f32[n,3]
		output y f32[n,2]
		output r f32[3,n]
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		fc: y = MatMul(x, w)
		t: xt = Transpose(x)
		r: r = Relu(xt)`},
	{name: "transpose of floats", text: `
		input x f32[n,3]
		output y f32[3,2]
		init w f32[4,2] 0.5 -1 2 0.25 -0.75 1.5
		init p f32[4,3] 1 2
		t: wt = Transpose(p)
		fc: y = MatMul(wt, w)`},
	{name: "attention", text: `
		input q f32[n,4,3]
		input k f32[n,4,3]
		output y f32[n,4,4]
		init w f32[3,3] 1 -2 3 4 -5 6.5 7 8 0.125
		p: qp = MatMul(q, w)
		t: kt = Transpose(k) perm=[0,2,1]
		s: s = MatMul(qp, kt)
		m: y = Softmax(s) axis=-1`},
	{name: "first factor constant", text: `
		input x f32[3,n]
		output y f32[2,n]
		output z f32[2,2]
		init w f32[2,3] 0.5 -1 2 0.25 -0.75 1.5
		init v f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		a: y = MatMul(w, x)
		b: z = MatMul(w, v)`},
	{name: "zero, tiny, positive, negative, halves", text: `
		input x f32[n,4]
		output a f32[n,2]
		output b f32[n,2]
		output c f32[n,2]
		output d f32[n,2]
		output e f32[n,2]
		init zero f32[4,2] 0 -0
		init tiny f32[4,2] 1e-39 -1e-40 3e-39
		init plus f32[4,2] 1 2 3 4 5 6 7.5
		init minus f32[4,2] -1 -2 -3 -4 -5 -6 -7.5
		init half f32[4,2] 127 0.5 1.5 -2.5 -127
		a: a = MatMul(x, zero)
		b: b = MatMul(x, tiny)
		c: c = MatMul(x, plus)
		d: d = MatMul(x, minus)
		e: e = MatMul(x, half)`},
	{name: "empty weight", departures: []Departure{emptyWeight}, text: `
		input x f32[n,0]
		input z f32[n,3]
		output y f32[n,2]
		output v f32[n,2]
		init w f32[0,2]
		init u f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		fc: y = MatMul(x, w)
		other: v = MatMul(z, u)`},
	{name: "unused initializer", text: `
		input x f32[n,3]
		output y f32[n,2]
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		init unused f32[2] 1 2
		fc: y = MatMul(x, w)`},
	{name: "opset 21", text: `
		ir 10
		opset 21
		input ids i64[n]
		output y f32[n,2]
		output s f32[1,1]
		init table f32[3,4] 0.5 -1 2 0.25 -0.75 1.5 3 -2.5
		init w f32[4,2] 0.5 -1 2 0.25 -0.75 1.5
		embed: e = Gather(table, ids)
		fc: y = MatMul(e, w)
		sum: s = ReduceSum(w) keepdims=1`},
	{name: "opset 11", text: `
		ir 6
		opset 11
		input x f32[n,3]
		output y f32[n,2]
		init w f32[2,3] 0.5 -1 2 0.25 -0.75 1.5
		init c f32[2] 0.5 0.25
		fc: y = Gemm(x, w, c) transB=1`},
	{name: "opset 10", departures: []Departure{opsetTen}, text: `
		ir 5
		opset 10
		input x f32[n,3]
		output y f32[n,2]
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		h = Softmax(x)
		fc: y = MatMul(h, w)`},
	{name: "opset 9", text: `
		ir 4
		opset 9
		input x f32[n,3]
		output y f32[n,2]
		init w f32[2,3] 0.5 -1 2 0.25 -0.75 1.5
		init c f32[2] 0.5 0.25
		r: h = Relu(x)
		fc: y = Gemm(h, w, c) transB=1`},
	{name: "a table enlarged, opset 9", departures: []Departure{opsetConverter}, text: `
		ir 4
		opset 9
		input x f32[1,1,2,3]
		output y f32
		output z f32
		init s f32[4] 1 1 2 1.5
		init w f32[4,2] 0.5 -1 2 0.25 -0.75 1.5
		a: h = Upsample(x, s)
		b: z = Upsample(x, s) mode='linear'
		fc: y = MatMul(h, w)`},
	{name: "a table made smaller, opset 10", departures: []Departure{opsetTen}, text: `
		ir 5
		opset 10
		input x f32[1,1,5,6]
		output y f32
		init s f32[4] 1 1 0.4 0.67
		init w f32[4,2] 0.5 -1 2 0.25 -0.75 1.5
		a: h = Resize(x, s)
		fc: y = MatMul(h, w)`},
	{name: "attributes that became inputs", departures: []Departure{opsetConverter}, text: `
		ir 3
		opset 9
		input x f32[2,3]
		output y f32
		output v f32
		output i i64
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		input w f32[3,2]
		a = Clip(x) min=-1.0 max=0.5
		b = Clip(a) max=0.25
		c = Clip(b)
		d = Pad(c) pads=[1,0,0,1] value=0.5 mode='constant'
		e = Slice(d) starts=[0,0] ends=[3,3] axes=[0,1]
		f = Slice(e) starts=[1] ends=[3]
		v, i = TopK(f) k=2 axis=1
		fc: y = MatMul(f, w)`},
	{name: "opset 6", text: `
		ir 4
		opset 6
		input x f32[2,3]
		output y f32
		init w f32[2,3] 0.5 -1 2 0.25 -0.75 1.5
		init b f32[2] 0.5 -1
		h = Dropout(x) is_test=1 ratio=0.25
		s = Add(h, x)
		fc: y = Gemm(s, w, b) transB=1 broadcast=1`},
	{name: "a mask that nobody reads, opset 8", text: `
		ir 3
		opset 8
		input x f32[2,3]
		input w f32[3,2]
		output y f32
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		h, mask = Dropout(x)
		fc: y = MatMul(h, w)`, departures: []Departure{raisedIRVersion}},
	{name: "a product with a sparse constant", departures: []Departure{sparseConstant}, text: `
		input x f32[2,3]
		output y f32
		output z f32
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		sparse few f32[3,3] 3 at 1
		a: z = MatMul(x, few)
		fc: y = MatMul(x, w)`},
	{name: "opset 7", text: `
		ir 4
		opset 7
		input x f32[n,2,5,5]
		output y f32
		init w f32[3,2,1,1] 0.5 -1 2 0.25 -0.75 1.5
		init b f32[3] 0.5 0.25 -1
		c: h = Conv(x, w, b) strides=[2,2]
		m: y = MaxPool(h) kernel_shape=[2,2]`},
	{name: "optional inputs", text: `
		input x f32[n,3]
		output y f32[n,3]
		init w f32[3,3] 0.5 -1 2 0.25 -0.75 1.5
		init top f32[] 6
		fc: h = MatMul(x, w)
		c: y = Clip(h, , top)`},

	{name: "weight read elsewhere, opset 12", text: `
		ir 7
		opset 12
		input x f32[n,3]
		output y f32[n,2]
		output s f32[1,1]
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		fc: y = MatMul(x, w)
		sum: s = ReduceSum(w) keepdims=1`},
	{name: "weight that is a table and a factor later", text: `
		input x f32[n,3]
		input ids i64[n]
		output y f32[n,3]
		output e f32[n,3]
		output z f32[3,3]
		output r f32[3,3]
		init w f32[3,3] 1 -2 3 4 -5 6.5 7 8 0.125
		fc: y = MatMul(x, w)
		embed: e = Gather(w, ids)
		first: z = MatMul(w, w)
		t: wt = Transpose(w)
		r: r = Relu(wt)`},
	{name: "weights of three axes", text: `
		input x f32[2,n,3]
		output y f32[2,n,2]
		output z f32[2,n]
		init w f32[2,3,2] 0.5 -1 2 0.25 -0.75 1.5 3
		init v f32[3] 1 2 -3
		a: y = MatMul(x, w)
		b: z = MatMul(x, v)`},
	{name: "gemms share a transposed weight", departures: []Departure{sharedTransposedWeight}, text: `
		input x f32[n,3]
		output y f32[n,3]
		init w f32[3,3] 1 -2 3 4 -5 6.5 7 8 0.125
		a: h = Gemm(x, w) transB=1
		b: y = Gemm(h, w) transB=1`},
	{name: "shape of a transposed weight stated", departures: []Departure{transposedValueInfo}, text: `
		input x f32[n,3]
		output y f32[n,2]
		init w f32[2,3] 0.5 -1 2 0.25 -0.75 1.5
		value w f32[2,3]
		fc: y = Gemm(x, w) transB=1`},
	{name: "transposed weight read elsewhere", departures: []Departure{sharedTransposedWeight}, text: `
		input x f32[n,3]
		output y f32[n,3]
		output s f32[1,1]
		init w f32[3,3] 1 -2 3 4 -5 6.5 7 8 0.125
		a: h = Gemm(x, w) transB=1
		b: y = MatMul(h, w)
		sum: s = ReduceSum(w) keepdims=1`},
	{name: "values of the new names exist", departures: []Departure{nameCollision}, text: `
		input x f32[n,3]
		output y f32[n,2]
		output x_scale f32[n,3]
		output w_quantized f32[n,3]
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		x_QuantizeLinear: x_scale = Relu(x)
		other: w_quantized = Sigmoid(x)
		fc: y = MatMul(x, w)`},
	{name: "nodes of one name", departures: []Departure{duplicateNodeName, nameCollision}, text: `
		input x f32[n,3]
		output y f32[n,3]
		init w f32[3,3] 1 -2 3 4 -5 6.5 7 8 0.125
		init v f32[3,3] 10 20
		fc: h = MatMul(x, w)
		fc: y = MatMul(h, v)`},
	{name: "constant nodes", departures: []Departure{constantNode}, text: `
		input x f32[n,3]
		input ids i64[n]
		output y f32[n,2]
		output z f32[n,3]
		w = Constant() value={f32[3,2] 0.5 -1 2 0.25 -0.75 1.5}
		t = Constant() value={f32[3,3] 1 -2 3 4}
		fc: y = MatMul(x, w)
		embed: z = Gather(t, ids)`},
	{name: "constant node read elsewhere", departures: []Departure{constantNode}, text: `
		input x f32[n,3]
		output y f32[n,2]
		output r f32[3,2]
		output s f32[3,2]
		w = Constant() value={f32[3,2] 0.5 -1 2 0.25 -0.75 1.5}
		r: r = Relu(w)
		fc: y = MatMul(x, w)
		s: s = Sigmoid(w)`},
	{name: "gemm of computed factors", departures: []Departure{untouchedGemm}, text: `
		input x f32[n,3]
		input v f32[2,3]
		output y f32[n,2]
		output z f32[n,2]
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		fc: y = Gemm(x, v) transB=1
		other: z = MatMul(x, w)`},
	{name: "gemm with an empty bias", departures: []Departure{emptyBias}, text: `
		input x f32[n,3]
		output y f32[n,2]
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		fc: y = Gemm(x, w, )`},
	{name: "matmul of another domain", departures: []Departure{foreignDomain}, text: `
		opset 17
		opset local 1
		input x f32[n,3]
		output y f32[n,2]
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		init v f32[3,3] 1 -2 3
		function local MatMul(a, b) -> (c)
		c = Einsum(a, b) equation='ij,jk->ik'
		end
		mine: h = local::MatMul(x, v)
		fc: y = MatMul(h, w)`},
	{name: "products in functions", departures: []Departure{functionBody}, text: `
		opset 17
		opset local 1
		input x f32[n,3]
		output y f32[n,2]
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		init v f32[3,3] 1 -2 3
		function local Layer(a, b) -> (c)
		p: m = MatMul(a, b)
		r: c = Relu(m)
		end
		function local Two(a, b) -> (c)
		first: i = local::Layer(a, b)
		second: c = local::Layer(i, b)
		end
		mine: h = local::Two(x, v)
		fc: y = MatMul(h, w)`},
	{name: "a body captures a table's values", departures: []Departure{capturedValue}, text: `
		input ids i64[n]
		input c bool[]
		output y f32[n,4]
		init table f32[3,4] 0.5 -1 2 0.25 -0.75 1.5 3 -2.5
		graph yes
		z = Relu(e)
		output z f32[n,4]
		end
		graph no
		z = Sigmoid(e)
		output z f32[n,4]
		end
		embed: e = Gather(table, ids)
		branch: y = If(c) then_branch=@yes else_branch=@no`},
	{name: "a body captures a weight", departures: []Departure{capturedValue, untouchedGemm}, text: `
		input x f32[n,3]
		input c bool[]
		output y f32[n,3]
		output s f32[1,1]
		init w f32[3,3] 1 -2 3 4 -5 6.5 7 8 0.125
		graph yes
		z = MatMul(h, w)
		output z f32[n,3]
		end
		graph no
		z = Gemm(h, w)
		output z f32[n,3]
		end
		fc: h = MatMul(x, w)
		sum: s = ReduceSum(w) keepdims=1
		branch: y = If(c) then_branch=@yes else_branch=@no`},
	{name: "a factor of float16", departures: []Departure{float16Weight}, text: `
		input x f16[n,3]
		output y f16[n,2]
		output z f32[n,2]
		init w f16[3,2] 0.5 -1 2 0.25 -0.75 1.5
		init v f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		half: y = MatMul(x, w)
		c: x32 = Cast(x) to=1
		fc: z = MatMul(x32, v)`},
	{name: "a model of IR version 3", departures: []Departure{raisedIRVersion}, text: `
		ir 3
		opset 11
		input x f32[n,3]
		input w f32[3,2]
		output y f32[n,2]
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		fc: y = MatMul(x, w)`},
	{name: "nodes out of order", departures: []Departure{unsorted}, text: `
		input ids i64[n]
		output y f32[n,2]
		init table f32[3,4] 0.5 -1 2 0.25 -0.75 1.5 3 -2.5
		init w f32[4,2] 0.5 -1 2 0.25 -0.75 1.5
		fc: y = MatMul(e, w)
		embed: e = Gather(table, ids)`},
	{name: "a range beyond float32", departures: []Departure{rangeOverflow}, text: `
		input x f32[n,3]
		output y f32[n,2]
		init w f32[3,2] 3e38 -3e38 2 0.25 -0.75 1.5
		init c f32[] 0.001
		small: s = Mul(x, c)
		fc: y = MatMul(s, w)`},
	{name: "a weight of integers", text: `
		input x f32[n,3]
		input k i32[n,3]
		output y f32[n,2]
		output z i32[n,2]
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		init v i32[3,2] 1 -2 3
		fc: y = MatMul(x, w)
		whole: z = MatMul(k, v)`},
	{name: "loop over a captured weight", text: `
		input x f32[2,3]
		input trips i64[]
		output y f32[2,3]
		init w f32[3,3] 1 -2 3 4 -5 6.5 7 8 0.125
		init go bool[] 1
		graph body
		input i i64[]
		input c bool[]
		input s f32[2,3]
		cc = Identity(c)
		m = MatMul(s, w)
		t = Tanh(m)
		output cc bool[]
		output t f32[2,3]
		end
		fc: h = MatMul(x, w)
		loop: y = Loop(trips, go, h) body=@body`},
	{name: "branches with products of their own", subgraphs: true, text: `
		input x f32[n,3]
		input c bool[]
		output y f32[n,3]
		init w f32[3,3] 1 -2 3 4 -5 6.5 7 8 0.125
		init outer f32[3,3] 0.5 0.25
		graph yes
		init v f32[3,3] 0.5 -1 2 0.25 -0.75 1.5
		a: m = MatMul(x, v)
		z = Relu(m)
		value m f32[n,3]
		output z f32[n,3]
		end
		graph no
		b: z = MatMul(h, w)
		output z f32[n,3]
		end
		fc: h = MatMul(x, outer)
		branch: y = If(c) then_branch=@yes else_branch=@no`},
	{name: "loop with products, a table and a convolution", subgraphs: true, text: `
		input x f32[2,3]
		input trips i64[]
		output y f32[2,3]
		init table f32[2,3] 0.5 -1 2 0.25 -0.75 1.5
		init w f32[3,3] 0.1 -0.2 0.3 0.4 -0.5
		init go bool[] 1
		graph body
		input i i64[]
		input c bool[]
		input s f32[2,3]
		init ids i64[2] 1 0
		init k f32[3,3] 0.1 -0.2 0.3 0.4 -0.5 0.6
		cc = Identity(c)
		g: e = Gather(table, ids)
		m: p = MatMul(e, w)
		q: o = MatMul(s, k)
		u = Add(p, o)
		t = Tanh(u)
		value e f32[2,3]
		value p f32[2,3]
		value o f32[2,3]
		value u f32[2,3]
		output cc bool[]
		output t f32[2,3]
		end
		loop: y = Loop(trips, go, x) body=@body`},
	{name: "a branch in a branch", subgraphs: true, departures: []Departure{nameCollision}, text: `
		input x f32[n,3]
		input c bool[]
		output y f32[n,3]
		init w f32[3,3] 1 -2 3 4 -5 6.5 7 8 0.125
		graph deep
		a: z = MatMul(x, w)
		output z f32[n,3]
		end
		graph other
		z = Relu(x)
		output z f32[n,3]
		end
		graph yes
		inner: z = If(c) then_branch=@deep else_branch=@other
		output z f32[n,3]
		end
		graph no
		b: z = MatMul(x, w)
		output z f32[n,3]
		end
		branch: y = If(c) then_branch=@yes else_branch=@no`},
	{name: "gemms in branches", subgraphs: true, departures: []Departure{nameCollision}, text: `
		input x f32[n,3]
		input c bool[]
		output y f32[n,3]
		init w f32[3,3] 1 -2 3 4 -5 6.5 7 8 0.125
		init b f32[3] 1 2 -3
		graph yes
		init v f32[3,3] 0.5 -1 2 0.25 -0.75 1.5
		g: z = Gemm(x, v, b)
		output z f32[n,3]
		end
		graph no
		f: z = Gemm(x, w, b) transB=1
		output z f32[n,3]
		end
		branch: y = If(c) then_branch=@yes else_branch=@no`},
	{name: "a weight that a body reads in float too", subgraphs: true, departures: []Departure{capturedValue}, text: `
		input x f32[n,3]
		input c bool[]
		output y f32[n,3]
		output s f32[1,1]
		init w f32[3,3] 1 -2 3 4 -5 6.5 7 8 0.125
		graph yes
		a: z = MatMul(x, w)
		output z f32[n,3]
		end
		graph no
		z = Add(x, w)
		output z f32[n,3]
		end
		branch: y = If(c) then_branch=@yes else_branch=@no
		sum: s = ReduceSum(w) keepdims=1`},
	{name: "what a table gives is read in a body", subgraphs: true, departures: []Departure{capturedValue}, text: `
		input ids i64[n]
		input c bool[]
		output y f32[n,3]
		init table f32[3,3] 0.5 -1 2 0.25 -0.75 1.5 3 -2.5
		init w f32[3,3] 1 -2 3 4 -5 6.5 7 8 0.125
		graph yes
		z = Relu(e)
		output z f32[n,3]
		end
		graph no
		m: z = MatMul(e, w)
		output z f32[n,3]
		end
		embed: e = Gather(table, ids)
		branch: y = If(c) then_branch=@yes else_branch=@no`},
	{name: "convolutions and an lstm in branches", subgraphs: true, departures: []Departure{weightElsewhere}, text: `
		input x f32[2,4,3]
		input c bool[]
		output y f32
		init k f32[4,4,1] 1 -2 3 4 -5 6.5 7 8 0.125
		init b f32[4] 1 2 -3
		init w f32[1,12,3] 0.5 -1 2 0.25 -0.75 1.5 0.125
		init r f32[1,12,3] 0.1 -0.25 0.75 0.1 -1
		graph yes
		a: z = Conv(x, k, b)
		output z f32
		end
		graph no
		init axes i64[1] 1
		l: v, , = LSTM(x, w, r) hidden_size=3
		z = Squeeze(v, axes)
		output z f32
		end
		branch: y = If(c) then_branch=@yes else_branch=@no`},
}

// modelText finds a model by name.
func modelText(t testing.TB, name string) string {
	t.Helper()
	for _, m := range models {
		if m.name == name {
			return m.text
		}
	}
	t.Fatalf("no model %q", name)
	return ""
}
