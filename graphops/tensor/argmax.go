package tensor

import "fmt"

// argmax compares the position of the largest element of each row.
type argmax struct {
	length      int64 // of a row
	at          int64 // position in the row
	a, b        peak
	rows, agree int64
}

// peak is the largest element seen in a row.
type peak struct {
	value float64
	at    int64
}

// see takes in the element at a position. The first of equal elements stays;
// NaN beats every number.
func (p *peak) see(x float64, at int64) {
	if at == 0 || x > p.value || (x != x && p.value == p.value) {
		p.value, p.at = x, at
	}
}

func (m *argmax) add(as, bs []float64) {
	for i, a := range as {
		m.a.see(a, m.at)
		m.b.see(bs[i], m.at)
		if m.at++; m.at < m.length {
			continue
		}
		m.at = 0
		m.rows++
		if m.a.at == m.b.at {
			m.agree++
		}
	}
}

// Correct counts the rows along the last axis of t whose largest element is at
// the position that the row's label names. There must be one label for each
// row.
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
		return 0, fmt.Errorf("%s %s has %d rows for %d labels", t.DType, FormatShape(t.Shape), rows, len(labels))
	}
	correct := int64(0)
	for row, label := range labels {
		var best peak
		for at := range classes {
			best.see(values[int64(row)*classes+at], at)
		}
		if best.at == label {
			correct++
		}
	}
	return correct, nil
}
