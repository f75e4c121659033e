package shape_test

import "testing"

const cache = "k f32[b,4,p,2]; v f32[b,4,p,2]"

var fusedAttentions = []fused{
	{node: "Attention(x, w, c) num_heads=4", values: "x f32[b,s,6]; w f32[6,24]; c f32[24]", want: "f32 b×s×8; f32 2×b×4×s×2"},
	{node: "Attention(x, w, c) num_heads=4 qkv_hidden_sizes=[8,8,12]", values: "x f32[b,s,6]; w f32[6,28]; c f32[28]", want: "f32 b×s×12"},
	{node: "Attention(x, w, c, , p) num_heads=4", values: "x f32[b,s,8]; w f32[8,24]; c f32[24]; p f32[2,b,4,p,2]", want: "f32 b×s×8; f32 2×b×4×(p+s)×2"},
	{node: "Attention(x, w, c, , p) num_heads=4 past_present_share_buffer=1", values: "x f32[b,s,8]; w f32[8,24]; c f32[24]; p f32[2,b,4,p,2]", want: "f32 b×s×8; f32 2×b×4×p×2"},
	{node: "Attention(x, w) num_heads=5", values: "x f32[b,s,6]; w f32[6,24]", want: "f32 b×s×8; f32 2×b×5×s×?", problem: "8 is not a multiple of 5"},
	{node: "Attention(x, w) num_heads=4", values: "x f32[b,s,7]; w f32[6,24]", want: "f32 b×s×8", problem: "axis 2, which is 7, and axis 0, which is 6, should be equal"},
	{node: "Attention(x, w) num_heads=4", values: "x f32[s,6]; w f32[6,24]", want: "f32 s×6×8", problem: "should have rank 3"},
	{node: "QAttention(x, w, c, s, s, , , , p) num_heads=4", values: "x u8[b,s,8]; w i8[8,24]; c f32[24]; s f32[]; p f32[2,b,4,p,2]", want: "f32 b×s×8; f32 2×b×4×(p+s)×2"},
	{node: "DecoderMaskedSelfAttention(x, w, c, , p, , n) num_heads=4 past_present_share_buffer=1", values: "x f32[b,1,8]; w f32[8,24]; c f32[24]; p f32[2,b,4,m,2]; n i32[1]", want: "f32 b×1×8; f32 2×b×4×m×2"},
	{node: "MultiHeadAttention(x, k, v) num_heads=4", values: "x f32[b,s,8]; k f32[b,n,8]; v f32[b,n,12]", want: "f32 b×s×12; f32 b×4×n×2; f32 b×4×n×3; undefined b×4×s×n"},
	{node: "MultiHeadAttention(x, x, x, , , , k, v) num_heads=4", values: "x f32[b,s,8]; " + cache, want: "f32 b×s×8; f32 b×4×(p+s)×2; f32 b×4×(p+s)×2; undefined b×4×s×(p+s)"},
	{node: "MultiHeadAttention(x, x, x, , , , k, v, n) num_heads=4", values: "x f32[b,s,8]; n i32[1]; " + cache, want: "f32 b×s×8; f32 b×4×p×2; f32 b×4×p×2; undefined b×4×s×?"},
	{node: "MultiHeadAttention(x) num_heads=4", values: "x f32[b,s,4,3,2]", want: "f32 b×s×8"},
	{node: "MultiHeadAttention(x, k) num_heads=4", values: "x f32[b,s,8]; k f32[b,n,4,2,2]", want: "f32 b×s×8"},
	{node: "MultiHeadAttention(x, k, v) num_heads=4", values: "x f32[b,s,8]; " + cache, want: "f32 b×s×8"},
	{node: "MultiHeadAttention(x, k, k) num_heads=4", values: "x f32[2,s,8]; k f32[3,n,8]", want: "f32 3×s×8", problem: "axis 0, which is 2, and axis 0, which is 3, should be equal"},
	{node: "MultiHeadAttention(x, x, x) num_heads=0", values: "x f32[b,s,8]", want: "f32 b×s×8; f32 b×?×s×?", problem: "num_heads is 0, expected at least 1"},
	{node: "DecoderMaskedMultiHeadAttention(x, x, x, , , k, v, n) num_heads=4 past_present_share_buffer=1", values: "x f32[b,1,8]; n i32[1]; " + cache, want: "f32 b×1×8; f32 b×4×p×2; f32 b×4×p×2; undefined b×4×1×?"},
	{node: "DecoderMaskedMultiHeadAttention(x, , , , , k, v, n) num_heads=4", values: "x f32[b,1,24]; n i32[1]; " + cache, want: "f32 b×1×8; f32 b×4×(p+1)×2; f32 b×4×(p+1)×2"},

	{node: "GroupQueryAttention(x, k, k, c, c, n, t) num_heads=4 kv_num_heads=2", values: "x f32[b,s,32]; k f32[b,s,16]; c f32[b,2,p,8]; n i32[b]; t i32[]", want: "f32 b×s×32; f32 b×2×?×8; f32 b×2×?×8"},
	{node: "GroupQueryAttention(x, k, k, c, c, n, t) num_heads=4 kv_num_heads=2", values: "x f32[b,s,32]; k f32[b,s,16]; c f32[b,2,p,8]; n i32[b]; init t i32[] 9", want: "f32 b×s×32; f32 b×2×max(9,p)×8; f32 b×2×max(9,p)×8"},
	{node: "GroupQueryAttention(x, , , c, c, n, t) num_heads=4 kv_num_heads=2", values: "x f32[b,s,64]; c f32[b,2,4,8]; n i32[b]; init t i32[] 9", want: "f32 b×s×32; f32 b×2×9×8; f32 b×2×9×8; f32 b×4×s×9"},
	{node: "GroupQueryAttention(x, k, k, , , n, t) num_heads=4 kv_num_heads=2", values: "x f32[b,s,32]; k f32[b,s,16]; n i32[b]; t i32[]", want: "f32 b×s×32; f32 b×2×s×8; f32 b×2×s×8"},
	{node: "GroupQueryAttention(x, k, k, c, c, n, t) num_heads=4 kv_num_heads=2 sliding_window_cache=1", values: "x f32[b,s,32]; k f32[b,s,16]; c i8[b,2,p,8]; n i32[b]; init t i32[] 9", want: "f32 b×s×32; i8 b×2×p×8; i8 b×2×p×8"},
	{node: "GroupQueryAttention(x, k, k, c, d, n, t) num_heads=4 kv_num_heads=2", values: "x f32[b,s,32]; k f32[b,s,16]; c f32[b,3,p,8]; d f32[b,2,p,8]; n i32[b]; init t i32[] 9", want: "f32 b×s×32; f32 b×2×max(9,p)×8", problem: "should be 2 (kv_num_heads)"},
	{node: "SparseAttention(x, k, k, c, d, i, i, t, n) num_heads=4 kv_num_heads=2", values: "x f32[b,s,32]; k f32[b,s,16]; c f32[b,2,m,8]; d f32[b,2,m,8]; i i32[1,3]; t i32[]; n i32[b]", want: "f32 b×s×32; f32 b×2×m×8; f32 b×2×m×8", demands: []string{"s <= m"}},
	{node: "PagedAttention(x, k, k, c, c, n, n, m) num_heads=4 kv_num_heads=2", values: "x f16[t,32]; k f16[t,16]; c f16[blocks,16,2,8]; n i32[b]; m i32[b,z]", want: "f16 t×32; f16 blocks×16×2×8; f16 blocks×16×2×8"},
	{node: "PagedAttention(x, , , c, c, n, n, m) num_heads=4 kv_num_heads=2", values: "x f16[t,64]; c f16[blocks,16,2,8]; n i32[b]; m i32[b,z]", want: "f16 t×32"},
	{node: "PagedAttention(x) num_heads=4 kv_num_heads=2", values: "x f16[b,t,64]", want: "f16 b×32", problem: "should have rank 2"},

	{node: "PackedAttention(x, w, c, o, n) num_heads=4", values: "x f32[t,6]; w f32[6,24]; c f32[24]; o i32[b,s]; n i32[m]", want: "f32 t×8"},
	{node: "PackedMultiHeadAttention(x, k, v, , o, n) num_heads=4", values: "x f32[t,8]; k f32[t,8]; v f32[t,12]; o i32[b,s]; n i32[m]", want: "f32 t×12"},
	{node: "PackedMultiHeadAttention(x, , , , o, n) num_heads=4", values: "x f32[t,4,3,2]; o i32[b,s]; n i32[m]", want: "f32 t×8"},
	{node: "DecoderAttention(x, k, q, w, c, , , , f, f, f, f) num_heads=4", values: "x f32[s,b,8]; k f32[n,b,8]; q f32[8,8]; w f32[8,16]; c f32[24]; f bool[1]", want: "f32 s×b×8; f32 b×4×?×2; f32 b×4×?×2"},
	{node: "QOrderedAttention(x, s, s, s, s, w, w, v) num_heads=4", values: "x i8[b,n,6]; s f32[]; w i8[6,8]; v i8[6,12]", want: "i8 b×n×12"},
	{node: "LongformerAttention(x, w, c, m, w, c, g) num_heads=4", values: "x f32[b,s,8]; w f32[8,24]; c f32[24]; m f32[b,s]; g i32[b,s]", want: "f32 b×s×8"},
	{node: "LongformerAttention(x, w, c, m, w, c, g) num_heads=4", values: "x f32[b,s,9]; w f32[8,24]; c f32[24]; m f32[b,s]; g i32[b,s]", want: "f32 b×s×9", problem: "which is 9, and axis 0, which is 8"},
	{node: "QOrderedLongformerAttention(x, s, w) num_heads=4", values: "x i8[b,n,8]; s f32[]; w i8[8,24]", want: "i8 b×n×8"},
	{node: "RelativePositionBias(x, q, q) max_distance=20", values: "x f32[32,h]; init q i64[1] 6", want: "f32 1×h×6×6"},
	{node: "RelativePositionBias(x, q, q) max_distance=20", values: "x f32[32,h]; q i64[1]", want: "f32 1×h×?×?"},
	{node: "GatedRelativePositionBias(x, c, r, w, d, e) num_heads=4", values: "x f32[b,s,8]; c f32[8]; r f32[1,4,s,s]; w f32[2,6]; d f32[6]; e f32[1,4,1,1]", want: "f32 b×4×s×s"},
	{node: "GatedRelativePositionBias(x, c, r, w, d, e, o) num_heads=4", values: "x f32[t,8]; c f32[8]; r f32[1,4,s,s]; w f32[2,6]; d f32[6]; e f32[1,4,1,1]; o i32[b,s]", want: "f32 b×4×s×s"},
	{node: "RotaryEmbedding(x, p, c, c)", values: "x f32[b,4,s,2]; p i64[1]; c f32[m,1]", want: "f32 b×4×s×2", demands: []string{"s <= m"}},
	{node: "MRotaryEmbedding(x, p, c, c)", values: "x f32[b,s,8]; p i64[3,b,s]; c f32[m,1]", want: "f32 b×s×8"},
	{node: "GemmaRotaryEmbedding(e, q, q, k, k)", values: "e f32[b,s,2]; q f16[b,4,s,2]; k f16[b,2,s,2]", want: "f16 b×4×s×2; f16 b×2×s×2"},
	{node: "RotaryEmbedding(x, p, c, c)", values: "x f32[s]; p i64[1]; c f32[m,1]", want: "f32 s", problem: "should have rank 2, 3 or 4"},
}

func TestFusedAttentions(t *testing.T) { checkFused(t, fusedAttentions) }
