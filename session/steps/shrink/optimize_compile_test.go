//go:build cgo

package shrink

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
)

const toCompile = "input x f32[4]\nh = Neg(x)\ny = Exp(h)\noutput y f32[4]"

const compiledText = "opset com.microsoft 1\nopset 17\ninput x f32[4]\nctx: y = com.microsoft::EPContext(x) ep_sdk_version='2.1' source='QNNExecutionProvider' "

// compiling is a runtime with a provider "qnn" that compiles a model to a fixed one, and runs another
// model instead of it.
type compiling struct {
	*runtime.Workers
	t            *testing.T
	result, file string                    // the compiled model as text, and the content of its file
	runs         *graphops.Model           // what runs for a compiled model
	refuses      error                     // why it does not load
	target       ort.Target                // what was requested
	make         func(to ort.Target) error // instead of writing result
}

func (c *compiling) Compile(_ context.Context, _ *graphops.Model, o runtime.Execution, to ort.Target) (runtime.Facts, error) {
	c.target = to
	facts := runtime.Facts{LibraryVersion: "1.30.0", Provider: o.Providers[0].Name}
	if c.make != nil {
		return facts, c.make(to)
	}
	if c.file != "" {
		name := strings.TrimSuffix(filepath.Base(to.Path), ".onnx") + "_qnn.bin"
		if err := os.WriteFile(filepath.Join(filepath.Dir(to.Path), name), []byte(c.file), 0o600); err != nil {
			return facts, err
		}
		c.result = strings.ReplaceAll(c.result, "FILE", name)
	}
	return facts, os.WriteFile(to.Path, graphtest.Bytes(c.t, c.result), 0o600)
}

func (c *compiling) Load(ctx context.Context, m *graphops.Model, o runtime.Execution) (runtime.Loaded, error) {
	if len(m.CompiledNodes()) > 0 {
		if c.refuses != nil {
			return nil, c.refuses
		}
		m = c.runs
	}
	return c.Workers.Load(ctx, m, runtime.Execution{Opt: o.Opt, Reuse: o.Reuse, Placement: o.Placement})
}

// compiledWith runs optimize --compile on a model with such a runtime.
func compiledWith(t *testing.T, c *compiling, s Optimize) (session.Result, error) {
	t.Helper()
	c.Workers, c.t = sessiontest.Workers(t), t
	m := graphtest.Model(t, toCompile)
	if c.runs == nil {
		c.runs = m
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	s.Compile, s.EP = true, "qnn"
	r, err := s.Run(t.Context(), session.Env{Runtime: c, Progress: func(session.Progress) {}}, m)
	if left, _ := filepath.Glob(filepath.Join(temp, "lathe-compile-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	return r, err
}

func TestOptimizeCompile(t *testing.T) {
	for name, c := range map[string]*compiling{
		blobEmbed: {result: compiledText + "ep_cache_context='abc'\noutput y f32[4]"},
		blobFile:  {result: compiledText + "embed_mode=0 ep_cache_context='FILE'\noutput y f32[4]", file: "abcd"},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "m_ctx.onnx")
			s := Optimize{Blob: name}
			s.Out = out
			got, err := compiledWith(t, c, s)
			if err != nil {
				t.Fatal(err)
			}
			if c.target.Embed != (name == blobEmbed) || filepath.Base(c.target.Path) != "m_ctx.onnx" {
				t.Errorf("requested %+v", c.target)
			}
			r := got.Report.(*optimizeReport)
			if p := r.Compiled; r.Proof == nil || !r.Proof.Pass || got.No || p.Nodes != 2 || p.Left != 0 || len(p.Parts) != 1 || p.Bytes != int64(len(c.file)+3*(1-min(len(c.file), 1))) {
				t.Errorf("report %+v, proof %+v", r.Compiled, r.Proof)
			}
			if got.Model.Path() != out || len(got.Model.CompiledNodes()) != 1 || r.Compiled.Parts[0].Problem != "" {
				t.Errorf("the result is %q, %+v", got.Model.Path(), r.Compiled.Parts)
			}
			if name == blobFile && len(got.Files) != 2 {
				t.Errorf("wrote %q", got.Files)
			}
			var text strings.Builder
			if err := r.WriteText(&text); err != nil || !strings.Contains(text.String(), "compiled for qnn in 0s, SDK 2.1") {
				t.Errorf("%v\n%s", err, text.String())
			}
		})
	}
}

