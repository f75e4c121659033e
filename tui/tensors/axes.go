package tensors

import (
	"fmt"
	"strings"

	"lathe/graphops/tensor"
	"lathe/tui/actions"
)

// Axes says which two axes of a tensor are drawn as rows and columns, and at which index of every
// other axis.
type Axes struct {
	Shape []int64
	tensor.View
	Held    int // the axis whose index the keys change; tensor.NoAxis if there is none besides the two
	reduces bool
}

// ElementAxes returns the initial axes of the view of elements: the last two. A list of elements
// runs downwards.
func ElementAxes(shape []int64) *Axes {
	x := &Axes{Shape: shape, View: tensor.ViewOf(shape)}
	if len(shape) == 1 {
		x.Down, x.Across = 0, tensor.NoAxis
	}
	x.hold()
	return x
}

// HeatAxes returns the initial axes of a heat map. Rows and columns are the two longest axes. A
// cell covers all indices of the other axes.
func HeatAxes(shape []int64) *Axes {
	x := &Axes{Shape: shape, View: tensor.ViewOf(shape), reduces: true}
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
func (p *Pane) shownAxes() *Axes {
	c := p.Current()
	if c == nil || p.Shown != viewHeat && p.Shown != ViewElements {
		return nil
	}
	x := p.axes[p.Shown]
	if x == nil {
		if x = ElementAxes(c.Dims()); p.Shown == viewHeat {
			x = HeatAxes(c.Dims())
		}
		p.axes[p.Shown] = x
	}
	return x
}

// first returns the initial index of an axis that is no longer drawn as rows or columns: 0, or for
// a heat map all indices together.
func (x *Axes) first() int64 {
	if x.reduces {
		return tensor.Reduced
	}
	return 0
}

// hold selects the first axis that is not drawn as rows or columns. The keys for the previous and
// next index act on it.
func (x *Axes) hold() {
	x.Held = tensor.NoAxis
	x.NextHeld()
}

// NextHeld selects the next axis that is not drawn as rows or columns.
func (x *Axes) NextHeld() {
	n := len(x.Shape)
	for k := 1; k <= n; k++ {
		if i := (x.Held + k + n) % n; i != x.Down && i != x.Across {
			x.Held = i
			return
		}
	}
	x.Held = tensor.NoAxis
}

// turn makes the next axis of the tensor the rows or the columns. If that axis is already drawn as
// the other of the two, they are exchanged.
func (x *Axes) turn(side, other *int) {
	left := *side
	next := (left + 1) % len(x.Shape)
	if next == *other {
		*other = left
	} else if left >= 0 {
		x.At[left] = x.first()
	}
	*side = next
	if x.Held == x.Down || x.Held == x.Across || x.Held == tensor.NoAxis {
		x.hold()
	}
}

// TurnDown shows another axis as rows.
func (x *Axes) TurnDown() { x.turn(&x.Down, &x.Across) }

// TurnAcross shows another axis as columns.
func (x *Axes) TurnAcross() { x.turn(&x.Across, &x.Down) }

// Transpose exchanges rows and columns.
func (x *Axes) Transpose() { x.Down, x.Across = x.Across, x.Down }

// Step moves the index of the selected axis. After the last index comes the first.
func (x *Axes) Step(by int64) {
	first := x.first()
	n := x.Shape[x.Held] - first
	x.At[x.Held] = first + ((x.At[x.Held]-first+by)%n+n)%n
}

// String describes the axes in words.
func (x *Axes) String() string {
	var out []string
	for _, side := range []struct {
		word string
		axis int
	}{{"down", x.Down}, {"across", x.Across}} {
		if side.axis >= 0 {
			out = append(out, fmt.Sprintf("%s axis %d of %d", side.word, side.axis, x.Shape[side.axis]))
		}
	}
	for i, at := range x.At {
		if i == x.Down || i == x.Across {
			continue
		}
		out = append(out, fmt.Sprintf("axis %d: %s of %d", i, indexText(at), x.Shape[i]))
	}
	return strings.Join(out, ", ")
}

// Brief describes the axes in short: an arrow for the two that are drawn, the index for the others.
func (x *Axes) Brief() string {
	words := make([]string, len(x.Shape))
	for i, at := range x.At {
		switch i {
		case x.Down:
			words[i] = "↓"
		case x.Across:
			words[i] = "→"
		case x.Held:
			words[i] = "›" + indexText(at)
		default:
			words[i] = indexText(at)
		}
	}
	return "[" + strings.Join(words, ", ") + "] of " + tensor.FormatShape(x.Shape)
}

// index returns the indices of an element as text, given its row and column on screen.
func (x *Axes) index(row, column int64) string {
	words := make([]string, len(x.Shape))
	for i := range x.Shape {
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
func (x *Axes) outside() []int64 {
	var out []int64
	for i, at := range x.At {
		if i != x.Down && i != x.Across {
			out = append(out, at)
		}
	}
	return out
}

// Key is different for different axes or indices. Requests contain it, so that an answer is used
// only for the same view.
func (x *Axes) Key() string { return fmt.Sprint(x.Down, x.Across, x.At) }

// axesRefusal explains why the view has no axes that could be changed.
func (p *Pane) axesRefusal() string {
	return actions.Unless(p.shownAxes() != nil && p.nothing() == "", "axes can be chosen only in the views elements and heat map")
}

func (p *Pane) turnRefusal() string { return p.shownAxes().TurnRefusal() }

func (p *Pane) scalarRefusal() string { return p.shownAxes().ScalarRefusal() }

func (p *Pane) heldRefusal() string {
	return actions.Unless(p.shownAxes().Held != tensor.NoAxis, "all axes are on the screen; there is no other")
}

func (p *Pane) indexRefusal() string {
	c := p.Current()
	return actions.Unless(c != nil && len(c.Dims()) > 0, "there is no tensor with axes")
}

// ScalarRefusal says that the tensor has no axes, or "".
func (x *Axes) ScalarRefusal() string {
	return actions.Unless(len(x.Shape) > 0, "a scalar has no axes")
}

// TurnRefusal says that no other axis can be shown, or "".
func (x *Axes) TurnRefusal() string {
	return actions.Unless(len(x.Shape) > 1, "there is no other axis")
}

// turn changes which axes are drawn. The cursor among elements then goes to the first.
func (p *Pane) turn(turn func(*Axes)) {
	turn(p.shownAxes())
	if p.Shown == ViewElements {
		p.Elements = elementView{}
	}
}
