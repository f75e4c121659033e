package graph

import (
	"fmt"
	"strings"
	"sync"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/tui/cells"
)

// folding says which nodes are constants that other rows show in their place.
type folding struct {
	is []bool // by node; nil if no constant folds
	n  int
}

// Folds reports whether a row is a constant that the rows that read it can show in its place.
func (o *Outline) Folds(row int) bool {
	folded := o.folded().is
	if folded == nil {
		return false
	}
	k, i := o.At(row)
	return k == KindNode && folded[i]
}

// Folded returns how many rows fold into others.
func (o *Outline) Folded() int { return o.folded().n }

// Unfolded returns the rows that do not fold into others.
func (o *Outline) Unfolded() []int32 {
	rows := make([]int32, 0, o.Len())
	for row := range o.Len() {
		if !o.Folds(row) {
			rows = append(rows, int32(row))
		}
	}
	return rows
}

// Standing returns the first row from the given one on that does not fold into another.
func (o *Outline) Standing(row int) int {
	for row < o.Len()-1 && o.Folds(row) {
		row++
	}
	return row
}

// findFolded finds the constants that some other node reads, except those that are outputs. A copy of
// a weight or of another constant by Identity is a constant too.
func (o *Outline) findFolded() folding {
	at := map[string]int{}
	isWeight := sync.OnceValue(o.weights)
	for i, n := range o.Nodes {
		if n.IsConstant() || o.isCopy(n, at, isWeight) {
			at[n.Output(0)] = i
		}
	}
	if len(at) == 0 {
		return folding{}
	}
	for _, out := range o.Outputs {
		delete(at, out.Name)
	}
	f := folding{is: make([]bool, len(o.Nodes))}
	fold := func(names []string) {
		for _, name := range names {
			if i, ok := at[name]; ok && !f.is[i] {
				f.is[i] = true
				f.n++
			}
		}
	}
	for _, n := range o.Nodes {
		fold(n.Inputs())
		if len(n.Graphs()) > 0 {
			fold(n.Captured())
		}
	}
	if f.n == 0 {
		return folding{}
	}
	return f
}

// weights returns the names of the initializers of the place.
func (o *Outline) weights() map[string]bool {
	names := map[string]bool{}
	for _, t := range o.Place.Graph.Initializers() {
		names[t.Name()] = true
	}
	for _, in := range o.Inputs { // a run may give another value
		delete(names, in.Name)
	}
	return names
}

// isCopy reports whether a node copies a weight or an earlier constant.
func (o *Outline) isCopy(n *graphops.Node, constants map[string]int, weights func() map[string]bool) bool {
	if !n.Is("Identity") || len(n.Inputs()) != 1 || len(n.Outputs()) != 1 || n.Output(0) == "" {
		return false
	}
	_, isConstant := constants[n.Input(0)]
	return isConstant || weights()[n.Input(0)]
}

// Limits of what a row shows of the constants that fold into it: the elements of one, and the cells
// of one and of all.
const (
	fewElements = 4
	mostOfOne   = 20
	mostOfAll   = 32
)

// ConstantsText says which folded constants a row reads, safe to print: small ones with their
// elements, and how many others. It is "" for other rows.
func (w *Wiring) ConstantsText(row int) string { return w.constants[int32(row)] }

// readConstants writes the texts of all rows that read folded constants.
func (w *Wiring) readConstants() {
	folded := w.Outline.folded().is
	if folded == nil {
		return
	}
	w.constants = map[int32]string{}
	read := map[int]string{}
	for i, n := range w.Outline.Nodes {
		if text := w.constantsOf(n, folded, read); text != "" {
			w.constants[int32(w.Outline.NodeRow(i))] = text
		}
	}
}

// constantsOf writes which folded constants a node reads. read holds the elements of constants by
// the index of their node.
func (w *Wiring) constantsOf(n *graphops.Node, folded []bool, read map[int]string) string {
	var words []string
	width, rest := 0, 0
	for at, name := range n.Inputs() {
		id, ok := w.Index.Value(name)
		if !ok {
			continue
		}
		i := w.Index.Producer(id)
		if i < 0 || !folded[i] {
			continue
		}
		if _, known := read[i]; !known {
			read[i] = smallConstant(w.Outline.Nodes[i])
		}
		word := read[i]
		if formal := w.inputNamed(n, at); formal != "" && word != "" {
			word = formal + "=" + word
		}
		if word == "" || width+cells.Width(word) > mostOfAll {
			rest++
			continue
		}
		width += cells.Width(word) + 1
		words = append(words, word)
	}
	if rest > 0 {
		words = append(words, fmt.Sprintf("+%d const", rest))
	}
	return strings.Join(words, " ")
}

// inputNamed returns the standard's name of an input; "" if it has none of its own.
func (w *Wiring) inputNamed(n *graphops.Node, at int) string {
	version, ok := int64(0), false
	switch p := w.Outline.Place; {
	case p.Function != nil:
		version, ok = p.Function.Opset(n.Domain())
	case w.Outline.Model != nil:
		version, ok = w.Outline.Model.Opset(n.Domain())
	}
	if !ok {
		return ""
	}
	s, ok := opschema.Find(n.Domain(), n.OpType(), version)
	if !ok || at >= len(s.Inputs) || s.Inputs[at].Option == opschema.Variadic {
		return ""
	}
	return s.Inputs[at].Name
}

// smallConstant returns the elements of a Constant as text, safe to print; "" if they are many.
func smallConstant(n *graphops.Node) string {
	attributes := n.Attributes()
	if len(attributes) != 1 {
		return ""
	}
	a := attributes[0]
	if size, deferred := a.Deferred(); deferred && size > 1<<10 {
		return ""
	}
	t, err := a.Dense("")
	if err != nil {
		return ""
	}
	if count, err := t.Elements(); err != nil || count > fewElements {
		return ""
	}
	if size, err := t.ByteLen(); err != nil || size > 1<<10 {
		return ""
	}
	v, err := t.Read()
	if err != nil {
		return ""
	}
	texts, err := v.Texts()
	if err != nil {
		return ""
	}
	text := strings.Join(texts, ",")
	if len(t.Dims()) > 0 {
		text = "[" + text + "]"
	}
	text = cells.Label(text)
	if cells.Width(text) > mostOfOne {
		return ""
	}
	return text
}
