package graphops

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// Data files are called after their model: m.onnx.data, and m.onnx.data-2 and on
// where that is taken, or where there are several.
var dataPattern = regexp.MustCompile(`^(.+)\.data(-[1-9][0-9]*)?$`)

// modelOfData is the name of the model that a data file is called after.
func modelOfData(name string) (base string, ok bool) {
	m := dataPattern.FindStringSubmatch(name)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// dataNames are the names for the data files of the model at a target, one behind
// the other.
type dataNames struct {
	target    target
	overwrite bool
	given     int      // how many names have been looked at
	old       []string // the locations that the old model names
}

func newDataNames(t target, overwrite bool) *dataNames {
	return &dataNames{target: t, overwrite: overwrite}
}

// next is where the model is to say that its next data file lies: beside it, also
// for those who come by a symbolic link. Where files may be replaced it is a name
// that is free: what bears a taken one is the data of the old model, which needs it
// until it is replaced, or of another.
func (n *dataNames) next() (string, error) {
	if n.given == 0 {
		if err := n.begin(); err != nil {
			return "", err
		}
	}
	for {
		name := n.following()
		if !n.overwrite {
			return name, nil
		}
		_, err := os.Lstat(filepath.Join(n.target.folder(), name))
		if err != nil && !slices.Contains(n.old, name) {
			return name, nil
		}
	}
}

func (n *dataNames) begin() error {
	t := n.target
	if t.path != t.entry && !sameFile(filepath.Dir(t.entry), t.folder()) {
		return fmt.Errorf("is a symbolic link to %s, and the data file beside that would not be found through the link; name the file itself", t.path)
	}
	if n.overwrite {
		named, _ := filesNamedBy(t.path) // of what is no model, none
		n.old = named.locations
	}
	return nil
}

// following is the next name, taken or not.
func (n *dataNames) following() string {
	first := filepath.Base(n.target.path) + ".data"
	if n.given++; n.given > 1 {
		return fmt.Sprintf("%s-%d", first, n.given)
	}
	return first
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// replacedData are the data files that go with the model that t replaces: those
// that it names, that are called as Save calls them, and that neither the new
// model nor any that it is made from is read from. What is no model has none. Those
// that another model uses, or may use, are kept.
func replacedData(t target, keep []string, m *Model) (gone []string, kept []KeptData) {
	candidates := dataFilesOf(t.path)
	if !t.replaces() || len(candidates) == 0 || len(m.training) > 0 {
		return nil, nil
	}
	named, err := filesNamedBy(t.path)
	if err != nil {
		return nil, nil
	}
	needed, err := filesNeededBy(m)
	if err != nil {
		return nil, nil
	}
	candidates = slices.DeleteFunc(candidates, func(path string) bool {
		return slices.Contains(keep, path) || !named.have(path)
	})
	users := usersOfData(candidates, t.path)
	for _, path := range candidates {
		why := users.reasonToKeep(path)
		if needed.have(path) {
			why = m.Path() + " uses it"
		}
		if why != "" {
			kept = append(kept, KeptData{path, why})
			continue
		}
		gone = append(gone, path)
	}
	return gone, kept
}

// refuseUsed is an error where the file that t replaces is the data of a model. A model
// is nobody's data, so the others are looked through only for what is none.
func (t *target) refuseUsed() error {
	if !t.replaces() {
		return nil
	}
	if _, err := Open(t.path, OpenOptions{}); err == nil {
		return nil
	}
	users := usersOfData([]string{t.path}, "")
	if list := users.users[t.path]; len(list) > 0 {
		return fmt.Errorf("%s: holds data of %s; choose another name", t.asked, list[0].model)
	}
	if _, ok := modelOfData(filepath.Base(t.path)); ok && len(users.doubts) > 0 {
		return fmt.Errorf("%s: may hold data of another model (%s); choose another name or remove it first", t.asked, users.doubts[0])
	}
	return nil
}

// dataFilesOf are the files beside a model that are called as its data is.
func dataFilesOf(path string) []string {
	list, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range list {
		if base, ok := modelOfData(e.Name()); ok && base == filepath.Base(path) && e.Type().IsRegular() {
			out = append(out, filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
	return out
}

// fileSet are files, whatever names lead to them.
type fileSet struct {
	locations []string // as the model names them
	files     []os.FileInfo
}

func (s fileSet) have(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && slices.ContainsFunc(s.files, func(f os.FileInfo) bool { return os.SameFile(f, info) })
}

// filesNamedBy are the data files of the model at path.
func filesNamedBy(path string) (fileSet, error) {
	if _, err := os.Stat(path); err != nil {
		return fileSet{}, err
	}
	m, err := Open(path, OpenOptions{})
	if err != nil {
		return fileSet{}, err
	}
	return m.namedFiles(filepath.Dir(path))
}

// errOpaque is about references that nobody here looks into.
var errOpaque = errors.New("training information may name data files")

// namedFiles are the files that tensors name, those that are there, from the
// model's folder. A reference that cannot be read is an error: it may be to any
// file.
func (m *Model) namedFiles(folder string) (fileSet, error) {
	var s fileSet
	for t := range m.ExternalTensors() {
		r, err := t.ExternalRange()
		if err != nil {
			return s, err
		}
		location := filepath.Clean(filepath.FromSlash(r.Location))
		if slices.Contains(s.locations, location) {
			continue
		}
		s.locations = append(s.locations, location)
		if info, err := os.Stat(filepath.Join(folder, location)); err == nil {
			s.files = append(s.files, info)
		}
	}
	if len(m.training) > 0 {
		return s, errOpaque
	}
	return s, nil
}

// filesNeededBy are the files that m is read from, and those that the model files
// which it was made from name: it may have been cut down since.
func filesNeededBy(m *Model) (fileSet, error) {
	var s fileSet
	for _, o := range m.origins() {
		if o.src == nil || o.src.file == nil {
			continue
		}
		whole, err := decodeFile(o.src, o.files)
		if err != nil {
			return s, err
		}
		named, err := whole.namedFiles(filepath.Dir(o.src.path))
		if err != nil {
			return s, err
		}
		s.files = append(s.files, named.files...)
	}
	for _, src := range sourcesOf(m) {
		if src.file != nil {
			s.files = append(s.files, src.seen)
		}
	}
	return s, nil
}
