package graphops

import (
	"cmp"
	"io/fs"
	"math"
	"os"
	"slices"
)

// UnusedData is a part of a data file that belongs to no tensor.
type UnusedData struct {
	Location string
	Size     int64 // of the file
	Bytes    int64 // that no tensor has, what aligns tensors left out
	Others   int   // models nearby that have tensors in the file too, and are counted in
	Unread   int   // other models nearby of which nobody knows what they have of the file
}

// maxAlignment is the largest alignment that a writer of data may keep to.
const maxAlignment = 64 << 10

// ExternalUnused finds bytes of data files that belong to no tensor, neither of the model
// nor, if some are left, of the models near them. It reads no data. Files that cannot be
// read, or of which a range is wrong, are left out, as is the model file itself.
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

// usedFile is a file of external data, with the parts of it that tensors have.
type usedFile struct {
	location string
	source   *source
	parts    parts
	doubtful bool // a tensor cannot be found in it
}

// parts are ranges of a data file that tensors have.
type parts []part

type part struct{ from, to int64 }

// partOf is the range of an external tensor. One whose size is not known begins only.
func partOf(t *Tensor, r ExternalRange) part {
	size := r.Length
	if size < 0 {
		size, _ = t.ByteLen()
	}
	return part{r.Offset, r.Offset + min(max(size, 0), math.MaxInt64-r.Offset)}
}

// joined are the parts in order, those as one between which there is nothing but alignment.
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

// usedFiles are the files of a model's external data.
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

// unused are the bytes of the file that are in no part and are no alignment.
func (f *usedFile) unused() (bytes int64) {
	end := int64(0)
	for _, p := range f.parts.joined() {
		bytes += gap(end, p.from)
		end = p.to
	}
	return bytes + gap(end, f.source.seen.Size())
}

// gap is how many bytes lie between the end of one part and the beginning of the next,
// none where the next begins at a multiple of what a writer may align it to.
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
