package graphops

import "bytes"

// DecodeInPieces decodes bytes as if they were a large file: with windows of a few
// bytes, nothing read whole, and payloads left where they lie.
func DecodeInPieces(b []byte) (*Model, error) {
	src := &source{ReaderAt: bytes.NewReader(b), size: int64(len(b))}
	return decodeSource(src, &decoder{files: &externalFiles{}}, fileCursor(src, 1))
}
