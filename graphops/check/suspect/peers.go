package suspect

import (
	"strings"

	"lathe/graphops"
)

// Peers are nodes of a place that differ in the numbers of their names only, such as the same node of
// each layer. The same is true of the nodes that compute their first inputs: in some models another node
// has the number of the first layer.
type Peers map[peer][]*graphops.Node

// peer identifies nodes that are peers: an operator, and a name without the numbers of the modules
// around the node. The number of the node itself, as in Transpose_1, distinguishes it within its module.
type peer struct {
	op, name string
	input    string // the name of the node that computes the first input
}

func peerOf(p *graphops.Place, n *graphops.Node) peer {
	out := peer{op: n.OpType(), name: withoutLayers(n)}
	x := p.Graph.Index()
	if inputs := n.Inputs(); len(inputs) > 0 {
		if v, ok := x.Value(inputs[0]); ok && x.Producer(v) >= 0 {
			out.input = withoutLayers(p.Graph.Nodes()[x.Producer(v)])
		}
	}
	return out
}

// withoutLayers returns the name of a node without the numbers of the modules around it.
func withoutLayers(n *graphops.Node) string {
	around, own := "", n.Name()
	if at := strings.LastIndexByte(own, '/'); at >= 0 {
		around, own = own[:at], own[at:]
	}
	isDigit := func(r rune) bool { return r >= '0' && r <= '9' }
	without := strings.Map(func(r rune) rune {
		if isDigit(r) {
			return -1
		}
		return r
	}, around)
	if around == "" { // a name without modules
		own = strings.TrimRightFunc(own, isDigit)
	}
	return without + own
}

// PeersOf returns the peers of a place.
func PeersOf(p *graphops.Place) Peers {
	out := Peers{}
	for _, n := range p.Graph.Nodes() {
		if n.Name() != "" {
			key := peerOf(p, n)
			out[key] = append(out[key], n)
		}
	}
	return out
}

// Compare returns -1 if the change gives a node the value that all of its peers have, 1 if it takes
// that value from it, and 0 otherwise.
func (p Peers) Compare(c Change) int {
	n := c.Place.Graph.Nodes()[c.Node]
	is, others := "", 0
	for _, peer := range p[peerOf(c.Place, n)] {
		if peer == n {
			continue
		}
		value := candidate{n: peer, name: c.Attribute.Name()}
		value.a, _ = peer.Attribute(c.Attribute.Name())
		if others++; others > 1 && value.text(value.present()) != is {
			return 0
		}
		is = value.text(value.present())
	}
	switch {
	case others == 0:
		return 0
	case is == c.Want:
		return -1
	case is == c.Is:
		return 1
	default:
		return 0
	}
}
