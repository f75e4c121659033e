package sizing_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/sizing"
)

// TestRefused: what a runtime says leads to the next proposal.
func TestRefused(t *testing.T) {
	const free = "input x f32[a,b]\ny = Unknown(x)\noutput y f32"
	for _, c := range []struct{ words, symbol string }{
		{"got 3 expected 16", "a"},
		{"capacity (3) must be at least window (64)", "a"},
		{"b must be 9", "b"},
	} {
		q := searchOf(t, graphtest.Model(t, free), nil, sizing.Check)
		first, _ := q.Next(t.Context())
		words := strings.ReplaceAll(c.words, "3", "2")
		q.Refused(sizing.Refusal{Words: words})
		second, ok := q.Next(t.Context())
		want := map[string]int64{"got 2 expected 16": 16, "capacity (2) must be at least window (64)": 64, "b must be 9": 9}[words]
		if !ok || second[c.symbol] != want {
			t.Errorf("%q: %v, then %v, want %s=%d", words, first, second, c.symbol, want)
		}
	}
}

// TestRefusedAtNode: the sizes of the symbols that a node reads change, those of others stay
// as long as they can.
func TestRefusedAtNode(t *testing.T) {
	m := graphtest.Model(t, "input x f32[2,a]\ninput z f32[2,b]\nfirst: y = Relu(x)\nsecond: w = Relu(z)")
	q := searchOf(t, m, nil, sizing.Check)
	seen := map[int64]bool{}
	for sizes, ok := q.Next(t.Context()); ok; sizes, ok = q.Next(t.Context()) {
		if seen[sizes["b"]] {
			t.Errorf("b is %d again", sizes["b"])
		}
		seen[sizes["b"]] = true
		q.Refused(sizing.Refusal{Place: m.Places()[0], Node: 1, Words: "no"})
	}
	if n := len(q.Attempts); n < 4 || n > sizing.MaxAttempts {
		t.Errorf("%d attempts", n)
	}
	for _, part := range []string{`node "second" (Relu): no`, "no sizes of a, b fit; tried a=3 b=5 and ", " more, always with the same error, so look at the node first; give others with --dim a=N, or values with --input or --data"} {
		if err := q.Err().Error(); !strings.Contains(err, part) {
			t.Errorf("got %q, want %q in it", err, part)
		}
	}
}

