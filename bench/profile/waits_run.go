package profile

import (
	"cmp"
	"slices"
	"strings"
)

// waited is one run of a graph with waits.
type waited struct {
	run  []event // the nodes of the graph without waits, each until its work was done
	took int64   // the time of the run without the waits, in microseconds
	idle []int64 // how long each read with nothing to wait for took, in microseconds
	// loose is the number of events of nodes on a device that no read follows.
	loose int64
}

// reading is one read of an element while its events are read.
type reading struct {
	node, turn int
	start, end int64
	copied     bool
	of         int // index in waited.run of the node that it waits for; -1 if unknown
}

// settle evaluates the events of one run of a graph with waits: it removes those of the waits and
// adds the time of waiting to the nodes.
func (w *Waits) settle(run []event, whole *event) waited {
	events := slices.Clone(run)
	slices.SortStableFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.Duration, a.Duration))
	})
	s := settling{waits: w, busyUntil: whole.Start, last: -1}
	for _, e := range events {
		s.take(e)
	}
	s.endRead()
	s.out.took += max(whole.Start+whole.Duration-s.busyUntil, 0)
	w.nameCopies(s.out.run)
	return s.out
}

// nameCopies gives the copies between devices the names that they have without waits. If their number
// differs, it gives them names that no node has.
func (w *Waits) nameCopies(run []event) {
	var copies []*event
	for i := range run {
		if isCopy(run[i].Args.Op) {
			copies = append(copies, &run[i])
		}
	}
	for i, e := range copies {
		e.Name, e.Escaped = w.prefix+": "+e.Name, ""
		if len(copies) == len(w.copies) {
			e.Name = w.copies[i]
		}
	}
}

// Moved returns how many nodes of a trace of the graph run on another provider than without waits.
func (w *Waits) Moved(t *Trace) int {
	moved := 0
	for _, n := range t.Nodes {
		if before := w.on[n.Name]; n.Parent == nil && !isCopy(n.Op) && before != "" && before != n.Provider {
			moved++
		}
	}
	return moved
}

// settling is the state of one call of settle.
type settling struct {
	waits     *Waits
	out       waited
	busyUntil int64 // the end of the events so far
	last      int   // index in out.run of the last node of the main graph
	read      *reading
	// known and until are the time of the last node with the read after it, for the second read.
	known int
	until int64
}

func (s *settling) take(e event) {
	gap := max(e.Start-s.busyUntil, 0)
	inside := e.Start+e.Duration <= s.busyUntil
	s.busyUntil = max(s.busyUntil, e.Start+e.Duration)
	if k, turn, role, ok := s.waits.parse(e.Name); ok {
		s.takeRead(e, k, turn, role)
		return
	}
	if r := s.read; r != nil && isCopy(e.Args.Op) && !r.copied {
		r.copied, r.end = true, e.Start+e.Duration
		return
	}
	s.endRead()
	s.out.run = append(s.out.run, e)
	if e.Category != categoryNode {
		return
	}
	if isAsynchronous(e.Args.Provider) && !isCopy(e.Args.Op) {
		s.out.loose++
	}
	if !inside {
		s.out.took += gap + e.Duration
		s.last, s.known = len(s.out.run)-1, -1
	}
}

func (s *settling) takeRead(e event, k, turn int, role string) {
	end := e.Start + e.Duration
	switch role {
	case roleFlat:
		s.endRead()
		s.read = &reading{node: k, turn: turn, start: e.Start, end: end, of: -1}
		if s.last >= 0 && s.isOf(s.out.run[s.last], k) {
			s.read.of = s.last
		}
	case roleOne:
		if s.read != nil {
			s.read.end = end
		}
	case roleSink: // it may run much later than its read
		if r := s.read; r != nil && r.node == k && r.turn == turn {
			s.endRead()
		}
	}
}

// isOf reports whether an event is one of node k of the graph.
func (s *settling) isOf(e event, k int) bool {
	n := s.waits.nodes[k]
	if n.Name() == "" {
		return n.OpType() == e.Args.Op && strings.HasPrefix(e.Name, n.OpType())
	}
	return n.OpType() == e.Args.Op && (e.Name == n.Name() || e.Escaped == n.Name())
}

// endRead ends the current read. After the second read of a node, the node's time is known: from its
// start to the end of the first read, without the time of the second.
func (s *settling) endRead() {
	r := s.read
	if s.read = nil; r == nil {
		return
	}
	if r.turn == readNode {
		s.known, s.until = r.of, r.end
		return
	}
	idle := r.end - r.start
	s.out.idle = append(s.out.idle, idle)
	if s.known < 0 || r.of != s.known {
		return
	}
	e := &s.out.run[s.known]
	took := max(s.until-e.Start-idle, 0)
	s.out.took += took - e.Duration
	e.Duration = took
	s.out.loose--
	s.known = -1
}
