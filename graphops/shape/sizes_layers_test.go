package shape_test

// layerSizes are of layers, shapes and signals.
var layerSizes = []sized{
	{model: "input x f32[n,m]; init t i64[2] -1 6; y = Reshape(x, t)", at: "n=1..4 m=1..4", demands: []string{
		"m*n is a multiple of 6",
	}},
	{model: "input x f32[n,m]; init t i64[2] 3 4; y = Reshape(x, t)", at: "n=1..4 m=1..4", demands: []string{
		"m*n = 12",
	}},
	{model: "input x f32[n,m]; input z f32[k]; init r i64[1] -1; s = Shape(z); t = Concat(r, s) axis=0; y = Reshape(x, t)", at: "n=1..4 m=1..4 k=1..4", demands: []string{
		"m*n is a multiple of k",
	}},
	{model: "input x f32[n,m]; init a i64[1] 1; y = Squeeze(x, a)", at: "n=1..3 m=1..3", demands: []string{
		"m = 1",
	}},
	{model: "input x f32[n,m]; init t i64[2] 1 3; y = Expand(x, t)", at: "n=1..3 m=1..4", demands: []string{
		"m = 3, or one of them is 1",
	}},
	{model: "input x f32[n,m]; input z f32[k]; y = Add(x, z)", at: "n=1..3 m=1..3 k=1..3", demands: []string{
		"m = k, or one of them is 1",
	}},
	{model: "input c bool[k]; input x f32[n,m]; input z f32[k]; y = Where(c, x, z)", at: "n=1..3 m=1..3 k=1..3", demands: []string{
		"k = m, or one of them is 1",
		"m = k, or one of them is 1",
	}},
	{model: "input x f32[n,m]; input z f32[k,l]; y = Concat(x, z) axis=1", at: "n=1..3 m=1..2 k=1..3 l=1..2", demands: []string{
		"n = k",
	}},
	{model: "input x f32[n,m]; input z f32[k,l]; y = MatMul(x, z)", at: "n=1..2 m=1..3 k=1..3 l=1..2", demands: []string{
		"m = k",
	}},
	{model: "input x f32[n,m]; input z f32[k,l]; input c f32[p]; y = Gemm(x, z, c) transB=1", at: "n=1..2 m=1..3 k=1..3 l=1..3 p=1..3", demands: []string{
		"m = l",
		"p = k, or p = 1",
	}},
	{model: "input x f32[n,m]; input z f32[k,l]; y = Einsum(x, z) equation='ij,jk->ik'", at: "n=1..2 m=1..3 k=1..3 l=1..2", demands: []string{
		"m = k, or one of them is 1",
	}},
	{model: "input x f32[n,m]; y = Einsum(x) equation='ii->i'", at: "n=1..3 m=1..3", demands: []string{
		"n = m",
	}},
	{model: "input x f32[1,c,4]; init s f32[3] 1; y = BatchNormalization(x, s, s, s, s)", at: "c=1..4", demands: []string{
		"c = 3: one number for each channel",
		"c = 3: one number for each channel",
		"c = 3: one number for each channel",
		"c = 3: one number for each channel",
	}},
	{model: "input x f32[b,c,h]; init s f32[3] 1; y = InstanceNormalization(x, s, s)", at: "b=1..2 c=1..4 h=1..2", demands: []string{
		"c = 3",
		"c = 3",
	}},
	{model: "input x f32[b,c,h]; init s f32[4] 1; y = GroupNormalization(x, s, s) num_groups=2; opset 21", at: "b=1..2 c=1..8 h=1..2", demands: []string{
		"c is a multiple of 2",
		"c = 4",
		"c = 4",
	}},
	{model: "input x f32[b,c,h]; init s f32[2] 1; y = GroupNormalization(x, s, s) num_groups=2; opset 18", at: "b=1..2 c=1..8 h=1..2", demands: []string{
		"c is a multiple of 2",
	}},
	{model: "input x f32[b,c]; init s f32[4] 1; y = LayerNormalization(x, s, s)", at: "b=1..2 c=1..5", demands: []string{
		"c = 4",
		"c = 4",
	}},
	{model: "input x f32[b,c]; input s f32[n]; y = LayerNormalization(x, s, s)", at: "b=1..2 c=1..5 n=1..5", demands: []string{
		"n = c, or n = 1",
		"n = c, or n = 1",
	}},
	{model: "input x f32[b,c,d]; input s f32[n]; y = LayerNormalization(x, s) axis=1", at: "b=1..2 c=1..3 d=1..3 n=1..5", demands: []string{
		"n = d, or n = 1",
	}},
	{model: "opset 23; input x f32[b,c]; input s f32[n]; y = RMSNormalization(x, s)", at: "b=1..2 c=1..5 n=1..5", demands: []string{
		"n = c, or n = 1",
	}},
	{model: "input x i8[b,c]; input s f32[n]; input z i8[n]; y = DequantizeLinear(x, s, z)", at: "b=1..2 c=1..3 n=1..3", demands: []string{
		"n = c, or n = 1",
	}},
	{model: "input x f32[b,n]; y = Det(z); init s i64[3] 0 2 2; z = Reshape(x, s)", at: "b=1..2 n=1..6", demands: []string{
		"b*n = 4*b",
	}},
	{model: "opset 23; input x f32[b,c]; init s f32[4] 1; y = RMSNormalization(x, s)", at: "b=1..2 c=1..5", demands: []string{
		"c = 4",
	}},
	{model: "input x f32[b,c]; init s f32[4] 1; y = SimplifiedLayerNormalization(x, s)", at: "b=1..2 c=1..5", demands: []string{
		"c = 4",
	}},
	{model: "input x f32[b,c,h,h]; y = LRN(x) size=3", at: "b=1..2 c=1..5 h=1..2"},
	{model: "input x f32[t,b,3]; init w f32[1,16,3] 1; init r f32[1,16,4] 1; y, h, k = LSTM(x, w, r) hidden_size=4", at: "t=1..3 b=1..3"},
	{model: "input x f32[t,b,c]; init w f32[1,16,3] 1; init r f32[1,16,4] 1; input l i32[n]; input h0 f32[d,m,4]; input c0 f32[1,k,4]; y, h, k = LSTM(x, w, r, , l, h0, c0) hidden_size=4", at: "t=2 b=1..2 c=2..3 n=1..2 d=1..2 m=1..2 k=1..2", feed: "l=t", demands: []string{
		"c = 3: directions × gates*hidden × features",
		"n = b: the length of each sequence of the batch",
		"d = 1: a state for each direction and sequence",
		"m = b: a state for each direction and sequence",
		"k = b: a state for each direction and sequence",
	}},
	{model: "input x f32[t,b,3]; init w f32[1,12,3] 1; init r f32[1,12,4] 1; input l i32[n]; input h0 f32[1,m,4]; y, h = GRU(x, w, r, , l, h0) hidden_size=4", at: "t=1..2 b=1..2 n=1..2 m=1..2", feed: "l=t", demands: []string{
		"n = b: the length of each sequence of the batch",
		"m = b: a state for each direction and sequence",
	}},
	{model: "input x f32[t,b,3]; init w f32[1,4,3] 1; init r f32[1,4,4] 1; input l i32[n]; input h0 f32[1,m,4]; y, h = RNN(x, w, r, , l, h0) hidden_size=4", at: "t=1..2 b=1..2 n=1..2 m=1..2", feed: "l=t", demands: []string{
		"n = b: the length of each sequence of the batch",
		"m = b: a state for each direction and sequence",
	}},
	{model: "input x f32[b,n,1]; y = DFT(x)", at: "b=1..2 n=1..3"},
	{model: "input x f32[b,n,1]; init l i64[] 4; y = DFT(x, l)", at: "b=1..2 n=1..6"},
	{model: "input b f32[b,n,4]; input s f32[a,1,m]; init k i64[1] 3; y = NonMaxSuppression(b, s, k)", at: "b=1..2 n=1..3 a=1..2 m=1..3", demands: []string{
		"b = a",
		"n = m",
	}},
	{model: "input x f32[b,n]; input r f32[m,k]; y = Tile(x, q); init q i64[2] 2 3", at: "b=1..2 n=1..2 m=1 k=1"},
	{model: "input x f32[b,n]; input l i64[m]; y = ReverseSequence(x, l)", at: "b=1..3 n=1..3 m=1..3", feed: "l=1", demands: []string{
		"n = m",
	}},
	{model: "input x f32[b,n]; input l i64[m]; y = ReverseSequence(x, l) batch_axis=0 time_axis=1", at: "b=1..3 n=1..3 m=1..3", feed: "l=1", demands: []string{
		"b = m",
	}},
	{model: "input x f32[b,n]; input c bool[k]; y = Compress(x, c) axis=1", at: "b=1..2 n=1..3 k=1..4", feed: "c=1"},
	{model: "opset 20; input t f32[b,2,3]; init s i64[4] 2 3 4 5; y = AffineGrid(t, s)", at: "b=1..3", demands: []string{
		"b = 2",
	}},
	{model: "input x f32[b,c]; input s f32[n]; input z i8[m]; y = QuantizeLinear(x, s, z)", at: "b=1..2 c=1..3 n=1..3 m=1..3", demands: []string{
		"m = n: of the same shape as the scales",
		"n = c, or n = 1",
	}},
	{model: "input x f32[n]; init k i64[1] 2; y = ConstantOfShape(s); s = Sub(p, k); p = Shape(x)", at: "n=1..4", demands: []string{
		"n-2 is at least 0",
	}},
	{model: "input x f32[n]; init two i64[1] 2; p = Shape(x); k = Sub(p, two); y = Expand(x, k)", at: "n=1..5", demands: []string{
		"n-2 is at least 0",
		"n = n-2, or one of them is 1",
	}},
	{model: "input x f32[b,n,1]; init s i64[] 4; input w f32[k]; init l i64[] 16; y = STFT(x, s, w, l)", at: "b=1 n=15..20 k=14..18", demands: []string{
		"k = 16",
		"a window of 16 must fit into n",
	}},
	{model: "input x f32[n,c,h]; init w f32[3,3] 1; y = MatMul(x, w)", at: "n=1 c=1..2 h=2..4", demands: []string{
		"h = 3",
	}},
	{model: "input x f32[n,8]; input s f32[n,k]; init b i64[1] 4; q = Cast(x) to=3; y = DequantizeLinear(q, s) axis=1 block_size=4; opset 21", at: "n=1..2 k=1..4", demands: []string{
		"k = 2: one for each block",
	}},
	{model: "input x f32[n,m]; y = Sum(x, z); input z f32[k,l]; opset 6", at: "n=1..3 m=1..3 k=1..3 l=1..3", demands: []string{
		"n = k, or one of them is 1",
		"m = l, or one of them is 1",
		"n = k",
		"m = l",
	}},
	{model: "input x f32[b,c,h]; input s f32[k]; y = PRelu(x, s)", at: "b=1 c=1..2 h=1..3 k=1..3", demands: []string{
		"h = k, or one of them is 1",
	}},
	{model: "input x f32[n]; input z f32[m]; y = Mod(x, z) fmod=1", at: "n=1..3 m=1..3", demands: []string{
		"n = m, or one of them is 1",
	}},
	{model: "input x f32[b,c,h]; input y0 i64[d,k]; input w f32[n]; l = NegativeLogLikelihoodLoss(x, y0, w)", at: "b=1..2 c=1..2 h=1..2 d=1..2 k=1..2 n=1..2", demands: []string{
		"(d = b: the first input without its axis of classes)",
		"(k = h: the first input without its axis of classes)",
		"(n = c: a weight for each class)",
	}},
	{model: "input x u8[n,4]; input w u8[4,5]; input z u8[k]; input u u8[m]; y = MatMulInteger(x, w, z, u)", at: "n=1..3 k=1..3 m=1..6", demands: []string{
		"k = 1",
		"m = 5, or m = 1",
	}},
	{model: "input x u8[n,4]; input w u8[4,5]; input s f32[k]; input z u8[k]; input t f32[m]; input u u8[m]; input q f32[l]; input v u8[l]; y = QLinearMatMul(x, s, z, w, t, u, q, v)", at: "n=1..3 k=1..3 m=1..6 l=1..2", demands: []string{
		"k = 1",
		"m = 5, or m = 1",
		"l = 1",
		"k = 1",
		"m = 5, or m = 1",
		"l = 1",
	}},
	{model: "input x u8[1,2,4,4]; init w u8[3,2,3,3] 1; input s f32[k]; input z u8[k]; input t f32[m]; input u u8[m]; input q f32[l]; input v u8[l]; y = QLinearConv(x, s, z, w, t, u, q, v)", at: "k=1..3 m=1..4 l=1..2", demands: []string{
		"k = 1",
		"m = 3, or m = 1",
		"l = 1",
		"k = 1",
		"m = 3, or m = 1",
		"l = 1",
	}},
	{model: "input x f32[1,1,2,2]; init i i64[1,1,2,2] 0; input o i64[n]; y = MaxUnpool(x, i, o) kernel_shape=[2,2] strides=[2,2]", at: "n=3..5", feed: "o=[1, 1, 4, 4][:n] if n <= 4 else [1, 1, 1, 4, 4]", demands: []string{
		"n = 4",
	}},
	{model: "input x f32[b,n,c]; init s i64[] 4; init l i64[] 16; y = STFT(x, s, , l)", at: "b=1 n=15..20 c=1..3", demands: []string{
		"(c = 1: onesided)",
		"a window of 16 must fit into n",
	}},
}
