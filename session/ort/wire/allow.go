package wire

import "slices"

// Allow says what a worker may still use when a model is loaded and after that. A worker that is not
// limited ignores it. If a request has none, the model is
// Lathe's own and the worker stays as it is.
type Allow struct {
	// Files are the files of the model. They can be read if they are unchanged.
	Files []File `cbor:"1,keyasint,omitempty"`
	// Folders can be read with everything in them, because libraries find files there by themselves.
	Folders []string `cbor:"2,keyasint,omitempty"`
	// Listed are folders in which names can be listed, but nothing read.
	Listed []string `cbor:"7,keyasint,omitempty"`
	// Libraries are the paths of libraries with custom operators. Their folders can be read.
	Libraries []string `cbor:"6,keyasint,omitempty"`
	// Written are folders in which files can be created and changed.
	Written []string `cbor:"3,keyasint,omitempty"`
	// Providers are the names of the providers that may be attached.
	Providers []string `cbor:"4,keyasint,omitempty"`
	// Scratch says that the runtime writes files into the worker's own folder.
	Scratch bool `cbor:"5,keyasint,omitempty"`
}

// Covers reports whether a worker that is limited to a may load what needs b.
func (a *Allow) Covers(b *Allow) bool {
	if b == nil {
		return true
	}
	return (a.Scratch || !b.Scratch) &&
		holds(a.Folders, b.Folders) && holds(a.Listed, b.Listed) && holds(a.Libraries, b.Libraries) && holds(a.Written, b.Written) && holds(a.Providers, b.Providers) &&
		!slices.ContainsFunc(b.Files, func(f File) bool {
			return !slices.ContainsFunc(a.Files, func(g File) bool { return g == f })
		})
}

func holds(list, part []string) bool {
	return !slices.ContainsFunc(part, func(s string) bool { return !slices.Contains(list, s) })
}
