package parameters

import (
	"io"

	"lathe/graphops"
	"lathe/graphops/tensor/npz"
)

// readNPZ lists the arrays of an archive. If the elements of an array have the same form as in a
// model, they are a range of the file. Otherwise (compressed, big endian, or in Fortran order) they
// are converted when they are read.
func readNPZ(f *graphops.File) (*Set, error) {
	members, err := npz.Members(f, f.Size())
	if err != nil {
		return nil, err
	}
	s := &Set{Path: f.Path(), Kind: NPZ, Files: []*graphops.File{f}}
	for _, m := range members {
		e := Entry{Name: m.Name, DType: m.DType, TypeName: m.Descr, Dims: m.Shape, Bytes: m.Bytes(), unusable: m.Unusable}
		switch {
		case m.Offset >= 0:
			if e.payload, err = f.Range(m.Offset, e.Bytes); err != nil {
				return nil, err
			}
		case m.Unusable == nil:
			e.payload = graphops.TransformPayload(e.Bytes, func(w io.Writer) error { return m.Copy(w) })
		}
		s.Entries = append(s.Entries, e)
	}
	return s, nil
}
