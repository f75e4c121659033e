package profile

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"lathe/session/text"
)

// WriteText writes the result as text: a table of the operators, a table of the nodes that took
// longest, and remarks. Each table has at most top rows and says how many it leaves out. Names are
// made safe to print.
func (r *Result) WriteText(w io.Writer, top int) error {
	p := text.NewPrinter(w)
	p.Table(r.operators(top))
	p.Line("")
	p.Table(r.longest(top))
	for _, line := range r.unsureRemark(top) {
		p.Line("%s", line)
	}
	if len(r.Copies) > 0 {
		p.Line("")
		p.Table(r.copies(top))
	}
	p.Line("")
	for _, line := range r.remarks() {
		p.Line("%s", line)
	}
	return p.Err()
}

// operators returns a table of the operators with the most time, and their bounds.
func (r *Result) operators(top int) text.Table {
	t := text.Table{Titles: []string{"operator", ">nodes", ">calls", ">time", ">share", "bound"}}
	names := make([]string, 0, len(r.Ops))
	for op := range r.Ops {
		names = append(names, op)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(r.Ops[b].US, r.Ops[a].US), strings.Compare(a, b))
	})
	bounds := r.boundsOf()
	for i, op := range names {
		if i == top && len(names) > top+1 {
			rest := Total{}
			for _, op := range names[i:] {
				o := r.Ops[op]
				rest = Total{rest.US + o.US, rest.Share + o.Share, rest.Nodes + o.Nodes, rest.Calls + o.Calls}
			}
			t.Add(fmt.Sprintf("%d more", len(names)-i), rest.Nodes, calls(rest.Calls), Time(rest.US), percent(rest.Share), "")
			break
		}
		o := r.Ops[op]
		t.Add(text.Clean(op), o.Nodes, calls(o.Calls), Time(o.US), percent(o.Share), bounds[op])
	}
	return t
}

// boundsOf returns for each operator the bound of the nodes that take more than half of its time.
// An operator without such a bound is left out.
func (r *Result) boundsOf() map[string]string {
	times := map[string]map[Bound]Number{}
	for _, n := range r.Nodes {
		if n.Bound == nil {
			continue
		}
		if times[n.Op] == nil {
			times[n.Op] = map[Bound]Number{}
		}
		times[n.Op][*n.Bound] += n.US
	}
	out := map[string]string{}
	for op, by := range times {
		for _, b := range []Bound{BoundCompute, BoundMemory, BoundNeither} {
			if by[b] > r.Ops[op].US/2 {
				out[op] = string(b)
			}
		}
	}
	return out
}

// longest returns a table of the nodes with the most time.
func (r *Result) longest(top int) text.Table {
	t := text.Table{Titles: []string{"node", "operator", ">time", ">share", ">GFLOP/s", ">GB/s", "bound"}}
	rows := r.shownNodes()
	for i, n := range rows {
		if i == top && len(rows) > top+1 {
			rest, more := Total{}, 0
			for _, n := range rows[i:] {
				rest, more = rest.plus(n.Node), more+n.nodes
			}
			t.Add(fmt.Sprintf("%d more", more), "", Time(rest.US), percent(rest.Share), "", "", "")
			break
		}
		bound := ""
		if n.Bound != nil {
			bound = string(*n.Bound)
		}
		t.Add(nameOf(n.Node), n.operators(), n.said(), percent(n.Share), figure(n.GFLOPS), figure(n.GBPS), bound)
	}
	return t
}

// said returns the time of a node, marked if it is not certain.
func (n *Node) said() string {
	if n.Unsure {
		return "~" + Time(n.US)
	}
	return Time(n.US)
}

// unsureRemark explains the mark of times that are not certain, if one of the first nodes has it.
func (r *Result) unsureRemark(top int) []string {
	for _, n := range r.Nodes[:min(top, len(r.Nodes))] {
		if n.Unsure {
			return []string{fmt.Sprintf("~ varies from run to run (%s: half of the runs between %s and %s): its place in the list is not certain", nameOf(n), Time(n.Quartiles[0]), Time(n.Quartiles[1]))}
		}
	}
	return nil
}

// Caveat says that the times of the nodes are longer than those of a run without clocks, in few words.
// It is "" if they are not, or if that is not known.
func (r *Result) Caveat() string {
	if r.Slowdown < slowClocks {
		return ""
	}
	return fmt.Sprintf("with a clock at each node %.3g × a run; the shares count, not the times", float64(r.Slowdown))
}

