package tensor

import "bytes"

// Uniform determines whether all elements of a tensor have the same bits. The caller writes the
// elements to it in the form of Tensor.Data, in chunks of any size.
type Uniform struct {
	dtype   DType
	size    int64 // total number of bytes
	seen    int64
	spare   int    // bits of the last byte that do not belong to an element
	head    []byte // bytes up to the end of the first element
	pattern []byte // the first element repeated, from a byte boundary on
	differs bool
}

// uniformPeriod is a number of bytes that is filled by whole elements of any size.
const uniformPeriod = 48

// NewUniform returns a Uniform for n elements of a type. Types without a fixed size are an error.
func NewUniform(d DType, n int64) (*Uniform, error) {
	size, err := d.ByteLen(n)
	if err != nil {
		return nil, err
	}
	spare := int((8 - n%8*int64(d.Bits())%8) % 8)
	return &Uniform{dtype: d, size: size, spare: spare}, nil
}

// Write processes the next bytes; it never fails.
func (u *Uniform) Write(b []byte) (int, error) {
	n := len(b)
	if u.pattern == nil {
		b = u.begin(b)
	}
	for len(b) > 0 && !u.differs {
		at := int(u.seen % uniformPeriod)
		k := min(len(b), len(u.pattern)-at)
		u.differs = !u.matches(b[:k], u.pattern[at:at+k])
		u.seen += int64(k)
		b = b[k:]
	}
	return n, nil
}

// begin collects the bytes of the first element and returns the bytes after it.
func (u *Uniform) begin(b []byte) []byte {
	whole := (u.dtype.Bits() + 7) / 8
	k := min(len(b), whole-len(u.head))
	u.head = append(u.head, b[:k]...)
	if len(u.head) < whole {
		return nil
	}
	u.pattern = u.repeated()
	head := u.head
	if u.differs = !u.matches(head, u.pattern[:whole]); !u.differs {
		u.seen = int64(whole)
	}
	return b[k:]
}

// repeated returns the first element, repeated many times. The result is not much longer than the
// tensor.
func (u *Uniform) repeated() []byte {
	width := u.dtype.Bits()
	periods := int(min(u.size/uniformPeriod+2, 200))
	if width >= 8 {
		return bytes.Repeat(u.head, periods*uniformPeriod/len(u.head))
	}
	period := make([]byte, uniformPeriod)
	for i := range uniformPeriod * 8 / width {
		pack(period, i, width, unpack(u.head, 0, width))
	}
	return bytes.Repeat(period, periods)
}

// matches compares bytes at the current position with the expected ones. It ignores padding bits
// after the last element.
func (u *Uniform) matches(b, want []byte) bool {
	last := len(b) - 1
	if u.spare > 0 && u.seen+int64(len(b)) == u.size {
		return bytes.Equal(b[:last], want[:last]) && (b[last]^want[last])<<u.spare == 0
	}
	return bytes.Equal(b, want)
}

// Differs reports whether two of the elements so far differ. If so, the caller may skip the
// remaining ones.
func (u *Uniform) Differs() bool { return u.differs }

// Value returns the value that all elements have, in the form of ParseLiteral. ok is false if they
// differ, if the tensor is empty, and if not all elements were written yet.
func (u *Uniform) Value() (text string, ok bool) {
	if u.differs || u.pattern == nil || u.seen != u.size {
		return "", false
	}
	items, err := Tensor{DType: u.dtype, Data: u.head}.items()
	if err != nil {
		return "", false
	}
	return items[0], true
}
