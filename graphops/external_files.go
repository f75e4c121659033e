package graphops

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// externalFiles opens the files with a model's external data, each once. No other type decides
// where these files may be. They may be in three kinds of folder: the folder of the model's path;
// if that path is a symbolic link, the folder of the file that it leads to, because caches store
// models as links; and folders that the user allowed.
type externalFiles struct {
	bases   []base    // folders in which relative locations are looked up, in this order
	folders []*folder // folders that may contain the files
	stream  bool      // the model has no path, and so no folder of its own
	machine string    // the machine that has all files and opened them; empty for this machine

	unread map[string]string // why that machine could not open the file of a location

	mu     sync.Mutex
	open   map[string]*source // by location
	beside map[string]int     // index of the base where the file of a location was found
	byReal map[string]*source // several locations can refer to one file

	named map[string]bool // every location in the model file, opened or not
}

// base is a folder in which the locations of external data are looked up.
type base struct {
	dir   string // absolute, without symbolic links
	shown string // as shown in messages
}

// folder is a folder in which external data may be.
type folder struct {
	dir    string   // absolute, without symbolic links
	given  string   // absolute, as the user gave it
	model  *source  // the model in this folder; nil for a folder that the user allowed
	handle *os.Root // opened on first use
}

// newExternalFiles prepares the files of the given model. A model from a stream has no folder of
// its own, so its data is looked up in the allowed folders.
func newExternalFiles(model *source, allow []string) (*externalFiles, error) {
	x := &externalFiles{
		stream: model.real == "",
		open:   map[string]*source{}, beside: map[string]int{}, byReal: map[string]*source{},
	}
	if !x.stream {
		named, _ := filepath.Split(model.path)
		named = cmp.Or(named, ".")
		beside, err := realPath(named)
		if err != nil {
			return nil, fmt.Errorf("folder %s: %w", named, err)
		}
		x.addModelFolder(model, beside, named)
		x.addModelFolder(model, filepath.Dir(model.real), filepath.Dir(model.real))
	}
	for _, dir := range allow {
		f, err := allowedFolder(dir)
		if err != nil {
			return nil, fmt.Errorf("--allow-external %s: %w", dir, err)
		}
		x.folders = append(x.folders, f)
		if x.stream {
			x.bases = append(x.bases, base{f.dir, dir})
		}
	}
	return x, nil
}

func (x *externalFiles) addModelFolder(model *source, dir, shown string) {
	if !slices.ContainsFunc(x.bases, func(b base) bool { return b.dir == dir }) {
		x.bases = append(x.bases, base{dir, shown})
		x.folders = append(x.folders, &folder{dir: dir, given: dir, model: model})
	}
}

func allowedFolder(dir string) (*folder, error) {
	given, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	real, err := realPath(given)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("no such folder")
	}
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return nil, errors.New("is not a folder")
	}
	return &folder{dir: real, given: given}, nil
}

// source opens the file at a location, or returns it if it is already open.
func (x *externalFiles) source(loc string) (*source, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if s := x.open[loc]; s != nil {
		return s, nil
	}
	s, err := x.find(loc)
	if err != nil {
		return nil, &externalFileError{loc, err}
	}
	x.open[loc] = s
	return s, nil
}

// refer records that the model refers to a tensor's data file.
func (x *externalFiles) refer(t *Tensor) {
	r, err := t.ExternalRange()
	if err != nil {
		return // nothing can be read from it
	}
	if x.named == nil {
		x.named = map[string]bool{}
	}
	x.named[r.Location] = true
}

// openNamed opens every file with external data to which the model file refers. It ignores files
// that cannot be opened.
func (x *externalFiles) openNamed() {
	for loc := range x.named {
		_, _ = x.source(loc) // an error is reported when the data is read
	}
}

// base returns the index of the base folder in which the file at a location was found.
func (x *externalFiles) base(loc string) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.beside[loc]
}

// externalFileError says why a data file cannot be opened. It concerns all tensors in that file.
type externalFileError struct {
	location string
	err      error
}

func (e *externalFileError) Error() string { return e.saying(e.err.Error()) }

func (e *externalFileError) saying(what string) string {
	return fmt.Sprintf("external data %q: %s", e.location, what)
}

func (e *externalFileError) Unwrap() error { return e.err }

// find opens the file at a location in the first base folder that has it.
func (x *externalFiles) find(loc string) (*source, error) {
	if why, ok := x.unread[loc]; ok {
		return nil, errors.New(why)
	}
	if x.machine != "" {
		return nil, fmt.Errorf("is not one of the files that were opened on %q", x.machine)
	}
	if filepath.IsAbs(loc) {
		return x.openPath(loc, loc, "is absolute, expected a path relative to the model's folder")
	}
	if len(x.bases) == 0 {
		return nil, &advisedError{"cannot be found: the model came from a stream", "open it by its path, or name the folder with --allow-external"}
	}
	var missing []string
	for i, b := range x.bases {
		shown := filepath.Join(b.shown, loc)
		// The location is appended as it is, not cleaned. In "link/../file" the system follows the
		// link before it applies the "..", so a cleaned path could lead to another file.
		s, err := x.openPath(b.dir+string(filepath.Separator)+loc, shown, `leads out of the model's folder by ".."`)
		if !errors.Is(err, fs.ErrNotExist) {
			x.beside[loc] = i
			return s, err
		}
		missing = append(missing, shown)
	}
	where := "beside the model"
	if x.stream {
		where = "in the allowed folders"
	}
	return nil, &advisedError{fmt.Sprintf("no such file %s (%s)", where, strings.Join(missing, ", ")), "put it there"}
}

