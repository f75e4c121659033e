package graphops

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxModelBytes is protobuf's limit for one message, 2 GiB less a byte.
const maxModelBytes = 1<<31 - 1

// OpenOptions say how far a model file is trusted.
type OpenOptions struct {
	// AllowExternal are further folders that external data may lie in.
	AllowExternal []string
}

// Open reads the structure of a model file. Weights stay where they lie; what
// external data a tensor names is looked at when the tensor is read. Every
// error starts with the path.
func Open(path string, o OpenOptions) (*Model, error) {
	src, err := openSource(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m, err := decodeSource(src, newExternalFiles(path, src.real, o.AllowExternal))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Read reads a model from a stream, such as standard input, into memory. It
// can have no external data. name stands for it in messages.
func Read(r io.Reader, name string) (*Model, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxModelBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(b) > maxModelBytes {
		return nil, fmt.Errorf("%s: %w", name, errTooLarge)
	}
	m, err := Decode(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// Decode reads a model from bytes, which the caller gives up.
func Decode(b []byte) (*Model, error) {
	src := &source{ReaderAt: bytes.NewReader(b), size: int64(len(b))}
	if err := recognise(src); err != nil {
		return nil, err
	}
	d := &decoder{files: &externalFiles{}}
	return finishModel(d, memoryCursor(b))
}

// errTooLarge keeps what a length may claim, and what may be held of it, within
// what protobuf allows.
var errTooLarge = errors.New("larger than 2 GiB, which no ONNX file can be")

func decodeSource(src *source, files *externalFiles) (*Model, error) {
	if err := recognise(src); err != nil {
		return nil, err
	}
	if src.size > maxModelBytes {
		return nil, errTooLarge
	}
	d := &decoder{files: files, whole: fileLimits}
	m, err := finishModel(d, fileCursor(src, fileLimits.window))
	if err != nil {
		return nil, err
	}
	m.src = src
	return m, nil
}

func finishModel(d *decoder, c *cursor) (*Model, error) {
	m, err := d.model(c)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("truncated or no ONNX model: %w", err)
	case err != nil:
		return nil, fmt.Errorf("damaged or no ONNX model: %w", err)
	case !m.hasGraph && m.IRVersion() == 0 && len(m.Opsets()) == 0:
		return nil, errors.New("not an ONNX model: it has no graph, no IR version and no opset")
	case !m.hasGraph:
		return nil, errors.New("the model has no graph; nothing can be shown or run")
	}
	return m, nil
}

// format is a kind of file that people mistake for an ONNX model.
type format struct {
	name   string
	advice string
	match  func(head []byte, path string) bool
}

var formats = []format{
	{
		"an ONNX Runtime training checkpoint", "pass it to --checkpoint together with its eval model",
		func(b []byte, _ string) bool { return at(b, 4, "ODTC") },
	},
	{
		"a model in ONNX Runtime's own .ort format", "open the .onnx file that it was made from",
		func(b []byte, _ string) bool { return at(b, 4, "ORTM") },
	},
	{
		"a TensorFlow Lite model", "convert it to ONNX first",
		func(b []byte, _ string) bool { return at(b, 4, "TFL3") },
	},
	{
		"a zip archive, perhaps a PyTorch .pt or .pt2 file or an .npz", "export the model to ONNX first",
		func(b []byte, _ string) bool { return at(b, 0, "PK\x03\x04") || at(b, 0, "PK\x05\x06") },
	},
	{
		"a Python pickle, perhaps an old PyTorch file", "export the model to ONNX first",
		func(b []byte, p string) bool {
			return len(b) > 1 && b[0] == 0x80 && b[1] >= 2 && b[1] <= 5 && !strings.HasSuffix(p, ".onnx")
		},
	},
	{
		"a safetensors file, which holds weights and no graph", "open the .onnx model that uses them",
		func(b []byte, _ string) bool { return len(b) > 9 && b[8] == '{' && b[7] == 0 && b[6] == 0 },
	},
	{
		"an HDF5 file, perhaps a Keras model", "convert it to ONNX first",
		func(b []byte, _ string) bool { return at(b, 0, "\x89HDF\r\n\x1a\n") },
	},
	{
		"a NumPy array", "a model is expected here",
		func(b []byte, _ string) bool { return at(b, 0, "\x93NUMPY") },
	},
	{
		"a GGUF file", "Lathe reads ONNX models",
		func(b []byte, _ string) bool { return at(b, 0, "GGUF") },
	},
	{
		"compressed by gzip", "unpack it first",
		func(b []byte, _ string) bool { return at(b, 0, "\x1f\x8b") },
	},
	{
		"a Git LFS pointer, not the model itself", "fetch it with `git lfs pull`",
		func(b []byte, _ string) bool { return at(b, 0, "version https://git-lfs") },
	},
	{
		"an executable or a shared library", "a model is expected here",
		func(b []byte, _ string) bool { return at(b, 0, "\x7fELF") },
	},
	{"a text file", "an ONNX model in protobuf form is expected", func(b []byte, _ string) bool { return isText(b) }},
}

func at(b []byte, i int, magic string) bool {
	return len(b) >= i+len(magic) && string(b[i:i+len(magic)]) == magic
}

// isText tells text from a protobuf message: a model starts with a tag byte
// below 0x20 that is no white space, or holds a byte that text never holds.
func isText(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	for _, c := range b {
		if c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' || c == 0x7f {
			return false
		}
	}
	return true
}

// recognise names files that are something else.
func recognise(src *source) error {
	if src.size == 0 {
		return errors.New("the file is empty, expected an ONNX model")
	}
	head := make([]byte, min(512, src.size))
	if _, err := src.ReadAt(head, 0); err != nil {
		return err
	}
	for _, f := range formats {
		if f.match(head, src.path) {
			return fmt.Errorf("this is %s; %s", f.name, f.advice)
		}
	}
	return nil
}
