package shell

import (
	"lathe/tui/cells"
	"lathe/tui/theme"
)

// OfferRows is how many completions are visible at a time.
const OfferRows = 6

// leastOffer is the smallest width of the list.
const leastOffer = 26

// Offered is one of the completions that a list offers.
type Offered struct {
	Text  string // that is taken; raw
	Name  string // that is shown; raw
	About string // raw
}

// Offer is a list of completions below a line of text.
type Offer struct {
	List []Offered
	// Total is the number of all completions. The list has the best ones.
	Total int
	// Note says why nothing is offered, if a person has asked for the list.
	Note   string
	At     int
	Picked bool // the person has moved in the list
}

// IsOpen reports whether the list is shown, or a note in its place.
func (o *Offer) IsOpen() bool { return len(o.List) > 0 || o.Note != "" }

// Move selects another completion.
func (o *Offer) Move(by int) {
	n := len(o.List)
	if n == 0 {
		return
	}
	o.At = (o.At + by + n) % n
	o.Picked = true
}

// Selected returns the selected completion, or false if nothing is offered.
func (o *Offer) Selected() (Offered, bool) {
	if o.At >= len(o.List) {
		return Offered{}, false
	}
	return o.List[o.At], true
}

// Visible returns which completions are visible.
func (o *Offer) Visible() (from, to int) {
	n := min(len(o.List), OfferRows)
	from = max(0, min(o.At-n/2, len(o.List)-n))
	return from, from + n
}

// Box returns the place of the list in an area of w by h cells, below the line y, or above it if
// there is no room.
func (o *Offer) Box(x, y, w, h int) cells.Rect {
	from, to := o.Visible()
	wide := cells.Width(cells.Prose(o.Note)) + 1
	for _, e := range o.List[from:to] {
		wide = max(wide, cells.Width(e.Label()))
	}
	x = min(x, max(w-12, 0))
	rows := to - from + 1
	if y+1+rows > h && y-rows >= 0 {
		y -= rows
	} else {
		y++
	}
	return cells.Rect{X: x, Y: y, W: min(max(wide, leastOffer)+2, max(w-x, 1)), H: max(min(rows, h-y), 0)}
}

// Label is a completion with its description, safe to print.
func (e Offered) Label() string {
	s := cells.Label(e.Name)
	if e.About != "" {
		s += "  " + cells.Label(e.About)
	}
	return s
}

// View draws the list with a line below it. If nothing is offered, that line says why.
func (o *Offer) View(st theme.Styles, box cells.Rect, below string) []string {
	from, to := o.Visible()
	var out []string
	for i := from; i < to; i++ {
		line, looks := cells.Fit(" "+cells.CutFront(o.List[i].Label(), box.W-2), box.W), st.Idle
		if i == o.At {
			looks = st.Selected
		}
		out = append(out, looks.On(line))
	}
	if o.Note != "" {
		below = cells.Prose(o.Note)
	}
	out = append(out, st.Idle.On(cells.Fit(" "+below, box.W)))
	return cells.Block(out, box.W, box.H)
}
