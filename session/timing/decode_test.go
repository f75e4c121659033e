//go:build cgo

package timing

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/flags"
	"lathe/session/sessiontest"

	"github.com/google/go-cmp/cmp"
)

// speaking is a decoder with a Concat as its cache, and names that say nothing.
const speaking = `opset 20
input a i64[b,n]
input p f32[b,2,q,4]
input v f32[b,2,q,4]
init table f32[6,8] 1 0 0 0 0 0 1 0  0 1 0 0 2 0 0 0  0 0 1 0 0 0 0 1  0 0 0 1 0 3 0 0  1 1 0 0 0 0 0 2  0 0 1 1 0 1 0 0
init back f32[8,6] 1 0 2 0 1 3  0 1 0 3 2 0  2 0 1 0 0 1  0 3 0 1 1 0  3 1 0 0 2 0  0 2 1 0 0 1  1 0 0 2 0 1  0 0 3 1 1 0
init apart i64[4] 0 0 2 4
init joined i64[3] 0 0 8
init wide f32[8,8] 1 0 0 0 1 0 0 0  0 1 0 0 0 0 1 0  0 0 1 0 0 2 0 0  0 0 0 1 0 0 0 1  1 0 0 0 2 0 0 0  0 1 0 1 0 1 0 0  0 0 1 0 0 0 1 0  1 0 0 0 0 0 0 1
g = Gather(table, a)
h = MatMul(g, wide)
s = Reshape(h, apart)
k = Transpose(s) perm=[0,2,1,3]
kp = Concat(p, k) axis=2
vp = Concat(v, k) axis=2
kt = Transpose(kp) perm=[0,1,3,2]
scores = MatMul(k, kt)
weights = Softmax(scores)
mixed = MatMul(weights, vp)
turned = Transpose(mixed) perm=[0,2,1,3]
c = Reshape(turned, joined)
logits = MatMul(c, back)
output logits f32[b,n,6]
output kp
output vp`

// quick is a measurement that takes little time.
func quick(models ...string) *Benchmark {
	return &Benchmark{Models: models, Runs: 20, NoMemory: true, Keeping: flags.Keeping{NoStore: true}, Running: flags.Running{Threads: 1}}
}

// benched measures a model of a text and returns the report.
func benched(t *testing.T, s *Benchmark, models map[string]string) (*Report, error) {
	t.Helper()
	env := sessiontest.Env(t)
	env.Models = map[string]*graphops.Model{}
	for name, content := range models {
		env.Models[name] = graphtest.Model(t, content)
		s.Models = append(s.Models, name)
	}
	result, err := s.Run(t.Context(), env)
	if err != nil {
		return nil, err
	}
	return result.Report.(*Report), nil
}

func TestDecodeMeasured(t *testing.T) {
	s := quick()
	s.Depths, s.Prompt, s.Tokens = "0,30", 7, 5
	report, err := benched(t, s, map[string]string{"m.onnx": speaking})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, run := range report.Report.Runs {
		d := run.Decode
		got = append(got, run.Name)
		tokens := float64(d.Tokens) * 1000 / float64(run.P50)
		if d.Cache != "swapped" || d.CacheKept != "swapped" || d.CI95 == nil || float64(d.PerS) != tokens || d.CI95[0] > d.PerS || d.CI95[1] < d.PerS || d.Lathe <= 0 || d.Lathe > run.P50 {
			t.Errorf("%s: %+v, %v", run.Name, d, run.P50)
		}
		// Two caches of two heads of four numbers of four bytes.
		positions := d.Depth + map[bool]int64{true: 7, false: 5}[d.IsPrompt()]
		if want := positions * 2 * 2 * 4 * 4; d.CacheBytes != want || run.Samples != 20 {
			t.Errorf("%s: %d bytes and %d runs, want %d and 20", run.Name, d.CacheBytes, run.Samples, want)
		}
	}
	if diff := cmp.Diff([]string{"m.onnx pp7", "m.onnx tg5", "m.onnx pp7 @ d30", "m.onnx tg5 @ d30"}, got); diff != "" {
		t.Error(diff)
	}
	var said bytes.Buffer
	if err := report.WriteText(&said); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"m.onnx: swapped cache with 1 thread; pp7 ", " first token after ", " a token", "tg5      30", "at depth 30 by random values"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("no %q in\n%s", want, said.String())
		}
	}
	document, err := json.Marshal(report)
	if err != nil || !strings.Contains(string(document), `"test":"pp7"`) {
		t.Errorf("%v, %s", err, document)
	}
}

