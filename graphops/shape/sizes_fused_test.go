package shape_test

// fusedSizes are of the other operators of ONNX Runtime.
var fusedSizes = []sized{
	{model: "input x f32[b,c]; input s f32[n]; input z i8[n]; y = com.microsoft::QuantizeLinear(x, s, z)", at: "b=1..2 c=1..3 n=1..3", demands: []string{
		"n = c, or n = 1",
	}},
	{model: "input x f32[b,c]; input z f32[b,d]; init s f32[4] 1; y = com.microsoft::SkipLayerNormalization(x, z, s)", at: "b=1..2 c=1..5 d=1..5", demands: []string{
		"c = 4",
		"c = d",
	}},
	{model: "input x f32[b,t,4]; input z f32[a,u,4]; init s f32[4] 1; y = com.microsoft::SkipLayerNormalization(x, z, s)", at: "b=1..2 t=1..3 a=1..2 u=1..3", demands: []string{
		"t = u",
		"(a = b, or a = 1)",
	}},
	{model: "input x f32[b,t,4]; input z f32[u,4]; init s f32[4] 1; y = com.microsoft::SkipLayerNormalization(x, z, s)", at: "b=1..2 t=1..3 u=1..3", demands: []string{
		"t = u",
	}},
	{model: "input x f32[b,t,4]; input z f32[a,u,4]; init s f32[4] 1; y = com.microsoft::SkipSimplifiedLayerNormalization(x, z, s)", at: "b=1..2 t=1..3 a=1..2 u=1..3", demands: []string{
		"t = u",
		"(a = b, or a = 1)",
	}},
	{model: "input i i32[b,s]; init w f32[9,4] 1; input p f32[r,4]; init g f32[4] 1; y, m = com.microsoft::EmbedLayerNormalization(i, , w, p, , g, g)", at: "b=1..2 s=1..4 r=1..4", demands: []string{
		"a table needs s rows for the indices; it has r",
	}},
	{model: "input i i32[b,s]; init w f32[9,4] 1; input p f32[r,4]; init g f32[4] 1; input m i32[d,t]; y, n = com.microsoft::EmbedLayerNormalization(i, , w, p, , g, g, m)", at: "b=1..2 s=1..3 r=1..3 d=1..2 t=1..3", feed: "m=1", demands: []string{
		"b = d",
		"s = t",
		"a table needs s rows for the indices; it has r",
	}},
	{model: "input i i32[b,s]; init w f32[9,4] 1; input p f32[r,4]; init g f32[4] 1; input q i32[d,t]; y, n = com.microsoft::EmbedLayerNormalization(i, , w, p, , g, g, , q)", at: "b=1..2 s=1..3 r=1..3 d=1..2 t=1..3", demands: []string{
		"d = b, or d = 1",
		"t = s",
	}},
	{model: "input x f32[t,k]; input w u8[5,2,8]; input s f32[z]; y = com.microsoft::MatMulNBits(x, w, s) K=32 N=5 bits=4 block_size=16", at: "t=1..2 k=31..33 z=9..11", demands: []string{
		"z = 10: a scale for each block",
		"k = 32: K",
	}},
	{model: "input x f32[t,8]; input r f32[u,2]; init a f32[2,6,8] 1; init c f32[2,8,6] 1; y = com.microsoft::MoE(x, r, a, , c) k=1 activation_type='relu'", at: "t=1..2 u=1..2", demands: []string{
		"t = u",
	}},
	{model: "input q f32[b,s,8]; input k f32[d,t,8]; input v f32[d,t,w]; y, z = com.microsoft::LinearAttention(q, k, v) q_num_heads=2 kv_num_heads=2 update_rule='linear'", at: "b=1..2 s=1..2 d=1..2 t=1..2 w=6..8", demands: []string{
		"w is a multiple of 2",
		"b = d",
		"b = d",
		"s = t",
		"s = t",
	}},
	{model: "input q f32[b,s,8]; input k f32[b,s,8]; input p f32[d,h,e,f]; y, z = com.microsoft::LinearAttention(q, k, k, p) q_num_heads=2 kv_num_heads=2 update_rule='linear'", at: "b=1..2 s=1..2 d=1..2 h=1..2 e=3..4 f=3..4", demands: []string{
		"d = b",
		"h = 2",
		"e = 4",
		"f = 4",
	}},
	{model: "input x f32[b,n,c]; input z f32[m]; y = com.microsoft::BiasGelu(x, z)", at: "b=1 n=1..2 c=1..3 m=1..3", demands: []string{
		"c = m",
	}},
	{model: "input x f32[b,n,c]; input z f32[m]; y = com.microsoft::FastGelu(x, z)", at: "b=1 n=1..2 c=1..3 m=1..3", demands: []string{
		"c = m",
	}},
	{model: "input x f32[n,m]; y = com.microsoft::UnfoldTensor(x) size=3 step=2", at: "n=1..2 m=1..7", demands: []string{
		"a window of 3 must fit into m",
	}},
	{model: "input x f32[n,k]; input z f32[m,l]; y = com.microsoft::CDist(x, z) metric='euclidean'", at: "n=1..2 m=1..2 k=1..3 l=1..3", demands: []string{
		"k = l",
	}},
	{model: "input x i64[b,s]; input y0 f32[d,v]; y = com.microsoft::NGramRepeatBlock(x, y0) ngram_size=2", at: "b=1..2 s=1..3 d=1..2 v=1..3", demands: []string{
		"b = d",
	}},
	{model: "input x u8[n,m]; input z u8[k,l]; init s f32[] 1; init o u8[] 0; y = com.microsoft::QLinearAdd(x, s, o, z, s, o, s, o)", at: "n=1..3 m=1..3 k=1..3 l=1..3", demands: []string{
		"n = k, or one of them is 1",
		"m = l, or one of them is 1",
	}},
	{model: "input x u8[n,m]; input z u8[k,l]; init s f32[] 1; init o u8[] 0; y = com.microsoft::QLinearConcat(s, o, x, s, o, z, s, o) axis=0", at: "n=1..3 m=1..3 k=1..3 l=1..3", demands: []string{
		"m = l",
	}},
	{model: "input x f32[n,m]; input z f32[k,l]; y = com.microsoft::FusedMatMul(x, z) transB=1", at: "n=1..3 m=1..3 k=1..3 l=1..3", demands: []string{
		"m = l",
	}},
	{model: "input x f32[1,1,h,h]; input m i32[1,1,k,k]; y = com.microsoft::MaxpoolWithMask(x, m) kernel_shape=[2,2]", at: "h=1..4 k=1..4", demands: []string{
		"(a window of 2 must fit into h)",
		"h = k",
		"h = k",
	}},
	{model: "input t u8[r,16]; input s f32[r,c]; input i i64[n]; y = com.microsoft::GatherBlockQuantized(t, i, s) bits=4 block_size=16 quantize_axis=1 gather_axis=0", at: "r=1..3 c=1..3 n=1..2", demands: []string{
		"c = 2: a scale for each block of 16 along axis 1",
	}},
	{model: "input x f32[n,k]; input z f32[m]; y = com.microsoft::GatherND(x, i); input i i32[a,g]", at: "n=1..2 k=1..2 m=1 a=1..2 g=1..3", demands: []string{
		"g is at most 2",
	}},
	{model: "input x i32[n,m]; init w f32[6,1,3,5] 1; init z f32[6] 1; init e f32[9,5] 1; y = com.microsoft::WordConvEmbedding(x, w, z, e)", at: "n=1..2 m=1..6", demands: []string{
		"a window of 3 must fit into m",
	}},
	{model: "input x u8[n,m]; init s f32[] 1; init z u8[] 0; y = com.microsoft::QLinearSoftmax(x, s, z, s, z) axis=1 opset=13", at: "n=1..2 m=1..2"},
	{model: "input x u8[1,2,h,h]; init s f32[] 1; init z u8[] 0; y = com.microsoft::QLinearAveragePool(x, s, z, s, z) kernel_shape=[3,3]", at: "h=1..5", demands: []string{
		"(a window of 3 must fit into h)",
	}},
	{model: "input x f32[t,b,3]; init w i8[1,3,16] 1; init r i8[1,4,16] 1; init s f32[1] 1; init z i8[1] 0; input h0 f32[1,m,4]; y, h, c = com.microsoft::DynamicQuantizeLSTM(x, w, r, , , h0, , , s, z, s, z) hidden_size=4", at: "t=1..2 b=1..2 m=1..2", demands: []string{
		"m = b: a state for each direction and sequence",
	}},
	{model: "input x f32[n,k]; init w i8[4,5] 1; init s f32[1] 1; y = com.microsoft::DynamicQuantizeMatMul(x, w, s)", at: "n=1..2 k=3..5", demands: []string{
		"k = 4",
	}},
	{model: "input x f32[n,k]; input c f32[m]; init w f32[4,5] 1; y = com.microsoft::FusedGemm(x, w, c) activation='Relu'", at: "n=1..2 k=3..5 m=1,4,5", demands: []string{
		"k = 4",
		"m = 5, or m = 1",
	}},
	{model: "input x u8[n,k]; input c f32[m]; init w u8[4,5] 1; init s f32[] 1; init z u8[] 0; y = com.microsoft::MatMulIntegerToFloat(x, w, s, s, z, z, c)", at: "n=1..2 k=3..5 m=1,4,5", demands: []string{
		"k = 4",
		"m = 5",
	}},
	{model: "input x f32[b,t,8]; input r f32[u,2]; init a u8[2,6,4] 1; init sa f32[2,6] 1; init c u8[2,8,3] 1; init sc f32[2,8] 1; y = com.microsoft::QMoE(x, r, a, sa, , c, sc) k=1 activation_type='relu' expert_weight_bits=4", at: "b=1..2 t=1..2 u=1..4", demands: []string{
		"b*t = u",
	}},
}
