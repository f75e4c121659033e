package shape_test

// lookupSizes are of indices, parts and what is chosen.
var lookupSizes = []sized{
	{model: "input x f32[n]; init k i64[1] 4; y, i = TopK(x, k)", at: "n=1..7", demands: []string{
		"4 elements are to be selected from n",
	}},
	{model: "input x f32[n]; input z f32[k]; s = Shape(z); y, i = TopK(x, s)", at: "n=1..4 k=1..4", demands: []string{
		"k elements are to be selected from n",
	}},
	{model: "opset 9; input x f32[n]; y, i = TopK(x) k=4", at: "n=1..7", demands: []string{
		"4 elements are to be selected from n",
	}},
	{model: "input x f32[n]; init k i64[1] 4; init zero i64[1] 100; s = Shape(x); m = Min(s, zero); y, i = TopK(x, m)", at: "n=1..7"},
	{model: "input x f32[n,m]; init k i64[] 4; y = Gather(x, k) axis=1", at: "n=1..2 m=1..7", demands: []string{
		"a table needs 5 rows for the indices; it has m",
	}},
	{model: "input x f32[n,m]; init k i64[2] -3 1; y = Gather(x, k) axis=0", at: "n=1..7 m=1..2", demands: []string{
		"a table needs 3 rows for the indices; it has n",
	}},
	{model: "input x f32[n,m]; init k i64[2,1] -3 1; y = GatherElements(x, k) axis=0", at: "n=1..7 m=1..2", demands: []string{
		"a table needs 3 rows for the indices; it has n",
	}},
	{model: "input x f32[n,m]; init k i64[2,2] -3 1 1 2; y = GatherND(x, k)", at: "n=1..4 m=1..4", demands: []string{
		"a table needs 3 rows for the indices; it has n",
		"a table needs 3 rows for the indices; it has m",
	}},
	{model: "input x f32[n]; init k i64[2] -3 1; input u f32[2]; y = ScatterElements(x, k, u)", at: "n=1..7", demands: []string{
		"a table needs 3 rows for the indices; it has n",
	}},
	{model: "input x f32[n]; init k i64[2,1] -3 1; input u f32[2]; y = ScatterND(x, k, u)", at: "n=1..7", demands: []string{
		"a table needs 3 rows for the indices; it has n",
	}},
	{model: "input x f32[n]; input t f32[6,2]; init zero i64[] 0; init one i64[] 1; s = Shape(x); k = Squeeze(s); r = Range(zero, k, one); y = Gather(t, r)", at: "n=1..8", demands: []string{
		"a table needs n rows for the indices; it has 6",
	}},
	{model: "input x f32[n]; input t f32[6,2]; init one i64[] 1; s = Shape(x); k = Sub(s, one); y = Gather(t, k)", at: "n=1..8", demands: []string{
		"a table needs n rows for the indices; it has 6",
	}},
	{model: "input x f32[n]; init p i64[2] 3 2; y, z = Split(x, p)", at: "n=1..7", demands: []string{
		"n = 5",
	}},
	{model: "input x f32[n]; y, z = Split(x)", at: "n=1..7", demands: []string{
		"n is a multiple of 2",
	}},
	{model: "opset 18; input x f32[n]; y, z, u = Split(x) num_outputs=3", at: "n=1..7", demands: []string{
		"n-2*floor((n+2)/3) must be at least 1, or nothing is left",
	}},
	{model: "opset 18; input x f32[n]; y, z, u, v = Split(x) num_outputs=4", at: "n=1..9", demands: []string{
		"n-3*floor((n+3)/4) must be at least 1, or nothing is left",
	}},
	{model: "input x f32[n]; init k i64[] 0; init v f32[2] 0 1; s = Size(x); i = Cast(x) to=7; y = OneHot(i, s, v)", at: "n=1..3"},
	{model: "input x f32[n]; init a i64[1] 3; init b i64[1] 100; y = Slice(x, a, b)", at: "n=1..5", demands: []string{
		"(min(100,n)-min(3,n) must be at least 1, or nothing is left)",
	}},
	{model: "input x f32[n]; init a i64[1] -3; init b i64[1] -1; y = Slice(x, a, b)", at: "n=1..5", demands: []string{
		"(n-max(0,n-3)-1 must be at least 1, or nothing is left)",
	}},
	{model: "input x f32[n]; init a i64[1] 2; init b i64[1] 100; z = Slice(x, a, b); y = ReduceMax(z) keepdims=0", at: "n=1..5", demands: []string{
		"(min(100,n)-min(2,n) must be at least 1, or nothing is left)",
	}},
	{model: "input x f32[n]; init a i64[1] 2; init b i64[1] 100; z = Slice(x, a, b); y = ArgMax(z)", at: "n=1..5", demands: []string{
		"(min(100,n)-min(2,n) must be at least 1, or nothing is left)",
		"min(100,n)-min(2,n) must be at least 1, or nothing is left",
	}},
	{model: "input x f32[n]; init a i64[1] 2; init b i64[1] 100; z = Slice(x, a, b); y = ReduceSum(z)", at: "n=1..5", demands: []string{
		"(min(100,n)-min(2,n) must be at least 1, or nothing is left)",
	}},
	{model: "input x f32[n]; init a i64[1] 2; init b i64[1] 100; z = Slice(x, a, b); y = ReduceMean(z)", at: "n=1..5", demands: []string{
		"(min(100,n)-min(2,n) must be at least 1, or nothing is left)",
	}},
	{model: "input x f32[n]; init a i64[1] 2; init b i64[1] 100; z = Slice(x, a, b); y = Softmax(z)", at: "n=1..5", demands: []string{
		"(min(100,n)-min(2,n) must be at least 1, or nothing is left)",
	}},
	{model: "input x i64[n]; input t f32[6,2]; init ax i64[] 0; p = CumSum(x, ax); y = Gather(t, p)", at: "n=1..8", feed: "x=1", demands: []string{
		"(a table needs n+1 rows for the indices; it has 6)",
	}},
	{model: "input x f32[b,n]; input t f32[6,2]; init zero i64[] 0; init one i64[] 1; init two i64[] 2; init i i64[] 1; s = Shape(x); k = Gather(s, i); r = Range(zero, k, one); q = Add(r, two); e = Expand(q, s); y = Gather(t, e)", at: "b=1..2 n=1..8", demands: []string{
		"a table needs n+2 rows for the indices; it has 6",
	}},
	{model: "input x f32[n]; init two i64[] 2; init one i64[] 1; p = Size(x); k = Sub(p, two); init zero i64[] 0; y = Range(zero, k, one)", at: "n=1..4"},
	{model: "opset 24; input x f32[b,h,r,4]; input u f32[d,g,s,4]; init w i64[1] 0; y = TensorScatter(x, u)", at: "b=1..2 d=1..2 h=1..2 g=1..2 r=1..3 s=1..4", demands: []string{
		"b = d",
		"h = g",
		"a cache must have room for s steps; it has room for r",
	}},
	{model: "opset 24; input x f32[b,h,r,4]; input u f32[d,g,s,4]; input w i64[k]; y = TensorScatter(x, u, w)", at: "b=1..2 d=1..2 h=1..2 g=1..2 r=1..3 s=1..4 k=1..2", demands: []string{
		"b = k",
		"b = d",
		"h = g",
		"a cache must have room for s steps; it has room for r",
	}},
	{model: "input x f32[n]; input t f32[6,2]; init zero i64[] 0; init one i64[] 1; init five i64[] 5; s = Size(x); r = Range(zero, s, one); q = Min(r, five); y = Gather(t, q)", at: "n=1..8"},
	{model: "input x f32[n]; input t f32[6,2]; init zero i64[] 0; init one i64[] 1; init five i64[] 6; s = Size(x); r = Range(zero, s, one); q = Clip(r, zero, five); y = Gather(t, q)", at: "n=1..8", demands: []string{
		"a table needs min(6,n-1)+1 rows for the indices; it has 6",
	}},
	{model: "input x f32[n]; input t f32[6,2]; init zero i64[] 0; init one i64[] 1; init two i64[] 2; s = Size(x); r = Range(zero, s, two); y = Gather(t, r)", at: "n=1..9", demands: []string{
		"a table needs 2*floor((n+1)/2)-1 rows for the indices; it has 6",
	}},
	{model: "input x f32[s,4]; input p f32[k,4]; input t f32[6,2]; init zero i64[1] 0; init one i64[] 1; a = Shape(x) end=1; b = Shape(p) end=1; e = Add(a, b); f = Squeeze(e); z = Squeeze(zero); r = Range(z, f, one); q = Slice(r, b, e); y = Gather(t, q)", at: "s=1..4 k=1..4", demands: []string{
		"(a table needs k+s rows for the indices; it has 6)",
	}},
	{model: "input x f32[n]; input z f32[k]; i = Shape(z); init one i64[1] 1; j = Sub(i, one); y = Gather(x, j)", at: "n=1..4 k=1..4", demands: []string{
		"a table needs k rows for the indices; it has n",
	}},
	{model: "input x f32[n]; input z f32[k]; input w f32[l]; a = Shape(z); b = Shape(w); c = Concat(a, b) axis=0; y, v = Split(x, c)", at: "n=1..5 k=1..3 l=1..3", demands: []string{
		"n = k+l",
	}},
}
