package folders

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/folder"
	"lathe/graphops/roles"
	"lathe/session"
	"lathe/session/sides"
	"lathe/session/text"
)

// generateOptions are the options of validate that apply to tokens that two folders generate.
var generateOptions = append(slices.Clone(validateOptions), "generate", "layers", "compare-memory", "a-option", "b-option", "dim", "role")

// generate compares what the models of two folders generate together.
func generate(ctx context.Context, env session.Env, step session.Step, s *sides.Comparison) (session.Result, error) {
	if err := Refused(step, s.A, generateOptions...); err != nil {
		return session.Result{}, err
	}
	var pipes [2]sides.Pipeline
	for i, path := range []string{s.A, s.B} {
		f, err := Open(ctx, env, path)
		if err != nil {
			return session.Result{}, err
		}
		given, err := splitInputs(f, s.Input)
		if err != nil {
			return session.Result{}, err
		}
		if pipes[i], err = pipeline(f, given); err != nil {
			return session.Result{}, fmt.Errorf("%s: %w", text.Clean(path), err)
		}
	}
	return s.Generated(ctx, env, pipes[0], pipes[1])
}

// pipeline returns the models of a folder that generate a text.
func pipeline(f *folder.Folder, given map[string][]string) (sides.Pipeline, error) {
	p := sides.Pipeline{Path: f.Path}
	first, decoder, err := decoders(f)
	if err != nil {
		return p, err
	}
	used := []*folder.Member{decoder}
	if first != nil {
		used = append(used, first)
	}
	before, err := feeding(f, used)
	if err != nil {
		return p, err
	}
	for _, m := range before {
		p.Before = append(p.Before, stageOf(f, m, before, given))
	}
	p.Decoder = stageOf(f, decoder, before, given)
	if first != nil {
		stage := stageOf(f, first, before, given)
		p.First, p.Carry = &stage, carried(f, first, decoder)
	}
	for _, m := range f.Members {
		if !slices.Contains(used, m) && !slices.Contains(before, m) {
			p.Notes = append(p.Notes, fmt.Sprintf("%s of %s does not run, since %s generates alone", text.Clean(m.Name), text.Clean(f.Path), text.Clean(decoder.Name)))
		}
	}
	return p, nil
}

// decoders returns the model that generates, and the one that makes its first run, or nil if it does so
// itself.
func decoders(f *folder.Folder) (first, decoder *folder.Member, err error) {
	var scored []*folder.Member
	for _, m := range f.Members {
		if m.Err != nil {
			return nil, nil, fmt.Errorf("%s: %w", text.Clean(m.Name), m.Err)
		}
		if m.Roles != nil && slices.ContainsFunc(m.Roles.Outputs, func(p roles.Port) bool { return p.Kind == roles.Logits }) {
			scored = append(scored, m)
		}
	}
	is := func(role folder.Role) func(*folder.Member) bool {
		return func(m *folder.Member) bool { return m.Role == role }
	}
	merged, later := slices.IndexFunc(scored, is(folder.MergedRole)), slices.IndexFunc(scored, is(folder.WithPast))
	plain := slices.IndexFunc(scored, is(folder.Decoder))
	switch {
	case merged >= 0:
		return nil, scored[merged], nil
	case later >= 0 && plain >= 0:
		return scored[plain], scored[later], nil
	case len(scored) == 1:
		return nil, scored[0], nil
	case len(scored) == 0:
		return nil, nil, fmt.Errorf("no model is known to have the scores of the next token, so that nothing generates; its models are %s", strings.Join(memberNames(f), ", "))
	}
	return nil, nil, fmt.Errorf("%s have scores of the next token, and it is not known which one generates; name its file", text.Plural(len(scored), "model"))
}

// feeding returns the models whose outputs others read before the first token, in the order in which
// they run.
func feeding(f *folder.Folder, used []*folder.Member) ([]*folder.Member, error) {
	needed := slices.Clone(used)
	for at := 0; at < len(needed); at++ {
		for _, w := range f.Into(needed[at]) {
			if w.Via != "" {
				return nil, fmt.Errorf("between %s and %s is %s, which --generate does not do", graphops.ShortQuoted(w.From.String()), graphops.ShortQuoted(w.To.String()), w.Via)
			}
			if !slices.Contains(needed, w.From.Member) {
				needed = append(needed, w.From.Member)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(f.Members), func(m *folder.Member) bool {
		return slices.Contains(used, m) || !slices.Contains(needed, m)
	}), nil
}

// stageOf returns a member with the values that it gets from those before it.
func stageOf(f *folder.Folder, m *folder.Member, before []*folder.Member, given map[string][]string) sides.Stage {
	s := sides.Stage{Name: m.Name, Path: m.Path, Input: given[m.Name], From: map[string]sides.Source{}}
	for _, w := range f.Into(m) {
		if slices.Contains(before, w.From.Member) {
			s.From[w.To.Name] = sides.Source{Stage: w.From.Member.Name, Value: w.From.Name}
		}
	}
	for _, shared := range f.Shared {
		at := slices.IndexFunc(shared.Ports, func(p folder.Port) bool { return p.Member == m })
		for _, from := range shared.Ports[:max(at, 0)] {
			if slices.Contains(before, from.Member) {
				s.From[shared.Ports[at].Name] = sides.Source{Stage: from.Member.Name, Value: from.Name}
				break
			}
		}
	}
	return s
}

// carried returns which outputs of the first model the inputs of the later one get.
func carried(f *folder.Folder, first, later *folder.Member) map[string]string {
	out := map[string]string{}
	for _, w := range f.Into(later) {
		if w.From.Member == first {
			out[w.To.Name] = w.From.Name
		}
	}
	return out
}
