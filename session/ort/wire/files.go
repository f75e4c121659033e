package wire

import (
	"time"

	"lathe/graphops"
)

// Files describes files for the other end.
func Files(files ...graphops.StoredFile) []*File {
	var out []*File
	for _, f := range files {
		out = append(out, &File{Path: f.Path, Real: f.Real, Bytes: f.Bytes, ModifiedNs: f.Modified.UnixNano(), Passing: f.Passing})
	}
	return out
}

// StoredFiles returns the files that the other end described.
func StoredFiles(files ...*File) []graphops.StoredFile {
	var out []graphops.StoredFile
	for _, f := range files {
		out = append(out, graphops.StoredFile{Path: f.GetPath(), Real: f.GetReal(), Bytes: f.GetBytes(), Modified: time.Unix(0, f.GetModifiedNs()), Passing: f.GetPassing()})
	}
	return out
}
