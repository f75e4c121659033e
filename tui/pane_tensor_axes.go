package tui

import (
	"fmt"
	"strings"

	"lathe/graphops/tensor"
	"lathe/tui/actions"
)

// axes says which two axes of a tensor are drawn as rows and columns, and at which index of every
// other axis.
type axes struct {
	shape []int64
	tensor.View
	held    int // the axis whose index the keys change; tensor.NoAxis if there is none besides the two
	reduces bool
}

// elementAxes returns the initial axes of the view of elements: the last two. A list of elements
// runs downwards.
func elementAxes(shape []int64) *axes {
	x := &axes{shape: shape, View: tensor.ViewOf(shape)}
	if len(shape) == 1 {
		x.Down, x.Across = 0, tensor.NoAxis
	}
	x.hold()
	return x
}

// heatAxes returns the initial axes of a heat map. Rows and columns are the two longest axes. A
// cell covers all indices of the other axes.
func heatAxes(shape []int64) *axes {
	x := &axes{shape: shape, View: tensor.ViewOf(shape), reduces: true}
	if len(shape) > 2 {
		first := longest(shape, tensor.NoAxis)
		second := longest(shape, first)
		x.Down, x.Across = min(first, second), max(first, second)
	}
	for i := range x.At {
		x.At[i] = tensor.Reduced
	}
	x.hold()
	return x
}

// longest returns the longest axis except but. If several are equally long, it is the first.
func longest(shape []int64, but int) int {
	best := tensor.NoAxis
	for i, n := range shape {
		if i != but && (best < 0 || n > shape[best]) {
			best = i
		}
	}
	return best
}

// shownAxes returns the axes of the current view, and creates them on the first call. It is nil if
// the view has none.
func (p *tensorPane) shownAxes() *axes {
	c := p.current()
	if c == nil || p.shown != viewHeat && p.shown != viewElements {
		return nil
	}
	x := p.axes[p.shown]
	if x == nil {
		if x = elementAxes(c.Dims()); p.shown == viewHeat {
			x = heatAxes(c.Dims())
		}
		p.axes[p.shown] = x
	}
	return x
}

// first returns the initial index of an axis that is no longer drawn as rows or columns: 0, or for
// a heat map all indices together.
func (x *axes) first() int64 {
	if x.reduces {
		return tensor.Reduced
	}
	return 0
}

// hold selects the first axis that is not drawn as rows or columns. The keys for the previous and
// next index act on it.
func (x *axes) hold() {
	x.held = tensor.NoAxis
	x.nextHeld()
}

// nextHeld selects the next axis that is not drawn as rows or columns.
func (x *axes) nextHeld() {
	n := len(x.shape)
	for k := 1; k <= n; k++ {
		if i := (x.held + k + n) % n; i != x.Down && i != x.Across {
			x.held = i
			return
		}
	}
	x.held = tensor.NoAxis
}

// turn makes the next axis of the tensor the rows or the columns. If that axis is already drawn as
// the other of the two, they are exchanged.
func (x *axes) turn(side, other *int) {
	left := *side
	next := (left + 1) % len(x.shape)
	if next == *other {
		*other = left
	} else if left >= 0 {
		x.At[left] = x.first()
	}
	*side = next
	if x.held == x.Down || x.held == x.Across || x.held == tensor.NoAxis {
		x.hold()
	}
}

func (x *axes) turnDown()   { x.turn(&x.Down, &x.Across) }
func (x *axes) turnAcross() { x.turn(&x.Across, &x.Down) }
func (x *axes) transpose()  { x.Down, x.Across = x.Across, x.Down }

// step moves the index of the selected axis. After the last index comes the first.
func (x *axes) step(by int64) {
	first := x.first()
	n := x.shape[x.held] - first
	x.At[x.held] = first + ((x.At[x.held]-first+by)%n+n)%n
}

// String describes the axes in words.
func (x *axes) String() string {
	var out []string
	for _, side := range []struct {
		word string
		axis int
	}{{"down", x.Down}, {"across", x.Across}} {
		if side.axis >= 0 {
			out = append(out, fmt.Sprintf("%s axis %d of %d", side.word, side.axis, x.shape[side.axis]))
		}
	}
	for i, at := range x.At {
		if i == x.Down || i == x.Across {
			continue
		}
		out = append(out, fmt.Sprintf("axis %d: %s of %d", i, indexText(at), x.shape[i]))
	}
	return strings.Join(out, ", ")
}

// brief describes the axes in short: an arrow for the two that are drawn, the index for the others.
func (x *axes) brief() string {
	words := make([]string, len(x.shape))
	for i, at := range x.At {
		switch i {
		case x.Down:
			words[i] = "↓"
		case x.Across:
			words[i] = "→"
		case x.held:
			words[i] = "›" + indexText(at)
		default:
			words[i] = indexText(at)
		}
	}
	return "[" + strings.Join(words, ", ") + "] of " + tensor.FormatShape(x.shape)
}

// index returns the indices of an element as text, given its row and column on screen.
func (x *axes) index(row, column int64) string {
	words := make([]string, len(x.shape))
	for i := range x.shape {
		at := x.At[i]
		switch i {
		case x.Down:
			at = row
		case x.Across:
			at = column
		}
		words[i] = indexText(at)
	}
	return "[" + strings.Join(words, ", ") + "]"
}

func indexText(i int64) string {
	if i == tensor.Reduced {
		return "all"
	}
	return fmt.Sprint(i)
}

// outside returns the indices of the axes that are not drawn as rows or columns.
func (x *axes) outside() []int64 {
	var out []int64
	for i, at := range x.At {
		if i != x.Down && i != x.Across {
			out = append(out, at)
		}
	}
	return out
}

// key is different for different axes or indices. Requests contain it, so that an answer is used
// only for the same view.
func (x *axes) key() string { return fmt.Sprint(x.Down, x.Across, x.At) }

// axesRefusal explains why the view has no axes that could be changed.
func (p *tensorPane) axesRefusal() string {
	return actions.Unless(p.shownAxes() != nil && p.nothing() == "", "axes can be chosen only in the views elements and heat map")
}

func (p *tensorPane) turnRefusal() string { return p.shownAxes().turnRefusal() }

func (p *tensorPane) scalarRefusal() string { return p.shownAxes().scalarRefusal() }

func (p *tensorPane) heldRefusal() string {
	return actions.Unless(p.shownAxes().held != tensor.NoAxis, "all axes are on the screen; there is no other")
}

func (p *tensorPane) indexRefusal() string {
	c := p.current()
	return actions.Unless(c != nil && len(c.Dims()) > 0, "there is no tensor with axes")
}

func (x *axes) scalarRefusal() string {
	return actions.Unless(len(x.shape) > 0, "a scalar has no axes")
}

func (x *axes) turnRefusal() string {
	return actions.Unless(len(x.shape) > 1, "there is no other axis")
}

// turn changes which axes are drawn. The cursor among elements then goes to the first.
func (p *tensorPane) turn(turn func(*axes)) {
	turn(p.shownAxes())
	if p.shown == viewElements {
		p.elements = elementView{}
	}
}
