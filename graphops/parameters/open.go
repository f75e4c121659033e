package parameters

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"lathe/graphops"
)

// headBytes is the number of bytes at the start of a file that are read to recognize its kind.
const headBytes = 512

// Open recognizes the kind of a file by its content and lists its tensors. Each error starts with
// the path of the file.
func Open(path string, o graphops.OpenOptions) (*Set, error) {
	if err := refuseFolder(path); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f, err := graphops.OpenFile(path, o.AllowExternal)
	if err != nil {
		return nil, err
	}
	s, err := open(f, o)
	if err != nil {
		f.Close()
		return nil, err
	}
	if s.Kind == Model {
		f.Close() // the model opened it separately
	}
	return s, nil
}

// Holds reports whether the file at path has the signature of a format that this package reads. It
// is false for a model, which package graphops reads too.
func Holds(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := graphops.OpenFile(path, nil)
	if err != nil {
		return false
	}
	defer f.Close()
	c, _ := classify(f)
	return c.read != nil
}

// IsPickle reports whether the file at path was written by torch.save. Such a file is a Python
// pickle, which this package does not read.
func IsPickle(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := graphops.OpenFile(path, nil)
	if err != nil {
		return false
	}
	defer f.Close()
	_, why := classify(f)
	return why == pickled
}

func open(f *graphops.File, o graphops.OpenOptions) (*Set, error) {
	c, why := classify(f)
	if why != "" {
		return nil, fmt.Errorf("%s: this is %s", f.Path(), why)
	}
	if c.read != nil {
		s, err := c.read(f)
		if err == nil {
			return s, nil
		}
		// The file may still be a model: a model can start with the same bytes as the signature of
		// another format.
		if m, other := graphops.Open(f.Path(), o); other == nil {
			return readModel(m), nil
		}
		return nil, fmt.Errorf("%s: %s: %w", f.Path(), c.kind, err)
	}
	m, err := graphops.Open(f.Path(), o)
	if err != nil {
		return nil, fmt.Errorf("expected a training checkpoint, safetensors, .npz or an ONNX model: %w", err)
	}
	return readModel(m), nil
}

// format is a kind of file and the function that reads it.
type format struct {
	kind Kind
	read func(*graphops.File) (*Set, error)
}

// classify recognizes the kind of a file by its first bytes, and that of an archive by the names of
// the files in it. For a file that users often mistake for a parameter file, why says what it is
// instead. If both results are empty, the file can only be a model.
func classify(f *graphops.File) (_ format, why string) {
	head := make([]byte, min(headBytes, f.Size()))
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, f.Size()), head); err != nil {
		return format{}, ""
	}
	is := func(at int, magic string) bool { return len(head) >= at && bytes.HasPrefix(head[at:], []byte(magic)) }
	switch {
	case is(4, checkpointID):
		return format{Checkpoint, readCheckpoint}, ""
	case is(lengthBytes, "{") && !is(0, "{"):
		return format{Safetensors, readSafetensors}, ""
	case is(0, "PK\x03\x04"), is(0, "PK\x05\x06"):
		return classifyZip(f)
	case bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{")) && mentionsWeightMap(f):
		return format{Safetensors, readSafetensorsIndex}, ""
	case is(4, "ORTM"):
		return format{}, "a model in ONNX Runtime's own .ort format, not a checkpoint; use the .onnx file that it was made from"
	case len(head) > 2 && head[0] == 0x80 && head[1] >= 2 && head[1] <= 5:
		return format{}, pickled
	case is(0, "\x93NUMPY"):
		return format{}, "one NumPy array without a name; save it with its name as .npz: numpy.savez(file, name=array)"
	}
	return format{}, ""
}

const pickled = "a Python pickle, as torch.save writes it, which can run code when it is loaded; save the tensors as safetensors: safetensors.torch.save_file(model.state_dict(), file)"

// mentionsWeightMap reports whether a JSON file has the member "weight_map", so that it is an index
// of safetensors files. In a long file this member is at the end.
func mentionsWeightMap(f *graphops.File) bool {
	found := false
	d := newDocument(io.NewSectionReader(f, 0, min(f.Size(), maxHeader)))
	d.object(func(key string) {
		found = found || key == weightMap
		d.skip()
	})
	return found
}

// classifyZip distinguishes an archive of numpy arrays from an archive that PyTorch wrote.
func classifyZip(f *graphops.File) (_ format, why string) {
	for _, name := range f.ZipNames() {
		switch {
		case strings.HasSuffix(name, "data.pkl"):
			return format{}, pickled
		case strings.HasSuffix(name, ".npy"):
			return format{NPZ, readNPZ}, ""
		}
	}
	return format{}, ""
}

// folders are folders that users mistake for a parameter file. They are recognized by a file in
// them.
var folders = []struct{ file, what string }{
	{"paramtrain_tensors.pbseq", "a checkpoint of ONNX Runtime 1.15 or older, which is a folder and which newer ones do not read either; load it with that version and save it again"},
	{"model.safetensors.index.json", "a folder; give the path of model.safetensors.index.json in it"},
	{"model.safetensors", "a folder; give the path of model.safetensors in it"},
	{"checkpoint", "a folder; give the path of the file checkpoint in it"},
}

func refuseFolder(path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return nil // opening it gives the error
	}
	for _, kind := range folders {
		if _, err := os.Stat(filepath.Join(path, kind.file)); err == nil {
			return errors.New("this is " + kind.what)
		}
	}
	return errors.New("this is a folder, expected a file")
}
