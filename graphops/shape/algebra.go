package shape

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops/dim"
)

// algebra has the rules of Einsum, a product given by an equation, and of Det, the determinant.
var algebra = family{"Einsum": einsum, "Det": det}

func det(c *call) {
	if d := c.firstRankFrom(2); d != nil {
		n := len(d) - 2
		c.same(0, n, 0, n+1)
		c.outDims(0, d[:n])
	}
}

func inverse(c *call) {
	firstShape(c)
	if d := c.firstRankFrom(2); d != nil {
		c.same(0, len(d)-2, 0, len(d)-1)
	}
}

// equation is the equation of an Einsum: the letters for the axes of each input and of the
// output.
type equation struct {
	inputs []string
	output string
}

// ellipsis represents "..." in a parsed equation.
const ellipsis = '*'

func einsum(c *call) {
	said := c.attrText("equation", "")
	e, err := readEquation(said)
	if err == nil && len(e.inputs) != len(c.in) {
		err = fmt.Errorf("it has %d terms, but the node has %d inputs", len(e.inputs), len(c.in))
	}
	if err != nil {
		c.problem(-1, fmt.Sprintf("equation %q: %v", said, err))
		return
	}
	s := subscripts{call: c, letters: map[rune]Source{}}
	for i, term := range e.inputs {
		if !s.read(i, term) {
			return
		}
	}
	if len(s.more) > 0 && !strings.ContainsRune(e.output, ellipsis) {
		c.problem(-1, fmt.Sprintf("equation %q: the output omits the axes of the ellipsis", said))
		return
	}
	c.outDims(0, s.sizes(e.output))
}

// subscripts are the sizes of the letters of an equation.
type subscripts struct {
	*call
	letters map[rune]Source
	more    []Source // the axes of the ellipsis
	open    bool     // the ellipsis also includes axes of an input of unknown rank
}

// sizes returns the sizes of a term, nil if their number is unknown.
func (s *subscripts) sizes(term string) []dim.Dim {
	out := []dim.Dim{}
	for _, letter := range term {
		switch {
		case letter != ellipsis:
			out = append(out, s.letters[letter].Size)
		case s.open && s.more == nil:
			return nil
		default:
			out = append(out, s.moreSizes()...)
		}
	}
	return out
}

// moreSizes returns the sizes of the axes of the ellipsis.
func (s *subscripts) moreSizes() []dim.Dim {
	var out []dim.Dim
	for _, axis := range s.more {
		size := axis.Size
		if s.open {
			size, _ = size.Broadcast(dim.Unknown())
		}
		out = append(out, size)
	}
	return out
}

// read matches the axes of an input with the letters of its term.
func (s *subscripts) read(i int, term string) bool {
	d := s.dims(i)
	letters := len(term)
	open := strings.ContainsRune(term, ellipsis)
	if open {
		letters--
	}
	switch {
	case d == nil:
		return s.readUnknown(i, strings.ReplaceAll(term, string(ellipsis), ""), open)
	case len(d) < letters || len(d) > letters && !open:
		s.problem(i, fmt.Sprintf("%s should have the axes %q", s.describe(i), strings.ReplaceAll(term, string(ellipsis), "...")))
		return false
	}
	axis := 0
	for _, letter := range term {
		if letter == ellipsis {
			n := len(d) - letters
			if !s.spreadMore(i, d[axis:axis+n], axis) {
				return false
			}
			axis += n
			continue
		}
		s.meet(letter, Source{d[axis], i, axis})
		axis++
	}
	return true
}

// meet combines what is known about a letter: within one input its sizes must be equal, and
// sizes of several inputs are broadcast.
func (s *subscripts) meet(letter rune, here Source) {
	switch before, ok := s.letters[letter]; {
	case ok && before.Input == here.Input:
		here.Size = s.demand(before, here)
	case ok:
		here.Size = s.shared(before, here)
	}
	s.letters[letter] = here
}

// readUnknown handles an input of unknown rank.
func (s *subscripts) readUnknown(i int, letters string, open bool) bool {
	for _, letter := range letters {
		s.meet(letter, Source{dim.Unknown(), i, -1})
	}
	s.open = s.open || open
	return true
}

// spreadMore broadcasts the axes of an input for the ellipsis with those of earlier inputs.
// Their number must be the same.
func (s *subscripts) spreadMore(i int, d []dim.Dim, first int) bool {
	if s.more == nil {
		s.more = make([]Source, len(d))
		for k := range d {
			s.more[k] = Source{d[k], i, first + k}
		}
		return true
	}
	if len(d) != len(s.more) {
		s.problem(i, fmt.Sprintf("the ellipsis stands for %d axes of %s, but for %d of earlier inputs", len(d), s.describe(i), len(s.more)))
		return false
	}
	for k := range d {
		here := Source{d[k], i, first + k}
		here.Size = s.shared(s.more[k], here)
		s.more[k] = here
	}
	return true
}

// readEquation parses "ij,jk->ik" or, without the right side, "ij,jk".
func readEquation(s string) (equation, error) {
	if strings.ContainsRune(s, ellipsis) {
		return equation{}, fmt.Errorf("%q is not a letter", ellipsis)
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, " ", ""), "...", string(ellipsis))
	left, right, explicit := strings.Cut(s, "->")
	e := equation{inputs: strings.Split(left, ","), output: right}
	for _, term := range append(slices.Clone(e.inputs), right) {
		for _, letter := range term {
			if (letter < 'a' || letter > 'z') && (letter < 'A' || letter > 'Z') && letter != ellipsis {
				return e, fmt.Errorf("%q is not a letter", letter)
			}
		}
		if strings.Count(term, string(ellipsis)) > 1 {
			return e, fmt.Errorf("a term has more than one ellipsis")
		}
	}
	if !explicit {
		e.output = implicitOutput(left)
		return e, nil
	}
	for i, letter := range right {
		switch {
		case strings.ContainsRune(right[:i], letter):
			return e, fmt.Errorf("the output has %q twice", letter)
		case letter != ellipsis && !strings.ContainsRune(left, letter):
			return e, fmt.Errorf("no input has the letter %q of the output", letter)
		}
	}
	return e, nil
}

// implicitOutput returns an ellipsis, if there is one, and the letters that occur once, in ASCII
// order.
func implicitOutput(left string) string {
	var once []rune
	out := ""
	if strings.ContainsRune(left, ellipsis) {
		out = string(ellipsis)
	}
	count := map[rune]int{}
	for _, letter := range left {
		count[letter]++
	}
	for letter, n := range count {
		if n == 1 && letter != ',' && letter != ellipsis {
			once = append(once, letter)
		}
	}
	slices.Sort(once)
	return out + string(once)
}
