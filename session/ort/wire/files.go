package wire

import (
	"time"

	"lathe/graphops"
)

// Open requests the structure of a model file on the worker's machine.
type Open struct {
	Path string `cbor:"1,keyasint,omitempty"`
	// AllowExternal are further folders in which external data may be.
	AllowExternal []string `cbor:"2,keyasint,omitempty"`
}

// Opened follows the structure, which is sent as Content.
type Opened struct {
	Origin File   `cbor:"1,keyasint,omitempty"` // the model file
	Files  []File `cbor:"2,keyasint,omitempty"` // the files with its weights
	// RefusedAsFile says that the library does not accept the model as a file because of the names
	// of its external data.
	RefusedAsFile bool `cbor:"3,keyasint,omitempty"`
	// Unread says why locations of external data could not be followed.
	Unread map[string]string `cbor:"4,keyasint,omitempty"`
}

// File is a file on the worker's machine, as in graphops.StoredFile.
type File struct {
	Path     string `cbor:"1,keyasint,omitempty"`
	Real     string `cbor:"2,keyasint,omitempty"`
	Bytes    int64  `cbor:"3,keyasint,omitempty"`
	Modified int64  `cbor:"4,keyasint,omitempty"` // in nanoseconds since 1970
	// Passing says that the file is about to be removed, so its name must not be used after it was
	// opened.
	Passing bool `cbor:"5,keyasint,omitempty"`
}

// Files converts descriptions of files to the form in which they are sent. StoredFiles converts
// them back.
func Files(files ...graphops.StoredFile) []File {
	var out []File
	for _, f := range files {
		out = append(out, File{Path: f.Path, Real: f.Real, Bytes: f.Bytes, Modified: f.Modified.UnixNano(), Passing: f.Passing})
	}
	return out
}

// StoredFiles converts received descriptions of files back from the form that Files returns.
func StoredFiles(files ...File) []graphops.StoredFile {
	var out []graphops.StoredFile
	for _, f := range files {
		out = append(out, graphops.StoredFile{Path: f.Path, Real: f.Real, Bytes: f.Bytes, Modified: time.Unix(0, f.Modified), Passing: f.Passing})
	}
	return out
}

// Receive lets the worker store files in a folder of its own until it ends. They follow as Data,
// one after the other.
type Receive struct {
	Files []Incoming `cbor:"1,keyasint,omitempty"`
}

// Incoming is a file that the client sends.
type Incoming struct {
	Name  string `cbor:"1,keyasint,omitempty"` // without a folder
	Bytes int64  `cbor:"2,keyasint,omitempty"`
}

// Received ends the answer to Receive.
type Received struct {
	Folder string `cbor:"1,keyasint,omitempty"`
}
