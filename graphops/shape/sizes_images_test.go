package shape_test

// imageSizes are of windows, padding and images.
var imageSizes = []sized{
	{model: "input x f32[1,2,h]; init w f32[2,3,3] 1; y = ConvTranspose(x, w) pads=[3,3]", at: "h=1..8", demands: []string{
		"h-4 must be at least 1, or nothing is left",
	}},
	{model: "input x f32[1,2,h]; init w f32[2,3,3] 1; y = ConvTranspose(x, w) output_shape=[4]", at: "h=1..8", demands: []string{
		"output_shape has 2 positions for the kernel; the input has h elements",
	}},
	{model: "input x f32[1,2,h]; init w f32[2,3,3] 1; y = ConvTranspose(x, w) output_shape=[9] strides=[2]", at: "h=1..8", demands: []string{
		"output_shape has 4 positions for the kernel; the input has h elements",
	}},
	{model: "input x f32[1,2,h]; init w f32[2,3,3] 1; y = ConvTranspose(x, w) output_shape=[9] strides=[3]", at: "h=1..8", demands: []string{
		"output_shape has 3 positions for the kernel; the input has h elements",
	}},
	{model: "input x f32[1,2,h]; init w f32[2,3,3] 1; y = ConvTranspose(x, w) output_shape=[12] strides=[2] output_padding=[1]", at: "h=1..8", demands: []string{
		"output_shape has 5 positions for the kernel; the input has h elements",
	}},
	{model: "input x f32[1,2,h]; init w f32[2,3,3] 1; init p i64[2] 3 3; y = com.microsoft::ConvTransposeWithDynamicPads(x, w, p)", at: "h=1..8", demands: []string{
		"h-4 must be at least 1, or nothing is left",
	}},
	{model: "input x f32[1,c,4]; init w f32[3,2,3] 1; y = Conv(x, w)", at: "c=1..4", demands: []string{
		"c = 2",
	}},
	{model: "input x f32[1,c,4]; init w f32[4,2,3] 1; y = Conv(x, w) group=2", at: "c=1..5", demands: []string{
		"c = 4",
	}},
	{model: "input x f32[1,c,4]; init w f32[4,2,3] 1; y = ConvTranspose(x, w) group=2", at: "c=1..5", demands: []string{
		"c = 4",
	}},
	{model: "input x f32[1,c,4]; init w f32[4,2,3] 1; input z f32[n]; y = Conv(x, w, z)", at: "c=1..3 n=1..5", demands: []string{
		"c = 2",
		"n = 4",
	}},
	{model: "input x f32[1,c,4]; init w f32[2,3,3] 1; input z f32[n]; y = ConvTranspose(x, w, z)", at: "c=1..3 n=1..5", demands: []string{
		"c = 2",
		"n = 3: the channels of the weights",
	}},
	{model: "input x u8[1,c,4,4]; init w u8[3,2,3,3] 1; init s f32[] 1; init z u8[] 0; y = QLinearConv(x, s, z, w, s, z, s, z)", at: "c=1..5", demands: []string{
		"c = 2",
	}},
	{model: "input x f32[1,2,h]; y = MaxPool(x) kernel_shape=[2] auto_pad='SAME_UPPER' strides=[2]", at: "h=1..4"},
	{model: "input x f32[1,2,h]; y = MaxPool(x) kernel_shape=[2] strides=[2] auto_pad='VALID'", at: "h=1..4", demands: []string{
		"(a window of 2 must fit into h)",
	}},
	{model: "input x f32[1,2,h,h]; y = MaxPool(x) kernel_shape=[2,2] strides=[2,2]", at: "h=1..4", demands: []string{
		"(a window of 2 must fit into h)",
	}},
	{model: "input x f32[1,2,h]; input i i64[1,2,p]; y = MaxUnpool(x, i) kernel_shape=[2] strides=[2]", at: "h=1..4 p=1..4", demands: []string{
		"p = h: a position for each element",
	}},
	{model: "input x f32[1,2,8,8]; input r f32[k,4]; input b i64[n]; y = RoiAlign(x, r, b) output_height=2 output_width=2; opset 16", at: "k=1..3 n=1..3", demands: []string{
		"k = n",
	}},
	{model: "input x f32[1,c,8,8]; input g f32[n,3,3,2]; y = GridSample(x, g)", at: "c=1..3 n=1..3", demands: []string{
		"n = 1",
	}},
	{model: "input x f32[1,c,h,h]; init g f32[1,3,3,2] 0.5; y = GridSample(x, g)", at: "c=1..3 h=1..3"},
	{model: "input x f32[h,4]; init s f32[2] 0.25 1; y = Resize(x, , s)", at: "h=1..9", demands: []string{
		"(floor(h/4) must be at least 1, or nothing is left)",
	}},
	{model: "input x f32[h,4]; init s f32[2] 0.25 1; y = Resize(x, , s) mode='linear'", at: "h=1..9", demands: []string{
		"(floor(h/4) must be at least 1, or nothing is left)",
	}},
	{model: "input x f32[1,1,h,4]; init s f32[4] 1 1 0.25 1; y = Resize(x, , s) mode='cubic'", at: "h=1..9", demands: []string{
		"(floor(h/4) must be at least 1, or nothing is left)",
	}},
	{model: "input x f32[h,4]; init s f32[2] 2 1; y = Upsample(x, s); opset 9", at: "h=1..9"},
	{model: "input x f32[1,c,h,w]; y = DepthToSpace(x) blocksize=2", at: "c=1..8 h=1..2 w=1..2", demands: []string{
		"c is a multiple of 4",
	}},
	{model: "input x f32[1,c,h,w]; y = SpaceToDepth(x) blocksize=2", at: "c=1..2 h=1..4 w=1..4", demands: []string{
		"h is a multiple of 2",
		"w is a multiple of 2",
	}},
	{model: "input x f32[1,2,h]; init w f32[3,2,5] 1; y = Conv(x, w)", at: "h=1..8", demands: []string{
		"a window of 5 must fit into h",
	}},
	{model: "input x f32[1,2,h]; init w f32[3,2,3] 1; y = Conv(x, w) pads=[1,1] dilations=[2] strides=[2]", at: "h=1..8", demands: []string{
		"a window of 5 must fit into h+2",
	}},
	{model: "input x f32[1,2,h]; init w f32[3,2,3] 1; y = Conv(x, w) auto_pad='SAME_UPPER'", at: "h=1..8"},
	{model: "input x u8[1,2,h,h]; init w u8[3,2,5,5] 1; y = ConvInteger(x, w)", at: "h=1..8", demands: []string{
		"a window of 5 must fit into h",
	}},
	{model: "input x u8[1,2,h,h]; init w u8[3,2,5,5] 1; init s f32[] 1; init z u8[] 0; y = QLinearConv(x, s, z, w, s, z, s, z)", at: "h=1..8", demands: []string{
		"a window of 5 must fit into h",
	}},
	{model: "input x f32[1,2,h]; init w f32[3,2,5] 1; y = com.microsoft::FusedConv(x, w) activation='Relu'", at: "h=1..8", demands: []string{
		"a window of 5 must fit into h",
	}},
	{model: "input x u8[1,h,4,2]; y = com.microsoft::NhwcMaxPool(x) kernel_shape=[5,3]", at: "h=1..8", demands: []string{
		"(a window of 5 must fit into h)",
	}},
	{model: "opset 19; input x f32[1,2,h,h]; init w f32[3,2,3,3] 1; input o f32[1,18,p,p]; y = DeformConv(x, w, o)", at: "h=1..5 p=1..3", demands: []string{
		"a window of 3 must fit into h",
		"p = h-2: offsets for each place",
		"p = h-2: offsets for each place",
	}},
	{model: "input x f32[1,12,h]; init s i64[2] 4 5; init k i64[2] 2 2; y = Col2Im(x, s, k); opset 18", at: "h=1..14", demands: []string{
		"h = 12",
	}},
	{model: "input x f32[1,2,h]; y = MaxPool(x) kernel_shape=[5]", at: "h=1..8", demands: []string{
		"(a window of 5 must fit into h)",
	}},
	{model: "input x f32[1,2,h]; y = MaxPool(x) kernel_shape=[5] ceil_mode=1", at: "h=1..8", demands: []string{
		"(a window of 5 must fit into h)",
	}},
	{model: "input x f32[1,2,h]; y = MaxPool(x) kernel_shape=[5] ceil_mode=1 strides=[3]", at: "h=1..8", demands: []string{
		"(a window of 3 must fit into h)",
	}},
	{model: "input x f32[1,2,h]; y = MaxPool(x) kernel_shape=[5] strides=[3]", at: "h=1..8", demands: []string{
		"(a window of 5 must fit into h)",
	}},
	{model: "input x f32[1,2,h]; y = MaxPool(x) kernel_shape=[5] pads=[2,2]", at: "h=1..8"},
	{model: "input x f32[1,2,h]; y = MaxPool(x) kernel_shape=[3] dilations=[2]", at: "h=1..8", demands: []string{
		"(a window of 5 must fit into h)",
	}},
	{model: "input x f32[1,2,h]; y = AveragePool(x) kernel_shape=[5]", at: "h=1..8", demands: []string{
		"(a window of 5 must fit into h)",
	}},
	{model: "input x f32[1,2,h]; y = LpPool(x) kernel_shape=[5]", at: "h=1..8", demands: []string{
		"(a window of 5 must fit into h)",
	}},
	{model: "input x f32[1,2,h]; init w f32[2,3,3] 1; y = ConvTranspose(x, w) auto_pad='SAME_UPPER' strides=[2]", at: "h=1..8"},
	{model: "opset 18; input x f32[h]; init p i64[2] 3 2; y = Pad(x, p) mode='reflect'", at: "h=1..6", demands: []string{
		"a reflection needs 4 elements; there are h",
		"a reflection needs 3 elements; there are h",
	}},
	{model: "opset 18; input x f32[h]; init p i64[2] 3 2; y = Pad(x, p) mode='edge'", at: "h=1..6"},
	{model: "opset 19; input x f32[h]; init p i64[2] 3 2; y = Pad(x, p) mode='wrap'", at: "h=1..6"},
	{model: "opset 19; input x f32[h]; init p i64[2] -2 2; y = Pad(x, p) mode='wrap'", at: "h=1..6", demands: []string{
		"h-2 must be at least 1, or nothing is left",
	}},
	{model: "opset 18; input x f32[h]; init p i64[2] -3 -1; y = Pad(x, p)", at: "h=1..6", demands: []string{
		"(h-4 must be at least 1, or nothing is left)",
	}},
	{model: "opset 18; input x f32[h]; init p i64[2] -3 -1; y = Pad(x, p) mode='edge'", at: "h=1..6", demands: []string{
		"h-4 must be at least 1, or nothing is left",
	}},
	{model: "opset 18; input x f32[h]; init p i64[2] -3 2; y = Pad(x, p)", at: "h=1..6", demands: []string{
		"(h-1 must be at least 1, or nothing is left)",
	}},
	{model: "opset 18; input x f32[h]; init p i64[2] -3 2; y = Pad(x, p) mode='reflect'", at: "h=1..9", demands: []string{
		"h-3 must be at least 1, or nothing is left",
		"a reflection needs 3 elements; there are h-3",
	}},
	{model: "opset 18; input x f32[h]; init p i64[2] -3 2; y = Pad(x, p) mode='edge'", at: "h=1..9", demands: []string{
		"h-3 must be at least 1, or nothing is left",
	}},
	{model: "opset 10; input x f32[h,h]; y = Pad(x) mode='reflect' pads=[0,3,0,2]", at: "h=1..9", demands: []string{
		"a reflection needs 4 elements; there are h",
		"a reflection needs 3 elements; there are h",
	}},
	{model: "input x f32[h,h]; init p i64[4] 0 3 0 2; y = com.microsoft::Pad(x, p) mode='reflect'", at: "h=1..9", demands: []string{
		"a reflection needs 4 elements; there are h",
		"a reflection needs 3 elements; there are h",
	}},
	{model: "input x f32[n]; input z f32[k]; s = Shape(z); init q i64[1] 0; pads = Concat(q, s) axis=0; y = Pad(x, pads) mode='reflect'", at: "n=1..4 k=1..4", demands: []string{
		"a reflection needs k+1 elements; there are n",
	}},
	{model: "input x f32[b,n,1]; init s i64[] 4; init l i64[] 16; y = STFT(x, s, , l)", at: "b=1..2 n=1..20", demands: []string{
		"a window of 16 must fit into n",
	}},
	{model: "input x f32[b,n,1]; init s i64[] 4; init w f32[16] 1; y = STFT(x, s, w)", at: "b=1..2 n=1..20", demands: []string{
		"a window of 16 must fit into n",
	}},
	{model: "input x f32[b,n,1]; init s i64[] 4; init w f32[16] 1; init l i64[] 16; y = STFT(x, s, w, l)", at: "b=1..2 n=1..20", demands: []string{
		"a window of 16 must fit into n",
	}},
	{model: "input x f32[b,n]; init s i64[] 4; init l i64[] 16; y = STFT(x, s, , l)", at: "b=1..2 n=1..20", demands: []string{
		"a window of 16 must fit into n",
	}},
	{model: "input x f32[b,n,1]; input z f32[k]; s = Size(z); init l i64[] 4; y = STFT(x, s, , l)", at: "b=1..2 n=1..6 k=1..3", demands: []string{
		"a window of 4 must fit into n",
	}},
	{model: "opset 18; input x f32[n,m]; init t i64[2] 3 4; y = CenterCropPad(x, t)", at: "n=1..5 m=1..5"},
	{model: "input x f32[1,1,n,n]; init two i64[2] 2; init h i64[2] 1; p = Shape(x); q = Slice(p, e, f); init e i64[1] 2; init f i64[1] 4; k = Div(q, two); t = Concat(h, k) axis=0; y = Resize(x, , , t)", at: "n=1..5", demands: []string{
		"(floor(n/2) must be at least 1, or nothing is left)",
	}},
	{model: "input x f32[n,4]; init s f32[2] 0.3 1; y = Resize(x, , s)", at: "n=1..9"},
	{model: "input x f32[b,6,t]; input w f32[6,1,k]; y, z = com.microsoft::CausalConvWithState(x, w)", at: "b=1..2 t=1..4 k=1..4"},
	{model: "input x f32[b,6,t]; input w f32[6,1,k]; input p f32[d,6,m]; y, z = com.microsoft::CausalConvWithState(x, w, , p)", at: "b=1..2 t=1..3 k=1..4 d=1..2 m=0..3", demands: []string{
		"b = d",
		"m = k-1: the past steps that the kernel needs",
	}},
	{model: "input x f32[b,c,h,h]; input r f32[k,4]; input i i32[n]; init z i32[2] 2; y = com.microsoft::CropAndResize(x, r, i, z)", at: "b=1 c=1..2 h=1..2 k=1..2 n=1..2", demands: []string{
		"k = n",
	}},
}
