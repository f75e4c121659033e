package architecture_test

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/architecture"
	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/mutate"
)

// begin is the beginning of a decoder whose names say nothing, and end its scores.
const (
	begin = `opset 24
opset com.microsoft 1
input a i64[b,s]
init table f32[50,16] 0.5
init w f32[16,16] 0.1
init n f32[16] 1
x = Gather(table, a)
q = MatMul(x, w)
k = MatMul(x, w)
v = MatMul(x, w)
`
	end = `init u f32[16,50] 0.1
y = MatMul(h, u)
output y f32[b,s,50]
`
)

// forms are attentions with caches in different forms, and what is known of them.
var forms = []struct{ name, model, want string }{
	{"grouped, with a window", begin + `input c i32[b]
input d i32[]
input e f16[b,2,p,4]
input f f16[b,2,p,4]
h, g, i = com.microsoft::GroupQueryAttention(q, k, v, e, f, c, d) num_heads=4 kv_num_heads=2 local_window_size=8
output g f16[b,2,t,4]
output i f16[b,2,t,4]
` + end, "1 layers 4×4 kv 2  0  shared cache; window 8; 32 a position, 0 fixed, 2 beyond the window"},
	{"grouped, sliding", begin + `input c i32[b]
input d i32[]
input e f32[b,2,p,4]
input f f32[b,2,p,4]
h, g, i = com.microsoft::GroupQueryAttention(q, k, v, e, f, c, d) num_heads=4 kv_num_heads=2 local_window_size=8 sliding_window_cache=1
output g f32[b,2,t,4]
output i f32[b,2,t,4]
` + end, "1 layers 4×4 kv 2  0  sliding cache; window 8; 0 a position, 512 fixed"},
	{"grouped, no sizes declared", begin + `input c i32[b]
input d i32[]
input e f32[b,j,p,m]
input f f32[b,j,p,m]
h, g, i = com.microsoft::GroupQueryAttention(q, k, v, e, f, c, d) num_heads=4 kv_num_heads=2
output g f32[b,j,t,m]
output i f32[b,j,t,m]
` + end, "1 layers 4×4 kv 2  0  shared cache; 64 a position, 0 fixed"},
	{"four bits", begin + `input c i32[b]
input d i32[]
input e u8[b,2,p,2]
input f u8[b,2,p,2]
init ks f32[1] 1
h, g, i = com.microsoft::GroupQueryAttention(q, k, v, e, f, c, d, , , , , , ks, ks) num_heads=4 kv_num_heads=2 kv_cache_bit_width=4 k_quant_type='PER_TENSOR' v_quant_type='PER_TENSOR'
output g u8[b,2,t,2]
output i u8[b,2,t,2]
` + end, "1 layers 4×4 kv 2  0  shared cache; 8 a position, 0 fixed"},
	{"multi-head", begin + `input e f32[b,2,p,8]
input f f32[b,2,p,8]
h, g, i = com.microsoft::MultiHeadAttention(q, k, v, , , , e, f) num_heads=2
output g f32[b,2,t,8]
output i f32[b,2,t,8]
` + end, "1 layers 2×8 kv 2  0  growing cache; 128 a position, 0 fixed"},
	{"keys and values in one", begin + `init z f32[16,48] 0.1
init zb f32[48] 0
input e f32[2,b,2,p,8]
h, g = com.microsoft::Attention(x, z, zb, , e) num_heads=2 unidirectional=1
output g f32[2,b,2,t,8]
` + end, "1 layers 2×8 kv 2  0  growing cache; 128 a position, 0 fixed"},
	{"standard", begin + `input e f32[b,1,p,8]
input f f32[b,1,p,8]
init kw f32[16,8] 0.1
k1 = MatMul(x, kw)
v1 = MatMul(x, kw)
h, g, i = Attention(q, k1, v1, , e, f) q_num_heads=2 kv_num_heads=1 is_causal=1
output g f32[b,1,t,8]
output i f32[b,1,t,8]
` + end, "1 layers 2×8 kv 1  0  growing cache; 64 a position, 0 fixed"},
	{"a state", `opset 24
input a f32[s,b,8]
input c f32[1,b,16]
init w f32[1,48,8] 0.1
init r f32[1,48,16] 0.1
y, g = GRU(a, w, r, , , c) hidden_size=16
output y f32[s,1,b,16]
output g f32[1,b,16]
`, "1 layers 0×0 kv 0  0  state; 0 a position, 64 fixed, assumed 1"},
	{"no heads", begin + `input c i32[b]
input d i32[]
input e f32[b,2,p,4]
input f f32[b,2,p,4]
h, g, i = com.microsoft::GroupQueryAttention(q, k, v, e, f, c, d) num_heads=0 kv_num_heads=0 local_window_size=-1
output g f32[b,2,t,4]
output i f32[b,2,t,4]
` + end, "1 layers 0×4 kv 2  0  shared cache; 64 a position, 0 fixed"},
	{"negative heads", begin + `input c i32[b]
input d i32[]
input e f32[b,j,p,m]
input f f32[b,j,p,m]
h, g, i = com.microsoft::GroupQueryAttention(q, k, v, e, f, c, d) num_heads=-4 kv_num_heads=-9223372036854775808
output g f32[b,j,t,m]
output i f32[b,j,t,m]
` + end, "1 layers 0×0 kv 0  0  shared cache; 0 a position, 0 fixed, unknown [\"e\" \"f\"]"},
	{"vast", begin + `input c i32[b]
input d i32[]
input e f32[b,9223372036854775807,p,9223372036854775807]
input f f32[b,9223372036854775807,p,9223372036854775807]
h, g, i = com.microsoft::GroupQueryAttention(q, k, v, e, f, c, d) num_heads=4 kv_num_heads=2
output g f32[b,j,t,m]
output i f32[b,j,t,m]
` + end, "1 layers 4×4 kv 2  0  shared cache; 0 a position, 0 fixed, unknown [\"e\" \"f\"]"},
}

