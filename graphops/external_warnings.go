package graphops

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// ExternalKind tells warnings about external data apart.
type ExternalKind string

// The kinds of warning.
const (
	ExternalHardLink ExternalKind = "hard_link" // the file has another name
	ExternalOverlap  ExternalKind = "overlap"   // two tensors share a part of their bytes
	ExternalOwnFile  ExternalKind = "own_file"  // the data is the model file itself
	ExternalRefused  ExternalKind = "refused"   // ONNX Runtime does not take the model
)

// ExternalWarning is something about external data that can be read all the same.
type ExternalWarning struct {
	Kind ExternalKind
	Text string
	// Tensors are those that are refused.
	Tensors []*Tensor
	// Operands are the tensors of a refusal because they are read while a model is
	// loaded.
	Operands []ExternalOperand
}

// ExternalWarnings looks at where external data lies and reads none of it. What
// ONNX Runtime refuses depends on its version, which runtime tells: it is called
// only if there is something to judge by it, and answers "" where none is found.
func ExternalWarnings(m *Model, runtime func() string) []ExternalWarning {
	var used []externalTensor
	for t := range m.ExternalTensors() {
		if u, ok := t.external(); ok {
			used = append(used, u)
		}
	}
	if len(used) == 0 {
		return nil
	}
	out := fileWarnings(m, used)
	out = append(out, overlapWarnings(used)...)
	return append(out, runtimeWarnings(m, used, runtime)...)
}

// externalTensor is an external tensor that can be read.
type externalTensor struct {
	*Tensor
	at   ExternalRange
	file *source
	base int // position of the base that the file was found beside
	size int64
}

func (t *Tensor) external() (externalTensor, bool) {
	if !t.IsExternal() {
		return externalTensor{}, false
	}
	data, err := t.Data()
	if err != nil || data.src.machine != "" {
		return externalTensor{}, false // a fault, or for the other machine to judge
	}
	r, _ := t.ExternalRange()
	return externalTensor{t, r, data.src, t.files.base(r.Location), data.Len()}, true
}

// fileWarnings are about the data files, each looked at once.
func fileWarnings(m *Model, used []externalTensor) []ExternalWarning {
	var out []ExternalWarning
	seen := map[*source]bool{}
	for _, u := range used {
		if seen[u.file] {
			continue
		}
		seen[u.file] = true
		if stat, ok := u.file.seen.Sys().(*syscall.Stat_t); ok && stat.Nlink > 1 {
			out = append(out, ExternalWarning{Kind: ExternalHardLink, Text: fmt.Sprintf(
				"external data %q: the file has %d names (hard links): what is written to another one changes this model, and the onnx package refuses it",
				u.at.Location, stat.Nlink)})
		}
		if m.isOwnFile(u.file) {
			out = append(out, ExternalWarning{Kind: ExternalOwnFile, Text: fmt.Sprintf(
				"external data %q: is the model file itself, so the model cannot be copied or renamed without breaking", u.at.Location)})
		}
	}
	return out
}

// overlapWarnings are about tensors that share a part of their bytes. Tensors that
// share all of them are one weight under two names.
func overlapWarnings(used []externalTensor) []ExternalWarning {
	byFile := map[*source][]externalTensor{}
	var files []*source
	for _, u := range used {
		if u.size == 0 {
			continue
		}
		if byFile[u.file] == nil {
			files = append(files, u.file)
		}
		byFile[u.file] = append(byFile[u.file], u)
	}
	var out []ExternalWarning
	for _, f := range files {
		if first, second, count := overlaps(byFile[f]); count > 0 {
			text := fmt.Sprintf("external data %q: tensors %q, at bytes %d to %d, and %q, at %d to %d, share a part of their bytes",
				first.at.Location, first.name, first.at.Offset, first.at.Offset+first.size, second.name, second.at.Offset, second.at.Offset+second.size)
			if count > 1 {
				text += "; " + counted(count-1, "more tensor overlaps another", "more tensors overlap others")
			}
			out = append(out, ExternalWarning{Kind: ExternalOverlap, Text: text})
		}
	}
	return out
}

// overlaps finds the first two tensors of a file that overlap, and counts the
// tensors that begin inside another one.
func overlaps(used []externalTensor) (first, second externalTensor, count int) {
	slices.SortStableFunc(used, func(a, b externalTensor) int {
		return cmp.Or(cmp.Compare(a.at.Offset, b.at.Offset), cmp.Compare(a.size, b.size))
	})
	used = slices.CompactFunc(used, func(a, b externalTensor) bool {
		return a.at.Offset == b.at.Offset && a.size == b.size
	})
	furthest := used[0]
	for _, u := range used[1:] {
		if u.at.Offset < furthest.at.Offset+furthest.size {
			if count++; count == 1 {
				first, second = furthest, u
			}
		}
		if u.at.Offset+u.size > furthest.at.Offset+furthest.size {
			furthest = u
		}
	}
	return first, second, count
}

// quotedKeys lists what a file calls things, as far as a person reads.
func quotedKeys(keys []string) string {
	const few = 10
	var out []string
	for _, k := range keys[:min(few, len(keys))] {
		out = append(out, strconv.Quote(brief(k)))
	}
	if len(keys) > few {
		out = append(out, fmt.Sprintf("and %d more", len(keys)-few))
	}
	return strings.Join(out, ", ")
}
