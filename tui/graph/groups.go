package graph

import (
	"cmp"
	"context"
	"math"
	"path"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/scope"
	"lathe/session/reporting"
	"lathe/tui/cells"
)

// Part is a group of nodes of a model: a part that repeats, something in such a part, or a module
// outside of all parts. It is safe to print.
type Part struct {
	Name          string
	Place         *graphops.Place
	Nodes         []int32 // in the order of the graph
	Inner         []Part  // what is in it, nil if that is not known
	Params, Bytes int64
	US            float64   // the time of all nodes in µs; negative if none is known
	Share         float64   // of the time of the model, from 0 to 1
	Error         NodeError // the largest error of a node
	EstimatedMS   float64   // the part's share of Parts.Latency; 0 if that is not known
	SNR           float64   // the smallest ratio of a node, in dB; NaN if none is known
}

// Parts are the groups of a model. They are immutable.
type Parts struct {
	List   []Part
	Timed  bool // times are known
	Erring bool // errors are known
	Noisy  bool // ratios of quantized weights are known
	// Latency is that of the whole model. Each group has a share of it. It is nil if it or the times
	// of nodes are not known.
	Latency *Latency
	// Slowest are the nodes with the longest times, at most a few.
	Slowest []Slow
	Of      *reporting.Summary
	Known
}

// Known is what was measured of the nodes of a model; nil what was not.
type Known struct {
	Times   *NodeTimes
	Errors  *NodeErrors
	Signals *NodeSignals
	Latency *Latencies
}

// Known returns what was measured of the nodes of the model.
func (t *Typing) Known() Known {
	return Known{t.Times.Load(), t.Errors.Load(), t.Signals.Load(), t.Latency.Load()}
}

// PartsOf groups the nodes of a model by the parts of its summary, and the others by module. The
// groups with the most time come first, or else those with the most parameters. It stops early if
// ctx ends.
func PartsOf(ctx context.Context, s *reporting.Summary, known Known) *Parts {
	out := &Parts{Of: s, Known: known}
	place := s.Found.Place
	out.Timed = known.Times != nil && known.Times.Place == place
	out.Erring = known.Errors != nil && known.Errors.Place == place
	out.Noisy = known.Signals.in(place) != nil
	if out.Timed {
		out.Latency = known.Latency.Like(known.Times)
		out.Slowest = slowest(known.Times)
	}
	g := grouping{Parts: out, place: place, tree: scope.BuildPlace(place)}
	inPart := make([]bool, len(place.Graph.Nodes()))
	for i := range s.Found.Parts {
		if ctx.Err() != nil {
			return out
		}
		p := &s.Found.Parts[i]
		all := slices.Concat(p.Nodes...)
		slices.Sort(all)
		for _, n := range all {
			inPart[n] = true
		}
		part := g.part(cells.Label(s.Parts[i].Name()), all)
		if p.Path != "" {
			depth := strings.Count(p.Path, "/")
			if inner := g.split(all, func(n int32) scope.ID { return g.below(n, depth) }); len(inner) > 1 {
				part.Inner = inner
			}
		}
		out.List = append(out.List, part)
	}
	out.List = append(out.List, g.rest(inPart)...)
	out.sort(out.List)
	return out
}

// grouping makes groups of the nodes of a place.
type grouping struct {
	*Parts
	place *graphops.Place
	tree  *scope.Tree
}

// rest groups the nodes that are in no part by the outermost module around them that contains no
// part.
func (g *grouping) rest(inPart []bool) []Part {
	holds := make([]bool, len(g.tree.Scopes)) // scopes that contain a node of a part
	var others []int32
	for i, is := range inPart {
		if !is {
			others = append(others, int32(i))
			continue
		}
		for s := g.tree.Find(i); s >= 0 && !holds[s]; s = g.tree.Scopes[s].Parent {
			holds[s] = true
		}
	}
	return g.split(others, func(n int32) scope.ID {
		s := g.tree.Find(int(n))
		if s == scope.Root || holds[s] {
			return scope.Root
		}
		for p := g.tree.Scopes[s].Parent; p > scope.Root && !holds[p]; p = g.tree.Scopes[s].Parent {
			s = p
		}
		return s
	})
}

// outside names the nodes that are in no module below the one that is split.
const outside = "other nodes"

