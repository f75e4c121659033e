package shape_test

import (
	"testing"

	"lathe/graphops/opschema"
)

const (
	scales = "; s f32[]; z u8[]"
	blocks = "com.microsoft.nchwc"
	last   = "com.ms.internal.nhwc"
)

var fusedImages = []fused{
	{node: "FusedConv(x, w) activation='Relu' strides=[2,1] pads=[1,0,1,2]", values: "x f32[n,4,h,w]; w f32[6,4,3,5]", want: "f32 n×6×floor((h+1)/2)×(w-2)"},
	{node: "FusedConv(x, w) activation='Relu' auto_pad='SAME_UPPER' strides=[2,3]", values: "x f32[n,4,h,w]; w f32[6,4,3,5]", want: "f32 n×6×floor((h+1)/2)×floor((w+2)/3)"},
	{node: "FusedConv(x, w) activation='Relu' auto_pad='VALID' pads=[9,9,9,9]", values: "x f32[n,4,h,w]; w f32[6,4,3,5]", want: "f32 n×6×(h-2)×(w-4)"},
	{node: "FusedConv(x, w) activation='Relu'", values: "x f32[n,4,h,w]; w f32[6,3,3,5]", want: "f32 n×6×(h-2)×(w-4)", problem: "axis 1, which is 4, and 3 should be equal"},
	{node: "FusedConv(x, w) activation='Relu' strides=[0,1]", values: "x f32[n,4,h,w]; w f32[6,4,3,5]", want: "f32 n×6×?×?", problem: "strides is [0 1], expected 2 numbers of at least 1"},
	{node: "NhwcFusedConv(x, w)", values: "x f16[n,h,w,4]; w f16[6,4,3,5]", want: "f16 n×(h-2)×(w-4)×6"},
	{node: "NhwcFusedConv(x, w)", values: "x f16[n,h,w,4]; w f16[6,4,3]", want: "f16 ?", problem: "should have rank 4"},
	{node: "NhwcConv(x, w) kernel_shape=[3,5]", values: "x f32[n,h,w,4]; w f32[6,3,5,4]", want: "f32 n×(h-2)×(w-4)×6"},
	{node: "NhwcConv(x, w)", values: "x f32[n,h,w,4]; w f32[6,3,5,4]", want: "f32 n×?×?×6"},
	{node: "QLinearConv(x, s, z, w, s, z, s, z) channels_last=1", values: "x u8[n,h,w,4]; w u8[6,4,3,5]" + scales, want: "u8 n×(h-2)×(w-4)×6"},
	{node: "NhwcMaxPool(x) kernel_shape=[2,2] strides=[3,3] pads=[1,1,1,1] ceil_mode=1", values: "x u8[n,9,w,4]", want: "u8 n×4×(floor(w/3)+1)×4"},
	{node: "NhwcMaxPool(x) kernel_shape=[2]", values: "x u8[n,h,w,4]", want: "u8 n×?×?×4", problem: "kernel_shape is [2], expected 2 numbers"},
	{node: "MaxpoolWithMask(x, m) kernel_shape=[3,3] strides=[2,2]", values: "x f32[n,4,h,w]; m i32[n,4,h,w]", want: "f32 n×4×floor((h-1)/2)×floor((w-1)/2)"},
	{node: "QLinearAveragePool(x, s, z, s, z) kernel_shape=[3,3]", values: "x u8[n,4,h,w]" + scales, want: "u8 n×4×(h-2)×(w-2)"},
	{node: "QLinearAveragePool(x, s, z, s, z) kernel_shape=[9,3]", values: "x u8[n,4,5,w]" + scales, want: "u8 n×4×?×(w-2)", problem: "would have the size -3"},
	{node: "ConvTransposeWithDynamicPads(x, w, p) strides=[2,2] output_padding=[1,1]", values: "x f32[n,4,h,w]; w f32[4,6,3,5]; init p i64[4] 1 0 1 1", want: "f32 n×6×(2*h)×(2*w+3)"},
	{node: "ConvTransposeWithDynamicPads(x, w, p) group=2", values: "x f32[n,4,h,w]; w f32[4,6,3,5]; p i64[4]", want: "f32 n×12×?×?"},
	{node: "ConvTransposeWithDynamicPads(x, w, p)", values: "x f32[n,5,h,w]; w f32[4,6,3,5]; p i64[4]", want: "f32 n×6×?×?", problem: "should be equal"},

	{domain: blocks, node: "ReorderInput(x)", values: "x f32[n,c,h,w]", want: "f32 n×?×h×w"},
	{domain: blocks, node: "ReorderInput(x) channels_last=1", values: "x f32[n,h,w,c]", want: "f32 n×?×h×w"},
	{domain: blocks, node: "ReorderInput(x)", values: "x f32[n,c,h]", want: "f32 ?×?×?×?", problem: "should have rank 4"},
	{domain: blocks, node: "Conv(x, w) pads=[1,1,1,1]", values: "x f32[n,c,h,w]; w f32[16,3,3,3]", want: "f32 n×16×h×w"},
	{domain: blocks, node: "MaxPool(x) kernel_shape=[2,2] strides=[2,2]", values: "x f32[n,16,h,w]", want: "f32 n×16×floor(h/2)×floor(w/2)"},
	{domain: blocks, node: "AveragePool(x) kernel_shape=[2,2]", values: "x f32[n,16,h,w]", want: "f32 n×16×(h-1)×(w-1)"},
	{domain: blocks, node: "GlobalMaxPool(x)", values: "x f32[n,16,h,w]", want: "f32 n×16×1×1"},
	{domain: blocks, node: "GlobalAveragePool(x)", values: "x f32[n,16,h,w]", want: "f32 n×16×1×1"},
	{domain: blocks, node: "Upsample(x) scales=[1,1,2,3]", values: "x f32[n,16,h,w]", want: "f32 n×16×(2*h)×(3*w)"},
	{domain: blocks, node: "ReorderOutput(x) channels=10", values: "x f32[n,16,h,w]", want: "f32 n×10×h×w"},
	{domain: blocks, node: "ReorderOutput(x) channels=10 channels_last=1", values: "x f32[n,16,h,w]", want: "f32 n×h×w×10"},

	{domain: last, node: "Conv(x, w)", values: "x f32[n,h,w,4]; w f32[6,4,3,3]", want: "f32 n×(h-2)×(w-2)×6"},
}

