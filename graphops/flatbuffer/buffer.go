package flatbuffer

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"unicode/utf8"
)

// Limits for a file. Reading beyond one of them is an error.
const (
	maxBytes  = math.MaxInt32 // offsets are 32 bits wide
	maxTables = 1 << 20       // that are read from one file
	maxString = 1 << 20       // bytes of one string
	MaxText   = 64 << 20      // bytes of all strings together, which are held in memory
)

// windowBytes is the number of bytes that are read from the file at once. It is small, because
// tables are small, and the large vectors between them are not read.
const windowBytes = 1 << 10

// Buffer is a file in FlatBuffers format, of which parts are read on demand.
type Buffer struct {
	r      io.ReaderAt
	size   int64
	window []byte // the bytes read last
	at     int64  // their position

	err     error
	left    int64            // bytes that may still be read
	tables  int              // number of tables read
	text    int              // bytes of strings read
	strings map[int64]string // by position, because writers share them
}

// headBytes is the size of the offset of the root table and of the file identifier, with which a
// file begins.
const headBytes = 8

// Open returns the buffer of a file and its root table. It returns an error if the file does not
// have the file identifier. size is the size of the file.
func Open(r io.ReaderAt, size int64, identifier string) (*Buffer, Table, error) {
	b := &Buffer{r: r, size: size, left: size, strings: map[int64]string{}}
	switch {
	case size < headBytes:
		b.fail("a file of %d bytes is too short", size)
	case size > maxBytes:
		b.fail("a file of %d bytes, but the format allows %d", size, int64(maxBytes))
	default:
		if got := string(b.read(4, 4)); b.err == nil && got != identifier {
			b.fail("identifier %q, expected %q", got, identifier)
		}
	}
	root := b.table(int64(b.u32(0)), "the root")
	return b, root, b.err
}

// Err returns the first error that occurred.
func (b *Buffer) Err() error { return b.err }

func (b *Buffer) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

// inside reports whether the n bytes at offset at are in the file.
func (b *Buffer) inside(at, n int64) bool { return at >= 0 && n >= 0 && at <= b.size && n <= b.size-at }

// charge counts n bytes as read. It records an error if more bytes have been counted than the file
// has.
func (b *Buffer) charge(n int64) {
	if b.left -= n; b.left < 0 {
		b.fail("the parts of the file overlap: together they are larger than the file, which has %d bytes", b.size)
	}
}

// read returns the n bytes at offset at; n is at most windowBytes. They are valid until the next
// read. After an error, they are zeros.
func (b *Buffer) read(at, n int64) []byte {
	if b.err == nil && !b.inside(at, n) {
		b.fail("%d bytes at byte %d are needed, but the file has %d", n, at, b.size)
	}
	if b.err != nil {
		return make([]byte, n)
	}
	if at < b.at || at+n > b.at+int64(len(b.window)) {
		b.fill(at)
	}
	if b.err != nil {
		return make([]byte, n)
	}
	return b.window[at-b.at:][:n]
}

func (b *Buffer) fill(at int64) {
	if b.window == nil {
		b.window = make([]byte, windowBytes)
	}
	b.window, b.at = b.window[:min(windowBytes, b.size-at)], at
	if _, err := io.ReadFull(io.NewSectionReader(b.r, at, int64(len(b.window))), b.window); err != nil {
		b.fail("the file cannot be read at byte %d: %w", at, err)
	}
}

func (b *Buffer) u16(at int64) uint16 { return binary.LittleEndian.Uint16(b.read(at, 2)) }
func (b *Buffer) u32(at int64) uint32 { return binary.LittleEndian.Uint32(b.read(at, 4)) }
func (b *Buffer) u64(at int64) uint64 { return binary.LittleEndian.Uint64(b.read(at, 8)) }

// follow returns the position to which the offset stored at position at leads.
func (b *Buffer) follow(at int64) int64 { return b.leads(at, b.u32(at)) }

// leads returns the position to which an offset leads that is stored at position at.
func (b *Buffer) leads(at int64, offset uint32) int64 {
	to := at + int64(offset)
	if b.err == nil && (to == at || !b.inside(to, 4)) {
		b.fail("the offset at byte %d leads to byte %d of %d", at, to, b.size)
	}
	return to
}

// str returns the string at a position. A string that is read twice is held only once.
func (b *Buffer) str(at int64) string {
	if s, ok := b.strings[at]; ok || b.err != nil {
		return s
	}
	n := int64(b.u32(at))
	switch {
	case !b.inside(at+4, n+1): // and the zero byte after it
		b.fail("a string of %d bytes at byte %d extends beyond the end of the file", n, at)
	case n > maxString:
		b.fail("a string of %d bytes at byte %d, expected at most %d", n, at, maxString)
	case b.text+int(n) > MaxText:
		b.fail("the strings of the file have more than %d bytes in total", MaxText)
	}
	b.charge(4 + n)
	if b.err != nil {
		return ""
	}
	raw := make([]byte, n)
	if _, err := io.ReadFull(io.NewSectionReader(b.r, at+4, n), raw); err != nil {
		b.fail("the file cannot be read at byte %d: %w", at+4, err)
	}
	if !utf8.Valid(raw) {
		b.fail("the string at byte %d is not UTF-8", at)
	}
	s := string(raw)
	b.text += len(s)
	b.strings[at] = s
	return s
}
