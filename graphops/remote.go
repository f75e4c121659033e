package graphops

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// Structure is a model without the weights in files, to be sent to another machine. Weights are
// references to the files on this machine, and it cannot be used without them.
type Structure struct {
	// Bytes are the serialized model. A weight that is not sent is external data with the real
	// path of one of Files. Any other external reference could not be resolved.
	Bytes []byte
	// Origin is the file that the model was opened from.
	Origin StoredFile
	Files  []StoredFile
	// Unread says why locations of external data could not be resolved.
	Unread map[string]string
}

// StoredFile is a file with weights, with its paths on its own machine.
type StoredFile struct {
	Path     string // as shown in messages
	Real     string // absolute, without symbolic links
	Bytes    int64
	Modified time.Time
	// Passing is set if the file is about to be removed: once it is open, it is not referred to
	// by its path.
	Passing bool
}

// StructureOf separates a model from its weights. Weights that are small, computed, or not in a
// file with a name stay in the bytes.
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
		return Structure{}, fmt.Errorf("%d bytes beside the weights in files are too many to travel; save the model first", n)
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

// stored describes the file of a source on any machine.
func (s *source) stored() StoredFile {
	switch {
	case s == nil || s.real == "":
		return StoredFile{}
	case s.file == nil:
		return StoredFile{Path: s.path, Real: s.real, Bytes: s.size, Modified: s.modified}
	}
	return StoredFile{Path: s.path, Real: s.real, Bytes: s.size, Modified: s.seen.ModTime()}
}

// Elsewhere returns the model of a structure from another machine. Its weights cannot be read.
// StructureOf refers to them by their location there.
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

// outOfReach represents the content of a file on another machine.
type outOfReach struct{ machine, path string }

func (o outOfReach) ReadAt([]byte, int64) (int, error) {
	return 0, fmt.Errorf("%s is on %q and cannot be read from here", o.path, o.machine)
}

// Here returns the model of a structure that was created on this machine and was sent to another
// one in the meantime. Changed files are an error. Only files listed in the structure are opened.
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

// externalFiles has the files that the structure lists and opens no others.
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
	if err == nil && !f.matches(src.seen) {
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

// Machine returns the machine that has the model's file, empty for this one.
func (m *Model) Machine() string {
	if m.src == nil {
		return ""
	}
	return m.src.machine
}
