package half

// models are small graphs, each for one thing that the conversion must get right, with
// the departures that they bring up with the options of the reference, changed where a
// model says so.
var models = []struct {
	name, text string
	departures []Departure
	change     func(*Options) // of the reference's options, nil for none
}{
	{name: "matmul", text: `
		input x f32[n,3]
		output y f32[n,2]
		init w f32[3,2] 0.5 -1 2 0.25 -0.75 1.5
		fc: y = MatMul(x, w)`},
	{name: "quantized while it runs", departures: []Departure{QuantizedNode, RoundedBetween, SchemaType}, text: `
		input x f32[n,3]
		output y f32[n,2]
		output z f32[n,2]
		init w i8[3,2] 127 -128 5
		init s f32[] 0.0123
		init zero i8[]
		q, qs, qz = DynamicQuantizeLinear(x)
		sum: i = MatMulInteger(q, w, qz, zero)
		cast: f = Cast(i) to=1
		both: k = Mul(qs, s)
		scaled: y = Mul(f, k)
		r: z = Relu(y)`},
	{name: "pairs", departures: []Departure{QuantizedNode, RoundedBetween}, text: `
		opset 21
		input x f32[1,1,4,4]
		output y f32[1,1,4,4]
		init w i8[1,1,1,1] 100
		init ws f32[] 0.0123
		init xs f32[] 0.0321
		init xz u8[] 128
		a: r = Relu(x)
		q: xq = QuantizeLinear(r, xs, xz)
		d: xd = DequantizeLinear(xq, xs, xz)
		e: wd = DequantizeLinear(w, ws)
		conv: c = Conv(xd, wd)
		f: cq = QuantizeLinear(c, xs, xz)
		g: cd = DequantizeLinear(cq, xs, xz)
		b: y = Neg(cd)`},
	{name: "kept between", text: `
		input x f32[n,3]
		output y f32[n,3]
		init w f32[3,3] 0.5 -1 2 0.25 -0.75 1.5 1 2 3
		init k f32[3] 0.1 0.2 0.3
		fc: h = MatMul(x, w)
		top: m = Max(h, k)
		add: y = Add(m, k)`},
	{name: "kept weight", text: `
		input x f32[n,3]
		output y f32[n,3]
		init k f32[3] 0.1 0.2 0.3
		fc: h = Relu(x)
		top: m = Max(h, k)
		add: y = Sigmoid(m)`},
	{name: "shared cast", departures: []Departure{SharedCast}, text: `
		input x f32[n,3]
		output y f32[n,3]
		fc: h = Relu(x)
		a: m = Max(h, h)
		b: l = Min(h, h)
		add: y = Add(m, l)`},
	{name: "kept after kept", departures: []Departure{RoundedBetween}, text: `
		input x f32[n,3]
		output y f32[n,3]
		init k f32[3] 0.1 0.2 0.3
		fc: h = Relu(x)
		a: m = Max(h, k)
		b: l = Min(m, k)
		add: y = Sigmoid(l)`},
	{name: "kept at the ends", text: `
		input x f32[n,3]
		output y f32[n,3]
		init k f32[3] 0.1 0.2 0.3
		a: m = Max(x, k)
		r: n = Relu(m)
		b: y = Min(n, k)`},
	{name: "truncated", text: `
		input x f32[n,8]
		output y f32[n,8]
		init k f32[8] 1e-9 -1e-9 1e5 -1e6 3.1e-5 0.3333333 65519 1e-40
		a: y = Mul(x, k)`},
	{name: "cast", text: `
		input x i64[n,3]
		output y f32[n,3]
		output z f64[n,3]
		output i i64[n,3]
		init k f32[3] 0.1 0.2 0.3
		c: f = Cast(x) to=1
		m: y = Mul(f, k)
		d: z = Cast(y) to=11
		e: i = Cast(y) to=7`},
	{name: "casts of its own", departures: []Departure{IdleCast}, text: `
		input x f32[n,3]
		output y f32[n,3]
		output z f16[n,3]
		input c bool[]
		output w f32[n,3]
		graph yes
		r: rr = Add(back, back)
		output rr f32[n,3]
		end
		graph no
		s: ss = Relu(h)
		t: tt = Cast(ss) to=1
		output tt f32[n,3]
		end
		a: h = Cast(x) to=10
		b: i = Neg(h)
		c: back = Cast(i) to=1
		d: y = Sigmoid(back)
		e: z = Cast(back) to=10
		f: w = If(c) then_branch=@yes else_branch=@no`},
	{name: "a sparse constant", departures: []Departure{SparseConstant}, text: `
		input x f32[2,4]
		output y f32[2,4]
		sparse w f32[4,4] 3 at 1
		fc: y = MatMul(x, w)`},
	{name: "types that onnx does not infer", departures: []Departure{UndeclaredType}, text: `
		opset ai.onnx.ml 1
		opset 17
		input x f32[n,2]
		output y f32[n,2]
		m: h = Neg(x)
		s: k = ai.onnx.ml::Scaler(h) offset=[1.0] scale=[2.0]
		e: y = Relu(k)`},
	{name: "constant", text: `
		input x f32[n,3]
		output y f32[n,3]
		k = Constant() value={f32[3] 0.1 0.2 0.3}
		m: y = Mul(x, k)`},
	{name: "constant float", departures: []Departure{ConstantForm}, text: `
		input x f32[n,3]
		output y f32[n,3]
		k = Constant() value_float=0.1
		l = Constant() value_floats=[0.1,0.2,0.3]
		a: h = Mul(x, k)
		b: y = Add(h, l)`},
	{name: "constant kept", departures: []Departure{KeptConstant}, text: `
		input x f32[n,3]
		output y f32[n,3]
		k = Constant() value={f32[3] 0.1 0.2 0.3}
		r: h = Relu(x)
		a: m = Max(h, k)
		b: y = Sigmoid(m)`},
	{name: "resize", text: `
		input x f32[1,1,4,4]
		output y f32[1,1,?,?]
		init s f32[4] 1 1 1.1 2
		a: h = Relu(x)
		r: y = Resize(h, , s) mode='nearest'`},
	{name: "resize 10", text: `
		opset 10
		input x f32[1,1,4,4]
		output y f32[1,1,?,?]
		init s f32[4] 1 1 1.5 2
		a: h = Relu(x)
		r: y = Resize(h, s) mode='nearest'`},
	{name: "resize computed", text: `
		input x f32[1,1,4,4]
		input s f32[4]
		output y f32[?,?,?,?]
		a: h = Relu(x)
		t: p = Abs(s)
		q: r = Ceil(p)
		r: y = Resize(h, , r) mode='nearest'`},
	{name: "constant of shape", text: `
		input x f32[2,3]
		output y f32[2,3]
		s: s = Shape(x)
		c: z = ConstantOfShape(s) value={f32[1] 0.7}
		a: y = Add(x, z)`},
	{name: "constant of shape without value", departures: []Departure{ImplicitType}, text: `
		input x f32[2,3]
		output y f32[2,3]
		s: s = Shape(x)
		c: z = ConstantOfShape(s)
		a: y = Add(x, z)`},
	{name: "random", departures: []Departure{MissingKernel}, text: `
		input x f32[2,3]
		output y f32[2,3]
		output z f32[2,3]
		c: r = RandomNormal() shape=[2,3] scale=0.001
		a: y = Add(x, r)
		d: q = RandomUniformLike(x) low=0.0 high=0.001
		b: z = Add(x, q)`},
	{name: "eye", text: `
		input x f32[3,3]
		output y f32[3,3]
		e: i = EyeLike(x) dtype=1
		a: y = Add(x, i)`},
	{name: "layer norm", text: `
		input x f32[2,8]
		output y f32[2,8]
		init g f32[8] 1 2 3 4 5 6 7 8
		init b f32[8] 0.1
		n: y = LayerNormalization(x, g, b)`},
	{name: "layer norm mean", departures: []Departure{SchemaType}, text: `
		input x f32[2,8]
		output y f32[2,8]
		output z f32[2,1]
		init g f32[8] 1 2 3 4 5 6 7 8
		init b f32[8] 0.1
		n: y, m = LayerNormalization(x, g, b)
		a: z = Abs(m)`},
	{name: "batch norm", text: `
		input x f32[2,2,3]
		output y f32[2,2,3]
		init s f32[2] 1 2
		init b f32[2] 0.1 0.2
		init m f32[2] 0.1 0.3
		init v f32[2] 1 0.7
		n: y = BatchNormalization(x, s, b, m, v)`},
	{name: "gemm", text: `
		input x f32[n,3]
		output y f32[n,2]
		init w f32[2,3] 0.5 -1 2 0.25 -0.75 1.5
		init c f32[2] 1 -1
		fc: y = Gemm(x, w, c) transB=1 alpha=0.5`},
	{name: "lstm", text: `
		input x f32[4,2,3]
		output y f32[4,1,2,2]
		output h f32[1,2,2]
		init w f32[1,8,3] 0.5 -0.25 0.125
		init r f32[1,8,2] 0.1 0.2 -0.3
		l: y, h = LSTM(x, w, r) hidden_size=2`},
	{name: "quantized", departures: []Departure{QuantizedNode}, text: `
		opset 13
		input x f32[2,3]
		output y f32[2,3]
		init s f32[] 0.1
		init z i8[] 0
		r: h = Relu(x)
		q: a = QuantizeLinear(h, s, z)
		d: b = DequantizeLinear(a, s, z)
		t: c = Neg(b)
		y: y = Sigmoid(c)`},
	{name: "topk", text: `
		input x f32[2,5]
		output v f32[2,2]
		output i i64[2,2]
		init k i64[1] 2
		a: h = Relu(x)
		t: w, i = TopK(h, k)
		b: v = Neg(w)`},
	{name: "branches", text: `
		input x f32[2,3]
		input c bool[]
		output y f32[2,3]
		init w f32[3] 0.1 0.2 0.3
		graph then
		t = Mul(x, w)
		output t f32[2,3]
		end
		graph else
		k = Constant() value={f32[3] 1.5 2.5 0.3}
		e = Add(x, k)
		output e f32[2,3]
		end
		i: z = If(c) then_branch=@then else_branch=@else
		r: y = Relu(z)`},
	{name: "kept in a branch", departures: []Departure{BodyCast}, text: `
		input x f32[2,3]
		input c bool[]
		output y f32[2,3]
		graph then
		init w f32[3] 0.1 0.2 0.3
		s = Mul(x, w)
		t = Max(s, w)
		output t f32[2,3]
		end
		graph else
		e = Neg(x)
		output e f32[2,3]
		end
		i: z = If(c) then_branch=@then else_branch=@else
		r: y = Relu(z)`},
	{name: "names in branches", departures: []Departure{ShadowedName}, text: `
		input x f32[2,3]
		input c bool[]
		output y f32[2,3]
		graph then
		init w f32[3] 0.1 0.2 0.3
		t = Mul(x, w)
		output t f32[2,3]
		end
		graph else
		init w f32[3] 1 2 3
		t = Add(x, w)
		output t f32[2,3]
		end
		i: z = If(c) then_branch=@then else_branch=@else
		r: y = Relu(z)`},
	{name: "loop", text: `
		input x f32[2]
		input n i64[]
		output y f32[2]
		output s f32[?,2]
		init t bool[] 1
		init w f32[2] 0.5 0.25
		graph body
		input i i64[]
		input k bool[]
		input a f32[2]
		k2 = Identity(k)
		b = Mul(a, w)
		o = Identity(b)
		output k2 bool[]
		output b f32[2]
		output o f32[2]
		end
		l: y, s = Loop(n, t, x) body=@body`},
	{name: "function", departures: []Departure{ConstantForm, FunctionBody}, text: `
		opset 17
		opset local 1
		input x f32[2,3]
		output y f32[2,3]
		function local Swish(a) -> (b)
		k = Constant() value_float=1.5
		s = Mul(a, k)
		g = Sigmoid(s)
		b = Mul(a, g)
		end
		f: h = local::Swish(x)
		r: y = Neg(h)`},
	{name: "sequence", text: `
		input x f32[2,3]
		output y f32[4,3]
		r: h = Relu(x)
		s: s = SequenceConstruct(x, h)
		c: y = ConcatFromSequence(s) axis=0`},
	{name: "unknown operator", departures: []Departure{UnknownOperator}, text: `
		opset 17
		opset other 1
		input x f32[2,3]
		output y f32[2,3]
		value g f32[2,3]
		r: h = Relu(x)
		u: g = other::Thing(h)
		s: y = Neg(g)`},
	{name: "weight is an output", departures: []Departure{OutputWeight}, text: `
		input x f32[2]
		output y f32[2]
		output w f32[2]
		init w f32[2] 0.1 0.2
		r: y = Relu(x)`},
	{name: "half already", departures: []Departure{IdleCast}, text: `
		input x f16[2,3]
		output y f32[2,3]
		init w f16[3] 1 2 3
		init v f32[3] 0.1 0.2 0.3
		a: h = Mul(x, w)
		c: f = Cast(h) to=1
		b: y = Mul(f, v)`},
	{name: "ir 3", text: `
		ir 3
		opset 8
		input x f32[2,3]
		input w f32[3]
		output y f32[2,3]
		init w f32[3] 0.1 0.2 0.3
		a: y = Mul(x, w)`},
	{name: "clip", text: `
		input x f32[2,3]
		output y f32[2,3]
		init lo f32[] 0
		init hi f32[] 6.1
		a: h = Clip(x, lo, hi)
		b: y = HardSigmoid(h)`},
	{name: "empty weight", text: `
		input x f32[2,0]
		output y f32[2,3]
		init w f32[0,3]
		a: y = MatMul(x, w)`},
	{name: "microsoft", text: `
		opset 17
		opset com.microsoft 1
		input x f32[2,4]
		output y f32[2,4]
		init w f32[4] 0.1 0.2 0.3 0.4
		a: h = com.microsoft::BiasGelu(x, w)
		b: y = Neg(h)`},
	{name: "kept body", departures: []Departure{KeptBody, RoundedBetween, SharedCast}, change: func(o *Options) { o.Exclude = []string{"i"} }, text: `
		input x f32[2,3]
		input c bool[]
		output y f32[2,3]
		graph then
		t = Neg(h)
		output t f32[2,3]
		end
		graph else
		s = Abs(h)
		e = Sqrt(s)
		output e f32[2,3]
		end
		a: h = Sigmoid(x)
		i: z = If(c) then_branch=@then else_branch=@else
		r: y = Max(z, z)`},
	{name: "weight is an input", departures: []Departure{InputWeight}, change: func(o *Options) { o.KeepIO = true }, text: `
		input x f32[2,3]
		input w f32[3]
		output y f32[2,3]
		init w f32[3] 0.1 0.2 0.3
		a: y = Mul(x, w)`},
	{name: "kept sequence", departures: []Departure{SequenceCast}, change: func(o *Options) { o.Exclude = []string{"c"} }, text: `
		input x f32[2,3]
		output y f32[4,3]
		r: h = Relu(x)
		s: s = SequenceConstruct(x, h)
		c: z = ConcatFromSequence(s) axis=0
		d: y = Neg(z)`},
	{name: "undeclared", departures: []Departure{UndeclaredType}, text: `
		opset 17
		opset com.microsoft 1
		input x f32[2,4]
		output y f32[2,4]
		init w f32[4] 0.1 0.2 0.3 0.4
		a: h = com.microsoft::BiasGelu(x, w)
		b: m = Max(h, w)
		c: y = Neg(m)`},
	{name: "constant twice", departures: []Departure{OverruledConstant}, text: `
		input x f32[2]
		output y f32[2]
		k = Constant() value={f32[2] 3 4}
		k = Constant() value={f32[2] 1 2}
		a: y = Mul(x, k)`},
	{name: "names taken", departures: []Departure{NameCollision}, change: func(o *Options) { o.KeepIO = true }, text: `
		input x f32[2]
		output y f32[2]
		graph_input_cast_0: x_float16 = Relu(x)
		a: graph_input_cast_0 = Neg(x_float16)
		b: y = Add(graph_input_cast_0, x)`},
	{name: "integers between", text: `
		input x f32[2,4]
		output y f32[2,4]
		init w f32[4] 0.1 0.2 0.3 0.4
		init z i64[1] 0
		a: h = Mul(x, w)
		s: i = ArgMax(h) axis=1
		c: f = Cast(i) to=1
		g: t = Unsqueeze(f, z)
		d: t2 = Transpose(t)
		e: y2 = Squeeze(t2)
		b: y = Add(h, w)`},
}

func modelText(name string) string {
	for _, m := range models {
		if m.name == name {
			return m.text
		}
	}
	panic("no model " + name)
}
