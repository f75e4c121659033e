package cells

import "strings"

// The directions in which a line leaves a cell, as bits.
const (
	Up = 1 << iota
	Down
	Left
	Right
)

// Corners are the box-drawing characters, indexed by the directions of their lines.
var Corners = [16]string{
	0: " ", Up: "╵", Down: "╷", Up | Down: "│",
	Left: "╴", Up | Left: "╯", Down | Left: "╮", Up | Down | Left: "┤",
	Right: "╶", Up | Right: "╰", Down | Right: "╭", Up | Down | Right: "├",
	Left | Right: "─", Up | Left | Right: "┴", Down | Left | Right: "┬", Up | Down | Left | Right: "┼",
}

// Rule returns a horizontal line.
func Rule(w int) string { return strings.Repeat(Corners[Left|Right], max(w, 0)) }
