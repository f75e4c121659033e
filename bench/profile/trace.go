package profile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Trace is what a profile tells of the runs that count.
type Trace struct {
	Runs int // that count
	// Skipped are the runs before them.
	Skipped int
	// Unread are events that are no JSON.
	Unread int
	// Sessions are those of a file, of which the first that has runs counts; 0 where Read read it.
	Sessions int
	// Cut tells that the last run is not whole: the runtime keeps a million events.
	Cut bool
	// RunTimes are the times of the runs in microseconds, Overhead what of each is in no
	// node.
	RunTimes, Overhead []int64
	// Busy is the sum of the nodes' times over the time in which any of them ran: above 1
	// where nodes ran at the same time.
	Busy float64
	// Nodes are what ran, in the order in which they first began, those in a body after
	// the node that holds it.
	Nodes []*Timed
}

// Timed is a node of the graph that the runtime ran.
type Timed struct {
	Name     string
	Escaped  string // another reading of the name, "" for none
	Op       string // without a domain
	Provider string // as the runtime names it
	Index    string // of the node in its graph, which counts those that are gone too
	Parent   *Timed // the node whose body it stands in; nil in the main graph
	// Calls are how often it began in the runs that count, Total its time in them with
	// what its bodies took, PerRun that of each run without; all in microseconds.
	Calls  int64
	Total  int64
	PerRun []int64
	// Elem is the element type of the first input as the runtime names it, "float".
	Elem string
	// Inputs are the shapes of the inputs when it first ran.
	Inputs [][]int64
	// Activations, Parameters and Outputs are bytes over all calls. Parameters lacks
	// weights that the kernel keeps in a form of its own.
	Activations, Parameters, Outputs int64
	// Device is the time of the kernels that it started on a device, over all calls.
	Device int64
}

// Median is the median time of a run.
func (t *Timed) Median() float64 { return median(t.PerRun) }

// median is that of whole numbers; 0 of none.
func median(list []int64) float64 {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	return float64(sorted[(n-1)/2]+sorted[n/2]) / 2
}

// Limits of what is kept of a trace.
const (
	maxRunEvents = 1 << 20 // of one run
	maxRunBytes  = 1 << 29 // of their names and shapes
	maxNameBytes = 1 << 28 // of the names of all nodes
	maxShapes    = 1 << 14 // bytes of the types of one node's inputs; more are left out
	maxNodes     = 1 << 20 // different ones
	maxCells     = 1 << 25 // times of a node in a run
)

// ErrNoRuns tells that a trace has no whole run but those that do not count.
var ErrNoRuns = errors.New("the profile has no whole run that counts")

// Read reads a trace, without its first runs. Versions order events by their ends or by
// their starts; a run is what began while it lasted.
func Read(r io.Reader, skip int) (*Trace, error) {
	b := newBuilder(skip)
	unread, err := events(r, b.take)
	if err != nil {
		return nil, readingError(err)
	}
	t, err := b.end()
	if err != nil {
		return nil, readingError(err)
	}
	t.Unread = unread
	return t, nil
}

func newBuilder(skip int) *builder {
	return &builder{trace: &Trace{}, skip: skip, nodes: map[nodeKey]*Timed{}}
}

// end is the trace of all events that were taken.
func (b *builder) end() (*Trace, error) {
	if err := b.endRun(); err != nil {
		return nil, err
	}
	t := b.trace
	t.Cut = len(b.next) > 0
	if t.Runs == 0 {
		return nil, ErrNoRuns
	}
	for _, n := range t.Nodes {
		n.PerRun = padded(n.PerRun, t.Runs)
	}
	if b.wall > 0 {
		t.Busy = float64(b.work) / float64(b.wall)
	}
	t.Nodes = inOrder(t.Nodes)
	return t, nil
}

// padded is a list with the runs in which the node did not run.
func padded(list []int64, runs int) []int64 {
	return append(list, make([]int64, runs-len(list))...)
}

// nodeKey tells nodes apart. Names need not be unique, and indexes are so in one graph.
type nodeKey struct {
	parent          *Timed
	name, op, index string
}

// builder takes in the events of a trace.
type builder struct {
	trace *Trace
	skip  int
	nodes map[nodeKey]*Timed
	// next are the events of nodes since the last run that is complete; of those, run are
	// the events of the run whose end is awaited.
	next, run  []event
	whole      *event // that run
	cells      int
	held       int // bytes of next
	names      int // bytes of the names of nodes
	work, wall int64
}

