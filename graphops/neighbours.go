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

	"lathe/graphops/durable"
)

// Limits of the search for other models that use a data file. If one is exceeded, the result of the
// search says that there may be more such models.
const (
	mostNeighbours = 2000    // files in a folder
	mostLocations  = 10000   // different data files of one model
	mostMentioned  = 8 << 20 // bytes of a file with the extension of a model that cannot be decoded
)

// neighbours are the models in the same and nearby folders that use certain data files. The search
// reads only the structure of these models.
type neighbours struct {
	own    fs.FileInfo            // of the model's own file, nil if there is none
	wanted map[string]fs.FileInfo // the data files by path
	users  map[string][]dataUser  // by the path of the data file
	doubts []string               // why there may be more users
}

// dataUser is a model that uses a wanted data file.
type dataUser struct {
	model string // the path of its file
	parts parts  // ranges of the data file that its tensors use
	// unread is set if the file has the extension of a model, cannot be read, but contains the name
	// of the data file. It is then unknown which part of the data file it uses.
	unread bool
}

// usersOfData finds the models that use the given data files, which must all be in one folder. It
// examines all files of that folder, and the models in the parent folder, because a model may have
// its data in a subfolder. The model at the path except is left out.
func usersOfData(paths []string, except string) *neighbours {
	wanted := map[string]fs.FileInfo{}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			wanted[path] = info
		}
	}
	return neighboursOf(wanted, except)
}

// neighboursOf finds the models that use the data files wanted. It searches the folders of these
// files, their parent folders, and the folder of the model at the path except, which is itself left
// out.
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

// reasonToKeep says why a data file must not be removed. It returns an empty string if it may be.
func (n *neighbours) reasonToKeep(path string) string {
	if users := n.users[path]; len(users) > 0 {
		return users[0].model + " uses it"
	}
	if len(n.doubts) > 0 {
		return "another model may use it: " + n.doubts[0]
	}
	return ""
}

// folder searches the files of a folder. above says that it is a parent folder of the data. There,
// only files with the extension of a model are examined, and files that cannot be read are ignored.
func (n *neighbours) folder(folder string, above bool) {
	names, err := folderNames(folder)
	if err != nil && !above {
		n.doubts = append(n.doubts, err.Error())
	}
	for _, name := range names {
		path := filepath.Join(folder, name)
		if durable.IsTemporary(name) || above && !isCalledModel(name) || !n.mayUse(path) {
			continue
		}
		if doubt := n.file(path); doubt != "" && !above {
			n.doubts = append(n.doubts, name+" "+doubt)
		}
	}
}

// mayUse reports whether a file may be a model that uses the data files. It must be a regular file
// that is not empty, and neither the model's own file nor one of the data files.
func (n *neighbours) mayUse(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0 && n.wantedAs(info) == "" && (n.own == nil || !os.SameFile(info, n.own))
}

// wantedAs returns the path of the wanted data file that is the same file as info describes. It
// returns an empty string if no wanted file is.
func (n *neighbours) wantedAs(info fs.FileInfo) string {
	for path, file := range n.wanted {
		if os.SameFile(file, info) {
			return path
		}
	}
	return ""
}

// folderNames returns the sorted names of the files in a folder. More than mostNeighbours names are
// an error.
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
		return nil, fmt.Errorf("the folder contains more than %d files, too many to search", mostNeighbours)
	}
	slices.Sort(names)
	return names, nil
}

// modelEndings are the extensions of the formats that onnx.load and ONNX Runtime read, except for
// .json, which many other files have too.
var modelEndings = []string{".onnx", ".ort", ".pb", ".onnxtxt", ".onnxtext", ".textproto", ".prototxt", ".pbtxt", ".onnxjson"}

func isCalledModel(name string) bool {
	return slices.Contains(modelEndings, strings.ToLower(filepath.Ext(name)))
}

// file records which wanted data files the model at path uses. If this cannot be determined, it
// returns the reason.
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

// otherForm handles a file that has the extension of a model but cannot be decoded, such as a model
// in text form. If the name of a wanted data file occurs in it, it counts as a user of that data
// file.
func (n *neighbours) otherForm(src *source, path string) (doubt string) {
	if src.size > mostMentioned {
		return "is not a model that can be read here"
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

// model records which wanted data files a model uses, and which ranges of them its tensors use. A file
// with a compiled part has no tensors.
// Files are compared by identity, so a link to a data file is recognised.
func (n *neighbours) model(m *Model, path string) (doubt string) {
	if len(m.training) > 0 {
		doubt = "has training information, which may name data files"
	}
	used := map[string]parts{} // by the path of the data file
	named := map[string]string{}
	for t := range m.ExternalTensors() {
		r, err := t.ExternalRange()
		if err != nil {
			doubt = "has references to external data that cannot be read"
			continue
		}
		wanted, seen := named[r.Location]
		if !seen {
			if len(named) == mostLocations {
				doubt = fmt.Sprintf("refers to more than %d data files", mostLocations)
				break
			}
			wanted = n.located(filepath.Dir(path), r.Location)
			named[r.Location] = wanted
		}
		if wanted != "" {
			used[wanted] = append(used[wanted], partOf(t, r))
		}
	}
	for _, c := range m.CompiledNodes() {
		if location := c.Location(); location != "" {
			if wanted := n.located(filepath.Dir(path), location); wanted != "" && used[wanted] == nil {
				used[wanted] = parts{}
			}
		}
	}
	for wanted, list := range used {
		n.users[wanted] = append(n.users[wanted], dataUser{model: path, parts: list.joined()})
	}
	return doubt
}

// located returns the path of the wanted data file that a location leads to from a folder. It
// returns an empty string if the location leads to another file or to nothing.
func (n *neighbours) located(folder, location string) string {
	info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(location)))
	if err != nil {
		return ""
	}
	return n.wantedAs(info)
}