// TestDecodeMemory divides the memory of a model.
func TestDecodeMemory(t *testing.T) {
	s := quick()
	s.Depths, s.Prompt, s.Tokens, s.NoMemory = "0,30", 7, 5, false
	report, err := benched(t, s, map[string]string{"m.onnx": speaking})
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range report.Report.Runs {
		if deepest := run.Decode.Depth == 30; (run.Memory != nil) != deepest {
			t.Errorf("%s: memory %v", run.Name, run.Memory)
		} else if deepest {
			// 6·8 + 8·6 + 8·8 floats, 7 integers; two caches of 37 positions
			d := run.Memory.Decode
			if d.Weights != 160*4+7*8 || d.Cache != 37*2*2*4*4 || d.Workspace == nil || run.Memory.Runs < 2 {
				t.Errorf("%s: %+v", run.Name, d)
			}
		}
	}
	var said bytes.Buffer
	if err := report.WriteText(&said); err != nil || !strings.Contains(said.String(), "weights 696 B, cache 2.3 KiB, workspace ") {
		t.Errorf("%v\n%s", err, said.String())
	}
}

// TestDecodeCompared measures two models in turn. Only equal tests are compared.
func TestDecodeCompared(t *testing.T) {
	s := quick()
	s.Depths, s.Prompt, s.Tokens, s.Cache = "3", 2, 4, "copied"
	report, err := benched(t, s, map[string]string{"a.onnx": speaking, "b.onnx": speaking})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"pp2 @ d3", "tg4 @ d3"} {
		c := report.Comparisons[i]
		if len(report.Comparisons) != 2 || !strings.HasSuffix(c.A, want) || !strings.HasSuffix(c.B, want) || c.A == c.B {
			t.Errorf("%d comparisons, %q with %q", len(report.Comparisons), c.A, c.B)
		}
	}
	if report.Report.Runs[0].Decode.CacheKept != "copied" {
		t.Error(report.Report.Runs[0].Decode.CacheKept)
	}
}

// TestDecodeOrLatency decides which of the two is measured.
func TestDecodeOrLatency(t *testing.T) {
	plain := "opset 20\ninput x f32[n,2]\ny = Relu(x)\noutput y f32[n,2]"
	// The input w has a size that follows the tokens, and nothing says what it is for.
	unknown := strings.Replace(strings.Replace(speaking, "input p ", "input w f32[b,n,8]\ninput p ", 1), "s = Reshape(h, apart)", "hw = Mul(h, w)\ns = Reshape(hw, apart)", 1)
	for name, tt := range map[string]struct {
		model   string
		change  func(*Benchmark)
		decodes bool
		note    string
		err     string
	}{
		"usual":            {speaking, func(*Benchmark) {}, true, "--latency measures single runs", ""},
		"context":          {speaking, func(*Benchmark) {}, true, "the length of the model's context is not known", ""},
		"asked":            {speaking, func(s *Benchmark) { s.Decode = true }, true, "", ""},
		"latency":          {speaking, func(s *Benchmark) { s.Latency = true }, false, "", ""},
		"no cache":         {plain, func(*Benchmark) {}, false, "", ""},
		"no cache, asked":  {plain, func(s *Benchmark) { s.Decode = true }, false, "", "--decode: no input is known to take token ids"},
		"a rate":           {speaking, func(s *Benchmark) { s.Rate, s.Runs = 1000, 20 }, false, "single runs are measured: --rate is given", ""},
		"a size":           {speaking, func(s *Benchmark) { s.Dim = []string{"q=3"} }, false, "single runs are measured: --dim is given", ""},
		"a size, asked":    {speaking, func(s *Benchmark) { s.Dim, s.Decode = []string{"q=3"}, true }, true, "", ""},
		"both":             {speaking, func(s *Benchmark) { s.Decode, s.Latency = true, true }, false, "", "--decode and --latency"},
		"no effect":        {speaking, func(s *Benchmark) { s.Latency, s.Depths = true, "3" }, false, "", "--depth: has no effect"},
		"rate, asked":      {speaking, func(s *Benchmark) { s.Rate, s.Decode = 5, true }, false, "", "--decode and --rate"},
		"wrong depth":      {speaking, func(s *Benchmark) { s.Depths = "1,x" }, false, "", `--depth "1,x": expected numbers`},
		"cannot be shared": {speaking, func(s *Benchmark) { s.Cache = "shared" }, false, "", "--cache shared: no operator of m.onnx"},
		"unknown":          {unknown, func(*Benchmark) {}, false, `what the input "w" is for`, ""},
		"unknown, asked":   {unknown, func(s *Benchmark) { s.Decode = true }, false, "", `what the input "w" is for`},
	} {
		t.Run(name, func(t *testing.T) {
			s := quick()
			s.Depths, s.Prompt, s.Tokens = "", 0, 0
			tt.change(s)
			report, err := benched(t, s, map[string]string{"m.onnx": tt.model})
			if err != nil || tt.err != "" {
				if err == nil || tt.err == "" || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "\n") {
					t.Errorf("got %v, want %q", err, tt.err)
				}
				return
			}
			if report.Decodes() != tt.decodes || !strings.Contains(strings.Join(report.Notes, "\n"), tt.note) {
				t.Errorf("decodes: %v, notes %q", report.Decodes(), report.Notes)
			}
		})
	}
}

