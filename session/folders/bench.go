package folders

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/folder"
	"lathe/session"
	"lathe/session/timing"
)

// BenchReport is the report of a measurement of folders, model by model.
type BenchReport struct {
	Schema  string        `json:"schema"`
	Kind    string        `json:"kind"` // "folder"
	Paths   []string      `json:"paths"`
	Members []BenchMember `json:"members"` // in the order in which they run
	Notes   []string      `json:"notes"`
}

// BenchMember is the measurement of one model, in every folder that has it.
type BenchMember struct {
	Name  string   `json:"name"`
	Files []string `json:"files"`
	// Identical are those of Files that were not measured, because one before has the same content.
	Identical []string `json:"identical,omitempty"`
	Error     string   `json:"error,omitempty"` // why it was not measured
	// Report is what lathe bench reports on these files. It is null if they were not measured.
	Report session.Report `json:"report"`
}

// benchOptions are the options of bench that apply to every model of a folder.
var benchOptions = []string{
	"seconds", "precision", "warmup", "runs", "no-memory", "ep", "batch", "threads", "with-copies", "concurrency", "rate", "no-store", "seed", "fill", "input", "input-limit", "on", "send", "start-timeout",
	"ep-option", "device", "opt", "inter-threads", "parallel", "no-arena", "no-memory-pattern", "deterministic", "session-config", "custom-ops", "timeout", "memory-limit",
}

// Bench measures every model of one or several folders. Models of the same name are compared with
// that of the first folder. A model is measured as lathe bench measures it alone; how a pipeline
// runs its models in turn is not measured.
func Bench(ctx context.Context, env session.Env, step session.Step, s *timing.Benchmark) (session.Result, error) {
	if i := slices.IndexFunc(s.Models, func(path string) bool { return !Is(path) }); i >= 0 {
		return session.Result{}, session.UsageError(fmt.Sprintf("bench: %s is not a folder, but others are; expected only folders, or only models", s.Models[i]))
	}
	if err := Refused(step, s.Models[0], benchOptions...); err != nil {
		return session.Result{}, err
	}
	var list []*folder.Folder
	for _, path := range s.Models {
		f, err := Open(ctx, env, path)
		if err != nil {
			return session.Result{}, err
		}
		list = append(list, f)
	}
	given, err := splitInputs(list[0], s.Input)
	if err != nil {
		return session.Result{}, err
	}
	r := &BenchReport{Schema: "lathe.bench/1", Kind: "folder", Paths: s.Models, Members: []BenchMember{}, Notes: []string{"each model is measured alone, on its own inputs"}}
	no := false
	for _, name := range namesIn(list) {
		one := *s
		one.Input = given[name]
		m, failed, err := benchMember(ctx, env, &one, list, name)
		if err != nil {
			return session.Result{}, err
		}
		no = no || failed
		r.Members = append(r.Members, m)
	}
	return session.Result{Report: r, No: no}, nil
}

// benchMember measures the models of one name. The error is that of ctx, or a mistake of the command
// line.
func benchMember(ctx context.Context, env session.Env, s *timing.Benchmark, list []*folder.Folder, name string) (m BenchMember, failed bool, err error) {
	m = BenchMember{Name: name, Files: []string{}}
	s.Models = nil
	known := map[string]bool{}
	for _, f := range list {
		one := f.Member(name)
		if one == nil {
			continue
		}
		m.Files = append(m.Files, one.Path)
		err = cmp.Or(err, one.Err)
		content := ""
		if len(list) > 1 {
			content = contentOf(ctx, one)
		}
		if known[content] {
			m.Identical = append(m.Identical, one.Path)
			continue
		}
		known[content] = content != ""
		s.Models = append(s.Models, one.Path)
	}
	var result session.Result
	if err == nil {
		result, err = s.Run(ctx, env)
	}
	switch {
	case ctx.Err() != nil || session.IsUsage(err):
		return m, true, err
	case err != nil:
		m.Error = err.Error()
		return m, true, nil
	}
	m.Report = result.Report
	return m, result.No, nil
}

// contentOf returns a checksum of all of a model's content, or "" if none is known. A large model has
// none: reading all of it takes long, and a part of it does not show that two models are the same.
func contentOf(ctx context.Context, m *folder.Member) string {
	if m.Model == nil {
		return ""
	}
	d, err := graphops.DigestOf(ctx, m.Model)
	if err != nil || d.Covers == graphops.CoversStructure || d.Covers == graphops.CoversSamples {
		return ""
	}
	return d.Content
}

// namesIn returns the names of all members, in the order of the first folder that has them.
func namesIn(list []*folder.Folder) (names []string) {
	for _, f := range list {
		for _, m := range f.Members {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	return names
}
