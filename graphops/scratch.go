package graphops

import (
	"fmt"
	"os"
)

// Scratch keeps computed payloads in one file without a name, so that a model can
// consist of more of them than fit into memory. The system removes the file when
// nothing points into it any more.
type Scratch struct {
	file *os.File
	size int64
}

// Keep writes bytes to the file and gives them back as a payload that lies there.
func (s *Scratch) Keep(data []byte) (Payload, error) {
	if s.file == nil {
		f, err := os.CreateTemp("", "lathe-*.tensors")
		if err != nil {
			return Payload{}, fmt.Errorf("computed tensors are kept in a file in %s: %w; set TMPDIR to a folder with room", os.TempDir(), reason(err))
		}
		if err := os.Remove(f.Name()); err != nil {
			f.Close()
			return Payload{}, err
		}
		s.file = f
	}
	if _, err := s.file.WriteAt(data, s.size); err != nil {
		return Payload{}, fmt.Errorf("computed tensors are kept in a file in %s: %w; set TMPDIR to a folder with room", os.TempDir(), reason(err))
	}
	// The file grows and nobody else can reach it, so that its size and times say
	// nothing: the source is one without a file.
	src := &source{ReaderAt: s.file, size: s.size + int64(len(data))}
	p := rangePayload(src, s.size, int64(len(data)))
	s.size += int64(len(data))
	return p, nil
}