var states = []fused{
	{node: "DynamicQuantizeLSTM(x, w, r, , , , , , s, z, s, z) hidden_size=3", values: "x f32[t,b,4]; w i8[1,4,12]; r i8[1,3,12]; s f32[1]; z i8[1]", want: "f32 t×1×b×3; f32 1×b×3; f32 1×b×3"},
	{node: "DynamicQuantizeLSTM(x, w, r, , , , , , s, z, s, z) direction='bidirectional'", values: "x f32[t,b,4]; w i8[2,4,12]; r i8[2,3,12]; s f32[2]; z i8[2]", want: "f32 t×2×b×3; f32 2×b×3"},
	{node: "DynamicQuantizeLSTM(x, w, r, , , , , , s, z, s, z) hidden_size=4", values: "x f32[t,b,4]; w i8[1,4,12]; r i8[1,3,12]; s f32[1]; z i8[1]", want: "f32 t×1×b×4", problem: "should be 4 (hidden_size)"},
	{node: "AttnLSTM(x, w, r)", values: "x f32[t,b,4]; w f32[1,12,7]; r f32[1,12,3]", want: "f32 t×1×b×3; f32 1×b×3; f32 1×b×3"},
	{node: "CausalConvWithState(x, w)", values: "x f32[b,6,t]; w f32[6,1,4]", want: "f32 b×6×t; f32 b×6×3"},
	{node: "CausalConvWithState(x, w) dilation=2 state_window=5", values: "x f32[b,6,t]; w f32[6,1,4]", want: "f32 b×6×t; f32 5×b×6×6"},
	{node: "CausalConvWithState(x, w, , p)", values: "x f32[b,6,t]; w f32[6,1,k]; p f32[b,6,m]", want: "f32 b×6×t; f32 b×6×m", demands: []string{"m = k-1"}},
	{node: "CausalConvWithState(x, w)", values: "x f32[b,6,t]; w f32[6,4]", want: "f32 b×6×t; f32 ?", problem: "should have rank 3"},
	{node: "VarlenCausalConvWithState(x, w, n, , i) state_update_capacity=4", values: "x f16[t,6]; w f16[6,1,4]; n i32[m]; i f16[b,6,3]", want: "f16 t×6; f16 b×6×3; f16 b×4×6"},
	{node: "LinearAttention(q, k, v) q_num_heads=4 kv_num_heads=2 update_rule='linear'", values: "q f32[b,t,24]; k f32[b,t,12]; v f32[b,t,10]", want: "f32 b×t×20; undefined b×2×6×5"},
	{node: "LinearAttention(q, k, v, p) q_num_heads=4 kv_num_heads=2", values: "q f16[b,t,24]; k f16[b,t,12]; v f16[b,t,10]; p f32[b,2,6,5]", want: "f16 b×t×20; f32 b×2×6×5"},
	{node: "LinearAttention(q, k, v) q_num_heads=5 kv_num_heads=2", values: "q f32[b,t,24]; k f32[b,t,12]; v f32[b,t,10]", want: "f32 b×t×25", problem: "24 is not a multiple of 5"},
	{node: "GatedDeltaNet(q, k, v, n) update_rule='linear'", values: "q f16[t,4,6]; k f16[t,4,6]; v f16[t,8,5]; n i32[m]", want: "f16 t×8×5; f32 (m-1)×8×5×6"},
	{node: "GatedDeltaNet(q, , , , , , i)", values: "q f16[t,88]; i f32[b,8,5,6]", want: "f16 t×8×5; f32 b×8×5×6"},
	{node: "NGramHashMapping(x, m, v) max_ngram_size=3 n_head_per_ngram=4 pad_id=0", values: "x i64[b,s]; m i64[3]; v i64[8]", want: "i64 b×s×8; i64 b×2"},
	{node: "NGramHashMapping(x, m, v) max_ngram_size=0 n_head_per_ngram=4 pad_id=0", values: "x i64[b,s]; m i64[3]; v i64[8]", want: "i64 b×s×?", problem: "max_ngram_size is 0"},
	{node: "BifurcationDetector(x, c, i)", values: "x i64[n]; c i64[m]; i i64[]", want: "i64 ?; i64 scalar"},
}

