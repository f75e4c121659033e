package parameters

import (
	"cmp"
	"fmt"
	"slices"
)

// extent is the range of bytes in a file that contains the elements of a tensor.
type extent struct {
	name       string
	begin, end int64
}

// extents are the ranges of all tensors in a file.
type extents []extent

// apart returns an error if two ranges overlap. No program writes such files. If they were
// accepted, the total size of the tensors could be many times larger than the file.
func (x extents) apart() error {
	sorted := x.sorted()
	for i := 1; i < len(sorted); i++ {
		if a, b := sorted[i-1], sorted[i]; b.begin < a.end {
			return fmt.Errorf("tensors %q and %q overlap: one has bytes %d to %d, the other starts at byte %d", brief(a.name), brief(b.name), a.begin, a.end, b.begin)
		}
	}
	return nil
}

// whole returns an error if ranges overlap, or if they do not cover all bytes from 0 to end.
func (x extents) whole(end int64) error {
	if err := x.apart(); err != nil {
		return err
	}
	at := int64(0)
	for _, e := range x.sorted() {
		if e.begin != at {
			return fmt.Errorf("bytes %d to %d belong to no tensor", at, e.begin)
		}
		at = e.end
	}
	if at != end {
		return fmt.Errorf("the tensors end at byte %d of the data, which has %d", at, end)
	}
	return nil
}

// sorted returns the ranges sorted by start and then by end. An empty range thus comes before
// another one with the same start.
func (x extents) sorted() extents {
	return slices.SortedFunc(slices.Values(x), func(a, b extent) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end))
	})
}
