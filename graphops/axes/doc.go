// Package axes makes axes of a model dynamic, names them and freezes them, finds
// what holds a dynamic axis at a number, and mends it.
//
// # Pins
//
// A pin is a constant that fits one size of a freed axis only: an element of the
// shape that a Reshape, Expand or ConstantOfShape takes, a repeat of a Tile, the end
// of a Slice, the count of a Loop, an axis of a stored tensor. The search puts a
// symbol in the place of every such element and infers the model's shapes: what the
// nodes demand of each other's sizes are then equations in the freed axes and those
// symbols. An equation that does not hold with the constants as they are is solved
// for one of them; that one is a pin, and the solution is what would have to stand
// there. Among several solutions that one is taken that keeps axes in their order.
//
// A Reshape can also lose an axis without anybody's objection, as [1,-1] moves
// a batch into the other axis. Its input and output are parted into groups of axes
// with as many elements at the old sizes; a freed axis must come out of its group.
//
// # Repairs
//
// An element becomes 0 where a Reshape copies the axis, -1 where it is the only
// rest, and is else computed from the shape of the input that has the axis. At the
// old size all of these are the constant.
package axes
