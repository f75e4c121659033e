package simplify

// examples has for each pass a graph that it changes, as docs/passes.md shows it.
var examples = map[string]string{
	"constant-nodes": "input x f32[n]\nk = Constant() value={f32[] 2}\ny = Mul(x, k)\noutput y f32[n]",
	"dead-code":      "input x f32[n]\nh = Exp(x)\nu = Neg(h)\ny = Relu(x)\noutput y f32[n]",
	"known-values":   "input x f32[n,3]\ninit one i64[1] 1\ns = Shape(x)\nc = Gather(s, one)\ny = Expand(x, c)\noutput y f32[n,3]",
	"constant-views": "input x f32[2,2]\ninit w f32[4] 1 2 3 4\ninit s i64[2] 2 2\nv = Reshape(w, s)\ny = MatMul(x, v)\noutput y f32[2,2]",
	"fold-constants": "input x f32[2]\ninit k f32[2] 0 0\ne = Exp(k)\ny = Mul(x, e)\noutput y f32[2]",
	"constant-branches": `input x f32[n]
init c bool[] 1
graph then
t = Relu(x)
output t f32[n]
end
graph else
e = Neg(x)
output e f32[n]
end
y = If(c) then_branch=@then else_branch=@else
output y f32[n]`,
	"sequences":             "input x f32[2]\ninput z f32[2]\ninit i i64[] 1\ns = SequenceConstruct(x, z)\nh = SequenceAt(s, i)\ny = Relu(h)\noutput y f32[2]",
	"neutral-logic":         "input a bool[n]\ninit yes bool[] 1\nb = And(a, yes)\ny = Not(b)\noutput y bool[n]",
	"equal-constants":       "input x f32[2]\ninit a f32[2] 1 2\ninit b f32[2] 1 2\nh = Mul(x, a)\ny = Add(h, b)\noutput y f32[2]",
	"equal-sizes":           "input x f32[n,4]\ninput z f32[n,7]\ninit i i64[1] 0\na = Shape(x)\nb = Gather(a, i)\nc = Shape(z)\nd = Gather(c, i)\ny = Concat(b, d) axis=0\noutput y i64[2]",
	"common-subexpressions": "input x f32[n]\na = Exp(x)\nb = Exp(x)\ny = Add(a, b)\noutput y f32[n]",
	"unused-constants":      "input x f32[n]\ninit w f32[2] 1 2\ny = Relu(x)\noutput y f32[n]",
	"identity":              "input x f32[n]\nh = Identity(x)\ny = Relu(h)\noutput y f32[n]",
	"no-ops":                "input x f32[n]\nh = Dropout(x)\ny = Relu(h)\noutput y f32[n]",
	"neutral-operands":      "input x f32[n]\ninit one f32[] 1\nh = Mul(x, one)\ny = Relu(h)\noutput y f32[n]",
	"zero-states":           "input x f32[s,1,2]\ninit w f32[1,12,2] .1\ninit r f32[1,12,4] .2\ninit h f32[1,1,4] 0\ny = GRU(x, w, r, , , h) hidden_size=4\noutput y f32",
	"repeated-functions":    "input x f32[n]\na = Neg(x)\nb = Neg(a)\nc = Relu(b)\ny = Relu(c)\noutput y f32[n]",
	"fold-clips":            "input x f32[n]\ninit lo f32[] -1\ninit hi f32[] 6\nh = Relu(x)\ny = Clip(h, lo, hi)\noutput y f32[n]",
	"fold-casts":            "input x f32[n]\nh = Cast(x) to=11\ny = Cast(h) to=10\noutput y f16[n]",
	"fold-concats":          "input a f32[n]\ninput b f32[m]\ninput c f32[k]\nh = Concat(a, b) axis=0\ny = Concat(h, c) axis=0\noutput y f32",
	"fold-slices":           "input x f32[9]\ninit a i64[1] 2\ninit b i64[1] 8\ninit c i64[1] 1\ninit d i64[1] 3\nh = Slice(x, a, b)\ny = Slice(h, c, d)\noutput y f32[2]",
	"fold-transposes":       "input x f32[a,b,c]\nh = Transpose(x) perm=[1,2,0]\ny = Transpose(h) perm=[1,2,0]\noutput y f32",
	"meet-transposes":       "input x f32[a,b]\nh = Transpose(x)\ng = Relu(h)\ny = Transpose(g)\noutput y f32[a,b]",
	"constant-shapes":       "input x f32[b,s,8]\ninit tail i64[1] 4\ninit front i64[1] 0\ninit two i64[1] 2\nsh = Shape(x)\nbs = Slice(sh, front, two)\nto = Concat(bs, two, tail) axis=0\ny = Reshape(x, to)\noutput y f32",
	"fold-reshapes":         "input x f32[n,4]\ninit o i64[1] 0\nh = Unsqueeze(x, o)\ny = Squeeze(h, o)\nz = Relu(y)\noutput z f32[n,4]",
	"part-merged-axes":      "input x f32[2,4,3,8]\ninput z f32[2,4,8,3]\ninit m i64[3] 8 3 8\ninit k i64[3] 8 8 3\ninit a i64[4] 2 4 3 3\nh = Reshape(x, m)\ni = Reshape(z, k)\nj = MatMul(h, i)\ny = Reshape(j, a)\noutput y f32[2,4,3,3]",
	"fold-reductions":       "input x f32[n,4]\ninit o i64[1] 1\nh = ReduceSum(x, o) keepdims=0\ng = Unsqueeze(h, o)\ny = Relu(g)\noutput y f32[n,1]",
	"merge-constants":       "input x f32[2]\ninit a f32[2] 1 2\ninit b f32[2] 3 4\nh = Add(x, a)\ny = Add(h, b)\noutput y f32[2]",
	"fuse-gemm":             matMulAdd,
	"fold-transpose-gemm":   "input x f32[k,n]\ninit w f32[2,3] 1\ninput z f32[2,n]\nh = Transpose(z)\ny = Gemm(h, w)\noutput y f32[n,3]",
	"fold-batchnorm":        "input x f32[1,2,5,5]\ninit w f32[2,2,1,1] 1 2 3 4\ninit s f32[2] 2 2\ninit b f32[2] 1 1\ninit m f32[2] 0 0\ninit v f32[2] 1 1\nh = Conv(x, w)\ny = BatchNormalization(h, s, b, m, v)\noutput y f32",
	"scale-before-views":    "input x f32[b,s,8]\ninit w f32[8,8] 1 2 3\ninit s f32[] 0.5\ninit p i64[4] 0 0 2 4\nh = MatMul(x, w)\nr = Reshape(h, p)\ny = Mul(r, s)\noutput y f32[b,s,2,4]",
	"fold-scale":            scaledConv,
	"fold-shift":            with(scaledConv, "Mul(", "Add("),
	"fold-scale-before":     "input x f32[1,2,5,5]\ninit w f32[2,2,1,1] 1 2 3 4\ninit s f32[] 0.5\nh = Mul(x, s)\ny = Conv(h, w)\noutput y f32",
	"fold-pad":              with(padded, "init least f32[] -inf\n", ""),
	"layer-normalization":   centred,
	"rms-normalization":     meanSquare,
	"embed-normalization":   embedded,
	"skip-normalization":    residualSum,
	"skip-bias":             "opset 17\nopset com.microsoft 1\ninput x f32[b,s,4]\ninput z f32[b,s,4]\ninit w f32[4] 1 2 3 4\ninit c f32[4] 1 1 2 2\nh = Add(x, c)\ny = com.microsoft::SkipLayerNormalization(h, z, w)\noutput y f32",
	"gelu":                  erfGelu,
	"bias-gelu":             "opset 17\nopset com.microsoft 1\ninput x f32[b,4]\ninit c f32[4] 1 2 3 4\nh = Add(x, c)\ny = com.microsoft::Gelu(h)\noutput y f32[b,4]",
	"swish":                 "opset 17\ninput x f32[b]\ninit c f32[] 1.702\nu = Mul(x, c)\ns = Sigmoid(u)\ny = Mul(s, x)\noutput y f32[b]",
	"mish":                  "opset 18\ninput x f32[b]\nu = Softplus(x)\ns = Tanh(u)\ny = Mul(x, s)\noutput y f32[b]",
	"hard-swish":            "opset 14\ninput x f32[b]\ns = HardSigmoid(x) alpha=0.16666667 beta=0.5\ny = Mul(x, s)\noutput y f32[b]",
	"spread-operands":       "input x f32[a,b]\ninput z f32[a,b]\ninput w f32[b]\ns = Shape(x)\ne = Expand(w, s)\nh = Add(z, e)\ny = Add(h, x)\noutput y f32[a,b]",
	"fuse-rotary":           rotaryText{}.String(),
	"fuse-attention":        "opset 23\ninput q f32[b,s,8]\ninput k f32[b,t,8]\ninput v f32[b,t,8]\ninit parts i64[4] 0 0 2 4\ninit whole i64[3] 0 0 8\ninit half f32[] 0.5\nq4 = Reshape(q, parts)\nqt = Transpose(q4) perm=[0,2,1,3]\nk4 = Reshape(k, parts)\nkt = Transpose(k4) perm=[0,2,3,1]\nv4 = Reshape(v, parts)\nvt = Transpose(v4) perm=[0,2,1,3]\ns0 = MatMul(qt, kt)\ns1 = Mul(s0, half)\np = Softmax(s1) axis=-1\no = MatMul(p, vt)\not = Transpose(o) perm=[0,2,1,3]\ny = Reshape(ot, whole)\noutput y f32[b,s,8]",
	"fuse-qkv":              qkvText(threeProjections, multiHeadOfTwo),
}
