package timing

import (
	"slices"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session/flags"
	"lathe/session/generation"
	"lathe/session/ort"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
)

// static is speaking with caches of 40 positions, into which write writes at an index.
func static(write string) string {
	return strings.NewReplacer(
		"opset 20", "opset 24",
		"input p f32[b,2,q,4]\ninput v f32[b,2,q,4]", "input p f32[b,2,40,4]\ninput v f32[b,2,40,4]\ninput mask i64[b,40]\ninit inner i64[2] 1 2\ninit least f32[1] -1e9",
		"kp = Concat(p, k) axis=2\nvp = Concat(v, k) axis=2", write,
		"scores = MatMul(k, kt)", "met = MatMul(k, kt)\nm4 = Unsqueeze(mask, inner)\non = Cast(m4) to=9\nscores = Where(on, met, least)",
	).Replace(speaking)
}

const (
	scatterTensor = "input at i64[b]\nkp = TensorScatter(p, k, at)\nvp = TensorScatter(v, k, at)"
	scatterRows   = `input at i64[n]
init end i64[1] 1
rows = Unsqueeze(at, end)
pt = Transpose(p) perm=[2,0,1,3]
kt2 = Transpose(k) perm=[2,0,1,3]
pw = ScatterND(pt, rows, kt2)
kp = Transpose(pw) perm=[1,2,0,3]
vt = Transpose(v) perm=[2,0,1,3]
vw = ScatterND(vt, rows, kt2)
vp = Transpose(vw) perm=[1,2,0,3]`
)

// decoderFor loads a model of a text.
func decoderFor(t *testing.T, content string) *decoder {
	t.Helper()
	m := graphtest.Model(t, content)
	s := &Benchmark{Models: []string{"m.onnx", "m.onnx"}, Running: flags.Running{Threads: 1}}
	subject, err := s.Load(t.Context(), sessiontest.Env(t), m, &Subject{Model: m, Path: "m.onnx"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = subject.Session.Close() })
	plan, err := generation.Of(m, subject.roles, subject.feeds)
	if err != nil {
		t.Fatal(err)
	}
	return &decoder{Subject: subject, plan: plan, mode: plan.Usual()}
}

// TestDecodeStatic generates the same tokens with caches that grow and with those of fixed capacity.
func TestDecodeStatic(t *testing.T) {
	generate := func(t *testing.T, d *decoder, mode generation.Mode) []int64 {
		l := d.Session.(runtime.Loaded)
		if _, err := l.Decode(t.Context(), d.plan.Decode(mode, 40, false)); err != nil {
			t.Fatal(err)
		}
		got, err := l.Generate(t.Context(), ort.Generation{Restart: true, Prompt: []int64{3, 1, 4, 1, 5}, Steps: 34})
		if err != nil {
			t.Fatal(err)
		}
		return got.Tokens
	}
	want := generate(t, decoderFor(t, speaking), generation.Copied)
	if slices.Min(want) == slices.Max(want) {
		t.Fatalf("all tokens are alike: %v", want)
	}
	for name, tt := range map[string]struct {
		write string
		kept  string
	}{
		"TensorScatter": {scatterTensor, "shared"},
		"ScatterND":     {scatterRows, "passed on"},
	} {
		t.Run(name, func(t *testing.T) {
			d := decoderFor(t, static(tt.write))
			if kept := d.plan.Describe(d.mode); kept != tt.kept || d.plan.Capacity != 40 {
				t.Errorf("%s, %d positions; want %s, 40", kept, d.plan.Capacity, tt.kept)
			}
			for _, mode := range []generation.Mode{d.mode, generation.Swapped, generation.Copied} {
				if got := generate(t, d, mode); !slices.Equal(got, want) {
					t.Errorf("%s: %v\nwant %v", mode, got, want)
				}
			}
			if err := d.prepare(t.Context(), d.Session.(runtime.Loaded), 41); err == nil || !strings.Contains(err.Error(), "room for 40") {
				t.Errorf("41 positions: %v", err)
			}
		})
	}
}

// TestDecodeLimited measures models whose inputs limit what can be measured, and reads what is said of it.
func TestDecodeLimited(t *testing.T) {
	for name, tt := range map[string]struct {
		model, note string
		last        string
	}{
		"static cache": {static(scatterTensor), "cut to the context of 40 positions (the size of the cache)", "m.onnx tg10 @ d20"},
		"embeddings":   {strings.NewReplacer("input a i64[b,n]\n", "input a f32[b,n,8]\n", "g = Gather(table, a)", "g = Identity(a)").Replace(speaking), "the model takes embeddings (\"a\") instead of token ids: random ones are fed", "m.onnx tg128 @ d8192"},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := benched(t, quick(), map[string]string{"m.onnx": tt.model})
			if err != nil {
				t.Fatal(err)
			}
			if notes := strings.Join(report.Notes, "\n"); !strings.Contains(notes, tt.note) {
				t.Errorf("notes %q", notes)
			}
			if runs := report.Report.Runs; runs[len(runs)-1].Name != tt.last {
				t.Errorf("the last run is %q, want %q", runs[len(runs)-1].Name, tt.last)
			}
		})
	}
}
