package machine

import (
	"io"
	"io/fs"
	"strconv"
	"strings"
)

// maxProcFile is the largest number of bytes that are read from a file.
const maxProcFile = 1 << 20

// machine reads files that describe a machine. root is the root of its file system.
type machine struct{ root fs.FS }

func (m machine) read(name string) []byte {
	f, err := m.root.Open(name)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // nothing was written, so no error is lost
	data, err := io.ReadAll(io.LimitReader(f, maxProcFile))
	if err != nil {
		return nil
	}
	return data
}

// line returns the first line of a file, or nil if the file cannot be read or is empty.
func (m machine) line(name string) *string {
	first, _, _ := strings.Cut(string(m.read(name)), "\n")
	if first = strings.TrimSpace(first); first == "" {
		return nil
	}
	return &first
}

// fields returns the words in the first line of a file.
func (m machine) fields(name string) []string {
	if l := m.line(name); l != nil {
		return strings.Fields(*l)
	}
	return nil
}

// parse returns the number in s, or nil if it is not a finite number of at least 0.
func parse(s string) *Number {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f < 0 || f-f != 0 {
		return nil
	}
	n := Number(f)
	return &n
}
