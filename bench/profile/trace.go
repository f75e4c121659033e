package profile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Trace has the times of the runs in a profile, without the runs that were skipped.
type Trace struct {
	Runs int // number of evaluated runs
	// Skipped is the number of runs at the beginning that were skipped.
	Skipped int
	// Unread is the number of events that were skipped because they are not valid JSON.
	Unread int
	// Sessions is the number of sessions in a file, of which the first one with runs is
	// evaluated; 0 if the trace was read by Read.
	Sessions int
	// Cut is set if the trace contains events after the last complete run, because the runtime
	// keeps at most one million events. The incomplete run is left out.
	Cut bool
	// RunTimes are the times of the runs in microseconds. Overhead is the part of each run
	// outside of nodes.
	RunTimes, Overhead []int64
	// Busy is the sum of the nodes' times divided by the time in which any of them ran. It is
	// above 1 if nodes ran at the same time.
	Busy float64
	// Nodes are the nodes that ran, in the order in which they first started. Nodes in a body
	// follow the node that has the body.
	Nodes []*Timed
	// Clock says what the times of nodes on a device include. Read leaves it empty, and then Explain
	// derives it from the nodes.
	Clock Clock
	// Idle are the times of waits that had nothing to wait for, in microseconds, and Loose is the
	// number of calls of nodes on a device without a wait, in all runs. Only ReadWaits sets them.
	Idle  []int64
	Loose int64
	// Slowdown is how many times as long a run takes with a clock at each node; 0 if unknown. Only the
	// caller of Read can know it.
	Slowdown float64
}

// Timed is a node of the graph that the runtime ran.
type Timed struct {
	Name     string
	Escaped  string // the name before decoding escapes, empty if it is the same
	Op       string // without a domain
	Provider string // as the runtime names it
	Index    string // index of the node in its graph, counting removed nodes too
	Parent   *Timed // the node whose body contains it; nil in the main graph
	// Calls is how often the node ran in the evaluated runs. Total is its time in all of them,
	// including its bodies. PerRun is its time in each run, without its bodies. Times are in
	// microseconds.
	Calls  int64
	Total  int64
	PerRun []int64
	// Elem is the element type of the first input as the runtime names it, such as "float".
	Elem string
	// Inputs are the shapes of the inputs when the node first ran.
	Inputs [][]int64
	// Activations, Parameters and Outputs are the bytes of variable inputs, constant inputs and
	// outputs, summed over all calls. Parameters does not include weights that the kernel keeps in
	// a format of its own.
	Activations, Parameters, Outputs int64
	// Device is the time of the kernels that the node started on a device, summed over all calls,
	// in microseconds.
	Device int64
}

// median returns the median of PerRun.
func (t *Timed) median() float64 { return median(t.PerRun) }

// quartiles returns the quartiles of PerRun.
func (t *Timed) quartiles() (low, high float64) {
	if len(t.PerRun) == 0 {
		return 0, 0
	}
	sorted := slices.Sorted(slices.Values(t.PerRun))
	last := len(sorted) - 1
	return float64(sorted[(last+2)/4]), float64(sorted[last-(last+2)/4])
}

// The distance between quartiles from which a node's place among the others is not certain: half of it
// as a share of the median, and all of it in microseconds, because times are cut to whole ones.
const (
	wideShare = 0.2
	wideUS    = 4
)

// isWide reports whether a time with these quartiles is too uncertain to rank the node.
func isWide(low, median, high float64) bool {
	return high-low > wideUS && (high-low)/2 > wideShare*median
}

// median returns the median of a list, and 0 if it is empty.
func median(list []int64) float64 {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	return float64(sorted[(n-1)/2]+sorted[n/2]) / 2
}

// The limits for a trace, which is untrusted input.
const (
	maxRunEvents = 1 << 20 // events of one run
	maxRunBytes  = 1 << 29 // bytes of their names and shapes
	maxNameBytes = 1 << 28 // bytes of the names of all nodes
	maxShapes    = 1 << 14 // bytes of the types of one node's inputs; longer ones are dropped
	maxNodes     = 1 << 20 // number of different nodes
	maxCells     = 1 << 25 // number of times of a node in a run
)

// ErrNoRuns means that a trace has no complete run after the skipped ones.
var ErrNoRuns = errors.New("the profile has no complete run")

// Read reads a trace and skips the first skip runs. Some versions of ONNX Runtime order events by
// their ends and others by their starts. Read therefore assigns an event to the run during which it
// started.
func Read(r io.Reader, skip int) (*Trace, error) { return newBuilder(skip).read(r) }