// besideModel opens a model that lies beside files.
func besideModel(t *testing.T, text string, files map[string]string) *graphops.Model {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "onnx", "m.onnx")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := graphops.Save(t.Context(), graphtest.Model(t, text), path, graphops.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestBeside: sizes that files beside the model name, and what is no such file.
func TestBeside(t *testing.T) {
	const model = `
		input pixel_values f32[batch,num_channels,height,width]
		input input_ids i64[batch,sequence_length]
		input past.key f32[batch,2,past_length,kv_cache_dim]
		input input_values f32[batch,samples]
		output y f32
		y = Relu(pixel_values)`
	for name, c := range map[string]struct {
		files map[string]string
		want  map[string]int64
	}{
		"height and width":     {map[string]string{"preprocessor_config.json": `{"size":{"height":64,"width":96},"sampling_rate":8000}`}, map[string]int64{"height": 64, "width": 96, "samples": 8000}},
		"one size":             {map[string]string{"preprocessor_config.json": `{"size":384}`}, map[string]int64{"height": 384, "width": 384}},
		"the shortest edge":    {map[string]string{"preprocessor_config.json": `{"size":{"shortest_edge":256}}`}, map[string]int64{"height": 256, "width": 256}},
		"cropped":              {map[string]string{"preprocessor_config.json": `{"size":{"shortest_edge":256},"crop_size":{"height":240,"width":240},"do_center_crop":true}`}, map[string]int64{"height": 240}},
		"not cropped":          {map[string]string{"preprocessor_config.json": `{"size":{"shortest_edge":256},"crop_size":{"height":240,"width":240},"do_center_crop":false}`}, map[string]int64{"height": 256}},
		"config":               {map[string]string{"config.json": `{"image_size":[32,48],"num_channels":1,"max_position_embeddings":40}`}, map[string]int64{"height": 32, "width": 48, "num_channels": 1, "past_length": 40}},
		"vision":               {map[string]string{"config.json": `{"vision_config":{"image_size":336}}`}, map[string]int64{"height": 336}},
		"the preprocessor":     {map[string]string{"config.json": `{"image_size":32}`, "preprocessor_config.json": `{"size":64}`}, map[string]int64{"height": 64}},
		"genai":                {map[string]string{"genai_config.json": `{"model":{"context_length":100,"decoder":{"head_size":16}}}`}, map[string]int64{"kv_cache_dim": 16, "past_length": 100}},
		"of other types":       {map[string]string{"config.json": `{"image_size":"large","num_channels":-3,"max_position_embeddings":1e99}`}, map[string]int64{"height": 224, "past_length": 128}},
		"no JSON":              {map[string]string{"config.json": `{`, "preprocessor_config.json": "\x00"}, map[string]int64{"height": 224}},
		"too much":             {map[string]string{"config.json": `{"image_size":32,"x":"` + strings.Repeat("x", 1<<20) + `"}`}, map[string]int64{"height": 224}},
		"nothing at all":       {nil, map[string]int64{"height": 224, "samples": 16_000, "past_length": 128}},
		"a size beyond memory": {map[string]string{"config.json": `{"image_size":99999999999}`}, map[string]int64{"height": 224}},
	} {
		sizes, _ := searchOf(t, besideModel(t, model, c.files), nil, sizing.Measure).Next(t.Context())
		for symbol, n := range c.want {
			if sizes[symbol] != n {
				t.Errorf("%s: %s is %d, want %d", name, symbol, sizes[symbol], n)
			}
		}
	}
}

// TestNotes: what determined a size is said with it.
func TestNotes(t *testing.T) {
	m := besideModel(t, "input x f32[1,3,height,k]\ninit w f32[6,2] 1\noutput y f32\ny = MatMul(x, w)", map[string]string{"config.json": `{"image_size":32}`})
	q := searchOf(t, m, nil, sizing.Look)
	sizes, _ := q.Next(t.Context())
	got := strings.Join(q.Notes(sizes), "\n")
	want := `dimension "height" is 32: config.json says so` + "\n" + `dimension "k" is 6: node 0 (MatMul) takes no other size`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestLargest: a table of positions limits a size, and what is even does not.
func TestLargest(t *testing.T) {
	for name, c := range map[string]struct{ model, want string }{
		"positions": {"input x i64[batch,seq]\ninit t f32[512,4] 1\ninit z i64[] 0\ninit o i64[] 1\ns = Shape(x)\nn = Gather(s, o)\nr = Range(z, n, o)\ny = Gather(t, r)", "largest seq=512"},
		"a half":    {"input x f32[n,2]\ninit half i64[3] 2 -1 2\ny = Reshape(x, half)", ""},
	} {
		got := ""
		for _, v := range searchOf(t, graphtest.Model(t, c.model), nil, sizing.Check).Variants() {
			if strings.HasPrefix(v.Name, "largest") {
				got = v.Name
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// FuzzBeside: a file beside a model is hostile.
func FuzzBeside(f *testing.F) {
	f.Add(`{"size":{"height":64,"width":96},"image_size":[1,2],"model":{"decoder":{"head_size":1}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		m := besideModel(t, "input x f32[1,3,height,width]\noutput y f32\ny = Relu(x)", map[string]string{"config.json": text, "preprocessor_config.json": text, "genai_config.json": text})
		sizes, ok := searchOf(t, m, nil, sizing.Look).Next(t.Context())
		if !ok || sizes["height"] < 1 || sizes["height"] > 1<<24 {
			t.Errorf("%v, %v", sizes, ok)
		}
	})
}

// TestRecall: a second search begins where the first ended, and has the same variants. What
// is given, and another purpose, has a search of its own; a damaged file is as none.
func TestRecall(t *testing.T) {
	m := graphtest.Model(t, "input x f32[batch,height,width]\noutput y f32\ny = Unknown(x)")
	store := sizing.Store{Folder: filepath.Join(t.TempDir(), "sizes")}
	learn := func(given map[string]int64, refusals int) (*sizing.Search, map[string]int64) {
		q := searchOf(t, m, given, sizing.Check)
		q.Recall(store)
		sizes, _ := q.Next(t.Context())
		for range refusals {
			q.Refused(sizing.Refusal{Words: "no"})
			sizes, _ = q.Next(t.Context())
		}
		q.Accepted(t.Context())
		return q, sizes
	}
	first, want := learn(nil, 2)
	second, got := learn(nil, 0)
	if !maps.Equal(got, want) || len(second.Attempts) != 1 {
		t.Errorf("%v after %d attempts, want %v", got, len(second.Attempts), want)
	}
	if diff := cmp.Diff(first.Variants(), second.Variants()); diff != "" {
		t.Error(diff)
	}
	if _, other := learn(map[string]int64{"height": 9}, 0); other["height"] != 9 || maps.Equal(other, want) {
		t.Errorf("with a given height: %v", other)
	}
	files, err := os.ReadDir(store.Folder)
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	for _, text := range []string{"", "{", `{"schema":"lathe.sizes/1","searches":{"purpose 0":{"sizes":{"batch":-1,"height":1,"width":1}}}}`, `{"schema":"lathe.sizes/1","searches":{"purpose 0":{"level":200}}}`} {
		if err := os.WriteFile(filepath.Join(store.Folder, files[0].Name()), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if q, sizes := learn(nil, 0); len(q.Attempts) != 1 || sizes["batch"] != 2 || sizes["height"] != 3 {
			t.Errorf("%q: %v", text, sizes)
		}
	}
}

// TestPromptNote: who measures a decoder is told how its prompt is measured, unless sizes
// were given.
func TestPromptNote(t *testing.T) {
	m := graphtest.Model(t, "input ids i64[b,seq]\ninput past f32[b,2,past_len,4]\noutput y f32\ny = Relu(past)")
	for _, c := range []struct {
		given   map[string]int64
		purpose sizing.Purpose
		want    string
	}{
		{nil, sizing.Measure, "this is one step of a decoder with a full cache; to run it on a prompt: --dim past_len=0 --dim seq=128"},
		{map[string]int64{"past_len": 9}, sizing.Measure, ""},
		{nil, sizing.Check, ""},
	} {
		q := searchOf(t, m, c.given, c.purpose)
		sizes, _ := q.Next(t.Context())
		if got := strings.Join(q.Notes(sizes), "\n"); got != c.want {
			t.Errorf("%v: got %q, want %q", c.given, got, c.want)
		}
	}
}

// TestContradictionOfManyEnds: a thousand symbols that depend on each other, and an equation
// that no sizes satisfy. The work of a search is bounded, whatever a file demands.
func TestContradictionOfManyEnds(t *testing.T) {
	const n = 1000
	var b strings.Builder
	b.WriteString("opset 18\ninput x0 f32[s0]\n")
	for i := range n {
		fmt.Fprintf(&b, "input x%d f32[s%d]\ninit k%d i64[2] -1 %d\nu%d = Concat(x%d, x%d) axis=0\ny%d = Reshape(u%d, k%d)\n", i+1, i+1, i, i%7+2, i, i, i+1, i, i, i)
	}
	b.WriteString("q = Concat(x0, x1) axis=0\nz = MatMul(q, x1)\n")
	q := searchOf(t, graphtest.Model(t, b.String()), nil, sizing.Check)
	attempts := 0
	for ; attempts <= sizing.MaxAttempts; attempts++ {
		if _, more := q.Next(t.Context()); !more {
			break
		}
	}
	if attempts != 1 {
		t.Errorf("%d proposals, want the one of the last resort", attempts)
	}
}

// TestJointNotes says that sizes have to give a number together, unless the user gave all of them.
func TestJointNotes(t *testing.T) {
	m := graphtest.Model(t, `
		input x f32[h,w]
		init k f32[8,1] 1 2 3 4 5 6 7 8
		output y f32
		f = Flatten(x) axis=0
		flat: y = MatMul(f, k)
	`)
	for _, c := range []struct {
		given map[string]int64
		note  bool
	}{{nil, true}, {map[string]int64{"h": 2}, true}, {map[string]int64{"h": 2, "w": 4}, false}} {
		q := searchOf(t, m, c.given, sizing.Check)
		sizes, ok := q.Next(t.Context())
		if !ok || sizes["h"]*sizes["w"] != 8 {
			t.Fatalf("sizes %v", sizes)
		}
		got := strings.Join(q.Notes(sizes), "\n")
		if has := strings.Contains(got, `h*w = 8, because node "flat" (MatMul) takes nothing else`); has != c.note {
			t.Errorf("given %v: notes %q", c.given, got)
		}
	}
}

// TestErrorIsShort: however many free axes a model has and however often it is refused, the error is
// a line that can be read.
func TestErrorIsShort(t *testing.T) {
	const shape = "batch_size,sequence_length,total_sequence_length,past_sequence_length,kv_cache_dim"
	m := graphtest.Model(t, "input x f32["+shape+"]\nnode: y = Relu(x)\noutput y f32["+shape+"]")
	q := searchOf(t, m, nil, sizing.Check)
	for i := 0; ; i++ {
		if _, ok := q.Next(t.Context()); !ok {
			break
		}
		q.Refused(sizing.Refusal{Place: m.Places()[0], Words: "refused"})
	}
	if err := q.Err().Error(); len(err) > 320 || len(q.Attempts) < 2 {
		t.Errorf("%d attempts make %d characters: %s", len(q.Attempts), len(err), err)
	}
}
