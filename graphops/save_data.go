package graphops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"lathe/graphops/durable"
	"lathe/graphops/pattern"
)

// dataPattern matches the name of a data file. It is the name of the model with the suffix ".data",
// such as m.onnx.data. If that name is taken, or if there are several files, it is m.onnx.data-2
// and so on.
var dataPattern = pattern.New(`^(.+)\.data(-[1-9][0-9]*)?$`)

// modelOfData returns the name of the model that a data file is named after.
func modelOfData(name string) (base string, ok bool) {
	m := dataPattern.FindStringSubmatch(name)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// dataNames generates the names for the data files of the model at a target.
type dataNames struct {
	target    durable.Target
	overwrite bool
	given     int      // number of names considered
	old       []string // locations in the old model
}

func newDataNames(t durable.Target, overwrite bool) *dataNames {
	return &dataNames{target: t, overwrite: overwrite}
}

// next returns the location of the model's next data file, as a path relative to the model's
// folder. If files may be replaced, it returns a name that is not in use. A file with that name may
// be the data of the old model, which is needed until the model is replaced, or of another model.
// next returns an error if the path is a symbolic link and the data would not be found through the
// link.
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
		_, err := os.Lstat(filepath.Join(n.target.Folder(), name))
		if err != nil && !slices.Contains(n.old, name) {
			return name, nil
		}
	}
}

func (n *dataNames) begin() error {
	t := n.target
	if t.Path != t.Entry && !sameFile(filepath.Dir(t.Entry), t.Folder()) {
		return fmt.Errorf("is a symbolic link to %s, and a data file beside that file would not be found through the link; give the path of the file itself", t.Path)
	}
	if n.overwrite {
		named, _ := filesNamedBy(t.Path) // empty if the file is not a model
		n.old = named.locations
	}
	return nil
}

// following returns the next name in the sequence, whether it is in use or not.
func (n *dataNames) following() string {
	first := filepath.Base(n.target.Path) + ".data"
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

// replacedData returns the data files that are to be removed when the model at path is replaced by m.
// The old model refers to these files, they have names that Save uses, and m was not made from
// them. If the old file is not a model, there are none. kept lists the files that stay because
// another model uses them or may use them.
func replacedData(path string, keep []string, m *Model) (gone []string, kept []KeptData) {
	candidates := append(dataFilesOf(path), blobsOf(path)...)
	if len(candidates) == 0 || len(m.training) > 0 {
		return nil, nil
	}
	named, err := filesNamedBy(path)
	if err != nil {
		return nil, nil
	}
	needed, err := filesNeededBy(m)
	if err != nil {
		return nil, nil
	}
	candidates = slices.DeleteFunc(candidates, func(data string) bool {
		return slices.Contains(keep, data) || !named.have(data)
	})
	users := usersOfData(candidates, path)
	for _, data := range candidates {
		why := users.reasonToKeep(data)
		if needed.have(data) {
			why = m.Path() + " uses it"
		}
		if why != "" {
			kept = append(kept, KeptData{data, why})
			continue
		}
		gone = append(gone, data)
	}
	return gone, kept
}

// CheckTarget returns the error that WriteFile would return before it writes: for a file that must
// not be replaced, a file with the data of a model, or a folder that is not writable. No file
// remains afterwards.
func CheckTarget(ctx context.Context, path string, o WriteOptions) error {
	t, err := durable.Check(ctx, path, o.durable())
	if err != nil {
		return err
	}
	return refuseUsed(t)
}

// refuseUsed returns an error if the file to be replaced is a data file of a model. If the file is
// itself a model, it cannot be a data file, so nothing is searched.
func refuseUsed(t durable.Target) error {
	if !t.Replaces() {
		return nil
	}
	if _, err := Open(t.Path, OpenOptions{}); err == nil {
		return nil
	}
	users := usersOfData([]string{t.Path}, "")
	if list := users.users[t.Path]; len(list) > 0 {
		return fmt.Errorf("%s: contains external data of %s; choose another name", t.Asked, list[0].model)
	}
	if _, ok := modelOfData(filepath.Base(t.Path)); ok && len(users.doubts) > 0 {
		return fmt.Errorf("%s: may contain external data of another model (%s); choose another name or remove it first", t.Asked, users.doubts[0])
	}
	return nil
}

// isOrphan reports whether a data file belongs to no model. Its process was killed while it replaced
// a model. If the old model was not replaced, the new data is not needed. Otherwise the data of the
// old model is not needed. The file is kept if its model refers to it, if its model cannot be read,
// or if another model uses it.
func isOrphan(l durable.Leftover) bool {
	base, ok := modelOfData(l.Name)
	if !ok || l.Replaced(base) != l.Old {
		return false
	}
	own, model := filepath.Join(l.Folder, l.Name), filepath.Join(l.Folder, base)
	named, err := filesNamedBy(model)
	switch {
	case err == nil && named.have(own), err != nil && !errors.Is(err, os.ErrNotExist):
		return false
	}
	return usersOfData([]string{own}, model).reasonToKeep(own) == ""
}

// dataFilesOf returns the files beside the model at path that are named after it, as Save names
// data files.
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

// fileSet is a set of files. They are compared by identity, not by name.
type fileSet struct {
	locations []string // as in the model
	files     []os.FileInfo
}

func (s fileSet) have(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && slices.ContainsFunc(s.files, func(f os.FileInfo) bool { return os.SameFile(f, info) })
}

// filesNamedBy returns the data files to which the model at path refers.
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

// errOpaque is the error for a model with training information. Its references to data files are
// not examined.
var errOpaque = errors.New("training information may name data files")

// namedFiles returns the existing data files to which the model's tensors refer, starting from the
// given folder. If a reference is invalid, it returns an error, because any file could be meant.
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
	for _, c := range m.CompiledNodes() {
		location := filepath.Clean(filepath.FromSlash(c.Location()))
		if c.Location() == "" || slices.Contains(s.locations, location) {
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

// filesNeededBy returns the files that m is read from. It includes all data files to which the
// opened model files refer, even if an edit removed the tensors in them.
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