func TestForms(t *testing.T) {
	for _, e := range forms {
		a := of(t, graphtest.Model(t, e.model))
		got := blocksText(a)
		for _, b := range a.Blocks {
			for _, k := range b.Kinds {
				if k.Window > 0 {
					got += fmt.Sprintf("; window %d", k.Window)
				}
				checkEvidence(t, e.name, k)
			}
		}
		m := a.Memory()
		got += fmt.Sprintf("; %d a position, %d fixed", m.PerPosition, m.Fixed)
		if m.Unbounded > 0 {
			got += fmt.Sprintf(", %d beyond the window", m.Unbounded)
		}
		if len(m.Unknown) > 0 {
			got += fmt.Sprintf(", unknown %q", m.Unknown)
		}
		if len(m.Assumed) > 0 {
			got += fmt.Sprintf(", assumed %d", len(m.Assumed))
		}
		if got != e.want {
			t.Errorf("%s:\ngot  %s\nwant %s", e.name, got, e.want)
		}
	}
}

// TestMemory multiplies, and says if the result is too large.
func TestMemory(t *testing.T) {
	m := architecture.Memory{PerPosition: 512, Fixed: 100}
	if n, ok := m.At(2, 1000); n != 2*(512_000+100) || !ok {
		t.Errorf("got %d, %v", n, ok)
	}
	if _, ok := m.At(1<<40, 1<<40); ok {
		t.Error("more than there are bytes")
	}
	if n, ok := m.At(3, 0); n != 300 || !ok {
		t.Errorf("got %d, %v without positions", n, ok)
	}
}

// TestMutants describes models after a few changes. Nothing may panic.
func TestMutants(t *testing.T) {
	bases := mutate.Bases(t)
	for _, e := range forms {
		bases = append(bases, mutate.Base{Name: e.name, Model: graphtest.Proto(t, e.model)})
	}
	for i, base := range bases {
		for k := range 3 {
			p, _ := mutate.New(base, bases, uint64(3*i+k))
			bytes, err := proto.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			m, err := graphops.Decode(bytes)
			if err != nil {
				continue // damaged
			}
			a := of(t, m)
			for j := range a.Caches {
				if a.Caches[j].Bytes < 0 {
					t.Errorf("%s: a cache of %d bytes", base.Name, a.Caches[j].Bytes)
				}
			}
		}
	}
}
