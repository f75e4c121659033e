package blockwise

import (
	"context"
	"encoding/binary"
	"io"
	"math"
	"runtime"
	"sync"

	"lathe/graphops/tensor"
)

// widths are the bytes of an element of each type that can be quantized.
var widths = map[tensor.DType]int64{tensor.F32: 4, tensor.F16: 2, tensor.BF16: 2}

// tileElements is how many numbers are decoded at once. Tests lower it.
var tileElements int64 = 1 << 20

// source reads numbers of a weight.
type source struct {
	ctx      context.Context
	data     io.ReaderAt
	elem     tensor.DType
	raw      []byte
	done     int64
	progress func(read int64)
}

// read decodes the elements from position at on into dst. If one of them is not finite, the error is a
// *tensor.NotFiniteError.
func (s *source) read(dst []float32, at int64) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	width := widths[s.elem]
	size := int64(len(dst)) * width
	if int64(cap(s.raw)) < size {
		s.raw = make([]byte, size)
	}
	raw := s.raw[:size]
	if n, err := s.data.ReadAt(raw, at*width); int64(n) < size {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	s.done += size
	if s.progress != nil {
		s.progress(s.done)
	}
	if bad := decode(dst, raw, s.elem); bad >= 0 {
		return &tensor.NotFiniteError{Index: at + int64(bad), Value: dst[bad]}
	}
	return nil
}

// decode decodes numbers. It returns the position of the first one that is not finite, or -1.
func decode(dst []float32, raw []byte, elem tensor.DType) (bad int) {
	switch elem {
	case tensor.F16:
		for i := range dst {
			half := binary.LittleEndian.Uint16(raw[2*i:])
			dst[i] = ofHalf(half)
			if half&0x7C00 == 0x7C00 {
				return i
			}
		}
	case tensor.BF16:
		for i := range dst {
			dst[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(raw[2*i:])) << 16)
			if !isFinite(dst[i]) {
				return i
			}
		}
	default:
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
			if !isFinite(dst[i]) {
				return i
			}
		}
	}
	return -1
}

// ofHalf returns the number of a float16. Multiplying with a power of two is exact and turns numbers
// below the normal ones into normal ones.
func ofHalf(half uint16) float32 {
	const rebias = 0x1p112
	m := uint32(half&0x7FFF) << 13
	if half&0x7C00 == 0x7C00 {
		return math.Float32frombits(uint32(half&0x8000)<<16 | m | 0xFF<<23)
	}
	x := math.Float32frombits(m) * rebias
	return math.Float32frombits(math.Float32bits(x) | uint32(half&0x8000)<<16)
}

// encode appends scales in the type of the rule.
func (r Rule) encode(dst []byte, scales []float32) []byte {
	for _, x := range scales {
		switch r.Elem {
		case tensor.F16:
			dst = binary.LittleEndian.AppendUint16(dst, toHalf(x))
		case tensor.BF16:
			dst = binary.LittleEndian.AppendUint16(dst, uint16(math.Float32bits(x)>>16))
		default:
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
		}
	}
	return dst
}

// toHalf returns the float16 of a number that is one.
func toHalf(x float32) uint16 {
	b := math.Float32bits(x)
	sign := uint16(b>>16) & 0x8000
	m := b &^ (1 << 31)
	switch {
	case m >= 0xFF<<23:
		return sign | 0x7C00
	case m >= (127-14)<<23:
		return sign | uint16((m-(127-15)<<23)>>13)
	}
	return sign | uint16(math.Float32frombits(m)*0x1p24) // a multiple of the smallest float16
}

// sideBySide calls f for parts of n columns concurrently.
func sideBySide(n, elements int64, f func(lo, hi int64)) {
	parts := min(int64(runtime.GOMAXPROCS(0)), n, elements/smallPart)
	if parts <= 1 {
		f(0, n)
		return
	}
	var wait sync.WaitGroup
	for i := range parts {
		wait.Go(func() { f(n*i/parts, n*(i+1)/parts) })
	}
	wait.Wait()
}

// smallPart is how many numbers are worth a goroutine.
const smallPart = 1 << 14