// TestDecodeFolders measures the decoders by onnxruntime-genai's builder without an option.
func TestDecodeFolders(t *testing.T) {
	env := sessiontest.Env(t)
	for _, path := range llmFolders(t) {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			result, err := quick(path).Run(t.Context(), env)
			if err != nil {
				t.Fatal(err)
			}
			report := result.Report.(*Report)
			if len(report.Report.Runs) != 4 || report.Report.Runs[0].Decode.Cache != "shared" || report.Report.Runs[3].Name != path+" tg64 @ d128" {
				t.Errorf("%d runs, the last %q", len(report.Report.Runs), report.Report.Runs[len(report.Report.Runs)-1].Name)
			}
			if !strings.Contains(strings.Join(report.Notes, "\n"), "cut to the context of 256 positions (genai_config.json)") {
				t.Error(report.Notes)
			}
		})
	}
}

// TestDecodeTooLong measures a model whose table of positions ends, which nothing states.
func TestDecodeTooLong(t *testing.T) {
	short := strings.Replace(strings.Replace(speaking, "input p ", "input position_ids i64[b,n]\ninit places f32[40,8] "+strings.Repeat("1 0 2 0 0 1 0 1 ", 40)+"\ninput p ", 1),
		"h = MatMul(g, wide)", "w = Gather(places, position_ids)\ngw = Add(g, w)\nh = MatMul(gw, wide)", 1)
	for name, tt := range map[string]struct {
		change func(*Benchmark)
		runs   int
		note   string
		err    string
	}{
		"no prompt fits":  {func(*Benchmark) {}, 1, "single runs are measured, because it did not generate: m.onnx at depth 0: ", ""},
		"asked":           {func(s *Benchmark) { s.Decode = true }, 0, "", "--depth, --prompt and --tokens state what fits"},
		"one depth fits":  {func(s *Benchmark) { s.Prompt, s.Tokens = 4, 4 }, 2, "no depth of 2048 or more is measured: m.onnx at depth 2048: ", ""},
		"a depth too far": {func(s *Benchmark) { s.Prompt, s.Tokens, s.Depths = 4, 4, "0,50" }, 0, "", "m.onnx at depth 50: "},
	} {
		t.Run(name, func(t *testing.T) {
			s := quick()
			tt.change(s)
			report, err := benched(t, s, map[string]string{"m.onnx": short})
			if err != nil || tt.err != "" {
				if err == nil || tt.err == "" || !strings.Contains(err.Error(), tt.err) || !strings.Contains(err.Error(), "out of data bounds") {
					t.Errorf("got %v, want %q", err, tt.err)
				}
				return
			}
			if len(report.Report.Runs) != tt.runs || !strings.Contains(strings.Join(report.Notes, "\n"), tt.note) {
				t.Errorf("%d runs, notes %q", len(report.Report.Runs), report.Notes)
			}
		})
	}
}

func TestWork(t *testing.T) {
	for name, tt := range map[string]struct {
		o       decoding
		context int64
		depths  []int64
		prompt  int64
		tokens  int64
		note    string
		err     string
	}{
		"unknown":      {decoding{}, 0, []int64{0, 2048, 8192}, 512, 128, "is not known", ""},
		"long":         {decoding{}, 131072, []int64{0, 2048, 8192}, 512, 128, "", ""},
		"middle":       {decoding{}, 4096, []int64{0, 2048, 3584}, 512, 128, "cut to the context of 4096", ""},
		"short":        {decoding{}, 256, []int64{0, 128}, 128, 64, "cut to the context of 256", ""},
		"very short":   {decoding{}, 1, []int64{0}, 1, 1, "cut to", ""},
		"given":        {decoding{Depths: "64,0"}, 256, []int64{0, 64}, 128, 64, "cut to", ""},
		"too deep":     {decoding{Depths: "200"}, 256, nil, 0, 0, "", "--depth 200: with 128 further tokens at most 128"},
		"too long":     {decoding{Prompt: 300}, 256, nil, 0, 0, "", "a prompt of 300"},
		"all is given": {decoding{Depths: "5", Prompt: 6, Tokens: 7}, 20, []int64{5}, 6, 7, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w, err := tt.o.work(tt.context, "here")
			if err != nil || tt.err != "" {
				if err == nil || tt.err == "" || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got %v, want %q", err, tt.err)
				}
				return
			}
			if diff := cmp.Diff(tt.depths, w.depths); diff != "" || w.prompt != tt.prompt || w.tokens != tt.tokens {
				t.Errorf("%s, prompt %d, tokens %d", diff, w.prompt, w.tokens)
			}
			if said := strings.Join(w.notes, "\n"); !strings.Contains(said, tt.note) || tt.note == "" && said != "" {
				t.Error(said)
			}
		})
	}
}
