package graphops

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// externalFiles opens the files that a model's external data lies in, each
// once. Where they may lie is decided here and nowhere else: in the folder that
// the model's path names, in that of the file it resolves to (caches keep models
// as symbolic links), and in folders that were allowed by name.
type externalFiles struct {
	bases   []base    // what a relative location is relative to, in this order
	folders []*folder // where files may lie
	stream  bool      // the model has no path, and so no folder of its own
	machine string    // that all files lie on and were opened on, "" for this one

	unread map[string]string // why that machine could not open the file of a location

	mu     sync.Mutex
	open   map[string]*source // by location
	beside map[string]int     // the position of the base it was found at, by location
	byReal map[string]*source // many locations can name one file

	named map[string]bool // every location that the model file names, opened or not
}

// base is a folder that locations are relative to.
type base struct {
	dir   string // absolute and free of symbolic links
	shown string // as it is spelled in messages
}

// folder is one that external data may lie in.
type folder struct {
	dir    string   // absolute and free of symbolic links
	given  string   // absolute, as it was given
	model  *source  // the model that is in it, nil for a folder that was allowed by name
	handle *os.Root // opened when it is first needed
}

// newExternalFiles is for the model in a source. One from a stream has no folder:
// its data is looked for in those that are allowed.
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
		return nil, errors.New("is no folder")
	}
	return &folder{dir: real, given: given}, nil
}

// source opens the file of a location.
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

// refer notes where a tensor of the model file lies.
func (x *externalFiles) refer(t *Tensor) {
	r, err := t.ExternalRange()
	if err != nil {
		return // and so nothing is read of it
	}
	if x.named == nil {
		x.named = map[string]bool{}
	}
	x.named[r.Location] = true
}

// openNamed opens every file that the model file names and that can be opened.
func (x *externalFiles) openNamed() {
	for loc := range x.named {
		_, _ = x.source(loc) // what cannot be opened, reading it tells
	}
}

// base is the position of the base that the file of a location was found beside.
func (x *externalFiles) base(loc string) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.beside[loc]
}

// externalFileError is why a data file cannot be opened, whatever tensor is
// wanted of it.
type externalFileError struct {
	location string
	err      error
}

func (e *externalFileError) Error() string { return e.saying(e.err.Error()) }

func (e *externalFileError) saying(what string) string {
	return fmt.Sprintf("external data %q: %s", e.location, what)
}

func (e *externalFileError) Unwrap() error { return e.err }

// find opens the file of a location, beside the first base that has one.
func (x *externalFiles) find(loc string) (*source, error) {
	if why, ok := x.unread[loc]; ok {
		return nil, errors.New(why)
	}
	if x.machine != "" {
		return nil, fmt.Errorf("is none of the files that were opened on %q", x.machine)
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
		// The location is appended as it is: the system follows a link before it
		// goes up from there, which a cleaned path would not tell.
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

// openPath opens a file in an allowed folder. What lies outside by its spelling
// is refused for that, without a look at it. For the rest the links are followed
// first, to tell which folder it ends in, and then the file is opened from the
// handle of that folder (os.Root), which cannot be left: whoever exchanges a part
// of the path in between gains nothing.
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
	if err == nil {
		x.byReal[real] = s
	}
	return s, err
}

// advisedError is a problem, and what to do about it.
type advisedError struct{ problem, advice string }

// Error implements error.
func (e *advisedError) Error() string { return e.problem + "; " + e.advice }

// outsideError is that a file lies in a folder that is not allowed.
type outsideError struct{ error }

func (e *outsideError) Unwrap() error { return e.error }

func outside(why, path string) error {
	return &outsideError{&advisedError{why, "allow it with --allow-external " + filepath.Dir(path)}}
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// source opens a file below the folder, by its real path.
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

// hold opens the folder. A model's folder must hold the model that was opened:
// it may have been exchanged since.
func (f *folder) hold() error {
	if f.handle != nil {
		return nil
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return fmt.Errorf("the folder %s cannot be opened: %w", f.dir, reason(err))
	}
	if f.model != nil && !holdsModel(root, f.dir, f.model) {
		_ = root.Close() // it was only read from
		return fmt.Errorf("the folder %s was exchanged while the model was opened; open it again", f.dir)
	}
	f.handle = root
	return nil
}

// holdsModel reports whether a folder holds the file of a model or, where it was
// opened through a link, that link.
func holdsModel(root *os.Root, dir string, model *source) bool {
	if dir == filepath.Dir(model.real) {
		info, err := root.Lstat(filepath.Base(model.real))
		return err == nil && os.SameFile(info, model.seen)
	}
	info, err := root.Lstat(filepath.Base(model.path))
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}
