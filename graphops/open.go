package graphops

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxModelBytes is protobuf's limit for one message, 2 GiB less one byte.
const MaxModelBytes = 1<<31 - 1

// OpenOptions are the options for opening a model.
type OpenOptions struct {
	// AllowExternal are additional folders that external data may be in. A model from a stream,
	// which has no folder, uses these instead.
	AllowExternal []string
	// Text converts a model in ONNX's text syntax to a serialized model, as onnxtext.Serialize
	// does. Its errors start with the name of the text. If it is nil, such a file cannot be opened.
	Text func(name, text string) ([]byte, error)
	// TempDir is where Read stores a long stream. Empty means the system's folder.
	TempDir string
	// Passing is set if the files are about to be removed: all are opened immediately, and none
	// is referred to by its path.
	Passing bool
}

// Open reads the structure of a model file. Weights stay in the file, and external data is
// opened when it is read. Every error starts with the path.
func Open(path string, o OpenOptions) (*Model, error) {
	src, err := openSource(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return openFrom(src, o)
}

// Read reads the structure of a model from a stream, such as standard input. name represents it
// in messages. A file is used directly. Any other stream is first read to its end, into memory if
// it is small and otherwise into an unnamed temporary file, which is freed with the model.
func Read(r io.Reader, name string, o OpenOptions) (*Model, error) {
	src, err := streamSource(r, name, o.TempDir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return openFrom(src, o)
}

// openFrom creates a model from its source.
func openFrom(src *source, o OpenOptions) (*Model, error) {
	files, err := newExternalFiles(src, o.AllowExternal)
	if err != nil {
		return nil, err
	}
	src.text = o.Text
	m, err := decodeFile(src, files)
	var mistake *textError
	if errors.As(err, &mistake) {
		return nil, mistake.error // which has the path and the position in the text
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

// unnamed opens the files of external data and removes the names of all files.
func (m *Model) unnamed() {
	m.files.openNamed()
	for _, s := range sourcesOf(m) {
		s.real = ""
	}
}

// decodeFile decodes a file and leaves large payloads in it.
func decodeFile(src *source, files *externalFiles) (*Model, error) {
	m, err := decodeSource(src, &decoder{files: files, whole: fileLimits}, fileCursor(src, fileLimits.window))
	if errors.Is(err, errTextForm) && src.text != nil {
		return decodeText(src, files)
	}
	return m, err
}

// Decode reads a model from bytes, which the caller must not use afterwards. It can have no
// external data.
func Decode(b []byte) (*Model, error) {
	src := &source{ReaderAt: bytes.NewReader(b), size: int64(len(b))}
	return decodeSource(src, &decoder{files: &externalFiles{}}, memoryCursor(b))
}

// errTooLarge limits what a length may claim, and how much is kept in memory, to what protobuf
// allows.
var errTooLarge = errors.New("larger than 2 GiB, which no ONNX file can be")

// decodeSource reads a model from the start of c. Other formats are considered only if it is not
// a model: many formats resemble ONNX, and no model must be mistaken for one of them.
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

// isVoid reports whether a model is empty. A tensor can decode to an empty model.
func (m *Model) isVoid() bool {
	return len(m.graph.nodes)+len(m.graph.outputs)+len(m.Opsets()) == 0
}
