package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"go.yaml.in/yaml/v3"

	"lathe/session"
)

// version is the version of the file formats.
const version = 1

// maxBytes limits the size of a file. The recipe in it has at most session.MaxRecipe bytes.
const maxBytes = 4 << 20

// Entry is what a workbench is doing: on which model, after which steps, and what it shows.
type Entry struct {
	Model   string         // the model file, as the person typed it
	Folder  string         // the working folder, for relative paths
	History []session.Past // the steps so far
	Job     string         // the command of the running job, or ""
	View    View
}

// View is what a person is looking at. The keys are those of the workbench: place, row, marks and
// columns. The content comes from a file, so a reader must not assume that it is valid.
type View map[string][]string

// file is an Entry as it is written to a journal.
type file struct {
	Version int         `yaml:"lathe-journal"`
	Written time.Time   `yaml:"written"`
	Process process     `yaml:"process"`
	Folder  string      `yaml:"folder"`
	Model   string      `yaml:"model"`
	Files   []fileState `yaml:"files"`   // files that the history depends on, the model first
	Recipe  string      `yaml:"recipe"`  // as session.Recipe writes it
	Changed []int       `yaml:"changed"` // positions of the steps that changed the model
	Job     string      `yaml:"job"`
	View    View        `yaml:"view"`
}

// process says who wrote an entry, for a person who reads the file.
type process struct {
	PID  int    `yaml:"pid"`
	Host string `yaml:"host"`
}

// fileState identifies the content of a file by its size and its modification time, so that the
// file need not be read.
type fileState struct {
	Path     string    `yaml:"path"` // absolute
	Bytes    int64     `yaml:"bytes"`
	Modified time.Time `yaml:"modified"`
}

func stateOf(path string) (fileState, error) {
	path = realPath(path)
	info, err := os.Stat(path)
	if err != nil {
		return fileState{}, err
	}
	return fileState{path, info.Size(), info.ModTime()}, nil
}

// isSame reports whether the file is unchanged.
func (f fileState) isSame() bool {
	now, err := stateOf(f.Path)
	return err == nil && now.Bytes == f.Bytes && now.Modified.Equal(f.Modified)
}

// encode writes an entry.
func encode(e Entry, now time.Time) ([]byte, error) {
	state, err := stateOf(session.From(e.Folder, e.Model))
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	f := file{
		Version: version, Written: now, Process: process{os.Getpid(), host}, Folder: e.Folder, Model: e.Model,
		Files: []fileState{state}, Changed: []int{}, Job: e.Job, View: e.View,
	}
	r := session.Recipe{Model: e.Model}
	for i, p := range e.History {
		r.Steps = append(r.Steps, p.Call)
		if p.Changed {
			f.Changed = append(f.Changed, i)
			f.Files = append(f.Files, readBy(p.Call, e.Folder)...)
		}
	}
	var recipe strings.Builder
	if _, err := r.WriteTo(&recipe); err != nil {
		return nil, err
	}
	if recipe.Len() > session.MaxRecipe {
		return nil, fmt.Errorf("the steps so far fill more than %d KiB", session.MaxRecipe>>10)
	}
	f.Recipe = recipe.String()
	return marshal(f)
}

// reads are the options that name files whose content decides how a step changes the model.
var reads = []string{"with", "data", "ranges", "overrides", "custom-ops", "checkpoint", "weights", "target", "path", "example", "translations", "symbolic"}

// readBy returns the files that a step read, with their present state. Files that do not exist are
// left out.
func readBy(c session.Call, folder string) (list []fileState) {
	for _, o := range c.Options {
		if !slices.Contains(reads, o.Name) {
			continue
		}
		for _, v := range o.Values {
			if state, err := stateOf(session.From(folder, v)); err == nil {
				list = append(list, state)
			}
		}
	}
	return list
}

func marshal(v any) ([]byte, error) {
	b, err := yaml.Marshal(v)
	if err == nil && len(b) > maxBytes {
		err = fmt.Errorf("is larger than %d KiB", maxBytes>>10)
	}
	return b, err
}

// decode reads an entry.
func decode(content []byte) (f file, e Entry, err error) {
	if err := unmarshal(content, &f); err != nil {
		return f, e, err
	}
	if f.Version != version {
		return f, e, fmt.Errorf("version %d of the format is not known; expected version %d", f.Version, version)
	}
	if len(f.Files) == 0 {
		return f, e, errors.New("names no model file")
	}
	r, err := session.ReadRecipe(strings.NewReader(f.Recipe))
	if err != nil {
		return f, e, fmt.Errorf("recipe: %w", err)
	}
	e = Entry{Model: f.Model, Folder: f.Folder, Job: f.Job, View: f.View}
	for _, c := range r.Steps {
		e.History = append(e.History, session.Past{Call: c})
	}
	for _, i := range f.Changed {
		if i < 0 || i >= len(e.History) {
			return f, Entry{}, fmt.Errorf("step %d does not exist; there are %d", i, len(e.History))
		}
		e.History[i].Changed = true
	}
	return f, e, nil
}

// unmarshal reads one YAML document. Unknown keys are errors.
func unmarshal(content []byte, to any) error {
	dec := yaml.NewDecoder(bytes.NewReader(content))
	dec.KnownFields(true)
	if err := dec.Decode(to); err != nil {
		var wrong *yaml.TypeError
		switch {
		case errors.Is(err, io.EOF):
			return errors.New("is empty")
		case errors.As(err, &wrong):
			return errors.New(wrong.Errors[0])
		}
		return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := dec.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return errors.New("has more than one YAML document")
	}
	return nil
}

// read reads a file of the folder. If the file was replaced by a named pipe, it returns an error
// instead of waiting for a writer.
func read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("is not a regular file")}
	}
	if of, ok := info.Sys().(*syscall.Stat_t); ok && int(of.Uid) != os.Geteuid() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("belongs to another user")}
	}
	content, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err == nil && len(content) > maxBytes {
		err = fmt.Errorf("%s: is larger than %d KiB", path, maxBytes>>10)
	}
	return content, err
}