// below returns the module that a node is in, this many modules below the outermost one plus one. It
// is the root if the node is not so deep.
func (g *grouping) below(n int32, depth int) scope.ID {
	s := g.tree.Find(int(n))
	for s != scope.Root && g.tree.Scopes[s].Depth > depth+1 {
		s = g.tree.Scopes[s].Parent
	}
	if g.tree.Scopes[s].Depth <= depth {
		return scope.Root
	}
	return s
}

// split groups nodes by the modules that in says they are in. Alike modules are one group.
func (g *grouping) split(nodes []int32, in func(n int32) scope.ID) []Part {
	of := map[string][]int32{}
	paths := map[scope.ID]string{scope.Root: ""}
	for _, n := range nodes {
		s := in(n)
		if _, ok := paths[s]; !ok {
			paths[s] = alikePath(g.tree, s)
		}
		of[paths[s]] = append(of[paths[s]], n)
	}
	var out []Part
	for key, list := range of {
		name := outside
		if key != "" {
			name = cells.Label(path.Base(key))
		}
		out = append(out, g.part(name, list))
	}
	g.sort(out)
	return out
}

// part adds up what is known of nodes.
func (g *grouping) part(name string, nodes []int32) Part {
	p := Part{Name: name, Place: g.place, Nodes: nodes, US: -1, SNR: math.NaN()}
	if db, known := g.Signals.worst(g.place, nodes); known {
		p.SNR = db
	}
	seen := map[*graphops.Tensor]bool{}
	all := g.place.Graph.Nodes()
	for _, i := range nodes {
		for _, in := range all[i].Inputs() {
			t := initializerOf(g.place, in)
			if t == nil || seen[t] {
				continue
			}
			seen[t] = true
			n, err := cost.ParametersOf(t, all[i], in)
			size, also := t.ByteLen()
			if err == nil && also == nil {
				p.Params += n
				p.Bytes += size
			}
		}
		if g.Timed && int(i) < len(g.Times.nodes) {
			if c := g.Times.nodes[i]; c.With == int(i) {
				p.US = max(p.US, 0) + c.US
				p.Share += c.Share
			}
		}
		if g.Erring && int(i) < len(g.Errors.Nodes) {
			if e := g.Errors.Nodes[i]; e.Known && (!p.Error.Known || e.worse(p.Error)) {
				p.Error = e
			}
		}
	}
	if g.Parts.Latency != nil {
		p.EstimatedMS = p.Share * float64(g.Parts.Latency.P50)
	}
	return p
}

// worse reports whether an error is larger than another one. One that is only a word is the
// largest.
func (n NodeError) worse(than NodeError) bool {
	if n.Failed != than.Failed {
		return n.Failed
	}
	return !(n.X <= than.X) && than.X == than.X
}

// initializerOf returns the initializer that a name refers to in a place or one around it, or nil.
func initializerOf(p *graphops.Place, name string) *graphops.Tensor {
	for ; p != nil && name != ""; p = p.Parent {
		x := p.Graph.Index()
		if id, ok := x.Value(name); ok && x.IsDefined(id) {
			return x.Initializer(id)
		}
	}
	return nil
}

// sort sorts groups by time if it is known, or else by parameters.
func (p *Parts) sort(list []Part) {
	slices.SortStableFunc(list, func(a, b Part) int {
		return cmp.Or(cmp.Compare(b.US, a.US), cmp.Compare(b.Params, a.Params), cmp.Compare(len(b.Nodes), len(a.Nodes)), strings.Compare(a.Name, b.Name))
	})
}

// TimeText returns the time of all nodes of a part, "" if it is not known.
func (p *Part) TimeText() string {
	if p.US < 0 {
		return ""
	}
	return Microseconds(p.US)
}

// EstimateText returns the part's share of the latency of the model, "" if it is not known.
func (p *Part) EstimateText() string {
	if p.EstimatedMS <= 0 {
		return ""
	}
	return "~" + Microseconds(1000*p.EstimatedMS)
}

// SNRText returns the smallest ratio of a node of a part, "" if none is known.
func (p *Part) SNRText() string {
	if math.IsNaN(p.SNR) {
		return ""
	}
	return Decibels(p.SNR)
}

// ErrorText returns the largest error of a node of a part, "" if none is known.
func (p *Part) ErrorText() string {
	switch e := p.Error; {
	case !e.Known:
		return ""
	case e.Word != "":
		return e.mark() + " " + cells.Label(e.Word)
	default:
		return e.mark() + Brief(e.X)
	}
}
