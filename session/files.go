package session

import (
	"path/filepath"
	"slices"

	"lathe/graphops"
)

// modelFile is a model file that the session knows about.
type modelFile struct {
	path  string
	model *graphops.Model // its content; nil if the session never had it in memory
}

// AddFile notes a file whose content the session does not know, such as a file named on the command
// line.
func (s *Session) AddFile(path string) { s.hold(path, nil) }

// NoteFiles notes the model file that a step wrote. base is the model that the step ran on. If the
// step made no new model, the file contains base.
func (s *Session) NoteFiles(step Step, base *graphops.Model, r Result) {
	o, ok := WithRole(step, RoleModel)
	if !ok || len(o.Values()) == 0 || !slices.Contains(r.Files, o.Values()[0]) {
		return
	}
	held := r.Model
	if held == nil && TakesModel(step) {
		held = base
	}
	s.hold(o.Values()[0], held)
}

// hold remembers which model a file holds, or nil if that is not known. It forgets what the file held
// before.
func (s *Session) hold(path string, m *graphops.Model) {
	s.files = slices.DeleteFunc(slices.Clone(s.files), func(f modelFile) bool {
		return filepath.Clean(f.path) == filepath.Clean(path)
	})
	s.files = append(s.files, modelFile{path, m})
}

// FileOf returns the file that contains a model, the latest if there are several, or "".
func (s *Session) FileOf(m *graphops.Model) string {
	for _, f := range slices.Backward(s.files) {
		if f.model == m {
			return f.path
		}
	}
	return ""
}

// Files returns the model files that the session knows about, the latest last.
func (s *Session) Files() []string {
	out := make([]string, len(s.files))
	for i, f := range s.files {
		out[i] = f.path
	}
	return out
}

// Compared returns the two files that a person most likely wants to compare: the model as it was
// opened, and the model as it is. If the model is unchanged, the second is the latest of the other
// files. It is "" if there is no such file.
func (s *Session) Compared() (opened, now string) {
	opened = s.FileOf(s.Original())
	if m := s.Model(); m != s.Original() {
		return opened, s.FileOf(m)
	}
	for _, f := range slices.Backward(s.files) {
		if f.model != s.Original() {
			return opened, f.path
		}
	}
	return opened, ""
}
