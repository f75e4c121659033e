package shape_test

import (
	"slices"
	"testing"
)

func TestAttention(t *testing.T) {
	check(t, []example{
		{name: "heads on an axis of their own, with a cache", model: `
			opset 23
			input q f32[batch,8,1,64]
			input k f32[batch,2,1,64]
			input v f32[batch,2,1,32]
			input pk f32[batch,2,past,64]
			input pv f32[batch,2,past,32]
			y, ck, cv, qk = Attention(q, k, v, , pk, pv)
		`, want: map[string]string{"y": "f32 batch×8×1×32", "ck": "f32 batch×2×(past+1)×64", "cv": "f32 batch×2×(past+1)×32", "qk": "f32 batch×8×1×(past+1)"}},
		{name: "heads side by side, and a mask", model: `
			opset 24
			input q f32[batch,seq,512]
			input k f32[batch,keys,128]
			input v f32[batch,keys,64]
			input m bool[seq,keys]
			y, ck, cv, qk = Attention(q, k, v, m) q_num_heads=8 kv_num_heads=2
		`, want: map[string]string{"y": "f32 batch×seq×256", "ck": "f32 batch×2×keys×64", "cv": "f32 batch×2×keys×32", "qk": "f32 batch×8×seq×keys"}},
		{name: "a size of the heads that is a symbol", model: `
			opset 23
			input q f32[batch,seq,hidden]
			y = Attention(q, q, q) q_num_heads=8 kv_num_heads=8
		`, want: map[string]string{"y": "f32 batch×seq×(8*floor(hidden/8))"}, demands: slices.Repeat([]string{"8 divides hidden"}, 3)},
		{name: "a cache of which nothing is known", model: `
			opset 23
			input q f32[batch,8,seq,64]
			input pk f32
			y, ck = Attention(q, q, q, , pk, pk)
		`, want: map[string]string{"ck": "f32 batch×8×?×64"}},
		{name: "what does not go together", model: `
			opset 23
			input q f32[2,8,5,64]
			input k f32[3,3,5,64]
			input m f32[7,5]
			y = Attention(q, k, k, m)
		`, want: map[string]string{"y": "f32 2×8×5×64"}, problems: []string{"2 and 3 should be equal", "the 8 heads of queries are not a multiple of the 3 heads of keys", "should be broadcast to scores of shape [2 8 5 5]: axis 0 is 7"}},
		{name: "no number of heads, and one that does not part", model: `
			opset 23
			input q f32[2,5,64]
			y = Attention(q, q, q) q_num_heads=7
		`, want: map[string]string{"y": "f32 2×5×?"}, problems: []string{"64 is not a multiple of 7", "kv_num_heads is 0", "kv_num_heads is 0"}},
		{name: "no inputs", model: `
			opset 23
			y, k = Attention() q_num_heads=-1
		`, want: map[string]string{"y": "?", "k": "undefined ?×?×?×?"}},
	})
}

func TestFlexAttention(t *testing.T) {
	check(t, []example{
		{name: "a body for the scores", model: `
			opset ai.onnx.preview 1
			graph mod
			input s f32
			half: h = Mul(s, s)
			output h f32
			end
			input q f32[batch,8,seq,64]
			input k f32[batch,2,keys,64]
			input v f32[batch,2,keys,32]
			y = ai.onnx.preview::FlexAttention(q, k, v) score_mod=@mod
		`, want: map[string]string{"y": "f32 batch×8×seq×32", "h": "f32 batch×8×seq×keys"}},
		{name: "an axis is missing", model: `
			opset ai.onnx.preview 1
			input q f32[batch,seq,64]
			y = ai.onnx.preview::FlexAttention(q, q, q)
		`, want: map[string]string{"y": "f32 ?"}, problems: []string{"should have rank 4"}},
	})
}

func TestLanguage(t *testing.T) {
	check(t, []example{
		{name: "positions", model: `
			opset 23
			input x f32[batch,8,seq,64]
			input at i64[batch,seq]
			init cos f32[100,32] 0
			y = RotaryEmbedding(x, cos, cos, at)
		`, want: map[string]string{"y": "f32 batch×8×seq×64"}, demands: []string{"seq <= 100"}},
		{name: "caches for each position", model: `
			opset 23
			input x f32[batch,seq,512]
			input cos f32[batch,seq,32]
			y = RotaryEmbedding(x, cos, cos) num_heads=8
		`, want: map[string]string{"y": "f32 batch×seq×512"}},
		{name: "no heads, and positions of another sequence", model: `
			opset 23
			input x f32[2,3,512]
			input z f32[2,8,3,64]
			input at i64[2,4]
			init cos f32[100,32] 0
			a = RotaryEmbedding(x, cos, cos)
			b = RotaryEmbedding(z, cos, cos, at)
		`, want: map[string]string{"a": "f32 2×3×512"}, problems: []string{"num_heads is 0", `"at" (i64 2×4) should be batch × steps, which is [2 3]: axis 1 is 4`}},
		{name: "linear attention", model: `
			opset 27
			input q f32[batch,seq,64]
			input k f32[batch,seq,32]
			input v f32[batch,seq,48]
			y, s = LinearAttention(q, k, v) q_num_heads=4 kv_num_heads=2
		`, want: map[string]string{"y": "f32 batch×seq×96", "s": "f32 batch×2×16×24"}},
		{name: "linear attention without heads", model: `
			opset 27
			input q f32[batch,seq,64]
			y, s = LinearAttention(q, q, q) q_num_heads=4
		`, problems: []string{"kv_num_heads is 0", "kv_num_heads is 0"}},
		{name: "a gate", model: `
			opset 28
			input a f32[batch,64]
			input b f32[batch,64]
			input c f32[batch,32]
			y = SwiGLU(a, b)
			z = SwiGLU(a, c)
		`, want: map[string]string{"y": "f32 batch×64", "z": "f32 batch×64"}, problems: []string{"of the same shape as the gate"}},
	})
}
