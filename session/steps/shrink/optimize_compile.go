package shrink

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/opschema"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/ort/ep"
	"lathe/session/proof"
	"lathe/session/reporting"
	"lathe/session/runtime"
	"lathe/session/text"
	"lathe/session/trial"
)

// Where the compiled part is stored.
const (
	blobEmbed = "embed"
	blobFile  = "file"
)

// maxEmbedded is the size in bytes of weights up to which what is compiled is stored in the model by
// default. One file is easier to handle, but a model file cannot have more than 2 GiB, and programs
// read it into memory as a whole.
const maxEmbedded = 256 << 20

// compiledBy says what an execution provider compiled.
type compiledBy struct {
	Nodes int     `json:"nodes"` // of the original that are in compiled parts
	Left  int     `json:"left"`  // nodes of the result that are not compiled
	MS    float64 `json:"compile_ms"`
	Bytes int64   `json:"bytes"` // of all compiled parts
	// Parts are the compiled parts. Files among them are beside the result.
	Parts []reporting.CompiledPart `json:"parts"`
}

// compilable returns an error unless exactly one provider is named, and one that may compile.
func compilable(o runtime.Execution) error {
	switch {
	case len(o.Providers) > 1:
		return session.UsageError("--compile: a model is compiled for one provider; name only this one with --ep")
	case len(o.Providers) == 0 || o.Providers[0].Name == ep.CPU:
		return session.UsageError("--compile: name the provider to compile for with --ep, such as --ep openvino; the CPU provider compiles nothing")
	}
	return nil
}

// runCompiled compiles a model, proves the result and writes it.
func (s *Optimize) runCompiled(ctx context.Context, env session.Env, m *graphops.Model, o runtime.Execution) (out session.Result, err error) {
	if s.Out == "" {
		return out, session.UsageError("--compile: give a file for the result with --out; it cannot go to standard output")
	}
	on, err := s.on.Of(m, s.Out)
	if err != nil {
		return out, err
	}
	p, remove, err := s.compile(ctx, env, m, o)
	defer func() { err = errors.Join(err, remove()) }()
	if err != nil {
		return out, err
	}
	proved, err := proveCompiled(ctx, env, m, p, o, on)
	if err != nil {
		return out, err
	}
	r, err := s.report(ctx, m, p)
	if err != nil {
		return out, err
	}
	r.Proof = proved
	if r.File, err = s.Save(ctx, env, p.model, graphops.SaveOptions{}); err != nil {
		return out, err
	}
	saved, err := env.Open(s.Out)
	if err != nil {
		return out, err
	}
	r.Compiled.describe(saved)
	return session.Result{Model: saved, Report: r, Files: r.File.Files(), No: r.Proof.IsDoubtful()}, nil
}

// previewCompiled compiles a model and reports what would be written.
func (s *Optimize) previewCompiled(ctx context.Context, env session.Env, m *graphops.Model, o runtime.Execution) (out session.Preview, err error) {
	p, remove, err := s.compile(ctx, env, m, o)
	defer func() { err = errors.Join(err, remove()) }()
	if err != nil {
		return out, err
	}
	r, err := s.report(ctx, m, p)
	return session.Preview{Report: r}, err
}

// compile lets the provider compile a model into a folder for temporary files. remove removes the
// folder; it is never nil.
func (s *Optimize) compile(ctx context.Context, env session.Env, m *graphops.Model, o runtime.Execution) (p *product, remove func() error, err error) {
	remove = func() error { return nil }
	r, ok := env.Runtime.(runtime.Compiler)
	if !ok {
		return nil, remove, errors.New("--compile: this runtime cannot compile models")
	}
	if parts := m.CompiledNodes(); len(parts) > 0 {
		source := cmp.Or(opschema.ShortProvider(parts[0].Source), "some provider")
		return nil, remove, session.InModel(m, fmt.Errorf("--compile: a part of the model is already compiled for %s; compile the model that it was made from", source))
	}
	folder, err := os.MkdirTemp("", "lathe-compile-")
	if err != nil {
		return nil, remove, err
	}
	remove = func() error { return os.RemoveAll(folder) }
	sum := cost.Summarize(m)
	to := ort.Target{Path: filepath.Join(folder, s.compiledName(m)), Embed: s.Blob == blobEmbed || s.Blob == "" && sum.WeightBytes <= maxEmbedded}
	if sum.WeightBytes > bigModel {
		to.Weights = filepath.Base(to.Path) + ".data"
	}
	name := o.Providers[0].Name
	env.Progress(session.Progress{Phase: "compiling for " + name})
	facts, err := r.Compile(ctx, m, o, to)
	if err != nil && strings.Contains(err.Error(), noForm) {
		return nil, remove, &notCompiledError{m.Path(), name, -1, sum.Nodes, "it compiles nodes when a model is loaded, and has no form to store"}
	}
	if err != nil {
		return nil, remove, explainCompilation(err, name, to)
	}
	env.Progress(session.Progress{Phase: "reading the result"})
	made, err := graphops.Open(to.Path, graphops.OpenOptions{})
	if err != nil {
		return nil, remove, fmt.Errorf("the file that %s compiled: %w", name, err)
	}
	if len(made.CompiledNodes()) == 0 {
		return nil, remove, notCompiled(ctx, env, m, o)
	}
	p = &product{model: made, loaded: &optimizedBy{facts.LibraryVersion, facts.Provider, facts.Refused, []string{}}}
	p.compiled = &compiledBy{MS: float64(facts.LoadTime.Microseconds()) / 1000, Left: cost.Summarize(made).Nodes - len(made.CompiledNodes())}
	p.compiled.Nodes = max(sum.Nodes-p.compiled.Left, 0)
	p.compiled.describe(made)
	return p, remove, nil
}

