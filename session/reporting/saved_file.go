package reporting

import (
	"fmt"
	"io"
	"path/filepath"

	"lathe/graphops"
	"lathe/session/text"
)

// SavedFile describes a written model file in a report.
type SavedFile struct {
	Path          string               `json:"path"`
	Bytes         int64                `json:"bytes"`
	ExternalData  string               `json:"external_data,omitempty"`  // the first data file
	ExternalBytes int64                `json:"external_bytes,omitempty"` // size of all data files
	DataFiles     []graphops.SavedData `json:"data_files,omitempty"`
	Removed       []string             `json:"removed,omitempty"` // data files of the replaced model
	Kept          []graphops.KeptData  `json:"kept,omitempty"`    // old data files that another model uses or may use
}

// SavedFileOf returns the description of a written model.
func SavedFileOf(s graphops.Saved) *SavedFile {
	f := &SavedFile{Path: s.Path, Bytes: s.Bytes, DataFiles: s.Data, Removed: s.Removed, Kept: s.Kept}
	for _, d := range s.Data {
		f.ExternalData, f.ExternalBytes = s.Data[0].Path, f.ExternalBytes+d.Bytes
	}
	return f
}

// Files returns the paths of the model and of its data files; nil if nothing was written.
func (f *SavedFile) Files() []string {
	if f == nil {
		return nil
	}
	files := []string{f.Path}
	for _, d := range f.DataFiles {
		files = append(files, d.Path)
	}
	return files
}

// dataFilesTold is how many data files are listed by name.
const dataFilesTold = 3

// Where returns the path of the written file, or "" if the model was not written.
func (f *SavedFile) Where() string {
	if f == nil {
		return ""
	}
	return f.Path
}

// Move replaces a folder in the paths of the files, after it was renamed.
func (f *SavedFile) Move(from, to string) {
	final := func(p string) string {
		if rel, err := filepath.Rel(from, p); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(to, rel)
		}
		return p
	}
	f.Path, f.ExternalData = final(f.Path), final(f.ExternalData)
	for i := range f.DataFiles {
		f.DataFiles[i].Path = final(f.DataFiles[i].Path)
	}
}

// WriteText writes the files, and which old data files were removed or kept. It writes nothing if
// nothing was saved.
func (f *SavedFile) WriteText(w io.Writer) {
	if f == nil {
		return
	}
	fmt.Fprintf(w, "wrote %s (%s)", text.Clean(f.Path), text.Bytes(f.Bytes))
	for i, d := range f.DataFiles[:min(len(f.DataFiles), dataFilesTold)] {
		joined := ","
		if i == len(f.DataFiles)-1 {
			joined = " and"
		}
		fmt.Fprintf(w, "%s %s (%s)", joined, text.Clean(d.Path), text.Bytes(d.Bytes))
	}
	if more := len(f.DataFiles) - dataFilesTold; more > 0 {
		fmt.Fprintf(w, " and %s, %s in all of them", text.Plural(more, "more data file"), text.Bytes(f.ExternalBytes))
	}
	fmt.Fprintln(w)
	for _, path := range f.Removed {
		fmt.Fprintf(w, "removed %s, the data of the model that was replaced\n", text.Clean(path))
	}
	for _, k := range f.Kept {
		fmt.Fprintf(w, "warning: %s stays: %s\n", text.Clean(k.Path), text.Clean(k.Why))
	}
}
