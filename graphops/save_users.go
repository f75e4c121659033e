package graphops

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds on the search for models that use a data file. Beyond them nobody can tell,
// and the file stays.
const (
	mostNeighbours = 2000    // files of a folder
	mostLocations  = 10000   // different data files that one model names
	mostMentioned  = 8 << 20 // bytes of a file that may be a model in a form that is not read here
)

// dataUsers says who uses data files, beside the model that goes.
type dataUsers struct {
	users map[string]string // by the path of the data file: the file name of a model
	doubt string            // why there may be more users, "" if there are none
}

// reasonToKeep is why a data file must stay, "" if it may go.
func (u dataUsers) reasonToKeep(path string) string {
	if user := u.users[path]; user != "" {
		return user + " uses it"
	}
	if u.doubt != "" {
		return "another model may use it: " + u.doubt
	}
	return ""
}

// usersOfData looks for models that use data files of one folder: among all files of
// that folder but one, and among the models of the folder above, whose data may lie in
// a folder below them. Only structure is read.
func usersOfData(paths []string, except string) dataUsers {
	s := userSearch{dataUsers: dataUsers{users: map[string]string{}}, except: except, wanted: map[string]fs.FileInfo{}}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			s.wanted[path] = info
		}
	}
	if len(s.wanted) == 0 {
		return s.dataUsers
	}
	folder := filepath.Dir(paths[0])
	s.folder(folder, false)
	if above := filepath.Dir(folder); above != folder {
		s.folder(above, true)
	}
	return s.dataUsers
}

// userSearch looks through folders for users of the wanted files.
type userSearch struct {
	dataUsers
	except string // the path of the model that goes
	wanted map[string]fs.FileInfo
}

// folder looks through the files of a folder. In one above only files that are called
// as models are, are looked at, and what is in the way there is no reason for doubt.
func (s *userSearch) folder(folder string, above bool) {
	names, err := folderNames(folder)
	if err != nil {
		if !above {
			s.doubts(err.Error())
		}
		return
	}
	for _, name := range names {
		path := filepath.Join(folder, name)
		_, temporary := parseTempName(name)
		if s.wanted[path] != nil || temporary || sameFile(path, s.except) || above && !isCalledModel(name) {
			continue
		}
		if doubt := s.file(path); doubt != "" && !above {
			s.doubts(name + " " + doubt)
		}
	}
}

func (s *userSearch) doubts(why string) {
	if s.doubt == "" {
		s.doubt = why
	}
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
func (s *userSearch) file(path string) (doubt string) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return ""
	}
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
		return s.model(m, path)
	case isCalledModel(path):
		return s.otherForm(src, path)
	}
	return ""
}

// otherForm is about a file that is called as a model is and is none that is read here,
// as one in a text form. It cannot use a file whose name it does not hold.
func (s *userSearch) otherForm(src *source, path string) (doubt string) {
	if src.size > mostMentioned {
		return "is no model that can be read here"
	}
	text, err := io.ReadAll(io.NewSectionReader(src, 0, src.size))
	if err != nil {
		return "cannot be read"
	}
	for wanted := range s.wanted {
		if strings.Contains(string(text), filepath.Base(wanted)) {
			s.use(wanted, path)
		}
	}
	return ""
}

// model notes the wanted files that a model names, by whatever name.
func (s *userSearch) model(m *Model, path string) (doubt string) {
	if len(m.training) > 0 {
		doubt = "has training information, which may name data files"
	}
	seen := map[string]bool{}
	for t := range m.ExternalTensors() {
		r, err := t.ExternalRange()
		if err != nil {
			doubt = "names data in a way that cannot be read"
			continue
		}
		if seen[r.Location] {
			continue
		}
		if seen[r.Location] = true; len(seen) > mostLocations {
			return fmt.Sprintf("names more than %d data files", mostLocations)
		}
		info, err := os.Stat(filepath.Join(filepath.Dir(path), filepath.FromSlash(r.Location)))
		if err != nil {
			continue
		}
		for wanted, file := range s.wanted {
			if os.SameFile(file, info) {
				s.use(wanted, path)
			}
		}
	}
	return doubt
}

func (s *userSearch) use(wanted, model string) {
	if s.users[wanted] == "" {
		s.users[wanted] = model
	}
}
