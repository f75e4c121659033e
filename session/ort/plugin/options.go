package plugin

import (
	"bytes"
	"maps"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// Unknown returns the names of options that the library does not contain, in order. A provider may ignore
// an option that it does not know. It returns none if the file cannot be read.
func (l Library) Unknown(options map[string]string) []string {
	if len(options) == 0 {
		return nil
	}
	f, err := os.Open(l.Path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return nil
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	defer func() { _ = unix.Munmap(data) }()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(options)), func(name string) bool { return contains(data, name) })
}

// A compiler may put a short text into two instructions, each with the bytes of one register.
const (
	register = 8
	half     = 4
)

// contains reports whether the code of a library contains a text, also if it is in instructions.
func contains(code []byte, text string) bool {
	if bytes.Contains(code, []byte(text)) {
		return true
	}
	width := register
	if len(text) <= register {
		width = half
	}
	if len(text) <= width || len(text) > 2*width {
		return false
	}
	return bytes.Contains(code, []byte(text[:width])) && bytes.Contains(code, []byte(text[len(text)-width:]))
}
