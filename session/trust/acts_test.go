package trust_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops/permit"
	"lathe/session"
	"lathe/session/steps"
	"lathe/session/trust"
)

// plain are options of free text that say nothing to the machine: names, numbers and rules. A new
// option of free text is either listed here or says what it does (session.Option.Does, AsTarget, or
// naming a kind of name of the model). An option that runs something must not be listed.
var plain = strings.Fields(`
	filter include exclude ep device to domain name separate prefix set remove doc of producer
	producer-version graph-name set-opset remove-opset remove-field input-name output-name model-type member
	fill mean std extra convert-ops table-axis batch threads depth max-regression damping
`)

// TestEveryOptionSaysWhatItDoes: a value that is free text can be a command, a library or the name of
// a file to write. So every option of free text says which of these it is, or is listed as plain.
func TestEveryOptionSaysWhatItDoes(t *testing.T) {
	seen := map[string]bool{}
	for _, step := range steps.All() {
		for _, o := range step.Options() {
			free := o.Kind == session.KindText || o.Kind == session.KindList && len(o.Choices) == 0
			if !free || o.IsPath() || o.Target || o.StatesDeeds() || o.Names != session.NamesNothing || o.Set("./x.sh; y") != nil {
				continue // the last: values are parsed, such as a time or a size
			}
			seen[o.Name] = true
			if !slices.Contains(plain, o.Name) {
				t.Errorf("%s --%s: free text; say what it does with Does, or list it as plain", step.Name(), o.LongFlag())
			}
		}
	}
	for _, name := range plain {
		if !seen[name] {
			t.Errorf("%s is listed as plain, and no step has such an option", name)
		}
	}
}

// risky are the extensions, the placeholders and the words that mean code or a program.
var risky = []string{".so", ".dylib", ".dll", ".py", ".pt2", ".sh", "`COMMAND`", "`LAUNCHER`", "`LIB`", "your Python"}

// TestRiskyOptionsAreDeclared: an option whose description names code or programs says
// what it does.
func TestRiskyOptionsAreDeclared(t *testing.T) {
	for _, step := range steps.All() {
		for _, o := range step.Options() {
			if o.StatesDeeds() || o.Target || o.Role == session.RoleForce {
				continue
			}
			for _, word := range risky {
				if slices.Contains(o.Extensions, word) || strings.Contains(o.Usage, word) {
					t.Errorf("%s --%s: %q of its description is not declared: %s", step.Name(), o.LongFlag(), word, o.Usage)
				}
			}
		}
	}
}

// TestActs lists what steps of a recipe need consent for.
func TestActs(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "recipe")
	other := filepath.Join(dir, "other")
	for _, d := range []string{folder, other} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	touch(t, filepath.Join(folder, "old.onnx"))
	touch(t, filepath.Join(other, "old.onnx"))
	for link, to := range map[string]string{"out": other, "file.onnx": filepath.Join(other, "old.onnx"), "nowhere.onnx": filepath.Join(other, "none"), "here": folder} {
		if err := os.Symlink(to, filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, recipe string
		force        bool
		want         []string // the beginning of each act
	}{
		{"nothing", "- inspect\n- export: {out: new.onnx}", false, nil},
		{"a folder in the folder", "- export: {out: a/b/new.onnx}", false, nil},
		{"existing without force", "- export: {out: old.onnx}", false, nil},
		{"replaces", "- export: {out: old.onnx, force: true}", false, []string{"step 1, export: replace a file: "}},
		{"replaces, forced by the person", "- export: {out: old.onnx}", true, nil},
		{"its own file again", "- export: {out: new.onnx}\n- export: {out: ./new.onnx, force: true}", false, nil},
		{"outside", "- export: {out: ../new.onnx}", false, []string{"step 1, export: write a file outside of its folder: "}},
		{"outside, and force helps not", "- export: {out: ../other/old.onnx}", true, []string{"step 1, export: write a file outside of its folder, and replace what is there: "}},
		{"absolute", "- export: {out: /tmp/x.onnx}", false, []string{"step 1, export: write a file outside"}},
		{"through a linked folder", "- export: {out: out/new.onnx}", false, []string{"step 1, export: write a file outside"}},
		{"upward within the folder", "- export: {out: a/../new.onnx}", false, nil},
		{"a link to a file", "- export: {out: file.onnx, force: true}", false, []string{"step 1, export: write a file outside"}},
		{"a link to nowhere", "- export: {out: nowhere.onnx, force: true}", false, []string{"step 1, export: write a file outside"}},
		{"a link that stays", "- export: {out: here/new.onnx}", false, nil},
		{"other targets", "- run-model: {save: ../v.npz, save-inputs: ../i.npz}", false, []string{"step 1, run-model: write", "step 1, run-model: write"}},
		{"ranges are written if new", "- quantize static: {out: q.onnx, ranges: ../r.json}", false, []string{"step 1, quantize static: write a file outside"}},
		{"ranges are read", "- quantize static: {out: q.onnx, ranges: ../other/old.onnx}", false, nil},
		{"shell", "- inspect\n- quantize static: {out: q.onnx, data-command: cat x}", false, []string{"step 2, quantize static: run a shell command: cat x"}},
		{"escapes", "- quantize static: {out: q.onnx, data-command: \"a\\u001b[2Jb\"}", false, []string{`step 1, quantize static: run a shell command: a\x1b[2Jb`}},
		{"launcher", "- run-model: {on: sh -c x}", false, []string{"step 1, run-model: start a program: sh -c x"}},
		{"launchers", "- bench: {models: [a.onnx], on: [a, b]}", false, []string{"step 1, bench: start a program: a", "step 1, bench: start a program: b"}},
		{"library", "- run-model: {custom-ops: [evil.so]}", false, []string{"step 1, run-model: load a native library: "}},
		{"settings", "- run-model: {session-config: [a=b], ep-option: [cuda.x=y]}", false, []string{"step 1, run-model: give settings", "step 1, run-model: give settings"}},
		{
			"sides", "- validate: {a: m.onnx, a-option: [runtime=evil.so, 'on=sh -c x', opt=disable], b-option: [custom-ops=evil.so, allow-external=/etc]}", false,
			[]string{"step 1, validate: load a native library", "step 1, validate: start a program", "step 1, validate: load a native library", "step 1, validate: read external data"},
		},
		{
			"python", "- validate: {a: m.onnx, torch: evil.py:x}\n- validate: {a: m.onnx, reference: true}\n- optimize: {out: o.onnx, transformers: true}\n- torch export: {target: evil.py:f, out: t.onnx}", false,
			[]string{"step 1, validate: run Python: ", "step 2, validate: run Python (reference)", "step 3, optimize: run Python (transformers)", "step 4, torch export: run Python"},
		},
	} {
		q := &trust.Question{Folder: folder, Steps: stepsOf(t, c.recipe, folder, c.force), Force: c.force}
		acts := q.Acts()
		ok := len(acts) == len(c.want)
		for i := range acts {
			ok = ok && strings.HasPrefix(acts[i].String(), c.want[i])
		}
		if !ok {
			t.Errorf("%s: got %q, expected %q", c.name, acts, c.want)
		}
	}
}

