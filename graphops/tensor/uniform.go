package tensor

import "bytes"

// Uniform finds out whether all elements of a tensor have the same bits. It is
// written the elements as Tensor.Data holds them, in pieces of any size.
type Uniform struct {
	dtype   DType
	size    int64 // bytes that are to come in all
	seen    int64
	spare   int    // bits of the last byte that belong to no element
	head    []byte // bytes up to where the first element ends
	pattern []byte // the first element repeated, from a byte boundary on
	differs bool
}

// uniformPeriod is a length at which elements of every size begin at a byte.
const uniformPeriod = 48

// NewUniform is for n elements of a type. For types without a fixed size it is an
// error.
func NewUniform(d DType, n int64) (*Uniform, error) {
	size, err := d.ByteLen(n)
	if err != nil {
		return nil, err
	}
	spare := int((8 - n%8*int64(d.Bits())%8) % 8)
	return &Uniform{dtype: d, size: size, spare: spare}, nil
}

// Write takes in the next bytes; it never fails.
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

// begin takes in bytes up to the end of the first element, and gives those that
// follow.
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

// repeated is many times the first element, not many more than there are.
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

// matches compares bytes at the present place with what they should be, but for the
// bits after the last element.
func (u *Uniform) matches(b, want []byte) bool {
	last := len(b) - 1
	if u.spare > 0 && u.seen+int64(len(b)) == u.size {
		return bytes.Equal(b[:last], want[:last]) && (b[last]^want[last])<<u.spare == 0
	}
	return bytes.Equal(b, want)
}

// Differs reports whether two elements differ among those that were written, so that
// what follows makes no difference.
func (u *Uniform) Differs() bool { return u.differs }

// Value writes the element that all are, as ParseLiteral reads it. ok is false
// where they differ, where there is none, and while some are missing.
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
