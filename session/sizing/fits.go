package sizing

import (
	"fmt"
	"strings"
)

// only is the text before a size that is the only one that fits.
const only = "only "

// The texts if every size fits, and if none up to looked does.
var (
	anySize = "any size"
	noSize  = fmt.Sprintf("no size up to %d", looked)
)

// rangeText describes a list of sizes from 1 to looked, such as "a multiple of 32".
func rangeText(list []int64) string {
	if len(list) == 0 {
		return noSize
	}
	first, last := list[0], list[len(list)-1]
	step := stepOf(list)
	switch {
	case len(list) == 1:
		return fmt.Sprintf("%s%d", only, first)
	case step == 1 && last == looked && first == 1:
		return anySize
	case step == 1 && last == looked:
		return fmt.Sprintf("%d or more", first)
	case step == 1:
		return fmt.Sprintf("%d to %d", first, last)
	case step > 1 && first%step == 0 && last+step > looked && first == step:
		return fmt.Sprintf("a multiple of %d", step)
	case step > 1 && first%step == 0 && last+step > looked:
		return fmt.Sprintf("a multiple of %d, %d or more", step, first)
	case step > 1 && last+step > looked:
		return fmt.Sprintf("%d plus a multiple of %d", first, step)
	}
	return listText(list)
}

// stepOf returns the distance between neighbouring sizes if it is always the same, and otherwise 0.
func stepOf(list []int64) int64 {
	if len(list) < 2 {
		return 0
	}
	step := list[1] - list[0]
	for i := 1; i < len(list); i++ {
		if list[i]-list[i-1] != step {
			return 0
		}
	}
	return step
}

// shownSizes is the largest number of sizes that are listed.
const shownSizes = 6

func listText(list []int64) string {
	parts := make([]string, 0, shownSizes)
	for _, n := range list[:min(len(list), shownSizes)] {
		parts = append(parts, fmt.Sprint(n))
	}
	if len(list) > shownSizes {
		parts = append(parts, "…")
	}
	return "one of " + strings.Join(parts, ", ")
}
