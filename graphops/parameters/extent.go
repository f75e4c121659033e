package parameters

import (
	"cmp"
	"fmt"
	"slices"
)

// extent is a part of a file that the elements of a tensor take.
type extent struct {
	name       string
	begin, end int64
}

// extents are those of one file.
type extents []extent

// apart is an error where two of them share a byte: no writer does that, and what is
// listed could be many times larger than the file.
func (x extents) apart() error {
	sorted := x.sorted()
	for i := 1; i < len(sorted); i++ {
		if a, b := sorted[i-1], sorted[i]; b.begin < a.end {
			return fmt.Errorf("tensors %q and %q lie in each other: bytes %d to %d, and from byte %d on", brief(a.name), brief(b.name), a.begin, a.end, b.begin)
		}
	}
	return nil
}

// whole is an error where they leave a hole before the end, or lie in each other.
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

// sorted are those by where they begin, and end: empty ones come before what follows.
func (x extents) sorted() extents {
	return slices.SortedFunc(slices.Values(x), func(a, b extent) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end))
	})
}