// slowClocks is the slowdown from which the times of nodes need a caveat.
const slowClocks = 1.5

// cannotBe says that the longest time is more than the node's share of a run without clocks, of us
// microseconds, could be. It is "" if it is not, or if the clocks slow the run down little.
func (r *Result) cannotBe(us Number) string {
	if r.Caveat() == "" || len(r.Nodes) == 0 {
		return ""
	}
	n := r.Nodes[0]
	if n.US < slowClocks*n.Share*us {
		return ""
	}
	return fmt.Sprintf("without clocks a run takes %s, and %.1f %% of that is %s: %s for %s is mostly the clocks or other work", Time(us), 100*float64(n.Share), Time(n.Share*us), Time(n.US), nameOf(n))
}

// Clocks says what the clocks at the nodes do to their times, in lines. us is the time of a run without
// clocks.
func (r *Result) Clocks(us Number) (lines []string) {
	for _, s := range []string{r.Shortfall(), r.cannotBe(us)} {
		if s != "" {
			lines = append(lines, s)
		}
	}
	return lines
}

// maxNameCells is the maximum length of a name in a table.
const maxNameCells = 42

// nameOf names a node of the model by its module and name, or by the name that it ran with if
// the node is unknown.
func nameOf(n Node) string {
	name := text.Clean(n.Name)
	if n.By != ByNone {
		name = text.Clean(cmp.Or(n.Original, n.Name))
		if n.Original == "" && n.Index != nil {
			name = "node " + strconv.Itoa(*n.Index)
		}
		if module := text.Clean(n.Scope); module != "" && !strings.HasPrefix(name, module) && !strings.Contains(name, "/") {
			name = module + "/" + name
		}
		if n.Place != "" {
			name = text.Clean(n.Place) + ": " + name
		}
		if len(n.Members) == 0 {
			// an optimization inserted this node, or split the original and another part does its
			// work
			return "for " + text.ShortName(name, maxNameCells-4)
		}
		if more := len(n.Members) - 1; more > 0 {
			rest := fmt.Sprintf(" and %d more", more)
			name = text.ShortName(name, maxNameCells-len(rest)) + rest
		}
	} else {
		name += " (no node of the model)"
	}
	return text.ShortName(name, maxNameCells)
}

// copies returns a table of the copies between devices.
func (r *Result) copies(top int) text.Table {
	t := text.Table{Titles: []string{"copy between devices", "operator", ">time", ">share", ">bytes"}}
	for i, c := range r.Copies {
		if i == top && len(r.Copies) > top+1 {
			t.Add(fmt.Sprintf("%d more", len(r.Copies)-i), "", "", "", "")
			break
		}
		t.Add(text.ShortName(text.Clean(c.Name), maxNameCells), c.Op, Time(c.US), percent(c.Share), text.Bytes(c.Bytes))
	}
	return t
}

// remarks returns sentences that a reader needs to interpret the tables.
func (r *Result) remarks() []string {
	var out []string
	if r.Peak != nil && r.Peak.GBPS > 0 {
		var peaks []string
		for _, elem := range []string{elemF32, elemF16, elemI8} {
			if rate, ok := r.Peak.GFLOPS[elem]; ok {
				peaks = append(peaks, fmt.Sprintf("%.3g GFLOP/s %s", rate, elem))
			}
		}
		with := ""
		if r.Peak.Threads > 0 {
			with = " with " + text.Plural(int(r.Peak.Threads), "thread")
		}
		line := "this machine at best" + with + ": " + strings.Join(append(peaks, fmt.Sprintf("%.3g GB/s", r.Peak.GBPS)), ", ")
		if r.Peak.Cached {
			line += " (stored earlier)"
		}
		if r.Peak.Busy {
			line += "; it was busy then, so this is measured again when it is idle"
		}
		out = append(out, line)
		out = append(out, r.aboveMemory()...)
		out = append(out, r.legend()...)
	}
	if short := r.nearFloor(); short >= someShare {
		out = append(out, fmt.Sprintf("%s of the time is in calls that take little more than %s, the shortest call: most of their time may be the measuring itself", percent(short), Time(r.FloorUS)))
	}
	if r.UnjoinedShare > 0 {
		out = append(out, fmt.Sprintf("%s of the time is in nodes that could not be mapped to a node of the model", percent(r.UnjoinedShare)))
	}
	if r.Parallel > parallelFrom {
		out = append(out, fmt.Sprintf("nodes ran at the same time, %.2f on average: their times overlap", float64(r.Parallel)))
	}
	if r.Cut {
		out = append(out, fmt.Sprintf("the runtime keeps only a million events and drops later ones: the profile covers %s", text.Plural(r.Runs, "run")))
	}
	if r.Unread > 0 {
		out = append(out, fmt.Sprintf("%s of the runtime's trace cannot be read: their times count as overhead", text.Plural(r.Unread, "event")))
	}
	return out
}

