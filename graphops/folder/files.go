package folder

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxFiles is how many entries of a folder are looked at, and maxModels how many models it may have.
const (
	maxFiles  = 20_000
	maxModels = 256
)

// modelExtensions are the extensions of members.
var modelExtensions = []string{".onnx", ".ort"}

// listing is what a folder contains.
type listing struct {
	path   string
	files  map[string]bool // relative, with slashes
	models []string        // in the order of names
	limits []string
}

// list lists a folder and its subfolders, but not those that are links.
func list(root string) (*listing, error) {
	l := &listing{path: root, files: map[string]bool{}}
	folders, err := l.read(".")
	for _, sub := range folders {
		if err == nil {
			_, err = l.read(sub)
		}
	}
	slices.SortFunc(l.models, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	})
	if len(l.models) > maxModels {
		l.limits = append(l.limits, fmt.Sprintf("%d further models; the first %d are opened", len(l.models)-maxModels, maxModels))
		l.models = l.models[:maxModels]
	}
	return l, err
}

// read lists one folder, and returns its subfolders.
func (l *listing) read(sub string) (folders []string, err error) {
	f, err := os.Open(filepath.Join(l.path, filepath.FromSlash(sub)))
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close() // it was only read
	entries, err := f.ReadDir(maxFiles + 1)
	if len(entries) > maxFiles {
		l.limits = append(l.limits, fmt.Sprintf("the entries of %s after the first %d", sub, maxFiles))
		entries = entries[:maxFiles]
	}
	for _, e := range entries {
		name := path.Join(sub, e.Name())
		switch {
		case e.IsDir() && sub == "." && !strings.HasPrefix(e.Name(), "."):
			folders = append(folders, name)
		case e.IsDir():
		case slices.Contains(modelExtensions, strings.ToLower(path.Ext(name))):
			l.models = append(l.models, name)
			l.files[name] = true
		default:
			l.files[name] = true
		}
	}
	slices.Sort(folders)
	if len(entries) == 0 {
		return folders, nil // an empty folder is reported as io.EOF
	}
	return folders, reason(err)
}

// reason returns a system error without the name of the call and the path.
func reason(err error) error {
	if p, ok := err.(*fs.PathError); ok { //nolint:errorlint // os returns it as it is
		return p.Err
	}
	return err
}

// has reports whether a file whose name ends in one of the words is in the folder itself.
func (l *listing) has(suffix string) bool {
	for name := range l.files {
		if !strings.Contains(name, "/") && strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// suffixes are words at the end of file names that say only how a model is stored.
var suffixes = []string{"quantized", "quant", "q4f16", "q4", "q8", "bnb4", "int8", "int4", "uint8", "fp16", "fp32", "f16", "f32", "bf16", "float16", "optimized", "opt"}

// stem returns the name of a model's file without its extension and without words that say only how
// it is stored. plain reports whether there were none.
func stem(file string) (name string, plain bool) {
	name, plain = strings.TrimSuffix(file, path.Ext(file)), true
	for {
		cut := strings.LastIndexAny(name, "._-")
		if cut <= 0 || name[cut-1] == '/' || !slices.Contains(suffixes, strings.ToLower(name[cut+1:])) {
			return name, plain
		}
		name, plain = name[:cut], false
	}
}

// take returns the models of the folder as members, with their roles by file name. Files that differ
// only in how the model is stored are one member.
func (l *listing) take() (members []*Member) {
	byStem := map[string]*Member{}
	for _, file := range l.models {
		s, plain := stem(file)
		m, again := byStem[s]
		if !again {
			m = l.member(file)
			byStem[s], members = m, append(members, m)
			continue
		}
		if _, was := stem(m.File); plain && !was {
			m.File, file = file, m.File
			m.Path = l.at(m.File)
		}
		m.Variants = append(m.Variants, file)
	}
	nameAll(members)
	return members
}

func (l *listing) at(file string) string { return filepath.Join(l.path, filepath.FromSlash(file)) }

// member returns the member of a file, with the role that its name gives it.
func (l *listing) member(file string) *Member {
	role, why := roleOf(file)
	return &Member{File: file, Path: l.at(file), Role: role, Why: why}
}

// nameAll gives members names: those of their roles if they differ, otherwise those of their files.
func nameAll(members []*Member) {
	count := map[Role]int{}
	for _, m := range members {
		count[m.Role]++
	}
	used := map[string]int{}
	for _, m := range members {
		if m.Name == "" {
			m.Name = string(m.Role)
		}
		if count[m.Role] > 1 || m.Role == Other {
			m.Name, _ = stem(strings.TrimSuffix(m.File, "/model.onnx"))
		}
		if used[m.Name]++; used[m.Name] > 1 {
			m.Name = m.File
		}
	}
}
