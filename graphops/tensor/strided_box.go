package tensor

import (
	"cmp"
	"slices"
)

// box is a set of elements of the source that become one strip. In each axis the positions in the
// source are ascending. Axes are sorted by the distance of their elements in the source, the
// largest distance first and repeated axes last.
type box struct {
	axes []boxAxis
	base int64 // in the source, in elements
	to   int64 // in the strip
	read []boxAxis
}

// boxAxis is an axis with its size, and the distances between its elements in the source and in the
// strip.
type boxAxis struct{ size, from, to int64 }

func newBox(shape, strides []int64, base int64) box {
	b := box{base: base}
	to := int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		a := boxAxis{shape[i], strides[i], to}
		if a.from < 0 {
			b.base += (a.size - 1) * a.from
			b.to += (a.size - 1) * a.to
			a.from, a.to = -a.from, -a.to
		}
		b.axes = append(b.axes, a)
		to *= shape[i]
	}
	slices.SortStableFunc(b.axes, func(a, b boxAxis) int { return cmp.Compare(b.from, a.from) })
	return b
}

// parts says how to read the box. The outer axes are iterated over, and for each of their indices
// the elements of the other axes are read at once. span is the number of elements of the source
// from the first to the last of these. (A gap in the source can be skipped, which costs one more
// read, or can be read too.)
func (b box) parts(size int64) (outer int, span int64) {
	span, wanted := int64(1), int64(1)
	outer = len(b.axes)
	for i := len(b.axes) - 1; i >= 0; i-- {
		a := b.axes[i]
		wider := span + (a.size-1)*a.from
		if a.from > 0 {
			wanted *= a.size
		}
		if wider*size > spanBytes || wider > 8*wanted && wider*size > nearBytes {
			break
		}
		outer, span = i, wider
	}
	return outer, span
}

// each calls do for each index of the axes b.read, with the positions of the first element in the
// source and in the strip.
func (b box) each(do func(from, to int64) error) error {
	index := make([]int64, len(b.read))
	from, to := b.base, b.to
	for {
		if err := do(from, to); err != nil {
			return err
		}
		i := len(index) - 1
		for ; i >= 0; i-- {
			a := b.read[i]
			index[i]++
			from, to = from+a.from, to+a.to
			if index[i] < a.size {
				break
			}
			from, to = from-a.size*a.from, to-a.size*a.to
			index[i] = 0
		}
		if i < 0 {
			return nil
		}
	}
}

// copy copies the elements of the box from src, the whole source, to the strip dst. size is the
// size of an element in bytes.
func (b box) copy(dst, src []byte, size int64) {
	// The innermost loops go over the axes with the smallest distances in the strip and in the
	// source, because neighbouring elements are then in the cache.
	axes := slices.Clone(b.axes)
	slices.SortStableFunc(axes, func(a, b boxAxis) int { return cmp.Compare(abs(b.to), abs(a.to)) })
	if n := len(axes); n == 0 {
		copy(dst[b.to*size:], src[b.base*size:][:size])
		return
	}
	last := axes[len(axes)-1]
	b.read = axes[:len(axes)-1]
	if last.from == 1 && last.to == 1 {
		_ = b.each(func(from, to int64) error {
			copy(dst[to*size:][:last.size*size], src[from*size:])
			return nil
		})
		return
	}
	rows := boxAxis{size: 1}
	if k := closest(b.read); k >= 0 {
		rows = b.read[k]
		b.read = slices.Delete(b.read, k, k+1)
	}
	_ = b.each(func(from, to int64) error {
		copyTiles(dst, src, size, from, to, rows, last)
		return nil
	})
}

// closest returns the index of the axis whose elements have the smallest distance in the source.
// Repeated axes, whose distance is 0, do not count. It returns -1 if there is no other axis.
func closest(axes []boxAxis) int {
	at := -1
	for i, a := range axes {
		if a.from > 0 && (at < 0 || a.from < axes[at].from) {
			at = i
		}
	}
	return at
}

func abs(n int64) int64 { return max(n, -n) }

// tile is the number of elements of each of two axes that are copied together. In both the source
// and the strip, neighbouring elements are then still in the cache.
const tile = 32

func copyTiles(dst, src []byte, size, from, to int64, a, b boxAxis) {
	for i := int64(0); i < a.size; i += tile {
		for j := int64(0); j < b.size; j += tile {
			ni, nj := min(tile, a.size-i), min(tile, b.size-j)
			for k := i; k < i+ni; k++ {
				copyStrided(dst, src, size, (from+k*a.from+j*b.from)*size, (to+k*a.to+j*b.to)*size, b.from*size, b.to*size, nj)
			}
		}
	}
}

// copyStrided copies n elements of size bytes. from and to are the positions of the first element,
// and stepFrom and stepTo are the distances between elements, all in bytes.
func copyStrided(dst, src []byte, size, from, to, stepFrom, stepTo, n int64) {
	switch size {
	case 1:
		for ; n > 0; n-- {
			dst[to] = src[from]
			from, to = from+stepFrom, to+stepTo
		}
	case 2:
		for ; n > 0; n-- {
			le.PutUint16(dst[to:], le.Uint16(src[from:]))
			from, to = from+stepFrom, to+stepTo
		}
	case 4:
		for ; n > 0; n-- {
			le.PutUint32(dst[to:], le.Uint32(src[from:]))
			from, to = from+stepFrom, to+stepTo
		}
	case 8:
		for ; n > 0; n-- {
			le.PutUint64(dst[to:], le.Uint64(src[from:]))
			from, to = from+stepFrom, to+stepTo
		}
	default:
		for ; n > 0; n-- {
			copy(dst[to:to+size], src[from:])
			from, to = from+stepFrom, to+stepTo
		}
	}
}