func (b *builder) take(e *event) error {
	switch {
	case e.Category == categoryNode && strings.HasSuffix(e.Name, nodeSuffix):
		e.Name, e.Escaped = strings.TrimSuffix(e.Name, nodeSuffix), strings.TrimSuffix(e.Escaped, nodeSuffix)
		return b.keep(e)
	case e.Category == categoryKernel && e.Args.Parent != "":
		return b.keep(e)
	case e.Category == categorySession && e.Name == runEvent:
		err := b.endRun()
		whole := *e
		b.whole = &whole
		return err
	}
	return nil
}

// keep holds an event until its run ends.
func (b *builder) keep(e *event) error {
	if len(b.next) == maxRunEvents {
		return fmt.Errorf("more than %d events in one run", maxRunEvents)
	}
	if len(e.Args.Inputs) > maxShapes {
		e.Args.Inputs = nil
	}
	if b.held += e.size(); b.held > maxRunBytes {
		return fmt.Errorf("more than %d bytes of names and shapes in one run", maxRunBytes)
	}
	b.next = append(b.next, *e)
	return nil
}

// endRun counts the run that was awaited, if there is one, with what began in it.
func (b *builder) endRun() error {
	whole := b.whole
	if whole == nil {
		return nil
	}
	b.whole, b.run = nil, b.run[:0]
	later := b.next[:0]
	for _, e := range b.next {
		if e.Start >= whole.Start && e.Start <= whole.Start+whole.Duration {
			b.run = append(b.run, e)
		} else if e.Start > whole.Start {
			later = append(later, e)
		}
	}
	clear(b.next[len(later):])
	b.held = 0
	for i := range later {
		b.held += later[i].size()
	}
	b.next = later
	t := b.trace
	if t.Skipped < b.skip {
		t.Skipped++
		return nil
	}
	t.Runs++
	slots, err := b.place()
	if err != nil {
		return err
	}
	inNodes, work := coverage(b.run, slots)
	b.work += work
	b.wall += inNodes
	t.RunTimes = append(t.RunTimes, whole.Duration)
	t.Overhead = append(t.Overhead, max(whole.Duration-inNodes, 0))
	return nil
}

// slot is an event of a node, and the one whose body it ran in.
type slot struct {
	at     int // in the run
	parent *slot
	node   *Timed
	inside int64 // time of what ran in its bodies
}

// place finds for every event of a run its node, from the outermost in.
func (b *builder) place() ([]*slot, error) {
	var slots []*slot
	var kernels []int
	for i := range b.run {
		if b.run[i].Category == categoryNode {
			slots = append(slots, &slot{at: i})
		} else {
			kernels = append(kernels, i)
		}
	}
	// Of events that began at the same time the longer one holds the other, and of equal
	// ones that which can.
	slices.SortFunc(slots, func(x, y *slot) int {
		a, c := &b.run[x.at], &b.run[y.at]
		switch {
		case a.Start != c.Start:
			return int(max(-1, min(1, a.Start-c.Start)))
		case a.Duration != c.Duration:
			return int(max(-1, min(1, c.Duration-a.Duration)))
		case holdsBodies(a.Args.Op) != holdsBodies(c.Args.Op):
			if holdsBodies(a.Args.Op) {
				return -1
			}
			return 1
		}
		return x.at - y.at
	})
	open := map[int64][]*slot{} // by thread, outermost first: those that hold bodies
	for _, s := range slots {
		e := &b.run[s.at]
		stack := open[e.Thread]
		for len(stack) > 0 && !b.holds(stack[len(stack)-1], s) {
			stack = stack[:len(stack)-1]
		}
		if len(stack) > 0 {
			s.parent = stack[len(stack)-1]
			s.parent.inside += e.Duration
		}
		if holdsBodies(e.Args.Op) {
			stack = append(stack, s)
		}
		open[e.Thread] = stack
		if err := b.find(s, e); err != nil {
			return nil, err
		}
	}
	for _, s := range slots {
		if err := b.count(s); err != nil {
			return nil, err
		}
	}
	b.countKernels(slots, kernels)
	return slots, nil
}

// size is what an event takes in memory beside what all take.
func (e *event) size() int {
	return len(e.Name) + len(e.Escaped) + len(e.Args.Op) + len(e.Args.Provider) + len(e.Args.Index) + len(e.Args.Inputs) + len(e.Args.Parent) +
		len(e.Args.Activations) + len(e.Args.Parameters) + len(e.Args.Outputs)
}

