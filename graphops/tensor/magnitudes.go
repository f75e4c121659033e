package tensor

import (
	"iter"
	"math"
	"slices"
)

// Magnitudes counts finite numbers by magnitude; 0 is not counted. Entry i counts the numbers whose
// magnitude is at least 2^(First+i) and below the next power of two. All numbers below 2^-1022
// count in the entry for 2^-1023.
type Magnitudes struct {
	First  int     `json:"first"`
	Counts []int64 `json:"counts"` // neither the first nor the last is 0
}

// digitBits is the number of bits after the leading one that, with sign and exponent, determine the
// bucket of a number.
const digitBits = 7

// magnitudes counts finite numbers in buckets by sign, exponent and first significant bits, which
// are the upper bits of a float64. The width of a bucket is at most 1/128 of the numbers in it, for
// numbers of any size.
type magnitudes struct {
	pages [2 << 11]*page // by sign and exponent
}

// page has the counts of all buckets with one sign and exponent.
type page [1 << digitBits]int64

// bucketOf returns the index of the bucket of a number. -0 has the same bucket as 0.
func bucketOf(x float64) uint64 { return math.Float64bits(x+0) >> (52 - digitBits) }

// bucketEdge returns the end of a bucket that is nearer to zero.
func bucketEdge(bucket int) float64 { return math.Float64frombits(uint64(bucket) << (52 - digitBits)) }

func (m *magnitudes) add(xs []float64) {
	for _, x := range xs {
		b := bucketOf(x)
		p := m.pages[b>>digitBits]
		if p == nil {
			p = new(page)
			m.pages[b>>digitBits] = p
		}
		p[b%(1<<digitBits)]++
	}
}

// count is add for n equal numbers.
func (m *magnitudes) count(x float64, n int64) {
	b := bucketOf(x)
	m.add([]float64{x})
	m.pages[b>>digitBits][b%(1<<digitBits)] += n - 1
}

func (m *magnitudes) magnitudes(zeros int64) Magnitudes {
	var counts [1 << 11]int64
	for i, p := range m.pages {
		if p != nil {
			for _, n := range p {
				counts[i%len(counts)] += n
			}
		}
	}
	counts[0] -= zeros
	lo, hi := 0, len(counts)
	for lo < hi && counts[lo] == 0 {
		lo++
	}
	for lo < hi && counts[hi-1] == 0 {
		hi--
	}
	if lo == hi {
		return Magnitudes{}
	}
	return Magnitudes{First: lo - 1023, Counts: append([]int64(nil), counts[lo:hi]...)}
}

// interval is a bucket or bin: a range of numbers, and how many numbers are in it.
type interval struct {
	lo, hi float64
	count  int64
}

// intervals returns the nonempty buckets as intervals in ascending order. zeros is the number of
// zeros, which get an interval of their own.
func (m *magnitudes) intervals(zeros int64) []interval {
	var out []interval
	for b, n := range m.occupied(len(m.pages)/2, len(m.pages)) {
		out = append(out, interval{bucketEdge(b + 1), bucketEdge(b), n})
	}
	slices.Reverse(out)
	if zeros > 0 {
		out = append(out, interval{0, 0, zeros})
	}
	for b, n := range m.occupied(0, len(m.pages)/2) {
		if b == 0 {
			n -= zeros
		}
		out = append(out, interval{bucketEdge(b), bucketEdge(b + 1), n})
	}
	return out
}

// occupied yields the index and the count of the nonempty buckets in a range of pages.
func (m *magnitudes) occupied(from, to int) iter.Seq2[int, int64] {
	return func(yield func(int, int64) bool) {
		for i := from; i < to; i++ {
			if m.pages[i] == nil {
				continue
			}
			for j, n := range m.pages[i] {
				if n > 0 && !yield(i<<digitBits+j, n) {
					return
				}
			}
		}
	}
}
