package formats

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// File is a file that is not an ONNX model and whose format is to be identified.
type File struct {
	io.ReaderAt
	Size int64
	Path string
	// Named is set if the path leads to the file, so that files beside it can be looked at.
	Named bool
	// Message recognises the formats that are protobuf messages. It returns what the file is and
	// what to do about it, or an empty string.
	Message func() string
}

// specimen is a file with its beginning.
type specimen struct {
	File
	head []byte // its first headBytes
}

// headBytes is how many bytes from the start of a file are examined. This includes all magic
// numbers below (that of tar is at offset 257) and enough text to distinguish the kinds of text
// file.
const headBytes = 4 << 10

// recognisers each detect some formats. They return what the file is and what to do about it, or an
// empty string. They are tried in order, and the first answer is used.
var recognisers = []func(*specimen) string{
	recogniseMagic,
	recogniseZip,
	recogniseSafetensors,
	recogniseText,
	func(s *specimen) string { return s.Message() },
	recogniseByName,
}

// Identify returns an error that says which format a file has that is not an ONNX model. It returns
// nil if it does not know the format.
func Identify(f File) error {
	head := make([]byte, min(headBytes, f.Size))
	if _, err := f.ReadAt(head, 0); err != nil {
		return nil // the format is unknown, so the caller reports its own error
	}
	s := &specimen{f, head}
	for _, recognise := range recognisers {
		switch what := recognise(s); what {
		case "":
		case textForm:
			return ErrText
		default:
			return errors.New("this is " + what)
		}
	}
	return nil
}

// magics lists the formats that have a fixed text at a fixed offset.
var magics = []struct {
	offset int
	magic  string
	what   string
}{
	{4, "ODTC", "an ONNX Runtime training checkpoint; pass it to --checkpoint together with its eval model, or list it with lathe inspect"},
	{4, "ORTM", "a model in ONNX Runtime's own .ort format; open the .onnx file that it was made from"},
	{4, "TFL3", "a TensorFlow Lite model; convert it to ONNX first"},
	{0, "\x89HDF\r\n\x1a\n", "an HDF5 file, perhaps a Keras model; convert it to ONNX first"},
	{0, "\x93NUMPY", "a NumPy array; a model is expected here"},
	{0, "GGUF", "a GGUF file; Lathe reads ONNX models"},
	{0, "ftrt", "a TensorRT engine, which holds compiled kernels; open the model that it was built from"},
	{0, "PAR1", "a Parquet file, which holds data; a model is expected here"},
	{0, "ARROW1", "an Arrow file, which holds data; a model is expected here"},
	{0, "\x1f\x8b", "compressed by gzip; unpack it first"},
	{0, "\x28\xb5\x2f\xfd", "compressed by zstd; unpack it first"},
	{0, "\xfd7zXZ\x00", "compressed by xz; unpack it first"},
	{0, "BZh", "compressed by bzip2; unpack it first"},
	{0, "7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"},
	{0, "Rar!\x1a\x07", "a rar archive; unpack it first"},
	{257, "ustar", "a tar archive; unpack it first"},
	{0, "\x7fELF", "an executable or a shared library; a model is expected here"},
	{0, "MZ", "a program or a library of Windows; a model is expected here"},
	{0, "\xcf\xfa\xed\xfe", "a program or a library of macOS; a model is expected here"},
	{0, "\xca\xfe\xba\xbe", "a program or a library of macOS; a model is expected here"},
	{0, "version https://git-lfs", "a Git LFS pointer, not the model itself; fetch it with `git lfs pull`"},
	{0, AnnexObjects, "a git-annex pointer, not the model itself; fetch it with `git annex get`"},
}

// AnnexObjects is the path under which git-annex stores the content of files. It occurs in the
// pointer files and symbolic links that git-annex leaves in place of the content.
const AnnexObjects = "/annex/objects/"

func recogniseMagic(s *specimen) string {
	for _, m := range magics {
		if at(s.head, m.offset, m.magic) {
			return m.what
		}
	}
	// A pickle starts with its protocol version, which has been at least 2 since 2003.
	if len(s.head) > 2 && s.head[0] == 0x80 && s.head[1] >= 2 && s.head[1] <= 5 {
		return "a Python pickle, perhaps an old PyTorch file; export the model to ONNX first"
	}
	return ""
}

func at(b []byte, i int, magic string) bool {
	return len(b) >= i+len(magic) && string(b[i:i+len(magic)]) == magic
}

// recogniseSafetensors recognises a file that starts with the length of a header, followed by JSON.
func recogniseSafetensors(s *specimen) string {
	if len(s.head) < 10 || s.head[8] != '{' || binary.LittleEndian.Uint64(s.head) > uint64(s.Size-8) {
		return ""
	}
	return "a safetensors file, which holds weights and no graph; open the .onnx model that uses them, or list them with lathe inspect"
}

// recogniseByName recognises a file with the weights of a model, such as an OpenVINO model or one
// with external data. Such a file contains only numbers, so it is recognised by its extension and
// by the model beside it.
func recogniseByName(s *specimen) string {
	for suffix, owner := range map[string]string{".bin": ".xml", ".data": "", "_data": ""} {
		base, ok := strings.CutSuffix(s.Path, suffix)
		if _, err := os.Stat(base + owner); ok && s.Named && err == nil {
			return "not a model, perhaps the weights of " + filepath.Base(base+owner) + " beside it; open that one"
		}
	}
	return ""
}
