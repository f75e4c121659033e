package theme

import "strings"

// Lettered styles a text in which a search matched some characters. at has the positions of the
// matched characters in the searched text, in any order. from is the position of s in the searched
// text.
func Lettered(s string, at []int, from int, plain, match Paint) string {
	if len(at) == 0 {
		return plain.On(s)
	}
	hit := map[int]bool{}
	for _, i := range at {
		hit[i-from] = true
	}
	var b, run strings.Builder
	isMatch := false
	flush := func() {
		looks := plain
		if isMatch {
			looks = match
		}
		b.WriteString(looks.On(run.String()))
		run.Reset()
	}
	n := 0
	for _, r := range s {
		if hit[n] != isMatch {
			flush()
			isMatch = hit[n]
		}
		run.WriteRune(r)
		n++
	}
	flush()
	return b.String()
}
