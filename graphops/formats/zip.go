package formats

import (
	"bytes"
	"encoding/binary"
	"io"
	"strconv"
	"strings"
)

const (
	zipLocal   = "PK\x03\x04"
	zipEntry   = "PK\x01\x02"
	zipEnd     = "PK\x05\x06"
	zip64End   = "PK\x06\x06"
	zip64Found = "PK\x06\x07"

	zipEndSize   = 22
	zipEntrySize = 46
	// maxZipTail is the largest number of bytes that the end record of an archive, with its
	// comment, can take.
	maxZipTail = zipEndSize + 1<<16
	// maxZipNames is the maximum number of bytes of the directory that are read. The files that
	// identify the kind of archive are among the first ones.
	maxZipNames = 1 << 20
)

// archives are the kinds of zip archive. A kind is identified by the end of the name of a file in
// the archive, which may be in any folder.
var archives = []struct {
	file string
	what string
}{
	{".onnx", "a zip archive that holds %; unpack it first"},
	{"constants.pkl", "a TorchScript model; export the model to ONNX first"},
	{"models/model.json", "a PyTorch program of torch.export; export the model to ONNX first"},
	{"serialized_exported_program.json", "a PyTorch program of torch.export; export the model to ONNX first"},
	{"data.pkl", "a PyTorch file; export the model to ONNX first"},
	{"model.weights.h5", "a Keras model; convert it to ONNX first, with tf2onnx"},
	{"saved_model.pb", "a zip archive that holds a TensorFlow SavedModel; convert it to ONNX first, with tf2onnx"},
	{"com.apple.CoreML/model.mlmodel", "a Core ML package; open the ONNX model that it was made from"},
	{".npy", "a file of NumPy arrays; a model is expected here, lathe inspect lists arrays"},
}

func recogniseZip(s *specimen) string {
	if !at(s.head, 0, zipLocal) && !at(s.head, 0, zipEnd) {
		return ""
	}
	names := ZipNames(s.File, s.Size)
	for _, a := range archives {
		for _, name := range names {
			if strings.HasSuffix(name, a.file) {
				return strings.Replace(a.what, "%", strconv.Quote(brief(name)), 1)
			}
		}
	}
	return "a zip archive; unpack it, or export the model in it to ONNX, first"
}

// ZipNames returns the names of the files in a zip archive of the given size. It returns none if the
// archive is cut off, because its directory is at the end.
func ZipNames(r io.ReaderAt, size int64) []string {
	var names []string
	b := zipDirectory(io.NewSectionReader(r, 0, size))
	for len(b) >= zipEntrySize && at(b, 0, zipEntry) {
		name := int(binary.LittleEndian.Uint16(b[28:]))
		skip := zipEntrySize + name + int(binary.LittleEndian.Uint16(b[30:])) + int(binary.LittleEndian.Uint16(b[32:]))
		if skip > len(b) {
			break
		}
		names = append(names, string(b[zipEntrySize:zipEntrySize+name]))
		b = b[skip:]
	}
	return names
}

// zipDirectory reads at most maxZipNames bytes of an archive's directory.
func zipDirectory(src *io.SectionReader) []byte {
	tail := readPart(src, src.Size()-maxZipTail, maxZipTail)
	end := bytes.LastIndex(tail, []byte(zipEnd))
	if end < 0 || len(tail)-end < zipEndSize {
		return nil
	}
	size := uint64(binary.LittleEndian.Uint32(tail[end+12:]))
	offset := uint64(binary.LittleEndian.Uint32(tail[end+16:]))
	// In an archive above 4 GiB the end record has only placeholders. Another record (zip64) has
	// the location of the directory, and a locator in front of the end record says where that
	// record is.
	if before := end - 20; offset == 1<<32-1 && before >= 0 && at(tail, before, zip64Found) {
		record := readPart(src, int64(binary.LittleEndian.Uint64(tail[before+8:])&(1<<63-1)), 56)
		if len(record) < 56 || !at(record, 0, zip64End) {
			return nil
		}
		size, offset = binary.LittleEndian.Uint64(record[40:]), binary.LittleEndian.Uint64(record[48:])
	}
	return readPart(src, int64(offset&(1<<63-1)), int64(min(size, maxZipNames)))
}

// readPart reads n bytes at an offset. It returns only the part that is inside the file.
func readPart(src *io.SectionReader, offset, n int64) []byte {
	if offset < 0 {
		n, offset = n+offset, 0
	}
	if n = min(n, src.Size()-offset); n <= 0 {
		return nil
	}
	b := make([]byte, n)
	if _, err := src.ReadAt(b, offset); err != nil {
		return nil
	}
	return b
}

// brief shortens a name from an archive, so that it fits into a message.
func brief(s string) string {
	if len(s) <= 100 {
		return s
	}
	return s[:100] + "…"
}
