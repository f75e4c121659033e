package graphops

import (
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// lastWindow is how far windows grow. They start small, because after a skipped
// weight only a short header follows, and grow while reading goes on without a
// skip.
const lastWindow = 1 << 20

// cursor walks over the fields of one protobuf message that lies in a source or
// in memory. Every length is checked against what is left of the enclosing
// message before it is used. Bytes that it hands out stay valid: windows are
// never written again.
type cursor struct {
	src   *source // nil when buf holds everything
	buf   []byte  // the window
	pos   int     // next byte in buf
	off   int64   // where buf starts in the source
	end   int64   // where the current message ends
	from  int64   // where the current field starts, its tag included
	next  int     // size of the next window
	least int     // size of the first window, and of the one after a skip
}

func fileCursor(src *source, window int) *cursor {
	return &cursor{src: src, end: src.size, next: window, least: window}
}

func memoryCursor(b []byte) *cursor { return &cursor{buf: b, end: int64(len(b))} }

func (c *cursor) at() int64   { return c.off + int64(c.pos) }
func (c *cursor) left() int64 { return c.end - c.at() }
func (c *cursor) more() bool  { return c.at() < c.end }

// fill makes at least n bytes from the current position contiguous in the
// window. The caller has checked n against left.
func (c *cursor) fill(n int) error {
	if len(c.buf)-c.pos >= n {
		return nil
	}
	if c.src == nil {
		return io.ErrUnexpectedEOF
	}
	at := c.at()
	size := max(int64(n), int64(c.next))
	c.next = min(c.next*2, lastWindow)
	size = min(size, c.src.size-at)
	if size < int64(n) {
		return io.ErrUnexpectedEOF
	}
	buf := make([]byte, size)
	if _, err := c.src.ReadAt(buf, at); err != nil {
		return err
	}
	c.buf, c.pos, c.off = buf, 0, at
	return nil
}

// varint reads one varint.
func (c *cursor) varint() (uint64, error) {
	n := min(int64(10), c.left())
	if err := c.fill(int(n)); err != nil {
		return 0, err
	}
	v, k := protowire.ConsumeVarint(c.buf[c.pos : c.pos+int(n)])
	if k < 0 {
		return 0, fmt.Errorf("byte %d: a number that does not end", c.at())
	}
	c.pos += k
	return v, nil
}

// tag reads a field's number and wire type.
func (c *cursor) tag() (protowire.Number, protowire.Type, error) {
	start := c.at()
	v, err := c.varint()
	if err != nil {
		return 0, 0, err
	}
	num, typ := protowire.DecodeTag(v)
	if num < protowire.MinValidNumber {
		return 0, 0, fmt.Errorf("byte %d: field number %d is not valid", start, v>>3)
	}
	return num, typ, nil
}

// length reads the length of a field that is delimited by it.
func (c *cursor) length() (int64, error) {
	start := c.at()
	v, err := c.varint()
	if err != nil {
		return 0, err
	}
	if v > uint64(c.left()) {
		return 0, fmt.Errorf("byte %d: a field claims %d bytes, %d are left: truncated or damaged", start, v, c.left())
	}
	return int64(v), nil
}

// take returns the next n bytes. The caller has checked n against left.
func (c *cursor) take(n int64) ([]byte, error) {
	if err := c.fill(int(n)); err != nil {
		return nil, err
	}
	b := c.buf[c.pos : c.pos+int(n) : c.pos+int(n)]
	c.pos += int(n)
	return b, nil
}

// payload passes over the next n bytes and returns where they lie.
func (c *cursor) payload(n int64) Payload {
	if c.src == nil {
		b := c.buf[c.pos : c.pos+int(n) : c.pos+int(n)]
		c.pos += int(n)
		return BytesPayload(b)
	}
	p := rangePayload(c.src, c.at(), n)
	if n <= int64(len(c.buf)-c.pos) {
		c.pos += int(n)
		return p
	}
	c.off, c.buf, c.pos, c.next = c.at()+n, nil, 0, c.least
	return p
}

// skip passes over the next n bytes.
func (c *cursor) skip(n int64) { c.payload(n) }

// span is what has been passed over, as a payload.
func (c *cursor) span(from, to int64) Payload {
	if c.src == nil {
		return BytesPayload(c.buf[from:to:to])
	}
	return rangePayload(c.src, from, to-from)
}

// maxGroupDepth is how deep protobuf's own parsers let groups nest.
const maxGroupDepth = 100

// scalar passes over the value of a field that is not length-delimited and
// returns its bytes: a number, or a group with the tag that ends it. ONNX has no
// groups, but protobuf lets them stand anywhere as unknown fields.
func (c *cursor) scalar(num protowire.Number, typ protowire.Type, depth int) ([]byte, error) {
	n := int64(0)
	switch typ {
	case protowire.VarintType:
		if err := c.fill(int(min(int64(10), c.left()))); err != nil {
			return nil, err
		}
		start := c.pos
		_, err := c.varint()
		return c.buf[start:c.pos:c.pos], err
	case protowire.Fixed32Type:
		n = 4
	case protowire.Fixed64Type:
		n = 8
	case protowire.StartGroupType:
		return c.group(num, depth+1)
	default:
		return nil, fmt.Errorf("byte %d: wire type %d does not occur in protobuf", c.at(), typ)
	}
	if n > c.left() {
		return nil, fmt.Errorf("byte %d: %w", c.at(), io.ErrUnexpectedEOF)
	}
	return c.take(n)
}

// group reads up to the tag that ends group num.
func (c *cursor) group(num protowire.Number, depth int) ([]byte, error) {
	if depth > maxGroupDepth {
		return nil, fmt.Errorf("byte %d: groups nest deeper than %d", c.at(), maxGroupDepth)
	}
	var out []byte
	for c.more() {
		start := c.at()
		inner, typ, err := c.tag()
		if err != nil {
			return nil, err
		}
		out = protowire.AppendTag(out, inner, typ)
		var v []byte
		switch typ {
		case protowire.EndGroupType:
			if inner != num {
				return nil, fmt.Errorf("byte %d: group %d is ended by %d", start, num, inner)
			}
			return out, nil
		case protowire.BytesType:
			v, err = c.delimited()
		default:
			v, err = c.scalar(inner, typ, depth)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, v...)
	}
	return nil, fmt.Errorf("byte %d: group %d does not end: %w", c.at(), num, io.ErrUnexpectedEOF)
}

// delimited reads a length and as many bytes, and returns both.
func (c *cursor) delimited() ([]byte, error) {
	n, err := c.length()
	if err != nil {
		return nil, err
	}
	v, err := c.take(n)
	return append(protowire.AppendVarint(nil, uint64(n)), v...), err
}

// within runs f on the message that the next n bytes hold.
func (c *cursor) within(n int64, f func() error) error {
	outer := c.end
	c.end = c.at() + n
	err := f()
	c.end = outer
	return err
}
