package check

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/check/suspect"
	"lathe/graphops/opschema"
	"lathe/graphops/shape"
)

// mostPinned is the number of fixed sizes for which a suspect is sought.
const mostPinned = 4

// suspectPinned looks for an attribute behind sizes inside the model that have to be one number. A
// model with such a size loads and runs, but only at one size of an input. Unlike an error, it may be
// meant. So an attribute is a suspect only if all nodes of the same name in other layers have another
// value, and with that value the size is free and no other problem appears.
func (s *subject) suspectPinned() {
	if !OK(s.found) {
		return
	}
	var last *Suspect
	searched := 0
	for i := range s.found {
		p := &s.found[i]
		if p.Code != codePinned || p.Severity != Warning || p.Fix != nil || p.Place == nil || p.Node < 0 {
			continue
		}
		if last != nil && !last.left[faultOf(*p)] {
			last.applyToSize(p)
			continue
		}
		if searched++; searched > mostPinned || s.ctx.Err() != nil {
			return
		}
		if found := s.unlikePeers(*p); found != nil {
			last = found
			last.applyToSize(p)
		}
	}
}

// applyToSize sets the suspect, the hint and the fix of a fixed size.
func (s *Suspect) applyToSize(p *Problem) {
	s.apply(p)
	n := s.Place.Graph.Nodes()[s.Node]
	p.Hint = fmt.Sprintf("probable cause: %s of %s %s is %s; the same node of every other layer has %s, and with that the size is free",
		s.Attribute, n.OpType(), shortName(s.Place, s.Node), s.Is, s.Fits[0])
}

// unlikePeers returns the attribute whose value differs from that of all peers of its node, if the value
// of the peers removes a problem; nil if there is not exactly one.
func (s *subject) unlikePeers(p Problem) *Suspect {
	peers := suspect.PeersOf(p.Place)
	before := pinnedIn(s.found)
	var out *Suspect
	for _, c := range suspect.Changes(p.Place, p.Node, s.factsForChanges()).Nearest(mostVisits / s.nodes()) {
		if peers.Compare(c) >= 0 {
			continue
		}
		after, ok := s.pinnedAfter(c)
		if !ok || after[faultOf(p)] || slices.ContainsFunc(keysOf(after), func(f fault) bool { return !before[f] }) {
			continue
		}
		if out != nil {
			return nil
		}
		out = &Suspect{Place: c.Place, Node: c.Node, Attribute: c.Attribute.Name(), Is: c.Is, Fits: []string{c.Want}, left: after}
		out.Text = out.text()
	}
	return out
}

// pinnedAfter returns the fixed sizes of the model after a change. ok is false if the change causes an
// error, or if they cannot be found.
func (s *subject) pinnedAfter(c suspect.Change) (left map[fault]bool, ok bool) {
	m := c.Apply(s.model)
	inferred, err := shape.Infer(s.ctx, m, shape.Options{})
	if err != nil {
		return nil, false
	}
	t := newSubject(s.ctx, m, Options{Runtime: s.Runtime, Shapes: inferred})
	if t.run(rulesOf(append([]string{codePinned}, judges...)...)) != nil || !OK(t.found) {
		return nil, false
	}
	return pinnedIn(t.found), true
}

// pinnedIn returns the fixed sizes among problems.
func pinnedIn(list []Problem) map[fault]bool {
	out := map[fault]bool{}
	for _, p := range list {
		if p.Code == codePinned {
			out[faultOf(p)] = true
		}
	}
	return out
}

// factsForChanges returns what package suspect has to know of the model.
func (s *subject) factsForChanges() suspect.Facts {
	return suspect.Facts{
		Schema: func(p *graphops.Place, node int) *opschema.Schema {
			return s.schema(site{p.Graph.Nodes()[node], p, node})
		},
		Rank: func(p *graphops.Place, value string) int {
			if t := s.inferred(p, value); t.Dims != nil {
				return len(t.Dims)
			}
			return -1
		},
	}
}
