package architecture_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/architecture"
	"lathe/graphops/roles"
	"lathe/graphops/shape"
	"lathe/graphops/summary"
)

// of describes a model.
func of(t testing.TB, m *graphops.Model) *architecture.Architecture {
	t.Helper()
	shapes, err := shape.Infer(t.Context(), m, shape.Options{NameAxes: true})
	if err != nil {
		t.Fatal(err)
	}
	ports, err := roles.Find(t.Context(), m, roles.Options{Shapes: shapes})
	if err != nil {
		t.Fatal(err)
	}
	found, err := summary.Of(t.Context(), m, shapes)
	if err != nil {
		t.Fatal(err)
	}
	a, err := architecture.Of(t.Context(), m, shapes, ports, found)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func opened(t testing.TB, path string) *architecture.Architecture {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return of(t, m)
}

// decode reads a JSON file.
func decode(t testing.TB, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// TestGenAI compares models of onnxruntime-genai's builder with the configuration beside them. They
// were made from configurations with the default base of 10,000.
func TestGenAI(t *testing.T) {
	paths, _ := filepath.Glob("../../../shared/models/llm/*/model.onnx")
	if len(paths) == 0 {
		t.Skip("the shared models are not here")
	}
	for _, path := range paths {
		var c struct {
			Model struct {
				Vocab   int64 `json:"vocab_size"`
				Decoder struct {
					HeadSize int64 `json:"head_size"`
					Hidden   int64 `json:"hidden_size"`
					Heads    int64 `json:"num_attention_heads"`
					Layers   int   `json:"num_hidden_layers"`
					KV       int64 `json:"num_key_value_heads"`
					Window   *struct {
						Size   int64 `json:"window_size"`
						Layers []int `json:"layers"`
					} `json:"sliding_window"`
				} `json:"decoder"`
			} `json:"model"`
		}
		decode(t, filepath.Join(filepath.Dir(path), "genai_config.json"), &c)
		a, d := opened(t, path), c.Model.Decoder
		if len(a.Blocks) != 1 || a.Blocks[0].Layers != d.Layers || a.Vocabulary != c.Model.Vocab {
			t.Errorf("%s: %d blocks, vocabulary %d: %+v", path, len(a.Blocks), a.Vocabulary, a.Blocks)
			continue
		}
		for _, k := range a.Blocks[0].Kinds {
			window := int64(0)
			if w := d.Window; w != nil && slices.Equal(w.Layers, k.Layers) {
				window = w.Size
			}
			if k.Heads != d.Heads || k.KVHeads != d.KV || k.HeadSize != d.HeadSize || k.Hidden != d.Hidden || k.Window != window {
				t.Errorf("%s: %+v", path, k)
			}
			if want := (architecture.Rotary{Exists: true, Base: 10000, Factor: 1, Uniform: true, Size: d.HeadSize}); k.Rotary != want {
				t.Errorf("%s: rotary %+v", path, k.Rotary)
			}
			int4 := []architecture.Packing{{Bits: 4, Group: 32}}
			if strings.Contains(path, "int4") != slices.Equal(k.Weights, int4) {
				t.Errorf("%s: weights %v", path, k.Weights)
			}
			checkEvidence(t, path, k)
		}
		if strings.Contains(path, "gemma2") != (len(a.Blocks[0].Kinds) == 2) {
			t.Errorf("%s: %d kinds of layers", path, len(a.Blocks[0].Kinds))
		}
	}
}

// checkEvidence expects evidence for each fact.
func checkEvidence(t *testing.T, path string, k architecture.Kind) {
	t.Helper()
	for fact, known := range map[string]bool{
		"heads": k.Heads > 0, "kv heads": k.KVHeads > 0, "head size": k.HeadSize > 0, "hidden": k.Hidden > 0, "window": k.Window > 0, "cache": k.Cache != "",
		"rotary": k.Rotary.Exists, "rotary base": k.Rotary.Base > 0, "weights": len(k.Weights) > 0, "norm": k.Norm != "", "activation": k.Activation != "",
		"experts": k.Experts > 0, "top k": k.TopK > 0, "softcap": k.Softcap > 0,
	} {
		if is := slices.ContainsFunc(k.Evidence, func(e architecture.Evidence) bool { return e.Fact == fact }); is != known {
			t.Errorf("%s: %s: known %v, evidence %v", path, fact, known, is)
		}
	}
}

// TestOptimum compares exports of Optimum with their configurations.
func TestOptimum(t *testing.T) {
	for _, e := range []struct {
		pattern string
		want    string
		blocks  string
	}{
		{"optimum/t5/decoder_model_merged.onnx", "320 tokens; 512 a position, 512 an encoder position, 0 fixed", "2 layers 4×8 kv 4 RMS 1e-06 ReLU growing cache"},
		{"optimum/t5/decoder_with_past_model.onnx", "320 tokens; 512 a position, 512 an encoder position, 0 fixed", "2 layers 4×8 kv 4 RMS 1e-06 ReLU growing cache"},
		{"optimum/whisper/decoder_with_past_model.onnx", "320 tokens; 512 a position, 512 an encoder position, 0 fixed", "2 layers 4×8 kv 4 layer 1e-05 GELU growing cache"},
		{"optimum/whisper/decoder_model.onnx", "320 tokens; 512 a position, 512 an encoder position, 0 fixed", "2 layers 4×8 kv 4 layer 1e-05 GELU growing cache"},
		{"optimum/vit/model.onnx", "0 tokens; 0 a position, 0 an encoder position, 0 fixed", "2 layers 4×8 kv 0 layer 1e-12 GELU "},
		{"text/gpt2_past.onnx", "0 tokens; 384 a position, 0 an encoder position, 0 fixed", "12 layers 2×2 kv 2 layer 1e-05 GELU (tanh) growing cache"},
		{"text/tf_bert_question_answering.onnx", "0 tokens; 0 a position, 0 an encoder position, 0 fixed", "24 layers 2×4 kv 0 layer 1e-12 GELU "},
	} {
		path := filepath.Join("../../../shared/models", e.pattern)
		if _, err := os.Stat(path); err != nil {
			t.Skip("the shared models are not here")
		}
		a := opened(t, path)
		m := a.Memory()
		got := fmt.Sprintf("%d tokens; %d a position, %d an encoder position, %d fixed", a.Vocabulary, m.PerPosition, m.PerEncoded, m.Fixed)
		blocks := blocksText(a)
		if got != e.want || blocks != e.blocks || len(m.Unknown) > 0 {
			t.Errorf("%s:\ngot  %s | %s %v\nwant %s | %s", e.pattern, got, blocks, m.Unknown, e.want, e.blocks)
		}
	}
}

// blocksText describes blocks in short.
func blocksText(a *architecture.Architecture) string {
	var out []string
	for _, b := range a.Blocks {
		for _, k := range b.Kinds {
			out = append(out, fmt.Sprintf("%d layers %d×%d kv %d %s %.3g %s %s", len(k.Layers), k.Heads, k.HeadSize, k.KVHeads, k.Norm, k.Epsilon, k.Activation, k.Cache))
		}
	}
	return strings.Join(out, "; ")
}

// TestDecoders describes the decoders of testdata. One of them has plain nodes instead of operators.
func TestDecoders(t *testing.T) {
	for name, want := range map[string]string{
		"joined":  "2 layers 4×8 kv 4 RMS 1e-06 SiLU growing cache",
		"grouped": "2 layers 4×16 kv 2 RMS 1e-06 SiLU shared cache",
		"encoded": "2 layers 4×8 kv 4 layer 1e-05 ReLU growing cache",
	} {
		a := opened(t, "../../testdata/decoders/"+name+".onnx")
		if got := blocksText(a); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
		for _, k := range a.Blocks[0].Kinds {
			checkEvidence(t, name, k)
			if name != "encoded" && k.Rotary.Base != 10000 {
				t.Errorf("%s: rotary %+v", name, k.Rotary)
			}
		}
	}
}

// TestWork counts the products of each part of the work.
func TestWork(t *testing.T) {
	for name, want := range map[string]string{
		"joined":  "attention 12, feed-forward 6, output head 1",
		"grouped": "attention 8, feed-forward 6, output head 1",
		"encoded": "attention 24, feed-forward 4, output head 1",
	} {
		a := opened(t, "../../testdata/decoders/"+name+".onnx")
		count := map[architecture.Work]int{}
		for i, n := range a.Place.Graph.Nodes() {
			if n.OpType() == "MatMul" || n.OpType() == "MatMulNBits" {
				count[a.Work[i]]++
			}
		}
		var got []string
		for _, w := range architecture.Works() {
			if count[w] > 0 {
				got = append(got, fmt.Sprintf("%s %d", w, count[w]))
			}
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%s: got %s, want %s", name, text, want)
		}
	}
}
