package graphops

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
)

// UnusedData is a part of a data file that belongs to no tensor.
type UnusedData struct {
	Location string
	Size     int64 // of the file
	Bytes    int64 // that no tensor has, what aligns tensors left out
	Others   int   // models in the folder that have tensors in the file too, and are counted in
	Unread   int   // other models in the folder that were not looked at
}

// Bounds of a look at the other models in a folder.
const (
	maxNeighbours      = 32
	maxNeighbourLength = 16 << 20 // of a model file, data apart
	maxAlignment       = 64 << 10 // that a writer of data may keep to
)

// ExternalUnused finds bytes of data files that belong to no tensor, neither of the model
// nor, where some are left, of the models beside it. It reads no data. Files that cannot
// be read, or of which a range is wrong, are left out, as is the model file itself.
func ExternalUnused(m *Model) []UnusedData {
	files := m.usedFiles()
	var out []UnusedData
	var beside *neighbours
	for _, f := range files {
		if f.doubtful || f.unused() == 0 || m.isOwnFile(f.source) {
			continue
		}
		if beside == nil {
			beside = neighboursOf(m)
		}
		u := UnusedData{Location: f.location, Size: f.source.seen.Size(), Unread: beside.unread}
		u.Others = beside.addTo(f)
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
	parts    []part
	doubtful bool // a tensor cannot be found in it
}

type part struct{ from, to int64 }

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
	slices.SortFunc(f.parts, func(a, b part) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	end := int64(0)
	for _, p := range f.parts {
		bytes += gap(end, p.from)
		end = max(end, p.to)
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

// neighbours are the other models in a model's folder.
type neighbours struct {
	files  []*usedFile
	owner  []int // position of the model that a file is of
	unread int
}

// neighboursOf opens the models that lie beside one. Their data is not read.
func neighboursOf(m *Model) *neighbours {
	n := &neighbours{}
	if m.Path() == "" {
		return n
	}
	dir := filepath.Dir(m.Path())
	names, err := folderNames(dir)
	if err != nil {
		n.unread++ // there may be models among its files
	}
	own, _ := os.Stat(m.Path())
	looked := 0
	for i, name := range names {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		switch {
		case filepath.Ext(name) != ".onnx" || err != nil || os.SameFile(info, own) || !info.Mode().IsRegular():
		case looked == maxNeighbours || info.Size() > maxNeighbourLength:
			n.unread++
		default:
			looked++
			n.open(i, path)
		}
	}
	return n
}

func (n *neighbours) open(i int, path string) {
	m, err := Open(path, OpenOptions{})
	if err != nil {
		n.unread++
		return
	}
	for _, f := range m.usedFiles() {
		if f.source != nil {
			n.files, n.owner = append(n.files, f), append(n.owner, i)
		}
	}
}

// addTo adds what other models have of a file, and counts these models.
func (n *neighbours) addTo(f *usedFile) int {
	models := map[int]bool{}
	for i, other := range n.files {
		if os.SameFile(other.source.seen, f.source.seen) {
			f.parts = append(f.parts, other.parts...)
			models[n.owner[i]] = true
		}
	}
	return len(models)
}
