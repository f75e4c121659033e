package graphops

import (
	"bytes"
	"io"

	"lathe/graphops/formats"
)

// textError is an error in a model in text form. Its message already contains the path.
type textError struct{ error }

// decodeText reads a model from a file in ONNX's text syntax into memory. External data is looked
// up in the folder of the file. A runtime cannot read such a file, so the model counts as edited.
func decodeText(src *source, files *externalFiles) (*Model, error) {
	if src.size > MaxModelBytes {
		return nil, errTooLarge
	}
	text, err := io.ReadAll(io.NewSectionReader(src, 0, src.size))
	if err != nil {
		return nil, err
	}
	b, err := src.text(src.path, string(bytes.TrimPrefix(text, []byte(formats.ByteOrderMark))))
	if err != nil {
		return nil, &textError{err}
	}
	m, err := decodeSource(&source{ReaderAt: bytes.NewReader(b), size: int64(len(b))}, &decoder{files: files}, memoryCursor(b))
	if err != nil {
		return nil, err
	}
	m.edited = true
	return m, nil
}
