package check

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/opschema"
)

var update = flag.Bool("update", false, "write what the checks find into testdata")

// TestRules runs every check over the models of its file. testdata/CODE.txtar has
// models in the text of graphtest; behind each stands what the check says of it,
// as NAME.want: a line "severity: where: message" for each problem, followed by
// the indented value, hint and fix. A model that merely looks like the problem
// has no lines there, and every file must have one of either kind. A model is
// checked for the newest ONNX Runtime, and NAME@1.30 for that release.
func TestRules(t *testing.T) {
	for _, r := range rules() {
		t.Run(r.code, func(t *testing.T) {
			file := filepath.Join("testdata", r.code+".txtar")
			archive, err := txtar.ParseFile(file)
			if os.IsNotExist(err) && inGo[r.code] {
				t.Skip("its models cannot be told in text; a test of its own has them")
			}
			if err != nil {
				t.Fatal(err)
			}
			found, healthy := judge(t, r.code, archive)
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if !found || !healthy {
				t.Errorf("%s: has models with the problem: %t, without: %t; expected both", file, found, healthy)
			}
		})
	}
}

// judge compares what the check says with what the archive wants, or with -update
// puts it there.
func judge(t *testing.T, code string, archive *txtar.Archive) (found, healthy bool) {
	wants := map[string]*txtar.File{}
	for i, f := range archive.Files {
		if name, ok := strings.CutSuffix(f.Name, ".want"); ok {
			wants[name] = &archive.Files[i]
		}
	}
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, ".want") {
			continue
		}
		_, release, _ := strings.Cut(f.Name, "@")
		got := saidFor(t, release, code, graphtest.Model(t, string(f.Data)))
		found, healthy = found || got != "", healthy || got == ""
		want := wants[f.Name]
		switch {
		case want == nil:
			t.Errorf("%s: without %s.want", f.Name, f.Name)
		case *update:
			want.Data = []byte(got)
		case got != string(want.Data):
			t.Errorf("%s: says\n%sexpected\n%s", f.Name, got, want.Data)
		}
	}
	return found, healthy
}

// saidBy is what one check says of a model.
func saidBy(t *testing.T, code string, m *graphops.Model) string {
	t.Helper()
	return saidFor(t, "", code, m)
}

// saidFor is what one check says of a model for a release of ONNX Runtime.
func saidFor(t *testing.T, release, code string, m *graphops.Model) string {
	t.Helper()
	list, err := Model(t.Context(), m, Options{Weights: true, HasLocale: portable, HasProvider: installed, Runtime: release})
	if err != nil {
		t.Fatal(err)
	}
	wantHints(t, list)
	var b strings.Builder
	for _, p := range list {
		if p.Code == code {
			b.WriteString(lines(p))
		}
	}
	return b.String()
}

// installed is what a machine says that has openvino and not qnn; it does not know about others.
func installed(provider string) (has, known bool) {
	return provider == "openvino", provider == "openvino" || provider == "qnn"
}

// wantHints wants every problem to tell what to do about it.
func wantHints(t *testing.T, list []Problem) {
	t.Helper()
	for _, p := range list {
		if p.Hint == "" {
			t.Errorf("%s: %s: tells no remedy", p.Code, p)
		}
	}
}

func lines(p Problem) string {
	list := []string{p.Severity.String() + ": " + p.String()}
	if p.Value != "" {
		list = append(list, "value: "+p.Value)
	}
	if p.Hint != "" {
		list = append(list, "hint: "+p.Hint)
	}
	if p.Fix != nil {
		fix := "fix: " + p.Fix.Step
		for _, o := range p.Fix.Options {
			fix += " --" + o.Option + "=" + o.Value
		}
		list = append(list, fix)
	}
	return strings.Join(list, "\n  ") + "\n"
}

// inGo are the checks whose models need files or bytes of their own, and have a
// test in Go called after them.
var inGo = map[string]bool{"graph-nameless": true, "body-depth": true, "node-incomplete": true, "function-formals": true, "function-attribute-undeclared": true, "inference-limit": true}

func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rules() {
		if seen[r.code] {
			t.Errorf("two checks are called %s", r.code)
		}
		seen[r.code] = true
		if strings.Trim(r.code, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || r.severity == 0 || r.title == "" || len(r.about) < 100 {
			t.Errorf("%s: a code is of small letters and hyphens, and a check has a severity, a title and an explanation", r.code)
		}
		functions := []bool{r.model != nil, r.place != nil, r.node != nil, r.tensor != nil}
		if n := len(slices.DeleteFunc(functions, func(has bool) bool { return !has })); n != 1 {
			t.Errorf("%s: %d functions, expected one", r.code, n)
		}
	}
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if code := strings.TrimSuffix(filepath.Base(f), ".txtar"); !seen[code] {
			t.Errorf("%s belongs to no check", f)
		}
	}
}

// portable is a machine that has no locale of a language.
func portable(locale string) bool { return locale == opschema.PortableLocale }
