package graphops

import (
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// lastWindow is the maximum size of a window, the part of a file that a cursor reads at once.
// Windows start small, because a skipped weight is usually followed by a short header only. They
// grow while nothing is skipped.
const lastWindow = 1 << 20

// cursor reads the fields of one protobuf message from a file or from memory. It checks every
// length against the rest of the enclosing message before it uses it. It never writes to a window
// again, so the bytes that it returns stay valid.
type cursor struct {
	src   *source // nil if buf has everything
	buf   []byte  // the window
	pos   int     // next byte in buf
	off   int64   // position of buf in the source
	end   int64   // end of the current message
	from  int64   // start of the current field, including its tag
	next  int     // size of the next window
	least int     // size of the first window, and of the window after a skip
}

func fileCursor(src *source, window int) *cursor {
	return &cursor{src: src, end: src.size, next: window, least: window}
}

func memoryCursor(b []byte) *cursor { return &cursor{buf: b, end: int64(len(b))} }

func (c *cursor) at() int64   { return c.off + int64(c.pos) }
func (c *cursor) left() int64 { return c.end - c.at() }
func (c *cursor) more() bool  { return c.at() < c.end }

// fill reads until the window contains at least the next n bytes. The caller has checked that the
// message has that many (see left).
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
		return 0, fmt.Errorf("byte %d: a varint does not end: truncated or damaged", c.at())
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

// length reads the length of a length-delimited field.
func (c *cursor) length() (int64, error) {
	start := c.at()
	v, err := c.varint()
	if err != nil {
		return 0, err
	}
	if v > uint64(c.left()) {
		return 0, fmt.Errorf("byte %d: a field claims %d bytes, but only %d are left: truncated or damaged", start, v, c.left())
	}
	return int64(v), nil
}

// take returns the next n bytes. The caller has checked that the message has that many (see left).
func (c *cursor) take(n int64) ([]byte, error) {
	if err := c.fill(int(n)); err != nil {
		return nil, err
	}
	b := c.buf[c.pos : c.pos+int(n) : c.pos+int(n)]
	c.pos += int(n)
	return b, nil
}

// payload skips the next n bytes and returns them as a payload, which is read later.
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

// skip skips the next n bytes.
func (c *cursor) skip(n int64) { c.payload(n) }

// span returns the bytes between two offsets of the source as a payload. They were already read or
// skipped.
func (c *cursor) span(from, to int64) Payload {
	if c.src == nil {
		return BytesPayload(c.buf[from:to:to])
	}
	return rangePayload(c.src, from, to-from)
}

// maxGroupDepth is the maximum nesting of groups in protobuf's own parsers.
const maxGroupDepth = 100

// scalar reads the value of a field that is not length-delimited and returns its bytes: a
// number, or a group with its end tag. ONNX has no groups, but they may occur as unknown fields.
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

// group reads up to the end tag of group num.
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
				return nil, fmt.Errorf("byte %d: group %d ends with the end tag of group %d", start, num, inner)
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

// delimited reads a length and that number of bytes, and returns both.
func (c *cursor) delimited() ([]byte, error) {
	n, err := c.length()
	if err != nil {
		return nil, err
	}
	v, err := c.take(n)
	return append(protowire.AppendVarint(nil, uint64(n)), v...), err
}

// within calls f with the cursor limited to the next n bytes, which are an embedded message.
func (c *cursor) within(n int64, f func() error) error {
	outer := c.end
	c.end = c.at() + n
	err := f()
	c.end = outer
	return err
}
