package diff

import (
	"context"
	"slices"

	"lathe/graphops"
)

// Compare matches the models a and b with each other, and returns their differences.
func Compare(ctx context.Context, a, b *graphops.Model, o Options) (*Diff, error) {
	m := newMatcher(ctx, a, b)
	places, err := m.match()
	if err != nil {
		return nil, err
	}
	c := &comparer{ctx: ctx, o: o, m: m, d: &Diff{A: a, B: b}, seen: map[[2]*graphops.Tensor]bool{}, copies: map[copied]bool{}}
	c.compareInterface(places[0])
	c.compareModels()
	for _, p := range places {
		if err := c.place(p); err != nil {
			return nil, err
		}
	}
	for _, p := range places {
		c.lone(p)
	}
	if err := c.compareElements(); err != nil {
		return nil, err
	}
	c.conclude()
	return c.d, nil
}

// comparer is the state of one call of Compare.
type comparer struct {
	ctx   context.Context
	o     Options
	m     *matcher
	d     *Diff
	heads heads

	pending []pairOfTensors // to be compared element by element
	seen    map[[2]*graphops.Tensor]bool
	copies  map[copied]bool
}

func (c *comparer) unread(err error) {
	if err != nil {
		c.d.Notes.Unread = append(c.d.Notes.Unread, err)
	}
}

// place compares two matching places, or lists the nodes of a place without a partner.
func (c *comparer) place(p *PlaceMatch) error {
	d := &PlaceDiff{PlaceMatch: p}
	c.d.Places = append(c.d.Places, d)
	if p.A == nil || p.B == nil {
		c.alone(d)
		return nil
	}
	for i := range p.nodeA {
		if i%contextStride == 0 && c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		c.node(d, i)
	}
	for j := range p.nodeB {
		if p.nodeB[j] == none && p.b.isNode(j) {
			d.Added = append(d.Added, j)
		}
	}
	c.compareConstants(p)
	c.compareTypes(d)
	c.compareGraphs(d)
	d.align()
	c.countNames(d)
	return nil
}

// alone lists the nodes of a place without a partner as added or removed.
func (c *comparer) alone(d *PlaceDiff) {
	place, list := d.A, &d.Removed
	if place == nil {
		place, list = d.B, &d.Added
	}
	for i, n := range place.Graph.Nodes() {
		row := Row{A: i, B: -1, Change: -1}
		if d.A == nil {
			row = Row{A: -1, B: i, Change: -1}
		}
		d.Rows = append(d.Rows, row)
		if c.m.heads.constantOf(i, n) == nil {
			*list = append(*list, i)
		}
	}
}

// conclude sets Equal and Identical from the differences that were found.
func (c *comparer) conclude() {
	d := c.d
	d.Equal = len(d.IO) == 0 && len(d.Weights) == 0 && !slices.ContainsFunc(d.Model, Field.Counts)
	described := len(d.Model) > 0
	for _, p := range d.Places {
		lone := p.A == nil || p.B == nil
		changed := slices.ContainsFunc(p.Changed, func(n NodeChange) bool { return !n.Describes })
		if lone || changed || len(p.Added)+len(p.Removed)+len(p.Types) > 0 || slices.ContainsFunc(p.Fields, Field.Counts) {
			d.Equal = false
		}
		described = described || len(p.Changed)+len(p.Fields) > 0
	}
	n := d.Notes
	d.Equal = d.Equal && len(n.Unread) == 0
	d.Identical = d.Equal && !described && !d.Renamed.Any() && n.Complete() &&
		n.Reordered+n.Defaults+n.Stored+n.Swapped+n.Shared+n.Listed+n.Typed+n.Unused == 0
}
