package graphops

import (
	"bytes"
	"errors"
	"strings"
)

// texts are the kinds of text that people open, told by how it starts or by what
// else it holds, in lower case.
var texts = []struct {
	start string
	holds string
	what  string
}{
	{"<!doctype html", "", webPage},
	{"<html", "", webPage},
	{"<head", "", webPage},
	{"<", "<net ", "an OpenVINO model; open the ONNX model that it was made from"},
	{"<", "<html", webPage},
	{"<", "ir_version:", textForm},
	{"<", "<error", "the error message of a server; fetch the model again"},
	{"<", "", "an XML file; an ONNX model in protobuf form is expected"},
	{"", "ir_version:", "an ONNX model in protobuf's text form; write it in binary form first, with google.protobuf.text_format"},
	{"{", `"irversion"`, jsonModel},
	{"{", `"ir_version"`, jsonModel},
	{"{", `"error"`, "the error message of a server; fetch the model again"},
	{"{", `"weight_map"`, "the index of safetensors files, which hold weights and no graph; open the .onnx model that uses them, or list them with lathe inspect"},
	{"{", "", "a JSON file, perhaps the configuration of a model; an ONNX model in protobuf form is expected"},
	{"[", "", "a JSON file; an ONNX model in protobuf form is expected"},
	{"", "", "a text file; an ONNX model in protobuf form is expected"},
}

const (
	textForm  = "an ONNX model in ONNX's text syntax, expected one in protobuf form"
	webPage   = "a web page, which a server sent in place of the model; log in there or look at the address, and fetch it again"
	jsonModel = "an ONNX model in JSON form; write it as protobuf first, with google.protobuf.json_format"
)

// errTextForm is the error of a file that OpenOptions.Text can read.
var errTextForm = errors.New("this is " + textForm)

const byteOrderMark = "\xef\xbb\xbf"

func recogniseText(s *specimen) string {
	if !isText(s.head) {
		return ""
	}
	head := string(withoutComments(bytes.ToLower(bytes.TrimPrefix(s.head, []byte(byteOrderMark)))))
	for _, t := range texts {
		if strings.HasPrefix(head, t.start) && strings.Contains(head, t.holds) {
			return t.what
		}
	}
	return ""
}

// withoutComments leaves out lines at the start that begin with "#", as models in text
// may have, and blanks around them.
func withoutComments(b []byte) []byte {
	for b = bytes.TrimSpace(b); bytes.HasPrefix(b, []byte("#")); b = bytes.TrimSpace(b) {
		_, b, _ = bytes.Cut(b, []byte("\n"))
	}
	return b
}

// isText reports whether there is no byte that text never holds.
func isText(b []byte) bool {
	for _, c := range b {
		if c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' || c == 0x7f {
			return false
		}
	}
	return true
}
