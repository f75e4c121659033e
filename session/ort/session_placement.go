package ort

import (
	"context"
	"io"

	"lathe/session/ort/wire"
)

// LogLine is one message of the runtime's log.
type LogLine struct {
	Severity int // 0 verbose, 1 info, 2 warning, 3 error, 4 fatal
	Location string
	Message  string
}

func logLines(sent []wire.LogLine) []LogLine {
	var out []LogLine
	for _, l := range sent {
		out = append(out, LogLine{int(l.Severity), l.Location, l.Message})
	}
	return out
}

// PlacedNode is a node and the provider that the runtime assigned it to. Name is the name in the
// model, unless an optimization created the node.
type PlacedNode struct {
	Name     string `json:"name"`
	Op       string `json:"op"`
	Domain   string `json:"domain"`
	Provider string `json:"provider"` // the runtime's name: "CUDAExecutionProvider"
}

// Placed lists the nodes by provider, as the runtime's partitioner assigned them, and the log
// messages about it. The session must have been loaded with SessionOptions.Placement.
func (s *Session) Placed(ctx context.Context) (nodes []PlacedNode, log []LogLine, err error) {
	cl := s.call()
	cl.nodes = func(n *wire.Nodes) {
		for _, node := range n.Nodes {
			nodes = append(nodes, PlacedNode{node.Name, node.Op, node.Domain, n.Provider})
		}
		log = append(log, logLines(n.Log)...)
	}
	_, err = s.client.roundTrip(ctx, cl, &wire.Request{Placement: &wire.Placement{Session: s.id}}, nil)
	return nodes, log, err
}

// AllocatorUse contains the statistics that one of a session's allocators reports. Their names are
// the runtime's, such as "InUse", "MaxInUse" and "TotalAllocated", and most are in bytes.
type AllocatorUse struct {
	Memory     string // "Cpu", "Cuda"
	Statistics map[string]int64
}

// MemoryUse is the memory that a session and its worker use at one moment, in bytes.
type MemoryUse struct {
	// Resident is the resident memory of the whole process and Peak its maximum so far. They are
	// nil if the system does not report them.
	Resident, Peak *int64
	// Allocators are the session's allocators that keep statistics.
	Allocators []AllocatorUse
}

// Memory asks the session's worker and allocators for their memory use.
func (s *Session) Memory(ctx context.Context) (out MemoryUse, err error) {
	cl := s.call()
	reply, err := s.client.roundTrip(ctx, cl, &wire.Request{Memory: &wire.Memory{Session: s.id}}, nil)
	if err != nil {
		return out, err
	}
	use := reply.MemoryUse
	out.Resident, out.Peak = told(use.Resident), told(use.Peak)
	for _, a := range use.Allocators {
		out.Allocators = append(out.Allocators, AllocatorUse{a.Memory, a.Statistics})
	}
	return out, nil
}

// told returns a pointer to n, or nil if n is 0, because the worker sends 0 for a number that it
// does not know.
func told(n int64) *int64 {
	if n > 0 {
		return &n
	}
	return nil
}

// EndProfile writes the runtime's profile to w as JSON. It has one event for every node of every
// run since the session was loaded, which must have been with SessionOptions.Profile. w is written
// to by the goroutine that reads the worker's replies, so it must not wait for another call of the
// client.
func (s *Session) EndProfile(ctx context.Context, w io.Writer) error {
	cl := s.call()
	cl.contentTo = w
	_, err := s.client.roundTrip(ctx, cl, &wire.Request{EndProfile: &wire.EndProfile{Session: s.id}}, nil)
	if err != nil {
		return err
	}
	return cl.content.Err()
}
