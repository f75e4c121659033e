package torch_test

import (
	"strings"
	"testing"

	"lathe/session/torch"
)

// cacheClasses stand in for transformers.cache_utils, as it was before and since 4.54.
const cacheClasses = `
import types
cu, top = types.ModuleType("transformers.cache_utils"), types.ModuleType("transformers")
sys.modules.update({"transformers": top, "transformers.cache_utils": cu})
top.__version__, top.cache_utils = "4.0-test", cu
class Rows(torch.Tensor):
    def __init__(self, *v):
        super().__init__(*v)
        self.shape = [1, len(v)]
    def clone(self): return Rows(*self.held)
class Cache:
    def __init__(self, layers): self.layers = layers
class OldCache:
    def __init__(self): self.key_cache, self.value_cache = [Rows(1, 2)], [Rows(3, 4)]
class Layer:
    def __init__(self, n): self.keys, self.values = Rows(*range(n)), Rows(*range(n))
class DynamicSlidingWindowLayer(Layer):
    is_initialized, device, is_sliding, sliding_window = True, None, True, 4
    def __init__(self, n, seen): super().__init__(n); self.cumulative_length = seen
class StaticLayer(Layer): pass
class DynamicLayer: is_initialized = False
class State:
    keys = None
    def __init__(self):
        self.conv_states, self.recurrent_states = {0: Rows(1), 1: Rows(1)}, {0: Rows(2)}
        self.has_previous_state = self.is_conv_states_initialized = self.is_recurrent_states_initialized = {0: True}
class EncoderDecoderCache(Cache):
    def __init__(self, a, b): self.self_attention_cache, self.cross_attention_cache = a, b
class DynamicCache(Cache): pass
cu.Cache, cu.EncoderDecoderCache, cu.DynamicSlidingWindowLayer, cu.DynamicLayer = Cache, EncoderDecoderCache, DynamicSlidingWindowLayer, DynamicLayer
class Model(torch.nn.Module):
    def forward(self, ids, cache): return {"logits": ids, "past_key_values": cache}
def make(): return Model(), (torch.Tensor(7), given())
`

// TestCaches checks how the tensors of caches are called, without PyTorch and without transformers.
func TestCaches(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const first = "ids past_key_values."
	for name, c := range map[string]struct{ given, inputs, outputs, err string }{
		"layers":  {"def given(): return DynamicCache([Layer(3), Layer(3)])", first + "0.key past_key_values.0.value past_key_values.1.key past_key_values.1.value", "logits present.0.key present.0.value present.1.key present.1.value", ""},
		"old":     {"class DynamicCache(OldCache, Cache): pass\ndef given(): return DynamicCache()", first + "0.key past_key_values.0.value", "logits present.0.key present.0.value", ""},
		"states":  {"def given(): return DynamicCache([State()])", first + "0.conv_state past_key_values.0.conv_state_1 past_key_values.0.recurrent_state", "logits present.0.conv_state present.0.conv_state_1 present.0.recurrent_state", ""},
		"both":    {"def given(): return EncoderDecoderCache(DynamicCache([Layer(3)]), DynamicCache([Layer(3)]))", first + "0.decoder.key past_key_values.0.decoder.value past_key_values.0.encoder.key past_key_values.0.encoder.value", "logits present.0.decoder.key present.0.decoder.value present.0.encoder.key present.0.encoder.value", ""},
		"two":     {"def given(): return [DynamicCache([Layer(3)]), DynamicCache([Layer(3)])]", "ids cache.0.0.key cache.0.0.value cache.1.0.key cache.1.0.value", "logits past_key_values.0.0.key past_key_values.0.0.value past_key_values.1.0.key past_key_values.1.0.value", ""},
		"empty":   {"def given(): return DynamicCache([])", "ids", "logits", ""},
		"static":  {"class StaticCache(Cache): pass\ndef given(): return StaticCache([StaticLayer(3)])", "", "", "StaticCache: has room for a fixed number of positions and counts by itself where the next one is written, so that it cannot be an input; give a DynamicCache"},
		"left":    {"def given(): return DynamicCache([DynamicSlidingWindowLayer(3, 9)])", "", "", "DynamicCache: it has dropped positions that left its window of 4; give an example with fewer positions"},
		"own":     {"class MambaCache: __module__ = 'transformers.models.mamba'\ndef given(): return MambaCache()", "", "", "MambaCache: transformers 4.0-test keeps its tensors in a form that is not known here; a DynamicCache is"},
		"unknown": {"class PagedCache(Cache):\n  def __init__(self): pass\ndef given(): return PagedCache()", "", "", "PagedCache: transformers 4.0-test keeps its tensors in a form that is not known here; a DynamicCache is"},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := torch.Open(t.Context(), standInChild(t, cacheClasses+c.given+"\n"), torch.Opening{Target: "target.py:make"})
			if c.err != "" {
				if err == nil || err.Error() != c.err {
					t.Errorf("got %v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			d := b.Description
			names := d.InputNames
			if len(names) == 0 {
				for _, l := range d.Inputs {
					names = append(names, l.Path)
				}
			}
			if got := strings.Join(names, " "); got != c.inputs {
				t.Errorf("inputs %s, want %s", got, c.inputs)
			}
			if got := strings.Join(d.OutputNames, " "); got != c.outputs {
				t.Errorf("outputs %s, want %s", got, c.outputs)
			}
			if len(d.Changes) > 0 {
				t.Errorf("changes %q", d.Changes)
			}
		})
	}
}
