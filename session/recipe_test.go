package session_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lathe/session"
)

func readRecipe(t *testing.T, s string) session.Recipe {
	t.Helper()
	r, err := session.ReadRecipe(strings.NewReader(s))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const recipe = `lathe: 1
model: digits.onnx
steps:
  - inspect
  - fake: {mode: slow, name: [a, "b: c"], file: out/x.onnx, on: true, n: 3}
`

func TestRecipeApply(t *testing.T) {
	r := readRecipe(t, recipe)
	if r.Model != "digits.onnx" || len(r.Steps) != 2 || r.Steps[0].Step != "inspect" {
		t.Fatalf("read %+v", r)
	}
	s := &fakeStep{Names: []string{"left over"}}
	if err := r.Steps[1].Apply(s, "/dir"); err != nil {
		t.Fatal(err)
	}
	want := &fakeStep{Mode: "slow", Names: []string{"a", "b: c"}, File: "/dir/out/x.onnx", On: true, N: 3}
	if diff := cmp.Diff(want, s, cmpopts.IgnoreUnexported(fakeStep{})); diff != "" {
		t.Error(diff)
	}
}

// TestRecipeRoundTrip writes and reads values that YAML would otherwise read as another type.
func TestRecipeRoundTrip(t *testing.T) {
	s := &fakeStep{Word: "yes", Mode: "fast", Names: []string{"1", "null", "a, b", "#c", "é\n\x01", "- x", "", "\xff\x9b", "\x1b[2J\u009b\u2028\ufeff"}, X: 0.25, On: true}
	want := session.Recipe{Model: "n\xf6", Steps: []session.Call{session.CallOf(s)}}
	var buf bytes.Buffer
	if _, err := want.WriteTo(&buf); err != nil {
		t.Fatal(err)
	}
	got := readRecipe(t, buf.String())
	again := &fakeStep{}
	if err := got.Steps[0].Apply(again, ""); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, again, cmpopts.IgnoreUnexported(fakeStep{})); diff != "" || got.Model != "n\xf6" {
		t.Errorf("%s\nmodel %q\n%s", diff, got.Model, buf.String())
	}
}

func TestRecipeErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "the recipe is empty"},
		{"unknown key", "lathe: 1\nmdoel: x\n", `line 2: unknown key "mdoel"`},
		{"unknown key of a list", "lathe: 1\nstepz:\n  - inspect\n", `line 2: unknown key "stepz"`},
		{"key twice", "lathe: 1\nlathe: 1\n", `line 2: key "lathe" is given twice`},
		{"version", "lathe: 3\n", `recipe version "3" is not known; expected lathe: 2, or an earlier version down to 1`},
		{"no number", "lathe: x\n", `recipe version "x" is not known`},
		{"no version", "model: x\n", `recipe version "" is not known`},
		{"steps no list", "lathe: 1\nsteps: {prune: {}}\n", "line 2: steps is a list"},
		{"two in one", "lathe: 1\nsteps:\n  - {prune: {}, axes: {}}\n", "line 3: expected one step"},
		{"nested", "lathe: 1\nsteps:\n  - fake: {name: [[a]]}\n", "line 3: expected one value"},
		{"no yaml", "lathe: [1\n", "line 1"},
		{"no base64", "lathe: 1\nmodel: !!binary \"=\"\n", "line 2: the value of !!binary is not base64"},
		{"two documents", "lathe: 1\n---\nlathe: 1\n", "line 2: a second YAML document begins; a recipe is one document"},
		{"too large", "lathe: 1\n" + strings.Repeat("#\n", 1<<19), "the recipe is larger than 1024 KiB"},
		{"alias bomb", "lathe: 1\nmodel: &a [x]\nsteps: [*a]\n", "line 2: expected one value"},
	} {
		_, err := session.ReadRecipe(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
	for _, c := range []struct{ options, want string }{
		{"mode: fast, wrod: x", `line 3: fake: unknown option "wrod"; one of word, file, mode`},
		{"mode: quick", `line 3: fake: --mode: "quick" is not one of`},
		{"mode: [fast, slow]", "line 3: fake: mode takes one value, got 2"},
		{"word: x", "line 3: fake: mode is required"},
		{`mode: fast, file: ""`, "line 3: fake: file: expected the name of a file"},
	} {
		r := readRecipe(t, "lathe: 1\nsteps:\n  - fake: {"+c.options+"}\n")
		err := r.Steps[0].Apply(&fakeStep{}, "")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.options, err, c.want)
		}
	}
}

func FuzzReadRecipe(f *testing.F) {
	f.Add(recipe)
	f.Add("lathe: 1\nsteps:\n  - fake: {name: [*x]}\n")
	f.Fuzz(func(_ *testing.T, text string) {
		r, err := session.ReadRecipe(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, c := range r.Steps {
			_ = c.Apply(&fakeStep{}, "dir") // may return an error, must not panic
		}
	})
}

func TestCommandOf(t *testing.T) {
	s := &fakeStep{Mode: "fast", Names: []string{"it's", "b"}, On: true}
	got := session.CommandOf(s, "my model.onnx")
	want := `lathe fake 'my model.onnx' --mode=fast --name='it'\''s' --name=b --on`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestRelative(t *testing.T) {
	s := &fakeStep{Mode: "fast", File: "/base/out/x.onnx", Word: "/base/word"}
	r := session.Recipe{Model: "/base/m.onnx", Steps: []session.Call{session.CallOf(s)}}
	rel := r.Relative("/base/recipes", func(_, name string) (session.Option, bool) {
		for _, o := range s.Options() {
			if o.Name == name {
				return o, true
			}
		}
		return session.Option{}, false
	})
	again := &fakeStep{}
	if err := rel.Steps[0].Apply(again, "/base/recipes"); err != nil {
		t.Fatal(err)
	}
	if rel.Model != "../m.onnx" || again.File != s.File || again.Word != s.Word {
		t.Errorf("model %q, file %q, word %q", rel.Model, again.File, again.Word)
	}
	if r.Model != "/base/m.onnx" || r.Steps[0].Options[0].Values[0] != "/base/word" {
		t.Error("the original recipe changed")
	}
}

// TestRecipeOfVersion1 reads the names that options and steps had in version 1.
func TestRecipeOfVersion1(t *testing.T) {
	r := readRecipe(t, "lathe: 1\nsteps:\n  - quantize: {mode: dynamic, out: q.onnx}\n  - quantize: {out: q.onnx}\n  - fake: {mode: fast, text: a}\n  - fake: {speed: slow}\n")
	if r.Steps[0].Step != "quantize dynamic" || len(r.Steps[0].Options) != 1 || r.Steps[1].Step != "quantize" {
		t.Errorf("%+v", r.Steps[:2])
	}
	for i, want := range []fakeStep{{Word: "a", Mode: "fast"}, {Mode: "slow"}} {
		var got fakeStep
		if err := r.Steps[2+i].Apply(&got, ""); err != nil || got.Word != want.Word || got.Mode != want.Mode {
			t.Errorf("%+v, %v", got, err)
		}
	}
}
