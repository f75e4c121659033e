package tensor

import (
	"fmt"
	"math"
)

// TopK is how many of the largest elements of b's row are examined. A row agrees if the position of
// the largest element of a's row is among theirs.
const TopK = 5

// rowPeaks compares the positions of the largest elements in each row of two tensors.
type rowPeaks struct {
	length int64 // of a row
	at     int64 // position in the row
	a      peak
	b      peaks

	rows, agree, among int64
}

// peak is an element of a row and its position.
type peak struct {
	value float64
	at    int64
}

// see updates the largest element with further elements of the row, the first of which is at
// position at. Of equal elements, the first is kept. NaN counts as larger than any number.
func (p *peak) see(xs []float64, at int64) {
	if at == 0 {
		*p = peak{value: xs[0]}
	}
	if p.value != p.value {
		return
	}
	best := p.value
	for i, x := range xs {
		if !(x <= best) {
			best = x
			*p = peak{x, at + int64(i)}
			if x != x {
				return
			}
		}
	}
}

// peaks has the TopK largest elements of a row, the largest first.
type peaks struct {
	list [TopK]peak
	n    int
}

func (p *peaks) see(xs []float64, at int64) {
	if at == 0 {
		p.n = 0
	}
	least := math.Inf(-1)
	if p.n == TopK {
		least = p.list[TopK-1].value
	}
	for i, x := range xs {
		if p.n < TopK || !(x <= least) {
			p.insert(peak{x, at + int64(i)})
			least = p.list[p.n-1].value
		}
	}
}

// insert inserts an element after those that are larger or equal.
func (p *peaks) insert(x peak) {
	i := p.n
	for i > 0 && larger(x.value, p.list[i-1].value) {
		i--
	}
	if i == TopK {
		return
	}
	p.n = min(p.n+1, TopK)
	copy(p.list[i+1:p.n], p.list[i:])
	p.list[i] = x
}

// larger reports whether x is larger than y, where NaN is larger than any number.
func larger(x, y float64) bool { return x > y || x != x && y == y }

func (p *peaks) has(at int64) bool {
	for _, x := range p.list[:p.n] {
		if x.at == at {
			return true
		}
	}
	return false
}

func (m *rowPeaks) add(as, bs []float64) {
	for len(as) > 0 {
		n := min(m.length-m.at, int64(len(as)))
		m.a.see(as[:n], m.at)
		m.b.see(bs[:n], m.at)
		as, bs = as[n:], bs[n:]
		if m.at += n; m.at == m.length {
			m.end()
		}
	}
}

// addEqual is add for elements that are equal in both tensors. Rows that are equal as a whole are
// only counted.
func (m *rowPeaks) addEqual(as []float64) {
	if m.at > 0 {
		n := min(m.length-m.at, int64(len(as)))
		m.add(as[:n], as[:n])
		as = as[n:]
	}
	whole := int64(len(as)) / m.length
	m.rows, m.agree, m.among = m.rows+whole, m.agree+whole, m.among+whole
	as = as[whole*m.length:]
	m.add(as, as)
}

// end updates the counts at the end of a row.
func (m *rowPeaks) end() {
	m.at = 0
	m.rows++
	if m.b.list[0].at == m.a.at {
		m.agree++
	}
	if m.b.has(m.a.at) {
		m.among++
	}
}

func (m *rowPeaks) report(to *Metrics) {
	to.ArgmaxRows, to.ArgmaxAgree = m.rows, m.agree
	if m.length > TopK {
		to.TopKRows, to.TopKAgree = m.rows, m.among
	}
}

// Correct counts the rows along the last axis of t whose largest element is at the position given
// by the row's label. There must be one label for each row.
func Correct(t Tensor, labels []int64) (int64, error) {
	rank := len(t.Shape)
	if rank == 0 || t.Shape[rank-1] == 0 {
		return 0, fmt.Errorf("shape %s has no classes along its last axis", FormatShape(t.Shape))
	}
	values, err := t.Float64s()
	if err != nil {
		return 0, err
	}
	classes := t.Shape[rank-1]
	if rows := t.Len() / classes; rows != int64(len(labels)) || t.DType.Components() != 1 {
		return 0, fmt.Errorf("%s %s has %d rows, but there are %d labels", t.DType, FormatShape(t.Shape), rows, len(labels))
	}
	correct := int64(0)
	for row, label := range labels {
		var best peak
		best.see(values[int64(row)*classes:(int64(row)+1)*classes], 0)
		if best.at == label {
			correct++
		}
	}
	return correct, nil
}