// openPath opens a file in one of the allowed folders. A path that is outside of these because of
// its text (absolute or with "..") is rejected without looking at the file system; spelling is the
// error message for that. Otherwise openPath first resolves all links, to find the folder that
// contains the file. It then opens the file through a handle of that folder (os.Root), which cannot
// lead out of the folder. Replacing a part of the path in the meantime therefore has no effect.
func (x *externalFiles) openPath(path, shown, spelling string) (*source, error) {
	clean := filepath.Clean(path)
	spelledInside := func(f *folder) bool { return within(f.dir, clean) || within(f.given, clean) }
	if !slices.ContainsFunc(x.folders, spelledInside) {
		return nil, outside(spelling, clean)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, explainMissing(path, reason(err))
	}
	if s := x.byReal[real]; s != nil {
		return s, nil
	}
	i := slices.IndexFunc(x.folders, func(f *folder) bool { return within(f.dir, real) })
	if i < 0 {
		return nil, outside("is behind a link that leads out of the model's folder", real)
	}
	s, err := x.folders[i].source(real, shown)
	if err != nil {
		return nil, err
	}
	isAllowed := slices.ContainsFunc(x.folders, func(f *folder) bool { return f.model == nil && within(f.dir, real) })
	if n := x.folders[i].namesElsewhere(s); n > 0 && !isAllowed {
		s.file.Close() // it was only read
		return nil, outside(fmt.Sprintf("has %s in other folders (hard links), so that it may be a file that does not belong to the model", plural(n, "further name")), real)
	}
	x.byReal[real] = s
	return s, nil
}

// namesElsewhere returns how many names (hard links) a file of the folder has that are not beside it. A
// name that cannot be found counts as one elsewhere.
func (f *folder) namesElsewhere(s *source) int {
	stat, ok := s.seen.Sys().(*syscall.Stat_t)
	if !ok || stat.Nlink < 2 {
		return 0
	}
	elsewhere := int(min(stat.Nlink, math.MaxInt32))
	rel, err := filepath.Rel(f.dir, filepath.Dir(s.real))
	if err != nil {
		return elsewhere
	}
	beside, err := fs.ReadDir(f.handle.FS(), filepath.ToSlash(rel))
	if err != nil {
		return elsewhere
	}
	for _, e := range beside {
		if info, err := e.Info(); err == nil && os.SameFile(info, s.seen) {
			elsewhere--
		}
	}
	return max(elsewhere, 0)
}

// plural returns a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "a " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// advisedError is an error with separate texts for the problem and for what the user can do.
type advisedError struct{ problem, advice string }

// Error implements error.
func (e *advisedError) Error() string { return e.problem + "; " + e.advice }

// outsideError says that a file is in a folder from which data may not be read.
type outsideError struct{ error }

func (e *outsideError) Unwrap() error { return e.error }

func outside(why, path string) error {
	return &outsideError{&advisedError{why, "allow it with --allow-external " + filepath.Dir(path)}}
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// source opens a file inside the folder. real is the file's path without symbolic links.
func (f *folder) source(real, shown string) (*source, error) {
	if err := f.hold(); err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(f.dir, real)
	if err != nil {
		return nil, err
	}
	file, err := f.handle.OpenFile(rel, readOnly, 0)
	if err != nil {
		return nil, reason(err)
	}
	s, err := newSource(file, shown)
	if err != nil {
		file.Close()
		return nil, err
	}
	s.real = real
	return s, nil
}

// hold opens a handle of the folder. The folder could have been replaced since the model was
// opened, so hold returns an error if the folder does not contain the opened model.
func (f *folder) hold() error {
	if f.handle != nil {
		return nil
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return fmt.Errorf("the folder %s cannot be opened: %w", f.dir, reason(err))
	}
	if f.model != nil && !holdsModel(root, f.dir, f.model) {
		_ = root.Close() // opened for reading only
		return fmt.Errorf("the folder %s was replaced while the model was being opened; open the model again", f.dir)
	}
	f.handle = root
	return nil
}

// holdsModel reports whether a folder contains the file from which a model was opened, or the
// symbolic link through which it was opened.
func holdsModel(root *os.Root, dir string, model *source) bool {
	if dir == filepath.Dir(model.real) {
		info, err := root.Lstat(filepath.Base(model.real))
		return err == nil && os.SameFile(info, model.seen)
	}
	info, err := root.Lstat(filepath.Base(model.path))
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}
