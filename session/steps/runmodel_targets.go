package steps

import (
	"context"
	"os"
	"path/filepath"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/inputs"
)

// checkTargets refuses, before anything runs or is written, files that could not be
// written or that would replace each other, the model or the data, also with --force.
func (s *RunModel) checkTargets(ctx context.Context, m *graphops.Model) error {
	for _, t := range []struct{ option, path string }{{"--save", s.Save}, {"--save-inputs", s.SaveInputs}} {
		if t.path == "-" {
			return session.UsageError(t.option + " -: arrays are written to a file; name one")
		}
	}
	if s.Save != "" && s.SaveInputs != "" {
		if samePlace(s.Save, s.SaveInputs) {
			return session.UsageError("--save and --save-inputs: name two files")
		}
		if !inputs.IsArchive(s.SaveInputs) && samePlace(filepath.Dir(s.Save), s.SaveInputs) {
			return session.UsageError("--save: the folder of --save-inputs holds inputs alone; name a file outside of it")
		}
	}
	n, o := len(m.Graph().FeedInputs()), graphops.WriteOptions{Overwrite: s.Force}
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

// checkFiles refuses a target, and the files in it, that the model or the inputs are
// read from.
func (s *RunModel) checkFiles(m *graphops.Model, target string, within ...string) error {
	if err := graphops.RefuseSources(m, append(within, target)...); err != nil {
		return err
	}
	for _, path := range within {
		if err := s.refuseTarget(path); err != nil {
			return err
		}
	}
	return s.refuseArrays(target)
}

// samePlace reports whether two paths lead to one file or folder, which need not be
// there.
func samePlace(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(infoA, infoB)
	}
	return followed(a) == followed(b)
}

// followed is a path with the links in it followed as far as they lead.
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
