package graphops

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"lathe/graphops/formats"
)

// MaxModelBytes is protobuf's limit for one message, 2 GiB less one byte.
const MaxModelBytes = 1<<31 - 1

// OpenOptions are the options for opening a model.
type OpenOptions struct {
	// AllowExternal are folders, in addition to the model's own, in which external data may be. A
	// model from a stream has no folder of its own, so its data is looked up in these.
	AllowExternal []string
	// Text converts a model in ONNX's text syntax to a serialized ModelProto, as onnxtext.Serialize
	// does. Its errors start with name. If it is nil, files in text syntax cannot be opened.
	Text func(name, text string) ([]byte, error)
	// TempDir is the folder in which Read stores a long stream. If it is empty, the system's folder
	// is used.
	TempDir string
	// Passing is set if the model's files are about to be removed. All of them are then opened at
	// once, and nothing refers to them by path, so that the model stays usable.
	Passing bool
}

// Open reads the structure of a model file. Weights stay in the file. Files with external data are
// opened when their data is first read. Every error starts with the path.
func Open(path string, o OpenOptions) (*Model, error) {
	src, err := openSource(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return openFrom(src, o)
}

// Read reads the structure of a model from a stream, such as standard input. In messages, the
// stream is called name. If the stream is a regular file, its weights stay there. Any other stream is first
// read to its end: a short one into memory, and a long one into an unnamed temporary file that
// exists as long as the model is used.
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

// unnamed opens all files with external data. It then makes the model forget the paths of its
// files.
func (m *Model) unnamed() {
	m.files.openNamed()
	for _, s := range sourcesOf(m) {
		s.real = ""
	}
}

// decodeFile decodes a file and leaves large payloads in it.
func decodeFile(src *source, files *externalFiles) (*Model, error) {
	m, err := decodeSource(src, &decoder{files: files, whole: fileLimits}, fileCursor(src, fileLimits.window))
	if errors.Is(err, formats.ErrText) && src.text != nil {
		return decodeText(src, files)
	}
	return m, err
}

// Decode reads a model from the bytes of a model file. The caller must not use them afterwards.
// External data cannot be read, because the model has no folder.
func Decode(b []byte) (*Model, error) {
	src := &source{ReaderAt: bytes.NewReader(b), size: int64(len(b))}
	return decodeSource(src, &decoder{files: &externalFiles{}}, memoryCursor(b))
}

// errTooLarge is the error for a file above 2 GiB. This limit of protobuf also bounds how much is
// read into memory.
var errTooLarge = errors.New("larger than 2 GiB, which no ONNX file can be")

// decodeSource reads a model from the start of c. If this fails, it tries to identify another
// format. Many formats resemble ONNX, so this order makes sure that no model is mistaken for
// another format.
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

// isVoid reports whether a model has no nodes, outputs and imports. A file with a tensor can decode
// as such a model.
func (m *Model) isVoid() bool {
	return len(m.graph.nodes)+len(m.graph.outputs)+len(m.Opsets()) == 0
}
