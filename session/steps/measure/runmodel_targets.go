package measure

import (
	"context"
	"os"
	"path/filepath"

	"lathe/graphops"
	"lathe/graphops/durable"
	"lathe/session"
	"lathe/session/inputs"
)

// checkTargets returns an error for files that cannot be written, and for files that would replace
// each other, the model or the data, even with --force. It runs before anything else.
func (s *RunModel) checkTargets(ctx context.Context, m *graphops.Model) error {
	for _, t := range []struct{ option, path string }{{"--save", s.Save}, {"--save-inputs", s.SaveInputs}} {
		if t.path == "-" {
			return session.UsageError(t.option + " -: arrays cannot be written to standard output; name a file")
		}
	}
	if s.Save != "" && s.SaveInputs != "" {
		if samePlace(s.Save, s.SaveInputs) {
			return session.UsageError("--save and --save-inputs: name two files")
		}
		if !inputs.IsArchive(s.SaveInputs) && samePlace(filepath.Dir(s.Save), s.SaveInputs) {
			return session.UsageError("--save: the folder of --save-inputs has only inputs; name a file outside of it")
		}
	}
	n, o := len(m.Graph().FeedInputs()), durable.Options{Overwrite: s.Force}
	if s.Save != "" {
		if err := s.checkFiles(m, s.Save); err != nil {
			return err
		}
		if err := graphops.CheckTarget(ctx, s.Save, o); err != nil {
			return err
		}
	}
	if s.SaveInputs != "" {
		if err := s.checkFiles(m, s.SaveInputs, inputs.SavedFiles(s.SaveInputs, n)...); err != nil {
			return err
		}
		return inputs.CheckTarget(ctx, s.SaveInputs, n, o)
	}
	return nil
}

// checkFiles returns an error if a file to be written, or one in a folder to be written, is one
// that the model or the inputs are read from.
func (s *RunModel) checkFiles(m *graphops.Model, target string, within ...string) error {
	if err := graphops.RefuseSources(m, append(within, target)...); err != nil {
		return err
	}
	for _, path := range within {
		if err := s.RefuseTarget(path); err != nil {
			return err
		}
	}
	return s.RefuseArrays(target)
}

// samePlace reports whether two paths lead to the same file or folder, which need not exist.
func samePlace(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(infoA, infoB)
	}
	return followed(a) == followed(b)
}

// followed returns an absolute path with all links followed. If the path does not exist, it follows
// the links in its folder.
func followed(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return filepath.Clean(path)
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		return filepath.Join(folder, filepath.Base(abs))
	}
	return abs
}
