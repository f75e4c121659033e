package folders

import (
	"context"
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/graphops/folder"
	"lathe/session"
)

// Is reports whether a path is a folder.
func Is(path string) bool { return path != "-" && folder.IsFolder(path) }

// Open opens a folder under the rules of an environment.
func Open(ctx context.Context, env session.Env, path string) (*folder.Folder, error) {
	return folder.Open(ctx, path, folder.Options{Open: env.Open})
}

// Only returns paths in which a folder that has only one model is replaced by that model. ok is false if a
// folder has several; then these are left to those who work on folders.
func Only(ctx context.Context, env session.Env, paths ...string) (files []string, ok bool, err error) {
	for _, path := range paths {
		if path == "" || !Is(path) {
			files = append(files, path)
			continue
		}
		f, err := Open(ctx, env, path)
		if err != nil {
			return nil, false, err
		}
		if len(f.Members) != 1 {
			return nil, false, nil
		}
		files = append(files, f.Members[0].Path)
	}
	return files, true, nil
}

// OneModelError is a usage error: an option that is given is about one model.
type OneModelError struct{ usage session.UsageError }

func (e *OneModelError) Error() string { return e.usage.Error() }

func (e *OneModelError) Unwrap() error { return e.usage }

func aboutOneModel(step session.Step, option, path string) error {
	return &OneModelError{session.UsageError(fmt.Sprintf("%s: --%s is about one model, and %s is a folder; give the path of a model file, or leave out --%s", step.Name(), option, path, option))}
}

// Refused returns a *OneModelError if one of the options is given that have no meaning for a folder.
// allowed are the names of those that have one.
func Refused(step session.Step, path string, allowed ...string) error {
	ok := map[string]bool{}
	for _, name := range allowed {
		ok[name] = true
	}
	for _, o := range step.Options() {
		if !ok[o.Name] && !o.Operand && len(o.Values()) > 0 {
			return aboutOneModel(step, o.LongFlag(), path)
		}
	}
	return nil
}

// Chosen returns the members with one of the names, or all members if there are no names.
func Chosen(f *folder.Folder, names []string) ([]*folder.Member, error) {
	if len(names) == 0 {
		return f.Members, nil
	}
	var out []*folder.Member
	for _, name := range names {
		m := f.Member(name)
		if m == nil {
			return nil, session.UsageError(fmt.Sprintf("--member %q: the folder has no such model; expected %s", name, strings.Join(memberNames(f), ", ")))
		}
		out = append(out, m)
	}
	return out, nil
}

func memberNames(f *folder.Folder) (names []string) {
	for _, m := range f.Members {
		names = append(names, graphops.ShortQuoted(m.Name))
	}
	return names
}
