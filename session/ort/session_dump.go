package ort

import (
	"context"

	"lathe/graphops"
	"lathe/session/ort/wire"
)

// Dumped is the graph of a session as the optimizations left it.
type Dumped struct {
	// Structure is the graph. A weight that lies in a file and that no optimization
	// touched is where it was; others lie in a file of the worker, which goes with the
	// session.
	Structure graphops.Structure
	// Transformers are the optimizations that changed something, as the runtime names
	// them.
	Transformers []string
}

// Dump gives the graph as the optimizations left it, of a session that was loaded
// with SessionOptions.Dump.
func (s *Session) Dump(ctx context.Context) (Dumped, error) {
	cl := s.call()
	reply, err := s.client.roundTrip(ctx, cl, &wire.Request{Body: &wire.Request_Dump{Dump: &wire.Dump{Session: s.id}}}, nil)
	if err != nil {
		return Dumped{}, err
	}
	dumped := reply.GetDumped()
	if dumped == nil || cl.content == nil {
		return Dumped{}, unexpectedReply(cl)
	}
	return Dumped{
		Structure:    graphops.Structure{Bytes: cl.content.Bytes(), Files: wire.StoredFiles(dumped.GetFiles()...)},
		Transformers: dumped.GetTransformers(),
	}, nil
}