// TestLimits: what was consented to may be done, and nothing else.
func TestLimits(t *testing.T) {
	folder := t.TempDir()
	out := t.TempDir()
	touch(t, filepath.Join(folder, "old.onnx"))
	touch(t, filepath.Join(out, "old.onnx"))
	list := stepsOf(t, "- export: {out: "+filepath.Join(out, "x.onnx")+"}\n- quantize static: {data-command: cat x, out: new.onnx}", folder, false)
	q := &trust.Question{Folder: folder, Steps: list}
	ctx := permit.Within(context.Background(), q.Limits(q.Acts()))
	for _, d := range permit.Deeds()[permit.Shell:] {
		if err := permit.To(ctx, d); (err == nil) != (d == permit.Shell) {
			t.Errorf("%s: %v", d, err)
		}
	}
	for _, c := range []struct {
		path     string
		replaces bool
		want     bool
	}{
		{filepath.Join(out, "x.onnx"), false, true},
		{filepath.Join(out, "x.onnx.data"), false, true},
		{filepath.Join(out, "y.onnx"), false, false},
		{filepath.Join(out, "old.onnx"), true, false},
		{filepath.Join(folder, "any.npz"), false, true},
		{filepath.Join(folder, "new.onnx"), true, true},
		{filepath.Join(folder, "old.onnx"), true, false},
	} {
		if err := permit.ToWrite(ctx, c.path, c.replaces); (err == nil) != c.want {
			t.Errorf("%s, replaces %v: %v", c.path, c.replaces, err)
		}
	}
}

// undeclared is a step with an option that runs a shell and writes a file, and says neither.
type undeclared struct {
	session.Step
	value string
}

func (*undeclared) Name() string { return "undeclared" }

func (s *undeclared) Options() []session.Option {
	return []session.Option{session.Text(&s.value, "value", "do something")}
}

// TestUndeclaredIsRefused: a step that has an effect without saying so is not asked about, and cannot
// have the effect.
func TestUndeclaredIsRefused(t *testing.T) {
	step := &undeclared{value: "/etc/x"}
	q := &trust.Question{Folder: t.TempDir(), Steps: []session.Step{step}}
	if acts := q.Acts(); len(acts) > 0 {
		t.Fatalf("acts: %q", acts)
	}
	ctx := permit.Within(context.Background(), q.Limits(nil))
	if err := errors.Join(permit.To(ctx, permit.Shell), permit.ToWrite(ctx, step.value, false)); err == nil || strings.Count(err.Error(), "--trust") != 2 {
		t.Errorf("got %v", err)
	}
}

// TestRecords: a record is of a content in a folder.
func TestRecords(t *testing.T) {
	r := trust.RecordsIn(t.TempDir())
	here, there := t.TempDir(), t.TempDir()
	path, digest := filepath.Join(here, "r.yaml"), session.DigestOf([]byte("lathe: 2\n"))
	if r.Has(path, digest) {
		t.Error("recorded before it was added")
	}
	if err := r.Add(t.Context(), path, digest); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, digest string
		want         bool
	}{
		{path, digest, true},
		{filepath.Join(here, "renamed.yaml"), digest, true},
		{filepath.Join(there, "r.yaml"), digest, false},
		{path, session.DigestOf([]byte("lathe: 2\n# changed\n")), false},
		{path, "", false},
	} {
		if got := r.Has(c.path, c.digest); got != c.want {
			t.Errorf("%s %s: %v", c.path, c.digest, got)
		}
	}
}

func stepsOf(t *testing.T, recipe, folder string, force bool) (list []session.Step) {
	t.Helper()
	r, err := session.ReadRecipe(strings.NewReader("lathe: 2\nmodel: m.onnx\nsteps:\n" + recipe + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Steps {
		step, ok := steps.New(c.Step)
		if !ok {
			t.Fatalf("no step %s", c.Step)
		}
		if err := c.Apply(step, folder); err != nil {
			t.Fatal(err)
		}
		if o, ok := session.WithRole(step, session.RoleForce); ok && force {
			if err := o.Set("true"); err != nil {
				t.Fatal(err)
			}
		}
		list = append(list, step)
	}
	return list
}

func touch(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}
