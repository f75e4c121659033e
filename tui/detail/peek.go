package detail

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session/reporting"
	"lathe/tui/cells"
	"lathe/tui/workspace"
)

// background is what is read for a row while its text is visible already.
type background struct {
	// values has the elements of the row's small constants.
	values peeked
	part   *reporting.CompiledPart // what a provider has compiled; nil for any other node
}

// peeked maps small constants to their elements as text, safe to print.
type peeked map[constant]string

// constant identifies a constant that a node reads or has in an attribute.
type constant struct {
	attribute bool
	name      string // raw
}

// maxPeek limits what is read of a constant with few elements, in bytes, because strings may be
// long.
const maxPeek = 4 << 10

// peek starts to read the small constants of a row, including those in attributes, and what an
// execution provider has compiled. It returns nil if the row has neither.
func (p *Pane) peek(key detailKey) tea.Cmd {
	p.peeking.Stop()
	if key.wiring == nil {
		return nil
	}
	small := map[constant]*graphops.Tensor{}
	for _, t := range constantNames(p.ws, key.row) {
		addSmall(small, constant{false, t.Name()}, t)
	}
	var compiled *graphops.CompiledNode
	if n := key.outline.Node(key.row); n != nil {
		if c, ok := n.Compiled(); ok {
			_, i := key.outline.At(key.row)
			compiled = &graphops.CompiledNode{Compiled: c, Place: key.outline.Place, Index: i}
		}
		for _, a := range n.Attributes() {
			if a.Kind() == graphops.AttrTensor && a.Tensor() != nil {
				addSmall(small, constant{true, a.Name()}, a.Tensor())
			}
		}
	}
	if len(small) == 0 && compiled == nil {
		return nil
	}
	m := p.ws.Model()
	read := func(ctx context.Context) background {
		b := background{values: peekAll(ctx, small)}
		if compiled != nil {
			part := []reporting.CompiledPart{reporting.CompiledPartOf(m, *compiled)}
			if err := reporting.SumCompiled(ctx, part, reporting.MaxSummed); err != nil {
				part[0].Problem = err.Error()
			}
			b.part = &part[0]
		}
		return b
	}
	return workspace.Ask(p.ws, &p.peeking, "reading constants", read, func(b background) tea.Cmd {
		p.Values, p.part = b.values, b.part
		p.write()
		return nil
	})
}

// mostPeeks is how many constants of one node are read.
const mostPeeks = 64

// addSmall adds a tensor if it is small.
func addSmall(list map[constant]*graphops.Tensor, c constant, t *graphops.Tensor) {
	n, err := t.Elements()
	size, sizeErr := t.ByteLen()
	if err == nil && sizeErr == nil && n > 0 && n <= fewItems && size <= maxPeek && len(list) < mostPeeks {
		list[c] = t
	}
}

func peekAll(ctx context.Context, list map[constant]*graphops.Tensor) peeked {
	out := peeked{}
	for c, t := range list {
		if ctx.Err() != nil {
			break
		}
		out[c] = elementsText(t)
	}
	return out
}

// elementsText returns the elements of a tensor in brackets, or why they cannot be read.
func elementsText(t *graphops.Tensor) string {
	words, err := elements(t)
	if err != nil {
		return cells.SafeLines(err.Error())[0]
	}
	for i, w := range words {
		words[i] = cells.Prose(w)
	}
	list := strings.Join(words, ", ")
	if len(t.Dims()) == 0 {
		return list
	}
	return "[" + list + "]"
}

// elements returns the elements of a tensor as texts.
func elements(t *graphops.Tensor) ([]string, error) {
	v, err := t.Read()
	if err != nil {
		return nil, err
	}
	return v.Texts()
}
