package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/check/suspect"
	"lathe/graphops/shape"
)

// Suspect is an attribute that probably causes a problem: with another value the problem is gone, no
// other one appears, and no declared type is contradicted, and that is so of no other attribute
// upstream of the problem.
type Suspect struct {
	Place     *graphops.Place
	Node      int
	Attribute string
	Is        string   // its value
	Fits      []string // the values with which all types fit; at least one
	Text      string   // all of this in one line

	left map[fault]bool // the problems that remain with the first of these values
}

// Where returns the node, and the place if it is not the main graph.
func (s *Suspect) Where() string { return Problem{Place: s.Place, Node: s.Node}.Where() }

// suspectable are the checks whose errors an attribute upstream may cause.
var suspectable = []string{
	codeContradiction, codeRunFails, "type-mismatch", "type-unsupported", "type-declared", "branch-types", "body-type", "input-type",
}

// judges are the checks that a change must not fail.
var judges = append([]string{"shape-declared", "attribute-value"}, suspectable...)

// The limits of a search. A change is first judged by the inference of types and shapes, which is
// cheap, and then by the checks.
const (
	mostSuspected = 2       // errors for which a suspect is sought
	mostVisits    = 120_000 // nodes that are inferred for one error
	mostJudged    = 24      // changes that are judged by the checks for one error
)

// fault identifies a problem in any version of the model.
type fault struct {
	code        string
	place, node int
	value       string
}

// nameSuspects looks for an attribute behind each error of types and shapes.
func (s *subject) nameSuspects() {
	var before map[fault]bool
	var last *Suspect
	searched := 0
	for i := range s.found {
		p := &s.found[i]
		if p.Severity != Error || p.Place == nil || p.Node < 0 || !slices.Contains(suspectable, p.Code) {
			continue
		}
		if p.Cause != nil || p.Fix != nil && (p.Code != "type-declared" || p.Fix.Step == "attribute") { // what is wrong is known
			continue
		}
		if last != nil && !last.left[faultOf(*p)] { // the change also removes this error
			last.apply(p)
			continue
		}
		if searched++; searched > mostSuspected || s.ctx.Err() != nil {
			continue
		}
		if before == nil {
			before = s.faults()
		}
		if found := s.suspectOf(*p, before); found != nil && !found.isVague(*p) {
			last = found
			found.apply(p)
			s.nameAfter(*p)
		}
	}
}

// nameAfter says of sizes that the suspect of a problem asks for that they follow from its attribute.
func (s *subject) nameAfter(p Problem) {
	for i := range s.found {
		q := &s.found[i]
		if q.Code == codePinned && q.Place == p.Suspect.Place && q.Node == p.Suspect.Node && q.Fix == nil {
			q.Hint = "probably this follows from the attribute: " + p.Suspect.Text
		}
	}
}

// trial is a change that removes an error and causes none.
type trial struct {
	suspect.Change
	left    map[fault]bool // what remains
	peers   int            // -1 if the node is then as its peers are, 1 if it is so without the change
	demands int            // relations between sizes that do not always hold
	odd     int            // sizes of outputs that are neither a number nor a symbol
}

// rank orders trials, the best first. A change is more likely if it makes a node as the same node of
// other layers is, or if it leaves less to hold. So is one that gives the outputs plain sizes: if the
// batch is n, the outputs have n rows and not 2*n.
func rank(a, b trial) int {
	return cmp.Or(len(a.left)-len(b.left), a.peers-b.peers, a.demands-b.demands, a.odd-b.odd)
}

// suspectOf returns the attribute behind a problem; nil if not exactly one is found.
func (s *subject) suspectOf(p Problem, before map[fault]bool) *Suspect {
	result, err := s.shapes()
	if err != nil {
		return nil
	}
	known := contradictionsOf(result)
	var works []trial
	peers := suspect.PeersOf(p.Place)
	judged := 0
	for _, c := range suspect.Changes(p.Place, p.Node, s.factsForChanges()).Nearest(mostVisits / s.nodes()) {
		if s.ctx.Err() != nil {
			return nil
		}
		if isTyping := strings.HasPrefix(p.Code, "type-"); isTyping && !c.SetsType() {
			continue
		}
		m := c.Apply(s.model)
		inferred, err := shape.Infer(s.ctx, m, shape.Options{})
		if err != nil || !helps(contradictionsOf(inferred), known, p) {
			continue
		}
		if judged++; judged > mostJudged {
			return nil // an attribute that was not judged may be the one
		}
		after := newSubject(s.ctx, m, Options{Runtime: s.Runtime, Shapes: inferred}).faults()
		if !after[faultOf(p)] && !slices.ContainsFunc(keysOf(after), func(f fault) bool { return !before[f] }) {
			works = append(works, trial{c, after, peers.Compare(c), demandsOf(inferred), oddSizes(m, inferred)})
		}
	}
	return agreed(works)
}

