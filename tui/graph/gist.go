package graph

import (
	"fmt"
	"path"
	"strings"

	"lathe/graphops"
	"lathe/graphops/origin"
	"lathe/tui/cells"
)

// maxGist limits the metadata that is read while a key is handled, in bytes.
const maxGist = 32 << 10

// NodeGist says in one line where a node comes from: its module, and the line of the user's own
// source; "" if that is not recorded.
func NodeGist(n *graphops.Node) string {
	if weigh(n.Metadata()) > maxGist {
		return ""
	}
	v := origin.OfNode(n)
	var words []string
	if m := v.Modules(); m.Understood && len(m.Value.Path) > 0 {
		last := m.Value.Path[len(m.Value.Path)-1]
		word := last.Name
		if word == "" {
			word = last.Class
		}
		words = append(words, cells.Label(word))
	}
	if s := v.Stack(); s.Understood {
		f := ownFrame(s.Value)
		words = append(words, fmt.Sprintf("%s:%d", cells.Label(path.Base(f.File)), f.Line))
	}
	return strings.Join(words, " · ")
}

// ValueGist says in one line what a value was in the program from which the model was exported. It
// returns "" if nothing is recorded, or if the metadata is too large to read while a key is
// handled.
func ValueGist(entries []graphops.Entry) string {
	if weigh(entries) > maxGist {
		return ""
	}
	return ValueFacts(entries)
}

// weigh returns the total size of metadata entries in bytes.
func weigh(entries []graphops.Entry) int {
	n := 0
	for _, e := range entries {
		n += len(e.Key) + len(e.Value)
	}
	return n
}

// ownFrame returns the innermost call that is not in a library.
func ownFrame(frames []origin.Frame) origin.Frame {
	for i := len(frames) - 1; i >= 0; i-- {
		if !IsLibrary(frames[i].File) {
			return frames[i]
		}
	}
	return frames[len(frames)-1]
}

// IsLibrary reports whether a source file belongs to PyTorch or to an installed package.
func IsLibrary(file string) bool {
	for _, part := range strings.Split(strings.ReplaceAll(file, `\`, "/"), "/") {
		if part == "torch" || part == "site-packages" || part == "dist-packages" {
			return true
		}
	}
	return false
}

// ValueFacts returns what the exporter has recorded about a value, such as "parameter, saved with
// the weights". It is safe to print.
func ValueFacts(entries []graphops.Entry) string {
	v := origin.OfValue(entries)
	var words []string
	if k := v.InputKind(); k.Present {
		words = append(words, cells.Label(k.Value.String()))
	}
	if k := v.OutputKind(); k.Present {
		words = append(words, cells.Label(k.Value.String()))
	}
	if s := PersistenceText(v.Persistence().Value); s != "" {
		words = append(words, s)
	}
	if n := v.OriginalName(); n.Present {
		words = append(words, cells.Label(n.Value)+" in the captured graph")
	}
	if f := v.FoldedFrom(); f.Understood {
		words = append(words, "computed at export from "+labels(f.Value))
	}
	return strings.Join(words, ", ")
}

// PersistenceText describes what a value is kept for.
func PersistenceText(p origin.Persistence) string {
	switch p {
	case origin.Persistent:
		return "saved with the weights"
	case origin.NotPersistent:
		return "not saved with the weights"
	default:
		return ""
	}
}

// labels returns names made safe to print.
func labels(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = cells.Label(n)
	}
	return strings.Join(out, ", ")
}

// EntryCount returns a number of entries with its unit.
func EntryCount(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}