// aboveMemory names the node that moved most bytes a second if that is more than the measured bandwidth,
// and says why it can be.
func (r *Result) aboveMemory() []string {
	var best *Node
	for i := range r.Nodes {
		if n := &r.Nodes[i]; n.GBPS != nil && n.US >= certainUS && (best == nil || *n.GBPS > *best.GBPS) {
			best = n
		}
	}
	if best == nil || float64(*best.GBPS) <= r.Peak.GBPS {
		return nil
	}
	why := "its values are in a cache, which is faster than memory"
	if r.Peak.Busy {
		why += ", or the machine was busier when that was measured"
	}
	return []string{fmt.Sprintf("%s moved %s GB/s, more than the %.3g GB/s of memory: %s", nameOf(*best), figure(best.GBPS), r.Peak.GBPS, why)}
}

// legend explains the bounds that occur in the tables.
func (r *Result) legend() []string {
	means := map[Bound]string{
		BoundCompute: "compute, arithmetic",
		BoundMemory:  "memory, reading and writing",
		BoundNeither: fmt.Sprintf("neither, below %.0f %% of both: starting the node, waiting of threads, or a slow kernel", 100*explainedShare),
	}
	var words []string
	for _, b := range []Bound{BoundCompute, BoundMemory, BoundNeither} {
		if slices.ContainsFunc(r.Nodes, func(n Node) bool { return n.Bound != nil && *n.Bound == b }) {
			words = append(words, means[b])
		}
	}
	if len(words) == 0 {
		return nil
	}
	return []string{"bound is what limits a node: " + strings.Join(words, "; ")}
}

// Shortfall says why the times in the tables add up to less than the time in nodes of a run. It is
// "" if they do not.
func (r *Result) Shortfall() string {
	if in := r.RunUS - r.OverheadUS; r.NodesUS >= in*(1-littleShare) || r.Parallel > parallelFrom {
		return ""
	}
	return fmt.Sprintf("the tables add up to only %s. A node counts with its median, which leaves out the runs in which it was slow", Time(r.NodesUS))
}

// littleShare is the share of the time in nodes that the tables may lack without a remark.
const littleShare = 0.02

// someShare is the share of the time from which remarks mentions something.
const someShare = 0.1

// nearFloor returns the share of the nodes whose calls take less than twice FloorUS on average.
func (r *Result) nearFloor() (share Number) {
	for _, n := range r.Nodes {
		if n.Calls > 0 && n.US/n.Calls < 2*r.FloorUS {
			share += n.Share
		}
	}
	return share
}

// parallelFrom is the mean number of concurrent nodes above which a remark mentions it. Times are
// cut to whole microseconds, so a number slightly above 1 means nothing.
const parallelFrom = 1.02

func calls(n Number) string {
	if n == Number(int64(n)) {
		return strconv.FormatInt(int64(n), 10)
	}
	return fmt.Sprintf("%.1f", float64(n))
}

func percent(share Number) string { return fmt.Sprintf("%.1f %%", 100*float64(share)) }

// Time formats a time in microseconds with at least three digits and a suitable unit.
func Time(us Number) string {
	switch f := float64(us); {
	case f < 1e3:
		return fmt.Sprintf("%.4g µs", f)
	case f < 1e6:
		return fmt.Sprintf("%.3f ms", f/1e3)
	default:
		return fmt.Sprintf("%.3f s", f/1e6)
	}
}

func figure(n *Number) string {
	if n == nil {
		return ""
	}
	return fmt.Sprintf("%.3g", float64(*n))
}
