package graphops

import "bytes"

// DecodeInPieces decodes bytes as if they were a large file: with windows of a few
// bytes, nothing read whole, and payloads left where they lie.
func DecodeInPieces(b []byte) (*Model, error) {
	src := &source{ReaderAt: bytes.NewReader(b), size: int64(len(b))}
	if err := recognise(src); err != nil {
		return nil, err
	}
	d := &decoder{files: &externalFiles{}, whole: limits{}}
	return finishModel(d, fileCursor(src, 1))
}
