package diff

// maxSpan is the maximum number of nodes of each side that are aligned at once, because the time
// grows with the square of it.
const maxSpan = 2048

// common returns a long common subsequence of two lists by key, as pairs of positions. It is a
// longest one if both lists have at most maxSpan elements. Longer lists are processed in
// overlapping sections.
func common(a, b []keyed) [][2]int {
	var out [][2]int
	x, y := 0, 0
	for x < len(a) && y < len(b) {
		n, m := min(len(a)-x, maxSpan), min(len(b)-y, maxSpan)
		part := commonSpan(a[x:x+n], b[y:y+m])
		for _, pair := range part {
			out = append(out, [2]int{x + pair[0], y + pair[1]})
		}
		if len(part) > 0 {
			last := part[len(part)-1]
			n, m = max(last[0]+1, n/2), max(last[1]+1, m/2)
		}
		x, y = x+n, y+m
	}
	return out
}

// commonSpan returns a longest common subsequence. Its table has, for each pair of positions, the
// length of the longest common subsequence of the elements from there on.
func commonSpan(a, b []keyed) [][2]int {
	width := len(b) + 1
	length := make([]uint16, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			at := i*width + j
			if a[i].key == b[j].key {
				length[at] = length[at+width+1] + 1
			} else {
				length[at] = max(length[at+width], length[at+1])
			}
		}
	}
	var out [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		at := i*width + j
		switch {
		case a[i].key == b[j].key:
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case length[at+width] >= length[at+1]:
			i++
		default:
			j++
		}
	}
	return out
}