// faults returns the problems of types and shapes that the model has.
func (s *subject) faults() map[fault]bool {
	t := newSubject(s.ctx, s.model, Options{Runtime: s.Runtime, Shapes: s.Shapes})
	if t.Shapes == nil {
		t.lookups.shapes = s.shapes
	}
	out := map[fault]bool{}
	if t.run(rulesOf(judges...)) != nil {
		return out
	}
	for _, p := range t.found {
		out[faultOf(p)] = true
	}
	return out
}

// rulesOf returns the checks with some codes.
func rulesOf(codes ...string) (table []rule) {
	for _, r := range rules() {
		if slices.Contains(codes, r.code) {
			table = append(table, r)
		}
	}
	return table
}

func faultOf(p Problem) fault {
	f := fault{code: p.Code, place: -1, node: p.Node, value: p.Value}
	if p.Place != nil {
		f.place = p.Place.ID
	}
	return f
}

func keysOf(faults map[fault]bool) []fault { return slices.Collect(maps.Keys(faults)) }

// contradiction is one that shape inference finds, in any version of the model.
type contradiction struct {
	place, node int
	value       graphops.ValueID
	kind        shape.ProblemKind
}

func contradictionsOf(r *shape.Result) map[contradiction]bool {
	out := map[contradiction]bool{}
	for _, p := range r.Problems {
		out[contradiction{p.Place.ID, p.Node, p.Value, p.Kind}] = true
	}
	return out
}

// helps reports whether a change causes no contradiction, and removes that at the node of a problem if
// there was one.
func helps(after, before map[contradiction]bool, p Problem) bool {
	was, is := false, false
	for c := range before {
		was = was || c.place == p.Place.ID && c.node == p.Node
	}
	for c := range after {
		if !before[c] {
			return false
		}
		is = is || c.place == p.Place.ID && c.node == p.Node
	}
	return !was || !is
}

// demandsOf counts the relations between sizes that have to hold in a run and do not always do.
func demandsOf(r *shape.Result) (n int) {
	for _, d := range r.Demands {
		if !d.Tolerated {
			n++
		}
	}
	return n
}

// oddSizes counts the sizes of the model's outputs that are neither a number nor a symbol.
func oddSizes(m *graphops.Model, r *shape.Result) (n int) {
	main := m.Places()[0]
	for _, o := range m.Graph().Outputs() {
		v, ok := main.Graph.Index().Value(o.Name())
		if !ok {
			continue
		}
		for _, d := range r.Value(main, v).Type.Dims {
			_, number := d.Number()
			if _, symbol := d.IsSymbol(); !number && !symbol {
				n++
			}
		}
	}
	return n
}

// agreed returns the suspect if all trials that leave the fewest faults and demands are about one
// attribute of one node.
func agreed(works []trial) *Suspect {
	if len(works) == 0 {
		return nil
	}
	best := slices.MinFunc(works, rank)
	var out *Suspect
	for _, w := range works {
		switch {
		case rank(w, best) > 0:
			continue
		case out == nil:
			out = &Suspect{Place: w.Place, Node: w.Node, Attribute: w.Attribute.Name(), Is: w.Is, left: w.left}
		case out.Place != w.Place || out.Node != w.Node || out.Attribute != w.Attribute.Name():
			return nil
		}
		out.Fits = append(out.Fits, w.Want)
	}
	out.Text = out.text()
	return out
}

// text returns the suspect in one line.
func (s *Suspect) text() string {
	n := s.Place.Graph.Nodes()[s.Node]
	line := fmt.Sprintf("%s of %s %s is %s; with ", s.Attribute, n.OpType(), shortName(s.Place, s.Node), s.Is)
	if n.Name() == "" {
		line = fmt.Sprintf("%s of %s is %s; with ", s.Attribute, shortName(s.Place, s.Node), s.Is)
	}
	switch len(s.Fits) {
	case 1:
		line += s.Fits[0]
	case 2:
		line += s.Fits[0] + " or " + s.Fits[1]
	default:
		line += fmt.Sprintf("%d other values, such as %s,", len(s.Fits), s.Fits[0])
	}
	return line + " all types fit"
}

// isVague reports whether a suspect says no more than that an attribute of the node itself does not fit.
func (s *Suspect) isVague(p Problem) bool {
	return s.Place == p.Place && s.Node == p.Node && len(s.Fits) > 2
}

// apply sets the suspect, the hint and the fix of a problem.
func (s *Suspect) apply(p *Problem) {
	p.Suspect = s
	p.Hint = "probable cause: " + s.Text
	if p.Fix = nil; len(s.Fits) > 1 {
		return // it is not known which of the values is meant
	}
	p.Fix = setAttribute(site{s.Place.Graph.Nodes()[s.Node], s.Place, s.Node}, s.Attribute+"="+s.Fits[0])
}
