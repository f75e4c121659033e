package shape

import (
	"fmt"
	"strings"
)

// Elements are the elements that are followed as "[batch 3 ? 1/2]", "" where none
// are.
func (v Value) Elements() string {
	if v.elems == nil {
		return ""
	}
	texts := make([]string, len(v.elems))
	for i, e := range v.elems {
		switch {
		case e.den == 0:
			texts[i] = fmt.Sprint(e.f)
		case e.den == 1:
			texts[i] = e.num.String()
		default:
			texts[i] = fmt.Sprintf("%s/%d", e.num, e.den)
		}
	}
	return "[" + strings.Join(texts, " ") + "]"
}
