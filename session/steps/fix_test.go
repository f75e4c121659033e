package steps

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/mutate"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/reporting"
	"lathe/session/runtime"
)

// TestFixes applies every fix that the checks offer for the models of their tests. The step and its
// options must exist, the problem must be gone afterwards, and there must be no new error.
func TestFixes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	files, err := filepath.Glob("../../graphops/check/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("the models of the checks are not there: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code := strings.TrimSuffix(filepath.Base(file), ".txtar")
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ".want") {
				continue
			}
			t.Run(code+"/"+f.Name, func(t *testing.T) {
				m := graphtest.Model(t, string(f.Data))
				for _, p := range checked(t, m) {
					if p.Fix != nil {
						mends(t, m, p)
					}
				}
			})
		}
	}
}

// mends applies a fix, and writes and reads its model as a person would.
func mends(t *testing.T, m *graphops.Model, p check.Problem) {
	t.Helper()
	step, err := reporting.StepOf(p.Fix, newStep)
	if err != nil {
		t.Errorf("%s: %s: the fix cannot be taken: %v", p.Code, p, err)
		return
	}
	path := filepath.Join(t.TempDir(), "fixed.onnx")
	setOption(t, step, "out", path)
	line := session.CommandOf(step, "m.onnx")
	if _, err := step.Run(t.Context(), withoutRuntime(), m); err != nil {
		t.Errorf("%s: %s: %s: %v", p.Code, p, line, err)
		return
	}
	mended, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Errorf("%s: %s: %s: %v", p.Code, p, line, err)
		return
	}
	was, is := checked(t, m), unmasked(checked(t, m), checked(t, mended))
	before, after := counted(was, codeOf), counted(is, codeOf)
	for code, n := range after {
		if n > before[code] {
			t.Errorf("%s: %s: %s: brings the error %s", p.Code, p, line, code)
		}
	}
	before, after = counted(was, identityOf), counted(is, identityOf)
	if id := identityOf(p); after[id] >= before[id] {
		t.Errorf("%s: %s: %s: does not fix it", p.Code, p, line)
	}
}

// unmasked leaves out problems that a node with another error had before. For a node with an error,
// the checks do not report in addition that its sizes do not match.
func unmasked(before, after []check.Problem) []check.Problem {
	faulty := map[string]bool{}
	for _, p := range before {
		if p.Severity == check.Error && p.Node >= 0 {
			faulty[outputsOf(p)] = true
		}
	}
	return slices.DeleteFunc(after, func(p check.Problem) bool {
		return (p.Code == "shape-contradiction" || p.Code == "run-fails") && p.Node >= 0 && faulty[outputsOf(p)]
	})
}

// outputsOf identifies a node even if its position has changed.
func outputsOf(p check.Problem) string {
	return strings.Join(slices.Concat(p.Place.Hops(), p.Place.Graph.Nodes()[p.Node].Outputs()), "\x00")
}

// codeOf returns the code of an error, or "" for a milder problem.
func codeOf(p check.Problem) string {
	if p.Severity != check.Error {
		return ""
	}
	return p.Code
}

// identityOf identifies a problem even if positions of nodes have changed.
func identityOf(p check.Problem) string {
	id := []string{p.Code, p.Value}
	if p.Place != nil {
		id = append(id, p.Place.Hops()...)
	}
	if p.Place != nil && p.Node >= 0 {
		id = append(id, p.Place.Graph.Nodes()[p.Node].Outputs()...)
	}
	return strings.Join(id, "\x00")
}

// counted counts problems by a key. It leaves out those with the key "".
func counted(list []check.Problem, key func(check.Problem) string) map[string]int {
	count := map[string]int{}
	for _, p := range list {
		if k := key(p); k != "" {
			count[k]++
		}
	}
	return count
}

func setOption(t *testing.T, step session.Step, name, value string) {
	t.Helper()
	for _, o := range step.Options() {
		if o.Name != name {
			continue
		}
		if err := o.Set(value); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("%s has no option %s", step.Name(), name)
}

func checked(t *testing.T, m *graphops.Model) []check.Problem {
	t.Helper()
	list, err := check.Model(t.Context(), m, check.Options{Weights: true})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// withoutRuntime is an environment without an ONNX Runtime.
func withoutRuntime() session.Env {
	return session.Env{
		Runtime: &runtime.Workers{Library: func(context.Context) (ort.Library, error) {
			return ort.Library{}, ort.ErrNoRuntime
		}},
		Progress: func(session.Progress) {},
	}
}

// TestStepOf has fixes that no step can make.
func TestStepOf(t *testing.T) {
	for want, f := range map[string]check.Fix{
		`there is no step "mend"`:            {Step: "mend"},
		`rename: there is no option "names"`: {Step: "rename", Options: []check.Setting{{Option: "names", Value: "a=b"}}},
		`optimize: --opt: "mul" is not one`:  {Step: "optimize", Options: []check.Setting{{Option: "opt", Value: "mul"}}},
	} {
		if _, err := reporting.StepOf(&f, newStep); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", f, err, want)
		}
	}
	step, err := reporting.StepOf(&check.Fix{Step: "rename", Options: []check.Setting{{Option: "value", Value: "a=b"}, {Option: "value", Value: "c=d"}}}, newStep)
	if got, want := session.CommandOf(step, "m.onnx"), "lathe rename m.onnx --value=a=b --value=c=d"; err != nil || got != want {
		t.Errorf("%s, want %s; %v", got, want, err)
	}
}

// TestFixesOfBrokenModels applies every fix that is offered for the broken models in testdata.
func TestFixesOfBrokenModels(t *testing.T) {
	files, err := filepath.Glob("../../testdata/broken/*.onnx")
	if err != nil || len(files) == 0 {
		t.Fatalf("the broken models are not there: %v", err)
	}
	fixes := 0
	for _, file := range files {
		m, err := graphops.Open(file, graphops.OpenOptions{})
		if err != nil {
			continue // not a model
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			for _, p := range checked(t, m) {
				if p.Fix != nil {
					fixes++
					mends(t, m, p)
				}
			}
		})
	}
	if fixes == 0 {
		t.Error("no fix was offered")
	}
}

var fixMutants = flag.Uint64("fix-mutants", 150, "check: how many mutants have their fixes taken")

// TestFixesOfMutants applies every fix that is offered for models with one planted fault.
func TestFixesOfMutants(t *testing.T) {
	bases := mutate.Bases(t)
	fixes := 0
	for seed := uint64(1); seed <= *fixMutants; seed++ {
		s, ok := mutate.Spoil(bases[seed%uint64(len(bases))], bases, seed)
		if !ok {
			continue
		}
		b, err := proto.Marshal(s.Model)
		if err != nil {
			t.Fatal(err)
		}
		m, err := graphops.Decode(b)
		if err != nil {
			continue
		}
		t.Run(fmt.Sprintf("%d %s", seed, s.Kind), func(t *testing.T) {
			for _, p := range checked(t, m) {
				if p.Fix != nil {
					fixes++
					mends(t, m, p)
				}
			}
		})
	}
	t.Logf("%d fixes of %d mutants", fixes, *fixMutants)
	if fixes == 0 {
		t.Error("no fix was offered")
	}
}
