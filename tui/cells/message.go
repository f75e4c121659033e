package cells

import "strings"

// leastPath is the width from which a path in a message may be shortened.
const leastPath = 16

// CutMessage shortens a message to w cells. It first shortens the paths in it, the longest first, so
// that the names of their files stay. What is then too long is cut off at the end.
func CutMessage(s string, w int) string {
	if Width(s) <= w {
		return s
	}
	words := strings.Split(s, " ")
	done := make([]bool, len(words))
	for over := Width(s) - w; over > 0; {
		at := -1
		for i, word := range words {
			isPath := strings.Contains(word, "/") && Width(word) > leastPath
			if isPath && !done[i] && (at < 0 || Width(word) > Width(words[at])) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		done[at] = true
		was := Width(words[at])
		words[at] = cutPath(words[at], max(was-over, leastPath))
		over -= was - Width(words[at])
	}
	return Cut(strings.Join(words, " "), w)
}

// cutPath shortens a path to w cells from the front. If the name of the file is longer, the name stays.
func cutPath(path string, w int) string {
	name := path[strings.LastIndexByte(strings.TrimRight(path, "/"), '/')+1:]
	return CutFront(path, max(w, Width(name)+Width(Ellipsis)+1))
}
