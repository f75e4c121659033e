package graphops

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// FindPlace finds the place at the end of a path, which starts at the main graph. Each hop of the
// path is NODE:ATTRIBUTE: the name of a node or # and its index, and the name of an attribute with
// a graph. For an attribute with several graphs it is NODE:ATTRIBUTE[N], with N from 0. The first
// hop may also be a function, as DOMAIN:NAME or DOMAIN:NAME:OVERLOAD. An empty path is the main
// graph.
func (m *Model) FindPlace(hops []string) (*Place, error) {
	all := m.Places()
	at := all[0]
	for i, hop := range hops {
		next := at.body(hop)
		if next == nil && i == 0 {
			next = functionPlace(all, hop)
		}
		if next == nil {
			return nil, unknownPlace(all, at, hop, i == 0)
		}
		at = next
	}
	return at, nil
}

func (p *Place) body(hop string) *Place {
	for _, b := range p.Bodies {
		if hop == b.hop || hop == "#"+strconv.Itoa(b.Node)+b.hop[strings.LastIndex(b.hop, ":"):] {
			return b
		}
	}
	return nil
}

func functionPlace(all []*Place, hop string) *Place {
	for _, p := range all {
		if p.Kind == FunctionBody && (hop == p.hop || hop == p.Function.name) {
			return p
		}
	}
	return nil
}

func unknownPlace(all []*Place, at *Place, hop string, functions bool) error {
	var known []string
	for _, b := range at.Bodies {
		known = append(known, b.hop)
	}
	for _, p := range all {
		if functions && p.Kind == FunctionBody {
			known = append(known, p.hop)
		}
	}
	where := "the main graph"
	if at.Kind != MainGraph {
		where = fmt.Sprintf("%q", at.String())
	}
	if len(known) == 0 {
		return fmt.Errorf("place %q: %s contains no bodies", hop, where)
	}
	near := NearestNames(hop, slices.Values(known))
	if len(near) == 0 {
		near = known[:min(3, len(known))]
	}
	return fmt.Errorf("place %q: %s contains no place with this name; expected NODE:ATTRIBUTE or a function, such as %s", hop, where, QuoteNames(near))
}
