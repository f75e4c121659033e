package graphops

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Structure is a model in the form in which its structure is sent to another machine. Weights stay
// in files on this machine, and the model has references to these files. It is of use only while
// the files exist.
type Structure struct {
	// Bytes are the serialized model. A weight that is not part of it is external data, with the
	// real path of one of Files as location. Other external data could not be found on this
	// machine; see Unread.
	Bytes []byte
	// Origin is the file that the model was opened from.
	Origin StoredFile
	Files  []StoredFile
	// Unread says why external data could not be found, by its location in the model.
	Unread map[string]string
}

// StoredFile describes a file with weights. Its paths are those on the machine that has it.
type StoredFile struct {
	Path     string // as shown in messages
	Real     string // absolute, without symbolic links
	Bytes    int64
	Modified time.Time
	// Passing is set if the file is about to be removed. It is then opened at once and not used by
	// its path later.
	Passing bool
}

// StructureOf returns the structure of a model. It contains weights that are small or computed, and
// those in a file without a name, such as a temporary file.
func StructureOf(m *Model) (Structure, error) {
	s := Structure{Origin: m.src.stored()}
	placed, err := mapTensors(m, func(t *Tensor, initializer bool) (*Tensor, error) {
		if t.dtype.Bits() == 0 || !initializer && !t.IsExternal() {
			return t, nil
		}
		data, err := t.Data()
		if err != nil {
			s.addUnread(err)
			return t, nil // reported when it is needed, as on the model's own machine
		}
		if !initializer || data.src == nil || data.src.real == "" || data.Len() < minImageReference {
			return t.inlineIfOutside(data), nil
		}
		s.add(data.src.stored())
		return t.outside(data.src.real, data.offset, data.Len()), nil
	})
	if err != nil {
		return Structure{}, err
	}
	n := encodedSize(placed)
	if n > MaxModelBytes {
		return Structure{}, fmt.Errorf("%d bytes besides the weights in files are too many to send to another machine; save the model first", n)
	}
	buf := bytes.NewBuffer(make([]byte, 0, n))
	e := encoder{w: buf}
	e.model(placed)
	s.Bytes = buf.Bytes()
	return s, errors.Join(e.err, unchangedSources(m))
}

func (s *Structure) add(f StoredFile) {
	if !slices.ContainsFunc(s.Files, func(g StoredFile) bool { return g.Real == f.Real }) {
		s.Files = append(s.Files, f)
	}
}

func (s *Structure) addUnread(err error) {
	var file *externalFileError
	if !errors.As(err, &file) {
		return // an error in the tensor itself is found on every machine
	}
	if s.Unread == nil {
		s.Unread = map[string]string{}
	}
	s.Unread[file.location] = file.err.Error()
}

// stored describes a file of this machine or of another one.
func (s *source) stored() StoredFile {
	switch {
	case s == nil || s.real == "":
		return StoredFile{}
	case s.file == nil:
		return StoredFile{Path: s.path, Real: s.real, Bytes: s.size, Modified: s.modified}
	}
	return StoredFile{Path: s.path, Real: s.real, Bytes: s.size, Modified: s.seen.ModTime()}
}

// Elsewhere returns a model from the structure that another machine sent. Its weights cannot be
// read here, so reading them is an error. StructureOf of this model refers to them by their paths
// on that machine.
func (s Structure) Elsewhere(machine string) (*Model, error) {
	x := s.externalFiles(machine)
	for _, f := range s.Files {
		x.open[f.Real] = f.elsewhere(machine)
	}
	m, err := s.decode(x)
	if err == nil {
		m.src = s.Origin.elsewhere(machine)
	}
	return m, err
}

func (f StoredFile) elsewhere(machine string) *source {
	return &source{
		ReaderAt: outOfReach{machine, f.Path}, machine: machine,
		path: f.Path, real: f.Real, size: f.Bytes, modified: f.Modified,
	}
}

// outOfReach takes the place of a file's content if the file is on another machine. Reading it is
// an error.
type outOfReach struct{ machine, path string }

func (o outOfReach) ReadAt([]byte, int64) (int, error) {
	return 0, fmt.Errorf("%s is on %q and cannot be read from here", o.path, o.machine)
}

// Here returns a model from a structure that StructureOf created on this machine and that another
// machine sent back. It opens the files listed in the structure and no others. It returns an error
// if one of them has changed.
func (s Structure) Here() (*Model, error) {
	x := s.externalFiles("the other end")
	for _, f := range s.Files {
		src, err := f.reopen()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
		x.open[f.Real] = src
	}
	return s.decode(x)
}

// externalFiles returns an externalFiles that finds only the files that the structure lists.
func (s Structure) externalFiles(machine string) *externalFiles {
	return &externalFiles{machine: machine, unread: s.Unread, open: map[string]*source{}, beside: map[string]int{}}
}

func (s Structure) decode(x *externalFiles) (*Model, error) {
	src := &source{ReaderAt: bytes.NewReader(s.Bytes), size: int64(len(s.Bytes))}
	return decodeSource(src, &decoder{files: x}, memoryCursor(s.Bytes))
}

func (f StoredFile) reopen() (*source, error) {
	file, err := os.OpenFile(f.Real, readOnly, 0)
	if err != nil {
		return nil, reason(err)
	}
	src, err := newSource(file, f.Path)
	if err == nil && !(f.matches(src.seen) && isAt(file, f.Real)) {
		err = errChanged
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	if !f.Passing {
		src.real = f.Real
	}
	return src, nil
}

// isAt reports whether an open file is that of a path without symbolic links. A program that may write
// in the folder can put a link in the place of the file before it is opened.
func isAt(file *os.File, real string) bool {
	at, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", file.Fd()))
	if err != nil { // the system has no such folder
		at, err = filepath.EvalSymlinks(real)
	}
	return err == nil && at == real
}

var errChanged = errors.New("the file changed while it was in use; open it again")

func (f StoredFile) matches(info os.FileInfo) bool {
	return info.Size() == f.Bytes && info.ModTime().Equal(f.Modified)
}

// Unchanged returns an error if the file, which is on this machine, has changed.
func (f StoredFile) Unchanged() error {
	info, err := os.Stat(f.Real)
	if err == nil && !f.matches(info) {
		err = errChanged
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, reason(err))
	}
	return nil
}

// Machine returns the name of the machine that has the model's file. It is empty for this machine.
func (m *Model) Machine() string {
	if m.src == nil {
		return ""
	}
	return m.src.machine
}
