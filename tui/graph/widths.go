package graph

import (
	"context"
	"slices"

	"lathe/tui/cells"
)

// Widths says how wide the texts of columns are, over all rows of a list. So a column does not
// change its width while the list scrolls.
type Widths struct {
	key  widthsKey
	Of   map[string]int // the widest text by the name of the column; 0 if no row has one
	Note int            // the widest name with the notes behind it
}

// widthsKey is what the texts of columns depend on.
type widthsKey struct {
	wiring  *Wiring
	types   *Inferred
	costs   *Costs
	errors  *NodeErrors
	times   *NodeTimes
	signals *NodeSignals
}

// Limits of the widths. Reading stops at the first text that reaches them.
const (
	mostName = 96
	mostType = 40
)

// Width returns the width that a column can use, and false if its texts have not been read yet.
func (s *Widths) Width(name string) (cells int, known bool) {
	if s == nil {
		return 0, false
	}
	cells, known = s.Of[name]
	return cells, known
}

// Fits reports whether the widths are those of columns of a list as it is.
func (s *Widths) Fits(w *Wiring, names []string) bool {
	return s != nil && s.key == keyOfWidths(w, names) &&
		!slices.ContainsFunc(names, func(name string) bool { _, known := s.Of[name]; return !known })
}

// IsOf reports whether the widths are those of a list, though its types may have changed.
func (s *Widths) IsOf(w *Wiring) bool { return s != nil && s.key.wiring == w }

// NoteGap is the gap between a name and what is said of constants behind it, in cells.
const NoteGap = 2

func keyOfWidths(w *Wiring, names []string) widthsKey {
	k := widthsKey{wiring: w, types: w.Types.Inferred.Load()}
	for _, name := range names {
		switch name {
		case "op", "name", "type":
		default:
			k.costs, k.errors, k.times = w.Types.Costs.Load(), w.Types.Errors.Load(), w.Types.Times.Load()
			k.signals = w.Types.Signals.Load()
		}
	}
	return k
}

// sampled is how many rows can be read at once, while a key is handled.
const sampled = 256

// Guess reads the texts of some rows from all parts of the list. It returns false if there is more to
// read.
func Guess(w *Wiring, names []string) (s *Widths, whole bool) {
	n := w.Outline.Len()
	whole = n <= sampled
	for _, name := range names {
		if c := ColumnNamed(name); c != nil && c.prepare != nil && w.Modules.known() == nil {
			whole = false
		}
	}
	rows := make([]int, min(n, sampled))
	for i := range rows {
		rows[i] = i * (n - 1) / max(len(rows)-1, 1)
	}
	return widthsOf(context.Background(), w, names, rows), whole
}

// WidthsOf reads the texts of columns. It takes a moment for a large model.
func WidthsOf(ctx context.Context, w *Wiring, names []string) *Widths {
	for _, name := range names {
		if c := ColumnNamed(name); c != nil && c.prepare != nil {
			c.prepare(w)
		}
	}
	rows := make([]int, w.Outline.Len())
	for i := range rows {
		rows[i] = i
	}
	return widthsOf(ctx, w, names, rows)
}

// widthsOf reads the texts of columns in some rows.
func widthsOf(ctx context.Context, w *Wiring, names []string, rows []int) *Widths {
	s := &Widths{key: keyOfWidths(w, names), Of: map[string]int{}}
	for _, name := range names {
		c := ColumnNamed(name)
		if c == nil {
			continue
		}
		s.Of[name] = widest(ctx, rows, c.most(), func(row int) int { return cells.Width(c.Text(w, row)) })
	}
	s.Note = widest(ctx, rows, mostName, func(row int) int {
		notes := 0
		for _, tap := range w.TapsIn(&w.folding, row) {
			notes += cells.Width(TapText(tap))
		}
		if words := w.ConstantsText(row); words != "" {
			notes += NoteGap + cells.Width(words)
		}
		return cells.Width(w.Outline.Name(row)) + notes
	})
	return s
}

// most is the width that a column never exceeds.
func (c *Column) most() int {
	switch {
	case c.Step != nil:
		return c.Width - SwatchWidth
	case c.Width > 0:
		return c.Width
	case c.Name == "type":
		return mostType
	}
	return mostName
}

func widest(ctx context.Context, rows []int, limit int, width func(row int) int) int {
	most := 0
	for i, row := range rows {
		if i%1024 == 0 && ctx.Err() != nil {
			break
		}
		if most = max(most, width(row)); most >= limit {
			return limit
		}
	}
	return most
}
