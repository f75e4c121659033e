package wire

import (
	"time"

	"lathe/graphops"
)

// Files converts descriptions of files to the form in which they are sent. StoredFiles converts
// them back.
func Files(files ...graphops.StoredFile) []*File {
	var out []*File
	for _, f := range files {
		out = append(out, &File{Path: f.Path, Real: f.Real, Bytes: f.Bytes, ModifiedNs: f.Modified.UnixNano(), Passing: f.Passing})
	}
	return out
}

// StoredFiles converts received descriptions of files back from the form that Files returns.
func StoredFiles(files ...*File) []graphops.StoredFile {
	var out []graphops.StoredFile
	for _, f := range files {
		out = append(out, graphops.StoredFile{Path: f.GetPath(), Real: f.GetReal(), Bytes: f.GetBytes(), Modified: time.Unix(0, f.GetModifiedNs()), Passing: f.GetPassing()})
	}
	return out
}
