package graphops

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds on the search for models that use a data file. Beyond them the search reports that it is incomplete.
const (
	mostNeighbours = 2000    // files of a folder
	mostLocations  = 10000   // different data files that one model names
	mostMentioned  = 8 << 20 // bytes of a file that may be a model in a form that is not read here
)

// neighbours are the models that use some data files, beside one model. They are looked
// for in folders, and only their structure is read.
type neighbours struct {
	own    fs.FileInfo            // of the one model's file, nil if there is none
	wanted map[string]fs.FileInfo // the data files by path
	users  map[string][]dataUser  // by the path of the data file
	doubts []string               // why there may be more users
}

// dataUser is a model that uses a data file.
type dataUser struct {
	model string // the path of its file
	parts parts  // of the data file that its tensors have
	// unread is set for a file that is called as a model is and cannot be read: it mentions
	// the data file, and nobody knows what it has of it.
	unread bool
}

// usersOfData looks for models that use data files of one folder, except for one model:
// among all files of that folder, and among the models of the folder above, whose data
// may lie in a folder below them.
func usersOfData(paths []string, except string) *neighbours {
	wanted := map[string]fs.FileInfo{}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			wanted[path] = info
		}
	}
	return neighboursOf(wanted, except)
}

// neighboursOf looks for users of data files beside one model: in the folders where the
// data is, in those above them, and in that of the model.
func neighboursOf(wanted map[string]fs.FileInfo, except string) *neighbours {
	n := &neighbours{wanted: wanted, users: map[string][]dataUser{}}
	if len(wanted) == 0 {
		return n
	}
	n.own, _ = os.Stat(except)
	beside, above := map[string]bool{}, map[string]bool{}
	for path := range wanted {
		folder := filepath.Dir(path)
		beside[folder], above[filepath.Dir(folder)] = true, true
	}
	if except != "" {
		beside[filepath.Dir(except)] = true
	}
	for _, folder := range slices.Sorted(maps.Keys(beside)) {
		n.folder(folder, false)
	}
	for _, folder := range slices.Sorted(maps.Keys(above)) {
		if !beside[folder] {
			n.folder(folder, true)
		}
	}
	return n
}

// reasonToKeep is why a data file must stay, "" if it may go.
func (n *neighbours) reasonToKeep(path string) string {
	if users := n.users[path]; len(users) > 0 {
		return users[0].model + " uses it"
	}
	if len(n.doubts) > 0 {
		return "another model may use it: " + n.doubts[0]
	}
	return ""
}

// folder looks through the files of a folder. In one above only files that are called
// as models are, are looked at, and what is in the way there is no reason for doubt.
func (n *neighbours) folder(folder string, above bool) {
	names, err := folderNames(folder)
	if err != nil && !above {
		n.doubts = append(n.doubts, err.Error())
	}
	for _, name := range names {
		path := filepath.Join(folder, name)
		if _, temporary := parseTempName(name); temporary || above && !isCalledModel(name) || !n.mayUse(path) {
			continue
		}
		if doubt := n.file(path); doubt != "" && !above {
			n.doubts = append(n.doubts, name+" "+doubt)
		}
	}
}

// mayUse reports whether a file is one with content, neither the model's own nor one of
// the data files.
func (n *neighbours) mayUse(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0 && n.wantedAs(info) == "" && (n.own == nil || !os.SameFile(info, n.own))
}

// wantedAs is the path by which a file is one of the data files, "" if it is none.
func (n *neighbours) wantedAs(info fs.FileInfo) string {
	for path, file := range n.wanted {
		if os.SameFile(file, info) {
			return path
		}
	}
	return ""
}

// folderNames are the names in a folder, in order. It is an error if there are too many to look at.
func folderNames(folder string) ([]string, error) {
	d, err := os.Open(folder)
	if err != nil {
		return nil, fmt.Errorf("the folder cannot be read: %w", reason(err))
	}
	defer d.Close()
	names, err := d.Readdirnames(mostNeighbours + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the folder cannot be read: %w", reason(err))
	}
	if len(names) > mostNeighbours {
		return nil, fmt.Errorf("the folder holds more than %d files, which are too many to look at", mostNeighbours)
	}
	slices.Sort(names)
	return names, nil
}

// modelEndings are those of the forms of models that onnx.load and ONNX Runtime read, but for .json, which is anything.
var modelEndings = []string{".onnx", ".ort", ".pb", ".onnxtxt", ".onnxtext", ".textproto", ".prototxt", ".pbtxt", ".onnxjson"}

func isCalledModel(name string) bool {
	return slices.Contains(modelEndings, strings.ToLower(filepath.Ext(name)))
}

// file notes what the model at path uses. It returns what keeps that from being known.
func (n *neighbours) file(path string) (doubt string) {
	src, err := openSource(path)
	if err != nil {
		return "cannot be read"
	}
	defer src.file.Close()
	files, err := newExternalFiles(src, nil)
	if err != nil {
		return "cannot be read"
	}
	m, err := decodeFile(src, files)
	switch {
	case err == nil:
		return n.model(m, path)
	case isCalledModel(path):
		return n.otherForm(src, path)
	}
	return ""
}

// otherForm is about a file that is called as a model is and is none that is read here,
// as one in a text form. It cannot use a file whose name it does not hold.
func (n *neighbours) otherForm(src *source, path string) (doubt string) {
	if src.size > mostMentioned {
		return "is no model that can be read here"
	}
	text, err := io.ReadAll(io.NewSectionReader(src, 0, src.size))
	if err != nil {
		return "cannot be read"
	}
	for wanted := range n.wanted {
		if strings.Contains(string(text), filepath.Base(wanted)) {
			n.users[wanted] = append(n.users[wanted], dataUser{model: path, unread: true})
		}
	}
	return ""
}

// model notes the data files that a model names, by whatever name, and what its tensors
// have of them.
func (n *neighbours) model(m *Model, path string) (doubt string) {
	if len(m.training) > 0 {
		doubt = "has training information, which may name data files"
	}
	used := map[string]parts{} // by the path of the data file
	named := map[string]string{}
	for t := range m.ExternalTensors() {
		r, err := t.ExternalRange()
		if err != nil {
			doubt = "names data in a way that cannot be read"
			continue
		}
		wanted, seen := named[r.Location]
		if !seen {
			if len(named) == mostLocations {
				doubt = fmt.Sprintf("names more than %d data files", mostLocations)
				break
			}
			wanted = n.located(filepath.Dir(path), r.Location)
			named[r.Location] = wanted
		}
		if wanted != "" {
			used[wanted] = append(used[wanted], partOf(t, r))
		}
	}
	for wanted, list := range used {
		n.users[wanted] = append(n.users[wanted], dataUser{model: path, parts: list.joined()})
	}
	return doubt
}

// located is the path by which a location of a model in a folder is one of the data files,
// "" if it is none.
func (n *neighbours) located(folder, location string) string {
	info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(location)))
	if err != nil {
		return ""
	}
	return n.wantedAs(info)
}
