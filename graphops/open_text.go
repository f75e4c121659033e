package graphops

import (
	"bytes"
	"io"
)

// textError is what is wrong with a model in text form, told with the path.
type textError struct{ error }

// decodeText reads a model whose file holds it in ONNX's text syntax. All of it is
// in memory; external data lies beside the text. No runtime takes the file as it is,
// so the model counts as edited.
func decodeText(src *source, files *externalFiles) (*Model, error) {
	if src.size > MaxModelBytes {
		return nil, errTooLarge
	}
	text, err := io.ReadAll(io.NewSectionReader(src, 0, src.size))
	if err != nil {
		return nil, err
	}
	b, err := src.text(src.path, string(bytes.TrimPrefix(text, []byte(byteOrderMark))))
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
