package graphops

import (
	"bytes"
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
	{"<", "ir_version:", "an ONNX model in text form; write it as protobuf first, with onnx.parser"},
	{"<", "<error", "the error message of a server; fetch the model again"},
	{"<", "", "an XML file; an ONNX model in protobuf form is expected"},
	{"", "ir_version:", "an ONNX model in protobuf's text form; write it in binary form first, with google.protobuf.text_format"},
	{"{", `"irversion"`, jsonModel},
	{"{", `"ir_version"`, jsonModel},
	{"{", `"error"`, "the error message of a server; fetch the model again"},
	{"{", "", "a JSON file, perhaps the configuration of a model; an ONNX model in protobuf form is expected"},
	{"[", "", "a JSON file; an ONNX model in protobuf form is expected"},
	{"", "", "a text file; an ONNX model in protobuf form is expected"},
}

const (
	webPage   = "a web page, which a server sent in place of the model; log in there or look at the address, and fetch it again"
	jsonModel = "an ONNX model in JSON form; write it as protobuf first, with google.protobuf.json_format"
)

func recogniseText(s *specimen) string {
	if !isText(s.head) {
		return ""
	}
	head := string(bytes.ToLower(bytes.TrimSpace(bytes.TrimPrefix(s.head, []byte("\xef\xbb\xbf")))))
	for _, t := range texts {
		if strings.HasPrefix(head, t.start) && strings.Contains(head, t.holds) {
			return t.what
		}
	}
	return ""
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