// holds reports whether one event ran inside of another. Starts and durations are cut to
// whole microseconds: what follows a node begins at its end as it is shown or later, and
// what is inside may seem to end one later.
func (b *builder) holds(outer, inner *slot) bool {
	o, i := &b.run[outer.at], &b.run[inner.at]
	end := o.Start + o.Duration
	return i.Start >= o.Start && i.Start < end && i.Start+i.Duration <= end+1
}

// holdsBodies reports whether an operator runs graphs of its own.
func holdsBodies(op string) bool {
	switch op {
	case "If", "Loop", "Scan", "SequenceMap", "BeamSearch", "GreedySearch", "Sampling", "WhisperBeamSearch":
		return true
	}
	return false
}

// find is the node of an event, a new one where there was none.
func (b *builder) find(s *slot, e *event) error {
	key := nodeKey{name: e.Name, op: e.Args.Op, index: e.Args.Index}
	if s.parent != nil {
		key.parent = s.parent.node
	}
	if s.node = b.nodes[key]; s.node != nil {
		return nil
	}
	if len(b.nodes) == maxNodes {
		return fmt.Errorf("more than %d different nodes", maxNodes)
	}
	if b.names += e.size(); b.names > maxNameBytes {
		return fmt.Errorf("more than %d bytes of names of nodes", maxNameBytes)
	}
	s.node = &Timed{Name: e.Name, Escaped: e.Escaped, Op: e.Args.Op, Provider: e.Args.Provider, Index: e.Args.Index, Parent: key.parent}
	s.node.Elem, s.node.Inputs = typesOf(e.Args.Inputs)
	b.nodes[key] = s.node
	b.trace.Nodes = append(b.trace.Nodes, s.node)
	return nil
}

// count adds an event to its node.
func (b *builder) count(s *slot) error {
	n, e := s.node, &b.run[s.at]
	if len(n.PerRun) < b.trace.Runs {
		if b.cells += b.trace.Runs - len(n.PerRun); b.cells > maxCells {
			return fmt.Errorf("more than %d times of nodes in runs", maxCells)
		}
		n.PerRun = padded(n.PerRun, b.trace.Runs)
	}
	n.Calls++
	n.Total += e.Duration
	n.PerRun[len(n.PerRun)-1] += max(e.Duration-s.inside, 0)
	n.Activations += sizeOf(e.Args.Activations)
	n.Parameters += sizeOf(e.Args.Parameters)
	n.Outputs += sizeOf(e.Args.Outputs)
	return nil
}

// countKernels adds the kernels of a device to the nodes that started them.
func (b *builder) countKernels(slots []*slot, kernels []int) {
	if len(kernels) == 0 {
		return
	}
	byName := map[string]*Timed{}
	for _, s := range slots {
		byName[s.node.Name] = s.node
	}
	for _, i := range kernels {
		if n := byName[strings.TrimSuffix(b.run[i].Args.Parent, nodeSuffix)]; n != nil {
			n.Device += b.run[i].Duration
		}
	}
}

// coverage is the time in which any node of the main graph ran, and the sum of theirs.
// The slots are in the order of their starts.
func coverage(run []event, slots []*slot) (covered, work int64) {
	end := int64(-1)
	for _, s := range slots {
		if s.parent != nil {
			continue
		}
		e := &run[s.at]
		work += e.Duration
		if last := e.Start + e.Duration; last > end {
			covered += last - max(end, e.Start)
			end = last
		}
	}
	return covered, work
}

// typesOf reads the types of the inputs: a list with an object of one shape for each.
// What is no such list has none.
func typesOf(raw json.RawMessage) (elem string, shapes [][]int64) {
	const most = 64
	var list []map[string][]int64
	if json.Unmarshal(raw, &list) != nil {
		return "", nil
	}
	for i, input := range list[:min(len(list), most)] {
		for name, shape := range input {
			if i == 0 && len(name) < most {
				elem = name
			}
			shapes = append(shapes, shape[:min(len(shape), most)])
			break
		}
	}
	return elem, shapes
}

// inOrder puts nodes in the order in which they began, those of bodies behind their
// holder.
func inOrder(nodes []*Timed) []*Timed {
	inside := map[*Timed][]*Timed{}
	for _, n := range nodes {
		inside[n.Parent] = append(inside[n.Parent], n)
	}
	out := make([]*Timed, 0, len(nodes))
	stack := [][]*Timed{inside[nil]}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		if len(top) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		stack[len(stack)-1] = top[1:]
		out = append(out, top[0])
		stack = append(stack, inside[top[0]])
	}
	return out
}
