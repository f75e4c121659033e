package tensor

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// StringProfile describes the elements of a string tensor.
type StringProfile struct {
	Count     int64   `json:"count"`
	Bytes     int64   `json:"bytes"`
	Empty     int64   `json:"empty"`
	Invalid   int64   `json:"invalid"` // not UTF-8
	Distinct  int     `json:"distinct"`
	Shortest  int     `json:"shortest"` // in bytes, as all the following
	Longest   int     `json:"longest"`
	MeanBytes float64 `json:"mean_bytes"` // 0 if there are none
	// Lengths is a histogram of the lengths of the elements in bytes.
	Lengths Histogram `json:"lengths"`
	// Frequent has the most frequent elements, at most maxValues. Elements with the same count are
	// sorted.
	Frequent []StringCount `json:"frequent"`
}

// StringCount is a string and how often it occurs.
type StringCount struct {
	Text  string `json:"text"` // as in the tensor, not necessarily UTF-8
	Count int64  `json:"count"`
}

// ProfileStrings describes strings.
func ProfileStrings(list []string) StringProfile {
	p := StringProfile{Count: int64(len(list))}
	if len(list) == 0 {
		return p
	}
	counts := map[string]int64{}
	lengths := linear{whole: true}
	p.Shortest = len(list[0])
	for _, s := range list {
		counts[s]++
		p.Bytes += int64(len(s))
		p.Shortest, p.Longest = min(p.Shortest, len(s)), max(p.Longest, len(s))
		if s == "" {
			p.Empty++
		}
		if !utf8.ValidString(s) {
			p.Invalid++
		}
	}
	lengths.cover(float64(p.Shortest), float64(p.Longest))
	for _, s := range list {
		lengths.count(float64(len(s)), 1)
	}
	p.Distinct, p.Lengths = len(counts), lengths.histogram()
	p.MeanBytes = float64(p.Bytes) / float64(p.Count)
	p.Frequent = frequent(counts)
	return p
}

func frequent(counts map[string]int64) []StringCount {
	list := make([]StringCount, 0, len(counts))
	for s, n := range counts {
		list = append(list, StringCount{s, n})
	}
	slices.SortFunc(list, func(a, b StringCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Text, b.Text))
	})
	return slices.Clone(list[:min(len(list), maxValues)])
}
