package graphops

import (
	"cmp"
	"io/fs"
	"math"
	"os"
	"slices"
)

// UnusedData describes the bytes of a data file that belong to no tensor.
type UnusedData struct {
	Location string
	Size     int64 // of the file
	Bytes    int64 // bytes of no tensor, without alignment padding
	// number of models nearby that also use the file; what they use does not count as unused
	Others int
	Unread int // number of other models nearby for which it is unknown what they use
}

// maxAlignment is the largest alignment, in bytes, that a program is assumed to use when it writes
// a data file.
const maxAlignment = 64 << 10

// ExternalUnused finds the bytes of the model's data files that belong to no tensor, neither of
// this model nor of the models nearby. It reads no data. It skips files that cannot be read, files
// in which a tensor has an invalid range, and the model file itself.
func ExternalUnused(m *Model) []UnusedData {
	files := slices.DeleteFunc(m.usedFiles(), func(f *usedFile) bool {
		return f.doubtful || f.unused() == 0 || m.isOwnFile(f.source)
	})
	wanted := map[string]fs.FileInfo{}
	for _, f := range files {
		wanted[f.source.path] = f.source.seen
	}
	near := neighboursOf(wanted, m.Path())
	var out []UnusedData
	for _, f := range files {
		u := UnusedData{Location: f.location, Size: f.source.seen.Size(), Unread: len(near.doubts)}
		for _, user := range near.users[f.source.path] {
			if user.unread {
				u.Unread++
				continue
			}
			u.Others++
			f.parts = append(f.parts, user.parts...)
		}
		if u.Bytes = f.unused(); u.Bytes > 0 {
			out = append(out, u)
		}
	}
	return out
}

// usedFile is a data file, with the ranges in it that belong to tensors.
type usedFile struct {
	location string
	source   *source
	parts    parts
	doubtful bool // a tensor has no valid range in it
}

// parts are ranges of a data file that belong to tensors.
type parts []part

type part struct{ from, to int64 }

// partOf returns the range of an external tensor in its file. If its size is unknown, the range is
// empty.
func partOf(t *Tensor, r ExternalRange) part {
	size := r.Length
	if size < 0 {
		size, _ = t.ByteLen()
	}
	return part{r.Offset, r.Offset + min(max(size, 0), math.MaxInt64-r.Offset)}
}

// joined returns the sorted ranges. Ranges with nothing but alignment padding between them are
// merged.
func (p parts) joined() parts {
	slices.SortFunc(p, func(a, b part) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	var out parts
	for _, next := range p {
		if last := len(out) - 1; last >= 0 && gap(out[last].to, next.from) == 0 {
			out[last].to = max(out[last].to, next.to)
			continue
		}
		out = append(out, next)
	}
	return out
}

// usedFiles returns the files with a model's external data.
func (m *Model) usedFiles() []*usedFile {
	byLocation := map[string]*usedFile{}
	var list []*usedFile
	for t := range m.ExternalTensors() {
		r, err := t.ExternalRange()
		if err != nil {
			continue
		}
		f := byLocation[r.Location]
		if f == nil {
			f = &usedFile{location: r.Location}
			byLocation[r.Location] = f
			list = append(list, f)
		}
		u, ok := t.external()
		if !ok {
			f.doubtful = true
			continue
		}
		f.source = u.file
		f.parts = append(f.parts, part{u.at.Offset, u.at.Offset + u.size})
	}
	return list
}

// unused returns the number of bytes that belong to no tensor and are not alignment padding.
func (f *usedFile) unused() (bytes int64) {
	end := int64(0)
	for _, p := range f.parts.joined() {
		bytes += gap(end, p.from)
		end = p.to
	}
	return bytes + gap(end, f.source.seen.Size())
}

// gap returns the number of unused bytes between the end of one range and the start of the next. It
// is 0 if these bytes may be padding: the next range starts at the first multiple of a power of two
// up to maxAlignment.
func gap(end, begin int64) int64 {
	if begin <= end {
		return 0
	}
	for alignment := int64(2); alignment <= maxAlignment; alignment *= 2 {
		if (end+alignment-1)/alignment*alignment == begin {
			return 0
		}
	}
	return begin - end
}

func (m *Model) isOwnFile(file *source) bool {
	return slices.ContainsFunc(m.origins(), func(o origin) bool {
		return o.src != nil && o.src.file != nil && os.SameFile(file.seen, o.src.seen)
	})
}