// ReadWaits reads a trace of w.Model. The result has the nodes of the graph without the waits.
func ReadWaits(r io.Reader, skip int, w *Waits) (*Trace, error) {
	b := newBuilder(skip)
	b.waits, b.trace.Clock = w, ClockWaits
	return b.read(r)
}

func (b *builder) read(r io.Reader) (*Trace, error) {
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

// end evaluates the last run and returns the trace.
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

// padded appends zeros to a list until it has one entry for each run. A node has the time 0 in runs
// in which it did not run.
func padded(list []int64, runs int) []int64 {
	return append(list, make([]int64, runs-len(list))...)
}

// nodeKey identifies a node. Names need not be unique, and indices are unique only within one
// graph.
type nodeKey struct {
	parent          *Timed
	name, op, index string
}

// builder builds a trace from its events.
type builder struct {
	trace *Trace
	skip  int
	nodes map[nodeKey]*Timed
	// next contains the events that do not belong to an evaluated run yet. run contains those of
	// the run that is being evaluated.
	next, run  []event
	whole      *event // the event of that run
	cells      int
	held       int // size of next in bytes
	names      int // bytes of the names of nodes
	work, wall int64
	waits      *Waits // nil if the graph has none
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

// keep stores an event until the run that it belongs to is evaluated.
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

// endRun evaluates the current run, if there is one, with the events that started in it.
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
	if b.waits != nil {
		settled := b.waits.settle(b.run, whole)
		b.run, whole.Duration = settled.run, settled.took
		t.Idle, t.Loose = append(t.Idle, settled.idle...), t.Loose+settled.loose
	}
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

// slot is the event of a node in the current run. parent is the event of the node in whose body it
// ran; nil in the main graph.
type slot struct {
	at     int // index in the run
	parent *slot
	node   *Timed
	inside int64 // time of the nodes in its bodies
}

// place finds the node of each event of the current run and adds the event's times to it. It
// returns the events in order of their start, a node with bodies before the nodes inside them.
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
	// Of events that started at the same time, the longer one contains the other. If they are
	// equally long, it is the one whose operator has bodies.
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
	open := map[int64][]*slot{} // by thread, outermost first: events of nodes with bodies
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

// size returns the number of bytes of an event's texts, which is most of the memory that it takes.
func (e *event) size() int {
	return len(e.Name) + len(e.Escaped) + len(e.Args.Op) + len(e.Args.Provider) + len(e.Args.Index) + len(e.Args.Inputs) + len(e.Args.Parent) +
		len(e.Args.Activations) + len(e.Args.Parameters) + len(e.Args.Outputs)
}

// holds reports whether the event inner happened during the event outer. Starts and durations are
// cut to whole microseconds. An event inside another may therefore seem to end one microsecond
// after it.
func (b *builder) holds(outer, inner *slot) bool {
	o, i := &b.run[outer.at], &b.run[inner.at]
	end := o.Start + o.Duration
	return i.Start >= o.Start && i.Start < end && i.Start+i.Duration <= end+1
}

// holdsBodies reports whether an operator has bodies.
func holdsBodies(op string) bool {
	switch op {
	case "If", "Loop", "Scan", "SequenceMap", "BeamSearch", "GreedySearch", "Sampling", "WhisperBeamSearch":
		return true
	}
	return false
}

// find sets the node of slot s, whose event is e. It creates the node if e is its first event.
func (b *builder) find(s *slot, e *event) error {
	key := nodeKey{name: e.Name, op: e.Args.Op, index: e.Args.Index}
	if s.parent != nil {
		key.parent = s.parent.node
	}
	if s.node = b.nodes[key]; s.node != nil {
		return nil
	}
	if len(b.nodes) == maxNodes {
		return fmt.Errorf("the profile has more than %d different nodes, which is the most that is read", maxNodes)
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

// count adds the times and sizes of an event to its node.
func (b *builder) count(s *slot) error {
	n, e := s.node, &b.run[s.at]
	if len(n.PerRun) < b.trace.Runs {
		if b.cells += b.trace.Runs - len(n.PerRun); b.cells > maxCells {
			return fmt.Errorf("more than %d times of nodes in all runs together", maxCells)
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

// countKernels adds the times of a device's kernels to the nodes that started them.
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

// coverage returns the time during which at least one node of the main graph ran, and the sum of
// the times of all of them. The slots must be ordered by start.
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

// typesOf returns the element type of the first input and the shapes of all inputs, from a list
// such as [{"float":[1,3]},{"float":[3,4]}]. If raw has another form, it returns nothing.
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

// inOrder returns the nodes in the order in which they first started, with the nodes in a body
// directly after the node that has the body.
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
