package static

// models are those that the tests quantize.
var models = []struct{ name, text string }{
	{"conv relu", `
		input x f32[2,1,8,8]
		output y f32[?,?]
		init w f32[2,1,3,3] 0.5 -0.25 0.125 1 -1 0.75 0.3 -0.6 0.9 0.1 0.2
		init b f32[2] 0.1 -0.2
		init v f32[3,32] 0.3 -0.7 0.11 0.05 -0.9
		init c f32[3] 0.5 -0.5 0.25
		init shape i64[2] 2 32
		conv: h = Conv(x, w, b) pads=[1,1,1,1]
		relu: r = Relu(h)
		pool: p = MaxPool(r) kernel_shape=[2,2] strides=[2,2]
		reshape: f = Reshape(p, shape)
		gemm: y = Gemm(f, v, c) transB=1`},
	{"softmax", `
		input x f32[2,4]
		output y f32[2,3]
		init w f32[4,3] 0.5 -0.25 0.125 1 -1
		mm: h = MatMul(x, w)
		soft: y = Softmax(h)`},
	{"residual", `
		input x f32[2,4]
		output y f32[2,4]
		init w f32[4,4] 0.5 -0.25 0.125 1 -1
		mm: h = MatMul(x, w)
		relu: r = Relu(h)
		mm2: g = MatMul(r, w)
		add: y = Add(g, r)`},
	{"shared bias", `
		input x f32[2,4]
		output y f32[2,3]
		output z f32[2,3]
		init w f32[4,3] 0.5 -0.25 0.125 1 -1
		init v f32[4,3] 0.7 -0.75 0.325 1 -2
		init b f32[3] 0.5 -1 0.25
		one: y = Gemm(x, w, b)
		two: z = Gemm(x, v, b)`},
	{"beta", `
		input x f32[2,4]
		output y f32[2,3]
		init w f32[4,3] 0.5 -0.25 0.125 1 -1
		init b f32[3] 0.5 -1 0.25
		one: y = Gemm(x, w, b) beta=0.5`},
	{"gather", `
		input ids i64[2,3]
		output a f32[2,3,2]
		output b f32[2,3,2]
		init sizes i64[2] 2 2
		init table f32[3,4] 0.5 -0.25 0.125 1 -1
		init scale f32[4] 1 0.5 2
		init bias f32[4] 0.1 -0.2
		init w f32[4,4] 0.3 0.7 -0.4
		embed: e = Gather(table, ids)
		norm: n = LayerNormalization(e, scale, bias)
		mm: m = MatMul(n, w)
		split: a, b = Split(m, sizes) axis=-1`},
	{"pads", `
		input x f32[2,3]
		output a f32[?,?]
		output b f32[?,?]
		output c f32[?,?]
		init p i64[4] 0 1 0 1
		init two f32[] 2.5
		init zero f32[] 0
		zeros: a = Pad(x, p, zero)
		twos: b = Pad(x, p, two)
		mirrored: c = Pad(x, p) mode='reflect'`},
	{"where", `
		input x f32[2,3]
		input c bool[2,3]
		output y f32[2,3]
		init w f32[3,3] 0.5 -0.25 0.125 1 -1
		mm: h = MatMul(x, w)
		sig: s = Sigmoid(h)
		where: y = Where(c, h, s)`},
	{"resize", `
		input x f32[1,1,4,4]
		output y f32[?,?,?,?]
		init w f32[1,1,1,1] 0.5
		init scales f32[4] 1 1 2 2
		conv: h = Conv(x, w)
		resize: r = Resize(h, , scales) mode='nearest'
		leaky: l = LeakyRelu(r) alpha=0.1
		pool: y = GlobalAveragePool(l)`},
	{"conv transpose", `
		input x f32[1,2,4,4]
		output y f32[?,?,?,?]
		init w f32[2,3,2,2] 0.5 -0.25 0.125 1 -1
		init b f32[3] 0.1 0.2 -0.3
		up: y = ConvTranspose(x, w, b) strides=[2,2]`},
	{"clip", `
		input x f32[2,4]
		output y f32[2,3]
		init w f32[4,3] 0.5 -0.25 0.125 1 -1
		init v f32[3,3] 0.5 -0.25 0.125 1 -1
		init lo f32[] 0
		init hi f32[] 1.5
		mm: h = MatMul(x, w)
		relu: r = Relu(h)
		clip: c = Clip(r, lo, hi)
		mm2: y = MatMul(c, v)`},
	{"two readers", `
		input x f32[2,4]
		output y f32[2,3]
		init w f32[4,3] 0.5 -0.25 0.125 1 -1
		init v f32[4,3] 0.5 -0.75 0.625 1 -2
		a: p = MatMul(x, w)
		b: q = MatMul(x, v)
		t: r = Transpose(p) perm=[0,1]
		s: y = Mul(r, q)`},
	{"norms", `
		input x f32[2,3,4]
		output y f32[2,3,4]
		init s f32[3] 1 0.5 2
		init b f32[3] 0.1 -0.2
		init m f32[3] 0.1 0.2
		init v f32[3] 1 2
		in: i = InstanceNormalization(x, s, b)
		bn: y = BatchNormalization(i, s, b, m, v)`},
	{"tiny bias scale", `
		input x f32[2,4]
		output y f32[2,3]
		init w f32[4,3] 0.0000005 -0.00000025
		init b f32[3] 1000 -1000
		one: y = Gemm(x, w, b)`},
	{"concat", `
		input x f32[2,4]
		output y f32[2,8]
		output h f32[2,4]
		init k f32[2,4] 0.5 -1.5
		add: h = Add(x, k)
		cat: y = Concat(h, x) axis=1`},
	{"read twice", `
		input x f32[2,3]
		output y f32[2,3]
		output z f32[2,3]
		init w f32[3,3] 0.5 -0.25 0.125 1 -1
		ad: h = Add(x, x)
		mm: y = MatMul(h, w)
		mu: z = Mul(h, h)`},
}