var others = []fused{
	{node: "ExpandDims(x, a)", values: "x f32[b,n]; init a i32[] -1", want: "f32 b×n×1"},
	{node: "ExpandDims(x, a)", values: "x f32[b,n]; a i32[]", want: "f32 ?×?×?"},
	{node: "ExpandDims(x, a)", values: "x f32[b,n]; init a i32[] 3", want: "f32 ?", problem: "no axis 3"},
	{node: "Pad(x, p)", values: "x f32[b,n]; init p i64[4] 1 0 2 1", want: "f32 (b+3)×(n+1)"},
	{node: "Pad(x, p)", values: "x f32[b,n]; init p i64[1,4] 1 0 2 -1", want: "f32 (b+3)×(n-1)"},
	{node: "Pad(x, p)", values: "x f32[b,n]; init p i64[2] 1 0", want: "f32 ?", problem: "there are 2 pads"},
	{node: "Range(a, b)", values: "init a i64[] 1; init b i64[1] 4", want: "i64 3 = [1 2 3]"},
	{node: "Range(a, b, d)", values: "init a f32[] 1; init b f32[] 2; init d f32[] 0.25", want: "f32 4"},
	{node: "Range(a, b, d)", values: "init a i64[] 1; init b i64[] 2; init d i64[] 0", want: "i64 ?", problem: "the step of the range is 0"},
	{node: "Unique(x)", values: "x f32[n]", want: "f32 ?; i64 n; i64 ?"},
	{node: "Unique(x)", values: "x f32[n,m]", want: "f32 ?", problem: "should have rank 1"},
	{node: "GatherND(x, i)", values: "x f32[b,n,m]; i i64[k,2]", want: "f32 k×m"},
	{node: "TorchEmbedding(w, i)", values: "w f32[v,h]; i i64[b,s]", want: "f32 b×s×h"},
	{node: "UnfoldTensor(x) dim=1 size=4 step=2", values: "x f32[b,n]", want: "f32 b×(floor(n/2)-1)×4"},
	{node: "UnfoldTensor(x) dim=2 size=4", values: "x f32[b,n]", want: "f32 ?", problem: "no axis 2"},
	{node: "GridSample(x, g)", values: "x f32[n,c,h,w]; g f32[n,p,q,2]", want: "f32 n×c×p×q"},
	{node: "GridSample(x, g)", values: "x f32[n,c,h,w]; g f32[n,p,q,3]", want: "f32 n×c×p×q", problem: "should be 2 (the two coordinates of a point)"},
	{node: "CropAndResize(x, r, i, z)", values: "x f32[n,c,h,w]; r f32[k,4]; i i32[k]; init z i32[2] 5 6", want: "f32 k×c×5×6"},
	{node: "CropAndResize(x, r, i, z)", values: "x f32[n,c,h,w]; r f32[k,4]; i i32[k]; init z i32[3] 5 6 7", want: "f32 k×c×?×?", problem: "expected 2"},
	{node: "Rfft(x) onesided=1 normalized=0 signal_ndim=1", values: "x f32[b,n]", want: "f32 b×(floor(n/2)+1)×2"},
	{node: "Irfft(x) onesided=1 normalized=0 signal_ndim=1", values: "x f32[b,n,2]", want: "f32 b×(2*n-2)"},
	{node: "Irfft(x) onesided=1 normalized=0 signal_ndim=1", values: "x f32[b,n,3]", want: "f32 b×(2*n-2)", problem: "should be 2"},
	{node: "DynamicTimeWarping(x)", values: "x f32[n,m]", want: "i32 2×?"},
	{node: "Tokenizer(x) mark=0 pad_value='#' mincharnum=1", values: "x str[n,c]", want: "str n×c×?"},
	{node: "Tokenizer(x) mark=0 pad_value='#' mincharnum=1", values: "x str[n,0]", want: "str n×0"},
	{node: "Tokenizer(x) mark=0 pad_value='#' mincharnum=1", values: "x str[n,c,d]", want: "str ?", problem: "should have rank 1 or 2"},
	{node: "WordConvEmbedding(x, w, b, e)", values: "x i32[n,m]; w f32[6,1,3,5]; b f32[6]; e f32[v,5]", want: "f32 n×6"},
	{node: "WordConvEmbedding(x, w, b, e) conv_window_size=-1", values: "x i32[n,m]; w f32[6,1,3,5]; b f32[6]; e f32[v,5]", want: "f32 n×6"},
	{node: "RemovePadding(x, n)", values: "x f32[b,s,h]; n i32[b]", want: "f32 ?×h; i32 b×s; i32 b+1; i32 1"},
	{node: "RemovePadding(x, n)", values: "x f32[2,s,h]; n i32[3]", want: "f32 ?×h; i32 3×s", problem: "should be equal"},
	{node: "RestorePadding(x, o)", values: "x f32[t,h]; o i32[b,s]", want: "f32 b×s×h"},
}

func TestFusedImages(t *testing.T)       { checkFused(t, fusedImages) }
func TestStates(t *testing.T)            { checkFused(t, states) }
func TestMicrosoftOthers(t *testing.T)   { checkFused(t, others) }
func TestMicrosoftSearches(t *testing.T) { check(t, searches) }

// Every operator of com.microsoft that has a rule is in one of the tables.
func TestMicrosoftTablesAreWhole(t *testing.T) {
	tested := operators("", fusedAttentions, fusedElementwises, fusedMatrices, quantizeds, fusedImages, states, others)
	for _, name := range []string{"BeamSearch", "WhisperBeamSearch", "GreedySearch", "Sampling", "EPContext", "Snpe"} {
		tested[name] = true
	}
	for _, name := range opschema.Names("com.microsoft") {
		if !tested[name] {
			t.Errorf("no table tests %s", name)
		}
	}
}
