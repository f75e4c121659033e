package session_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/runtime"
	"lathe/session/steps"
)

// noRuntime is an environment without an ONNX Runtime.
func noRuntime() session.Env {
	w := &runtime.Workers{Library: func(context.Context) (ort.Library, error) { return ort.Library{}, ort.ErrNoRuntime }}
	return session.Env{Runtime: w, Progress: func(session.Progress) {}}
}

// take runs a step with options given as "name=value", and records it.
func take(t *testing.T, s *session.Session, name string, settings ...string) {
	t.Helper()
	step, ok := steps.New(name)
	if !ok {
		t.Fatalf("no step %q", name)
	}
	for _, set := range settings {
		option, v, _ := strings.Cut(set, "=")
		i := slices.IndexFunc(step.Options(), func(o session.Option) bool { return o.Name == option })
		if i < 0 {
			t.Fatalf("%s has no option %q", name, option)
		}
		if err := step.Options()[i].Set(v); err != nil {
			t.Fatal(err)
		}
	}
	r, err := step.Run(t.Context(), noRuntime(), s.Model())
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	s.Record(step, r)
}

func openModel(t *testing.T, path string) *graphops.Model {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func content(t *testing.T, m *graphops.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := graphops.Write(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestReplay takes steps, some of which write files, undoes one, and replays the history in another
// folder. Every model that Undo leads to must have the same bytes, and no file may be touched.
func TestReplay(t *testing.T) {
	digits, err := filepath.Abs("../testdata/digits.onnx")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	second := filepath.Join(t.TempDir(), "second.onnx")
	if err := os.WriteFile(second, graphtest.Bytes(t, "input v f32[n,256]\noutput w f32[n,256]\nw = Relu(v)"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	s := session.New(digits, openModel(t, digits))
	take(t, s, "inspect")
	take(t, s, "rename", "value=input=im\x1bage", "out=renamed.onnx")
	take(t, s, "metadata", "set=k=v\u202e")
	take(t, s, "axes", "dynamic=im\x1bage:0=batch")
	take(t, s, "export", "out=all.onnx")
	take(t, s, "prune", "output=features")
	take(t, s, "quantize dynamic", "out=q.onnx", "force=true")
	take(t, s, "merge", "with="+second, "prefix=f/")
	take(t, s, "constants", "mode=to-inputs", "save=gone.npz", "no-check=true")
	take(t, s, "metadata", "doc=gone")
	s.Undo()
	before := files(t, dir)

	t.Chdir(t.TempDir())
	again := session.New(digits, openModel(t, digits))
	if err := again.Replay(t.Context(), noRuntime(), s.History(), dir, steps.New); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, files(t, dir)); diff != "" {
		t.Errorf("files changed: %s", diff)
	}
	if here := files(t, "."); len(here) > 0 {
		t.Errorf("files were written: %v", here)
	}
	want, got := s.Recipe(), again.Recipe()
	for _, c := range want.Steps {
		for _, o := range c.Options {
			if o.Name == "out" || o.Name == "save" {
				o.Values[0] = filepath.Join(dir, o.Values[0])
			}
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(session.Call{}, session.Setting{})); diff != "" {
		t.Errorf("recipe: %s", diff)
	}
	for n := 0; ; n++ {
		if !bytes.Equal(content(t, s.Model()), content(t, again.Model())) {
			t.Errorf("%d steps from the end the models differ", n)
		}
		a, b := s.Undo(), again.Undo()
		if a != b {
			t.Fatal("one history is longer")
		}
		if !a {
			if n < 7 {
				t.Errorf("only %d models are compared", n+1)
			}
			break
		}
	}
}

// files returns the names, sizes and times of the files in a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range list {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = info.ModTime().String()
	}
	return out
}

// TestReplayEnds checks that the steps before a failing one stay.
func TestReplayEnds(t *testing.T) {
	other := &graphops.Model{}
	broken := errors.New("broken")
	for _, c := range []struct {
		name string
		run  func(context.Context, session.Env, *graphops.Model) (session.Result, error)
		want string
	}{
		{"error", func(context.Context, session.Env, *graphops.Model) (session.Result, error) {
			return session.Result{}, broken
		}, "step 2, fake: broken"},
		{"panic", func(context.Context, session.Env, *graphops.Model) (session.Result, error) { panic("oh") }, "step 2, fake: internal error: oh"},
		{"no change", func(context.Context, session.Env, *graphops.Model) (session.Result, error) {
			return session.Result{}, nil
		}, "step 2, fake: it changed the model the first time and does not now"},
	} {
		runs := 0
		make := func(name string) (session.Step, bool) {
			return &fakeStep{Mode: "fast", run: func(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
				if runs++; runs == 1 {
					return session.Result{Model: other}, nil
				}
				return c.run(ctx, env, m)
			}}, name == "fake"
		}
		call := session.Call{Step: "fake"}
		s := session.New("m", nil)
		err := s.Replay(t.Context(), noRuntime(), []session.Past{{call, true}, {call, true}, {call, true}}, "", make)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
		if s.Model() != other || len(s.History()) != 1 {
			t.Errorf("%s: the session holds %v", c.name, s.History())
		}
	}
	err := session.New("m", nil).Replay(t.Context(), noRuntime(), []session.Past{{Call: session.Call{Step: "gone"}}}, "", steps.New)
	if err == nil || err.Error() != "step 1, gone: there is no such step" {
		t.Errorf("error %v", err)
	}
	bad := session.Call{Step: "prune", Options: []session.Setting{{Name: "outputs", Values: []string{"h"}}}}
	err = session.New("m", nil).Replay(t.Context(), noRuntime(), []session.Past{{Call: bad, Changed: true}}, "", steps.New)
	if err == nil || !strings.Contains(err.Error(), `step 1, prune: unknown option "outputs"`) {
		t.Errorf("error %v", err)
	}
}

// TestFilesOfChanges checks that the journal knows every option by which a step that changes models
// reads a file.
func TestFilesOfChanges(t *testing.T) {
	for _, step := range steps.All() {
		options := step.Options()
		if _, makesModel := session.WithRole(step, session.RoleModel); !makesModel {
			continue
		}
		for _, o := range options {
			known := o.Target || slices.Contains([]string{"with", "data", "ranges", "overrides", "custom-ops", "checkpoint", "weights", "target", "path", "example", "translations", "symbolic"}, o.Name)
			if (o.Kind == session.KindPath || o.Kind == session.KindPaths) && !known {
				t.Errorf("%s: is --%s written or read? Mark it as a target, or add it to the list of options that the journal reads files from", step.Name(), o.Name)
			}
		}
	}
}

func TestInStep(t *testing.T) {
	for err, want := range map[string]string{
		"--out: no": "prune: --out: no", "prune: --out: no": "prune: --out: no", "prune is no": "prune: prune is no",
	} {
		if got := session.InStep("prune", errors.New(err)); got.Error() != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestFollow takes the steps of a recipe: those that make a model are run and write nothing, the others
// are only recorded, and a step that fails leaves the steps before it.
func TestFollow(t *testing.T) {
	digits, err := filepath.Abs("../testdata/digits.onnx")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	calls := func(list ...[]string) []session.Call {
		var out []session.Call
		for _, words := range list {
			c := session.Call{Step: words[0]}
			for _, w := range words[1:] {
				name, v, _ := strings.Cut(w, "=")
				c.Options = append(c.Options, session.Setting{Name: name, Values: []string{v}})
			}
			out = append(out, c)
		}
		return out
	}
	s := session.New(digits, openModel(t, digits))
	err = s.Follow(t.Context(), noRuntime(), calls(
		[]string{"rename", "value=input=image", "out=renamed.onnx"},
		[]string{"export", "out=all.onnx"},
		[]string{"bench", "models=a.onnx"},
		[]string{"prune", "output=features"},
		[]string{"rename", "value=gone=x"},
		[]string{"metadata", "doc=never"},
	), ".", steps.New)
	if err == nil || !strings.Contains(err.Error(), `step 5, rename: `) {
		t.Errorf("error %v", err)
	}
	var took []string
	for _, p := range s.History() {
		took = append(took, fmt.Sprint(p.Call.Step, " ", p.Changed))
	}
	if diff := cmp.Diff([]string{"rename true", "export false", "bench false", "prune true"}, took); diff != "" {
		t.Error(diff)
	}
	if here := files(t, "."); len(here) > 0 {
		t.Errorf("files were written: %v", here)
	}
	if in := s.Model().Graph().Inputs()[0].Name(); in != "image" {
		t.Errorf("the input is %q", in)
	}
}
