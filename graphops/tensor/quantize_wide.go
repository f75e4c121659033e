package tensor

import (
	"fmt"
	"io"
)

// wideCodes is codes for types with more or fewer than 8 bits.
func (a AffineRule) wideCodes() (lo, hi float64, err error) {
	switch {
	case a.Type == I16 && a.Reduced:
		return -16384, 16384, nil
	case a.Type == I16 && a.Symmetric:
		return -32767, 32767, nil
	case a.Type == I16:
		return -32768, 32767, nil
	case a.Type == U16 && a.Reduced:
		return 0, 32767, nil
	case a.Type == U16:
		return 0, 65535, nil
	case a.Type == I4 && a.Reduced:
		return -4, 3, nil
	case a.Type == I4:
		return -8, 7, nil
	case a.Type == U4 && a.Reduced:
		return 0, 7, nil
	case a.Type == U4:
		return 0, 15, nil
	case a.Type == F8E4M3FN && !a.Reduced:
		return -maxF8E4M3FN, maxF8E4M3FN, nil
	}
	return 0, 0, fmt.Errorf("float32 cannot be quantized to %s, expected i8, u8, i16, u16, i4, u4 or f8e4m3fn", a.Type)
}

// quantizeWide is Quantize for types with more or fewer than 8 bits. Each chunk has an even number
// of elements, so that no byte is split between two chunks.
func (q *quantizer) quantizeWide(dst io.Writer, src io.Reader, n int64, to DType) error {
	integers := make([][]int64, workersFor(n))
	return convertFloat32(dst, src, n, func(worker int, c chunk) ([]byte, error) {
		if integers[worker] == nil {
			integers[worker] = make([]int64, float32Chunk)
		}
		codes := integers[worker][:len(c.raw)/4]
		q.channels.each(c.at, len(codes), func(channel int64, i int) {
			codes[i] = int64(q.round.At(channel).Integer(float32At(c.raw, i)))
		})
		out := c.room[:(len(codes)*to.Bits()+7)/8]
		clear(out)
		return out, encodeInt64(out, to, codes)
	})
}
