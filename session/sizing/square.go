package sizing

// squareSides are common heights and widths of images, the usual ones first.
var squareSides = []int64{224, 256, 192, 160, 128, 112, 96, 64, 48, 32, 16, 320, 384, 448, 512, 640}

// square returns sizes near the targets with one height and width, if the conditions allow it. Otherwise it
// returns the given sizes. Conditions that fix only the area, such as a number of patches, would otherwise give
// a strip.
func (q *Search) square(targets []target, sizes []int64) []int64 {
	height, width := q.onlyOf(kindHeight), q.onlyOf(kindWidth)
	if height < 0 || width < 0 || targets[height].isMeant() || targets[width].isMeant() || sizes[height] == sizes[width] {
		return sizes
	}
	for _, side := range squareSides {
		with := append([]target(nil), targets...)
		with[height], with[width] = target{size: side, fixed: true}, target{size: side, fixed: true}
		if found := q.solve(with, false); found != nil {
			return found
		}
	}
	return sizes
}

// onlyOf returns the symbol of a kind. It returns -1 if no symbol or several have it.
func (q *Search) onlyOf(kind Kind) int {
	at := -1
	for i, s := range q.system.Symbols {
		switch {
		case s.Kind != kind:
		case at >= 0:
			return -1
		default:
			at = i
		}
	}
	return at
}

// isMeant reports whether the user or a file beside the model states the size.
func (t target) isMeant() bool { return t.fixed || t.stated }