// TestOptimizeCompileRefused writes nothing if the provider compiles nothing, does not load the result,
// or computes something else.
func TestOptimizeCompileRefused(t *testing.T) {
	embedded := compiledText + "ep_cache_context='abc'\noutput y f32[4]"
	crash := &ort.CrashError{}
	for name, c := range map[string]struct {
		compiling
		want string
	}{
		"nothing":   {compiling{result: toCompile}, `execution provider "qnn" compiled none of the 2 nodes, so nothing is written: it runs none of them`},
		"no form":   {compiling{make: func(ort.Target) error { return errors.New("returned a NULL EPContext node. (FAIL)") }}, `compiled none of the 2 nodes, so nothing is written: it compiles nodes when a model is loaded, and has no form to store`},
		"unloaded":  {compiling{result: embedded, refuses: errors.New("no such device")}, "qnn compiled the model, but does not load the result, so nothing is written: no such device"},
		"different": {compiling{result: embedded, runs: graphtest.Model(t, strings.Replace(toCompile, "Neg", "Abs", 1))}, "nothing is written"},
		"crash":     {compiling{make: func(ort.Target) error { return crash }}, "it crashes when ONNX Runtime lets it compile for later"},
		"no file":   {compiling{make: func(ort.Target) error { return nil }}, "the file that qnn compiled"},
		"too large": {compiling{make: func(ort.Target) error { return errors.New("Protobuf serialization failed") }}, "--blob file stores it beside the model"},
	} {
		t.Run(name, func(t *testing.T) {
			s := Optimize{}
			s.Out = filepath.Join(t.TempDir(), "m.onnx")
			_, err := compiledWith(t, &c.compiling, s)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			var refused *ort.ProviderError
			if errors.As(err, &refused) != (name == "nothing" || name == "no form") {
				t.Errorf("%v: a refusal of a provider: %t", err, refused != nil)
			}
			var no *session.NoError
			if errors.As(err, &no) != (name == "different") {
				t.Errorf("%v: an answer no: %t", err, no != nil)
			}
			if _, err := os.Stat(s.Out); err == nil {
				t.Error("a file was written")
			}
		})
	}
}

func TestOptimizeCompileUsage(t *testing.T) {
	m := graphtest.Model(t, toCompile)
	env := session.Env{Runtime: &compiling{Workers: &runtime.Workers{}}, Progress: func(session.Progress) {}}
	for want, s := range map[string]*Optimize{
		"name the provider to compile for":      {Compile: true},
		"the CPU provider compiles nothing":     {Compile: true, EP: "cpu"},
		"for one provider; name only this one":  {Compile: true, EP: "qnn,cpu"},
		"the provider optimizes what":           {Compile: true, EP: "qnn", Level: "basic"},
		"run lathe optimize --transformers":     {Compile: true, EP: "qnn", Transformers: true},
		"--blob has an effect only":             {Blob: blobFile, Level: "basic"},
		"give a file for the result with --out": {Compile: true, EP: "qnn"},
	} {
		var usage session.UsageError
		if _, err := s.Run(t.Context(), env, m); !errors.As(err, &usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	compiled := graphtest.Model(t, compiledText+"ep_cache_context='abc'\noutput y f32[4]")
	_, err := (&Optimize{Compile: true, EP: "qnn"}).Preview(t.Context(), env, compiled)
	if err == nil || !strings.Contains(err.Error(), "already compiled for qnn") {
		t.Errorf("a compiled model: %v", err)
	}
}

// TestCompileInRuntime lets the CPU provider compile, which leaves every node as it is, from a file and
// from memory.
func TestCompileInRuntime(t *testing.T) {
	w := sessiontest.Workers(t)
	dir := t.TempDir()
	if has, known := w.HasProvider(t.Context(), "cpu"); !has || !known {
		t.Error("there is no provider cpu")
	}
	if has, known := w.HasProvider(t.Context(), "nobodys"); has || !known {
		t.Error("there is a provider that nobody has")
	}
	path := filepath.Join(dir, "m.onnx")
	if err := os.WriteFile(path, graphtest.Bytes(t, toCompile), 0o600); err != nil {
		t.Fatal(err)
	}
	stored, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]*graphops.Model{"file": stored, "memory": graphtest.Model(t, toCompile)} {
		to := ort.Target{Path: filepath.Join(dir, name+"_ctx.onnx"), Embed: true}
		facts, err := w.Compile(t.Context(), m, runtime.Execution{}, to)
		if err != nil || facts.Provider != "cpu" {
			t.Errorf("%s: %+v, %v", name, facts, err)
			continue
		}
		made, err := graphops.Open(to.Path, graphops.OpenOptions{})
		if err != nil || len(made.Graph().Nodes()) != 2 || len(made.CompiledNodes()) > 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	bad := graphtest.Model(t, "input x f32[4]\ny = Neg(z)\noutput y f32[4]")
	var failure *runtime.Failure
	if _, err := w.Compile(t.Context(), bad, runtime.Execution{}, ort.Target{Path: filepath.Join(dir, "bad.onnx")}); !errors.As(err, &failure) {
		t.Errorf("an invalid model: %v", err)
	}
}
