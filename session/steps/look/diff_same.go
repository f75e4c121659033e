package look

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"

	"lathe/graphops"
	"lathe/graphops/diff"
)

// sameFile reports whether two models come from the same file, or from two files with the same
// bytes. Then there is nothing to match. It returns false if it does not know.
func sameFile(a, b *graphops.Model) bool {
	if a.Path() == "" || b.Path() == "" || a.Machine() != "" || b.Machine() != "" {
		return false
	}
	if !sameFolder(a.Path(), b.Path()) && (hasExternal(a) || hasExternal(b)) {
		return false // relative paths of external data name other files
	}
	fa, errA := os.Stat(a.Path())
	fb, errB := os.Stat(b.Path())
	switch {
	case errA != nil || errB != nil || !fa.Mode().IsRegular() || !fb.Mode().IsRegular():
		return false
	case os.SameFile(fa, fb):
		return true
	}
	return fa.Size() == fb.Size() && fa.Size() <= diff.DefaultWholeBytes/2 && sameBytes(a.Path(), b.Path())
}

// sameFolder reports whether two files are in the same folder, even if links lead there.
func sameFolder(a, b string) bool {
	fa, errA := os.Stat(filepath.Dir(a))
	fb, errB := os.Stat(filepath.Dir(b))
	return errA == nil && errB == nil && os.SameFile(fa, fb)
}

func hasExternal(m *graphops.Model) bool {
	for range m.ExternalTensors() {
		return true
	}
	return false
}

// sameBytes reports whether two files have the same content.
func sameBytes(a, b string) bool {
	fa, err := os.Open(a)
	if err != nil {
		return false
	}
	defer fa.Close()
	fb, err := os.Open(b)
	if err != nil {
		return false
	}
	defer fb.Close()
	const chunk = 1 << 20
	bufA, bufB := make([]byte, chunk), make([]byte, chunk)
	for {
		n, errA := io.ReadFull(fa, bufA)
		k, errB := io.ReadFull(fb, bufB)
		switch {
		case !bytes.Equal(bufA[:n], bufB[:k]):
			return false
		case errA == nil && errB == nil:
			continue
		}
		return isEnd(errA) && isEnd(errB)
	}
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
