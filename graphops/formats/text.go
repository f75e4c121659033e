package formats

import (
	"bytes"
	"errors"
	"strings"
)

// textKind is a kind of text file. start is how such a text starts, and holds is what else occurs
// near its beginning, both in lower case. what is the description for the user.
type textKind struct{ start, holds, what string }

// texts are the kinds of text file that users try to open as a model.
var texts = []textKind{
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
	// runtimeTrace describes the profile that lathe profile --trace and ONNX Runtime write.
	runtimeTrace = "a profile that ONNX Runtime wrote; lathe report and --result read it"
	// reportPage occurs in every page that lathe report writes.
	reportPage = `<meta name="generator" content="lathe report">`
)

// ownTexts are the kinds of text file that Lathe and ONNX Runtime write and that are not models.
// The description says which command reads the file.
var ownTexts = []textKind{
	{"<!doctype html", reportPage, "a page that lathe report made, for a browser"},
	{"lathe:", "", "a recipe; lathe run replays it"},
	{"lathe-journal:", "", "the journal of a workbench; lathe continues from it when it opens the model again"},
	{"{", `"lathe.result/`, "a result that lathe measured; lathe report makes a page from it, and --result opens the model together with it"},
	{"{", `"lathe.`, "the output of a lathe command with --json; lathe report reads that of bench, validate, quantize and profile"},
	{"{", `"tensorsdata"`, "a file of ranges for static quantization; use it with --ranges"},
	{"[", `"model_loading`, runtimeTrace},
	{"[", `"session_initialization"`, runtimeTrace},
	{"{", `"traceevents"`, "a trace of a profiler; lathe report reads only those that ONNX Runtime writes"},
}

// DescribeOwn describes a text file that Lathe or ONNX Runtime wrote, and says which command reads
// it. head is the beginning of the file. It returns an empty string for any other file.
func DescribeOwn(head []byte) string {
	head = head[:min(len(head), headBytes)]
	if !isText(head) {
		return ""
	}
	return describedBy(beginning(head), ownTexts)
}

// ErrText is the error for a model in ONNX's text syntax, which only a parser can read.
var ErrText = errors.New("this is " + textForm)

// ByteOrderMark may precede a text in UTF-8.
const ByteOrderMark = "\xef\xbb\xbf"

func recogniseText(s *specimen) string {
	if !isText(s.head) {
		return ""
	}
	head := beginning(s.head)
	if what := describedBy(head, ownTexts); what != "" {
		return what + "; a model is expected here"
	}
	return describedBy(head, texts)
}

// beginning returns the beginning of a text in lower case, without comments and byte order mark.
func beginning(head []byte) string {
	return string(withoutComments(bytes.ToLower(bytes.TrimPrefix(head, []byte(ByteOrderMark)))))
}

func describedBy(head string, kinds []textKind) string {
	for _, t := range kinds {
		if strings.HasPrefix(head, t.start) && strings.Contains(head, t.holds) {
			return t.what
		}
	}
	return ""
}

// withoutComments removes leading blank lines and lines that begin with "#", which models in
// text form may have.
func withoutComments(b []byte) []byte {
	for b = bytes.TrimSpace(b); bytes.HasPrefix(b, []byte("#")); b = bytes.TrimSpace(b) {
		_, b, _ = bytes.Cut(b, []byte("\n"))
	}
	return b
}

// isText reports whether the bytes contain no control characters other than white space.
func isText(b []byte) bool {
	for _, c := range b {
		if c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' || c == 0x7f {
			return false
		}
	}
	return true
}
