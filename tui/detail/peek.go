package detail

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/tui/cells"
	"lathe/tui/workspace"
)

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

// peek starts to read the small constants of a row, including those in attributes. It returns nil
// if the row has no small constants.
func (p *Pane) peek(key detailKey) tea.Cmd {
	p.peeking.Stop()
	if key.wiring == nil {
		return nil
	}
	small := map[constant]*graphops.Tensor{}
	for _, t := range constantNames(p.ws, key.row) {
		addSmall(small, constant{false, t.Name()}, t)
	}
	if n := key.outline.Node(key.row); n != nil {
		for _, a := range n.Attributes() {
			if a.Kind() == graphops.AttrTensor && a.Tensor() != nil {
				addSmall(small, constant{true, a.Name()}, a.Tensor())
			}
		}
	}
	if len(small) == 0 {
		return nil
	}
	read := func(ctx context.Context) peeked { return peekAll(ctx, small) }
	return workspace.Ask(p.ws, &p.peeking, "reading constants", read, func(values peeked) tea.Cmd {
		p.Values = values
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
