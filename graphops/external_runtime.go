package graphops

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"lathe/graphops/fieldnum"
)

// The first and the last version of ONNX Runtime for which the facts below were measured. Every
// release between them was tested on Linux, with one model for each fact.
const (
	firstSeen = "1.24.1"
	lastSeen  = "1.32.0"
)

// runtimeFact is a case in which some versions of ONNX Runtime do not accept external data although
// this package can read it.
type runtimeFact struct {
	first, last string // affected versions
	verb        string
	// of says what is wrong with a tensor. It returns an empty string if the case does not apply to
	// it.
	of func(u externalTensor) string
}

var runtimeFacts = []runtimeFact{
	{firstSeen, lastSeen, "refuses", unknownKeys},
	{firstSeen, lastSeen, "refuses", func(u externalTensor) string {
		if filepath.IsAbs(u.at.Location) {
			return "its location is an absolute path"
		}
		return ""
	}},
	{firstSeen, lastSeen, "refuses", func(u externalTensor) string {
		if u.relative() && !slices.ContainsFunc(u.files.bases, u.isIn) {
			return "the file is outside the model's folder, in " + filepath.Dir(u.file.real)
		}
		return ""
	}},
	{firstSeen, lastSeen, "refuses", func(u externalTensor) string {
		if u.relative() && u.base > 0 {
			return "the model's path is a symbolic link, and the file is beside the model that it leads to, not beside the link"
		}
		return ""
	}},
	{firstSeen, "1.24.1", "refuses", func(u externalTensor) string {
		if u.relative() && u.base == 0 && !u.isIn(u.files.bases[0]) && slices.ContainsFunc(u.files.bases, u.isIn) {
			return "the model's path is a symbolic link, and the file is a link to a file beside the model that it leads to"
		}
		return ""
	}},
	{firstSeen, "1.30.0", "crashes on", func(u externalTensor) string {
		if u.size == 0 && u.file.size == 0 {
			return "it has no elements, and the file is empty"
		}
		return ""
	}},
	{"1.26.0", "1.31.1", "refuses", func(u externalTensor) string {
		if u.size == 0 && u.at.Offset > 0 {
			return "it has no elements, and its offset is not 0"
		}
		return ""
	}},
}

// relative reports whether the file was looked up in the model's folder. This is not so for an
// absolute location and for a model from a stream, which has no folder.
func (u externalTensor) relative() bool {
	return !filepath.IsAbs(u.at.Location) && !u.files.stream
}

// isIn reports whether the file, after resolving links, is in a folder.
func (u externalTensor) isIn(b base) bool { return within(b.dir, u.file.real) }

// knownKeys are the external_data keys that ONNX Runtime accepts. It also accepts keys that start
// with prepackedKey.
var knownKeys = []string{"location", "offset", "length", "checksum"}

const prepackedKey = "prepacked"

func unknownKeys(u externalTensor) string {
	var unknown, empty []string
	for _, e := range entriesOf(u.head, fieldnum.TensorExternal) {
		switch {
		case strings.HasPrefix(e.Key, prepackedKey):
		case !slices.Contains(knownKeys, e.Key):
			unknown = append(unknown, e.Key)
		case e.Value == "":
			empty = append(empty, e.Key)
		}
	}
	switch {
	case unknown != nil:
		return "it has keys that ONNX does not define: " + quotedKeys(unknown)
	case empty != nil:
		return "keys without a value: " + quotedKeys(empty)
	}
	return ""
}

// runtimeWarnings returns one warning for each fact that applies to the model. The warning names
// the first tensor that it applies to. The function version is only called if a fact applies.
func runtimeWarnings(m *Model, used []externalTensor, version func() string) []ExternalWarning {
	version = sync.OnceValue(version)
	var out []ExternalWarning
	for _, f := range runtimeFacts {
		var names []string
		var tensors []*Tensor
		what := ""
		for _, u := range used {
			if w := f.of(u); w != "" {
				names, tensors = append(names, u.name), append(tensors, u.Tensor)
				what = cmp.Or(what, w)
			}
		}
		if len(names) > 0 {
			for _, w := range f.warn(version(), names, what) {
				w.Tensors = tensors
				out = append(out, w)
			}
		}
	}
	if found := inferenceOperands(m); len(found) > 0 {
		var names []string
		for _, o := range found {
			names = append(names, o.Name)
		}
		f := runtimeFact{first: firstSeen, last: lastSeen, verb: "refuses"}
		for _, w := range f.warn(version(), names, found[0].why()) {
			w.Operands = found
			out = append(out, w)
		}
	}
	return out
}

// warn returns a warning about the given tensors, or none if the fact does not apply to this
// version.
func (f runtimeFact) warn(version string, tensors []string, what string) []ExternalWarning {
	name, judged := runtimeName(version)
	if compareVersions(judged, f.first) < 0 || compareVersions(judged, f.last) > 0 {
		return nil
	}
	text := fmt.Sprintf("%s %s this model as it is stored: external tensor %q", name, f.verb, tensors[0])
	if n := len(tensors) - 1; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return []ExternalWarning{{Kind: ExternalRefused, Text: text + ": " + what}}
}

// runtimeName returns how a warning names a version of ONNX Runtime, and the version whose facts
// apply. If the version is unknown or newer than those measured, these are the facts of the newest
// one measured.
func runtimeName(version string) (name, judged string) {
	switch {
	case version == "":
		return "ONNX Runtime", lastSeen
	case compareVersions(version, lastSeen) > 0:
		return "ONNX Runtime up to " + lastSeen, lastSeen
	}
	return "ONNX Runtime " + version, version
}

// compareVersions compares versions by their first three numbers.
func compareVersions(a, b string) int {
	return slices.Compare(versionNumbers(a), versionNumbers(b))
}

// versionNumbers parses a version such as "1.30.0". Text after the numbers is ignored, and
// missing numbers are 0.
func versionNumbers(s string) []int {
	var major, minor, patch int
	_, _ = fmt.Sscanf(s, "%d.%d.%d", &major, &minor, &patch) // a version in another form counts as 0.0.0, before all others
	return []int{major, minor, patch}
}
