package tensor

// Channels says to which channel each element of a row-major tensor belongs: element i belongs to
// channel (i/Inner) mod Count.
type Channels struct {
	Count int64
	Inner int64 // number of adjacent elements in the same channel
}

// OneChannel treats the whole tensor as one channel.
var OneChannel = Channels{Count: 1, Inner: 1}

// ChannelsAlong treats each index along an axis as a channel. The shape must be valid for Elements
// and have that axis.
func ChannelsAlong(shape []int64, axis int) Channels {
	inner := int64(1)
	for _, d := range shape[axis+1:] {
		inner *= d
	}
	return Channels{Count: shape[axis], Inner: inner}
}

// spans splits n elements into ranges [lo,hi). The first element has position at in the tensor.
// spans calls run for a range within one channel. It calls row for a range in which each element
// belongs to the channel after that of the previous element; there, first is the channel of the
// first element.
func (c Channels) spans(at int64, n int, run, row func(first int64, lo, hi int)) {
	for lo := 0; lo < n; {
		i := at + int64(lo)
		switch {
		case c.Count == 1:
			run(0, lo, n)
			return
		case c.Inner == 1:
			first := i % c.Count
			hi := lo + int(min(c.Count-first, int64(n-lo)))
			row(first, lo, hi)
			lo = hi
		default:
			hi := lo + int(min(c.Inner-i%c.Inner, int64(n-lo)))
			run(i/c.Inner%c.Count, lo, hi)
			lo = hi
		}
	}
}

// each calls f for each of n elements with its channel and its index i from 0. The first of them
// has position at in the tensor.
func (c Channels) each(at int64, n int, f func(channel int64, i int)) {
	c.spans(at, n,
		func(channel int64, lo, hi int) {
			for i := lo; i < hi; i++ {
				f(channel, i)
			}
		},
		func(first int64, lo, hi int) {
			for i := lo; i < hi; i++ {
				f(first+int64(i-lo), i)
			}
		})
}
