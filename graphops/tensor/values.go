package tensor

import (
	"math"
	"slices"
)

// valueSet counts up to maxValues different 64-bit keys: the bits of float64s or of 64-bit
// integers. The zero value is empty.
type valueSet struct {
	keys   [4 * maxValues]uint64
	counts [4 * maxValues]int64 // 0 if there is no key
	size   int
}

// add counts a key; it returns false if there are too many.
func (s *valueSet) add(key uint64) bool {
	for i := key * 0x9E3779B97F4A7C15 >> 54; ; i = (i + 1) % uint64(len(s.keys)) {
		if s.counts[i] > 0 && s.keys[i] != key {
			continue
		}
		if s.counts[i] == 0 {
			if s.size == maxValues {
				return false
			}
			s.size++
			s.keys[i] = key
		}
		s.counts[i]++
		return true
	}
}

// list returns the values of a type in order, NaN last.
func (s *valueSet) list(d DType) []ValueCount {
	type keyed struct {
		key uint64
		ValueCount
	}
	var all []keyed
	for i, n := range s.counts {
		if n == 0 {
			continue
		}
		v := ValueCount{Count: n}
		switch key := s.keys[i]; d {
		case I64:
			v.Value, v.Text = Number(int64(key)), formatInt(d, int64(key))
		case U64:
			v.Value, v.Text = Number(key), formatInt(d, int64(key))
		default:
			v.Value = Number(math.Float64frombits(key))
			v.Text = formatValue(d, float64(v.Value))
		}
		all = append(all, keyed{s.keys[i], v})
	}
	slices.SortFunc(all, func(a, b keyed) int {
		if c := compareValues(a.Value, b.Value); c != 0 || !d.isInteger() {
			return c
		}
		// Both integers round to the same float64. They have the same sign, so their bits have the
		// order of the integers.
		if a.key < b.key {
			return -1
		}
		return 1
	})
	var out []ValueCount
	for _, v := range all {
		out = append(out, v.ValueCount)
	}
	return out
}
