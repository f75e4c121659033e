package flatbuffer

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"unicode/utf8"
)

// Limits of a buffer.
const (
	MaxBytes  = math.MaxInt32 // offsets are 32 bits wide
	MaxTables = 1 << 20       // that are read from one file
	MaxString = 1 << 20       // bytes of one string
	MaxText   = 64 << 20      // bytes of all strings together, which are held in memory
)

// windowBytes is the number of bytes read at once. Tables are small and lie between vectors that
// are not read.
const windowBytes = 1 << 10

// Buffer is a file in FlatBuffers format.
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

// headBytes is the size of the root offset and the identifier.
const headBytes = 8

// Open reads the head of a file and returns its root table.
func Open(r io.ReaderAt, size int64, identifier string) (*Buffer, Table, error) {
	b := &Buffer{r: r, size: size, left: size, strings: map[int64]string{}}
	switch {
	case size < headBytes:
		b.fail("a file of %d bytes is too short", size)
	case size > MaxBytes:
		b.fail("a file of %d bytes, the format allows %d", size, int64(MaxBytes))
	default:
		if got := string(b.read(4, 4)); b.err == nil && got != identifier {
			b.fail("identifier %q, expected %q", got, identifier)
		}
	}
	root := b.table(int64(b.u32(0)), "the root")
	return b, root, b.err
}

// Err returns the first error.
func (b *Buffer) Err() error { return b.err }

func (b *Buffer) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

// inside reports whether n bytes at an offset are in the file.
func (b *Buffer) inside(at, n int64) bool { return at >= 0 && n >= 0 && at <= b.size && n <= b.size-at }

// charge counts n bytes as read.
func (b *Buffer) charge(n int64) {
	if b.left -= n; b.left < 0 {
		b.fail("its parts overlap: together they are larger than the file, which has %d bytes", b.size)
	}
}

// read returns a few bytes of the file, at most windowBytes, valid until the next read; zeros after
// an error.
func (b *Buffer) read(at, n int64) []byte {
	if b.err == nil && !b.inside(at, n) {
		b.fail("%d bytes at byte %d are wanted, the file has %d", n, at, b.size)
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

// follow returns the target of the offset stored at a position.
func (b *Buffer) follow(at int64) int64 { return b.leads(at, b.u32(at)) }

// leads returns the target of an offset at a position.
func (b *Buffer) leads(at int64, offset uint32) int64 {
	to := at + int64(offset)
	if b.err == nil && (to == at || !b.inside(to, 4)) {
		b.fail("the offset at byte %d leads to byte %d of %d", at, to, b.size)
	}
	return to
}

// str returns the string at a position.
func (b *Buffer) str(at int64) string {
	if s, ok := b.strings[at]; ok || b.err != nil {
		return s
	}
	n := int64(b.u32(at))
	switch {
	case !b.inside(at+4, n+1): // and the zero byte after it
		b.fail("a string of %d bytes at byte %d leads out of the file", n, at)
	case n > MaxString:
		b.fail("a string of %d bytes at byte %d, at most %d are read", n, at, MaxString)
	case b.text+int(n) > MaxText:
		b.fail("strings of more than %d bytes together", MaxText)
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
		b.fail("the string at byte %d is no UTF-8", at)
	}
	s := string(raw)
	b.text += len(s)
	b.strings[at] = s
	return s
}
