package graphops

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxModelBytes is protobuf's limit for one message, 2 GiB less a byte.
const MaxModelBytes = 1<<31 - 1

// OpenOptions say how far a model file is trusted.
type OpenOptions struct {
	// AllowExternal are further folders that external data may lie in. For a model
	// from a stream they stand in for the folder that it does not have.
	AllowExternal []string
	// Text makes the serialized model of one in ONNX's text syntax, as onnxtext.Serialize
	// does; its errors start with the name of the text. Without it such a file is none
	// that can be opened.
	Text func(name, text string) ([]byte, error)
	// TempDir is where Read keeps a long stream, "" for the system's folder.
	TempDir string
	// Passing tells that the files are about to lose their names: all are opened at once,
	// and nothing refers to one by its path.
	Passing bool
}

// Open reads the structure of a model file. Weights stay where they lie; what
// external data a tensor names is looked at when the tensor is read. Every
// error starts with the path.
func Open(path string, o OpenOptions) (*Model, error) {
	src, err := openSource(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return openFrom(src, o)
}

// Read reads the structure of a model from a stream, such as standard input,
// which name stands for in messages. A file is used in place; anything else is
// read to its end first, into memory while it is small and then into a temporary
// file that has no name, and goes with the model.
func Read(r io.Reader, name string, o OpenOptions) (*Model, error) {
	src, err := streamSource(r, name, o.TempDir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return openFrom(src, o)
}

// openFrom makes a model of its source.
func openFrom(src *source, o OpenOptions) (*Model, error) {
	files, err := newExternalFiles(src, o.AllowExternal)
	if err != nil {
		return nil, err
	}
	src.text = o.Text
	m, err := decodeFile(src, files)
	var mistake *textError
	if errors.As(err, &mistake) {
		return nil, mistake.error // which has the place in the text beside the path
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", src.path, err)
	}
	m.src = src
	if o.Passing {
		m.unnamed()
	}
	return m, nil
}

// unnamed opens the files of external data and takes the names of all files away.
func (m *Model) unnamed() {
	m.files.openNamed()
	for _, s := range sourcesOf(m) {
		s.real = ""
	}
}

// decodeFile leaves large payloads where they lie.
func decodeFile(src *source, files *externalFiles) (*Model, error) {
	m, err := decodeSource(src, &decoder{files: files, whole: fileLimits}, fileCursor(src, fileLimits.window))
	if errors.Is(err, errTextForm) && src.text != nil {
		return decodeText(src, files)
	}
	return m, err
}

// Decode reads a model from bytes, which the caller gives up. It can have no
// external data.
func Decode(b []byte) (*Model, error) {
	src := &source{ReaderAt: bytes.NewReader(b), size: int64(len(b))}
	return decodeSource(src, &decoder{files: &externalFiles{}}, memoryCursor(b))
}

// errTooLarge keeps what a length may claim, and what may be held of it, within
// what protobuf allows.
var errTooLarge = errors.New("larger than 2 GiB, which no ONNX file can be")

// decodeSource reads the model that c stands at the start of. Only what is no
// model is looked at for what else it may be: many formats resemble ONNX, and no
// model must be taken for one of them.
func decodeSource(src *source, d *decoder, c *cursor) (*Model, error) {
	if src.size == 0 {
		return nil, errors.New("the file is empty, expected an ONNX model")
	}
	o, err := outlineOf(src)
	var m *Model
	if err == nil {
		m, err = d.model(c)
		if err == nil && !m.isVoid() {
			return m, nil
		}
		err = damaged(err)
	}
	if other := identify(src, o); other != nil {
		return nil, other
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// isVoid reports whether a model says nothing at all, which a tensor of the right
// bytes does as well.
func (m *Model) isVoid() bool {
	return len(m.graph.nodes)+len(m.graph.outputs)+len(m.Opsets()) == 0
}
