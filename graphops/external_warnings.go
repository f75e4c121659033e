package graphops

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// ExternalKind is a kind of warning about external data.
type ExternalKind string

// The kinds of warning.
const (
	ExternalHardLink ExternalKind = "hard_link" // the file has another name
	ExternalOverlap  ExternalKind = "overlap"   // two tensors share some of their bytes
	ExternalOwnFile  ExternalKind = "own_file"  // the data is in the model file itself
	ExternalRefused  ExternalKind = "refused"   // ONNX Runtime does not accept the model
)

// ExternalWarning is a problem with external data that can still be read.
type ExternalWarning struct {
	Kind ExternalKind
	Text string
	// Tensors are the external tensors that ONNX Runtime rejects.
	Tensors []*Tensor
	// Operands are the external constants that ONNX Runtime reads while it loads the model, which
	// fails.
	Operands []ExternalOperand
}

// ExternalWarnings returns warnings about the files and locations of external data, without reading
// the data. What ONNX Runtime rejects depends on its version. The function runtime returns that
// version, or an empty string if it is unknown. It is only called if a warning depends on it.
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
	base int // index of the base where the file was found
	size int64
}

func (t *Tensor) external() (externalTensor, bool) {
	if !t.IsExternal() {
		return externalTensor{}, false
	}
	data, err := t.Data()
	if err != nil || data.src.machine != "" {
		return externalTensor{}, false // reported by ExternalFaults, or checked on the machine that has the file
	}
	r, _ := t.ExternalRange()
	return externalTensor{t, r, data.src, t.files.base(r.Location), data.Len()}, true
}

// fileWarnings returns the warnings about data files, each of which is checked once.
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
				"external data %q: the file has %d hard links: a write through another of its names changes this model, and the onnx package refuses to load it",
				u.at.Location, stat.Nlink)})
		}
		if m.isOwnFile(u.file) {
			out = append(out, ExternalWarning{Kind: ExternalOwnFile, Text: fmt.Sprintf(
				"external data %q: is the model file itself, so the model cannot be copied or renamed without breaking", u.at.Location)})
		}
	}
	return out
}

// overlapWarnings finds tensors that share some of their bytes but not all. If two tensors share
// all bytes, they are one weight with two names, which is allowed.
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
			text := fmt.Sprintf("external data %q: tensor %q, at bytes %d to %d, and tensor %q, at bytes %d to %d, overlap",
				first.at.Location, first.name, first.at.Offset, first.at.Offset+first.size, second.name, second.at.Offset, second.at.Offset+second.size)
			if count > 1 {
				text += "; " + counted(count-1, "more tensor overlaps another", "more tensors overlap others")
			}
			out = append(out, ExternalWarning{Kind: ExternalOverlap, Text: text})
		}
	}
	return out
}

// overlaps returns the first two overlapping tensors of a file. It also returns the number of
// tensors that start before the end of an earlier one.
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

// quotedKeys lists keys from a file, shortened for a message.
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
