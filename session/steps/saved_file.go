package steps

import (
	"fmt"
	"io"

	"lathe/session/text"
)

// savedFile describes a written model file in a report.
type savedFile struct {
	Path          string      `json:"path"`
	Bytes         int64       `json:"bytes"`
	ExternalData  string      `json:"external_data,omitempty"`  // the first data file
	ExternalBytes int64       `json:"external_bytes,omitempty"` // size of all data files
	DataFiles     []savedData `json:"data_files,omitempty"`
	Removed       []string    `json:"removed,omitempty"` // data files of the replaced model
	Kept          []keptData  `json:"kept,omitempty"`    // old data files that another model uses or may use
}

// keptData is an old data file that was not removed, and why.
type keptData struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// savedData is a data file that was written.
type savedData struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

func (f *savedFile) files() []string {
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

// path returns the path of the written file, or "" if the model was not written.
func (f *savedFile) path() string {
	if f == nil {
		return ""
	}
	return f.Path
}

func (f *savedFile) writeText(w io.Writer) {
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
