package cells

// Rect is a part of the screen, in cells.
type Rect struct{ X, Y, W, H int }

// IsEmpty reports whether nothing can be drawn in r.
func (r Rect) IsEmpty() bool { return r.W <= 0 || r.H <= 0 }

// Holds reports whether a cell lies in r.
func (r Rect) Holds(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// Centred returns a rectangle of at most w × h in the middle of r.
func (r Rect) Centred(w, h int) Rect {
	w, h = min(w, r.W), min(h, r.H)
	return Rect{r.X + (r.W-w)/2, r.Y + (r.H-h)/2, w, h}
}