// noForm is a part of ONNX Runtime's message about a provider that compiles nodes when a model is loaded,
// and does not return what could be stored.
const noForm = "returned a NULL EPContext node"

// compiledName is the name of the file that the provider writes. Providers name the files of compiled
// parts after it.
func (s *Optimize) compiledName(m *graphops.Model) string {
	if s.Out != "" {
		return filepath.Base(s.Out)
	}
	base := filepath.Base(cmp.Or(m.Path(), "model.onnx"))
	return strings.TrimSuffix(base, filepath.Ext(base)) + "_ctx.onnx"
}

// describe takes the compiled parts from a model.
func (c *compiledBy) describe(m *graphops.Model) {
	c.Bytes, c.Parts = 0, nil
	files := map[string]bool{}
	for _, n := range m.CompiledNodes() {
		part := reporting.CompiledPartOf(m, n)
		c.Parts = append(c.Parts, part)
		if part.Bytes != nil && !files[part.File] {
			c.Bytes += *part.Bytes
			files[part.File] = part.File != ""
		}
	}
}

// isApart reports whether compiled parts are in files.
func (c *compiledBy) isApart() bool {
	return slices.ContainsFunc(c.Parts, func(p reporting.CompiledPart) bool { return p.File != "" })
}

// explainCompilation adds what is known about a provider that failed: some crash because they cannot
// compile for later, and a compiled part may be too large for a model file.
func explainCompilation(err error, provider string, to ort.Target) error {
	var crash *ort.CrashError
	if errors.As(err, &crash) {
		return fmt.Errorf("execution provider %q compiled nothing: it crashes when ONNX Runtime lets it compile for later, so nothing is written: %w", provider, err)
	}
	if to.Embed && strings.Contains(strings.ToLower(err.Error()), "protobuf") {
		return fmt.Errorf("%w; what is compiled may be too large for a model file: --blob file stores it beside the model", err)
	}
	return err
}

// proveCompiled loads the compiled model and compares it with the original, both on the provider.
func proveCompiled(ctx context.Context, env session.Env, m *graphops.Model, p *product, o runtime.Execution, on trial.Inputs) (*trial.Proof, error) {
	env.Progress(session.Progress{Phase: "loading the compiled model"})
	l, err := env.Runtime.Load(ctx, p.model, o)
	if err != nil {
		return nil, unloadable(ctx, o.Providers[0].Name, err)
	}
	if err := l.Close(); err != nil {
		return nil, err
	}
	_, proved, err := trial.Sound(ctx, trial.OnProviders(env, o), on, proof.Pipeline{
		Original: m, Make: func(context.Context, []string) (*graphops.Model, error) { return p.model, nil },
	})
	if err != nil {
		return nil, session.InModel(m, fmt.Errorf("%w; nothing is written", err))
	}
	return proved, nil
}

// unloadable is the error of a provider that does not load what it compiled.
func unloadable(ctx context.Context, provider string, err error) error {
	if ctx.Err() != nil {
		return err
	}
	said := err.Error()
	var failure *runtime.Failure
	if errors.As(err, &failure) {
		var refused *ort.Error
		if errors.As(failure.Err, &refused) {
			said = refused.Said(refused.Message)
		}
	}
	return fmt.Errorf("%s compiled the model, but does not load the result, so nothing is written: %s", text.Clean(provider), said)
}

// notCompiledError is the error of a provider that attached and compiled nothing.
type notCompiledError struct {
	model, provider string
	runs, of        int // how many of how many nodes the provider runs; -1 if unknown
	why             string
}

// Error is one line, safe to print.
func (e *notCompiledError) Error() string {
	said := fmt.Sprintf("execution provider %q compiled none of the %s, so nothing is written", e.provider, text.Plural(e.of, "node"))
	switch {
	case e.why != "":
		said += ": " + e.why
	case e.runs == 0:
		said += ": it runs none of them"
	case e.runs > 0:
		said += fmt.Sprintf(": it runs %s of them as they are, and has no compiled form to store", text.Count(int64(e.runs)))
	}
	if e.model == "" {
		return said
	}
	return text.Clean(e.model) + ": " + said
}

// Unwrap returns the error of a provider that does not attach, because in both cases the provider
// cannot be used.
func (e *notCompiledError) Unwrap() error {
	return &ort.ProviderError{Model: e.model, Refused: []ort.Refusal{{Provider: e.provider, Reason: "compiled no node"}}}
}

// notCompiled says why a provider compiled nothing: it may run no node of the model.
func notCompiled(ctx context.Context, env session.Env, m *graphops.Model, o runtime.Execution) error {
	e := &notCompiledError{m.Path(), o.Providers[0].Name, -1, cost.Summarize(m).Nodes, ""}
	o.Placement = true
	l, err := env.Runtime.Load(ctx, m, o)
	if err != nil {
		return cmp.Or(ctx.Err(), error(e))
	}
	p, err := l.Placement(ctx)
	if err == nil && len(p.Shares) > 0 {
		e.runs = min(p.NodesOn(e.provider), e.of)
	}
	if err := errors.Join(ctx.Err(), l.Close()); err != nil {
		return err
	}
	return e
}

// line describes what was compiled.
func (c *compiledBy) line() string {
	where := "in the model"
	if c.isApart() {
		where = "in files beside the model"
	}
	s := fmt.Sprintf("compiled  %s of %s, %s %s", text.Plural(len(c.Parts), "part"), text.Plural(c.Nodes, "node"), text.Bytes(c.Bytes), where)
	if c.Left > 0 {
		s += "; " + text.Plural(c.Left, "node") + " as before"
	}
	return s
}

// took is how long the provider needed.
func (c *compiledBy) took() time.Duration { return time.Duration(c.MS * float64(time.Millisecond)) }
