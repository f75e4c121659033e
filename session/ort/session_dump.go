package ort

import (
	"context"

	"lathe/graphops"
	"lathe/session/ort/wire"
)

// Dumped is the graph of a session after the runtime's optimizations.
type Dumped struct {
	// Structure is the graph. A weight that is stored in a file of the model and that no
	// optimization changed still refers to that file. The other weights are in a file that the
	// worker has written, which is deleted with the session.
	Structure graphops.Structure
	// Transformers are the optimizations that changed the graph, under the runtime's names.
	Transformers []string
}

// Dump returns the optimized graph of a session that was loaded with SessionOptions.Dump.
func (s *Session) Dump(ctx context.Context) (Dumped, error) {
	cl := s.call()
	reply, err := s.client.roundTrip(ctx, cl, &wire.Request{Dump: &wire.Dump{Session: s.id}}, nil)
	if err != nil {
		return Dumped{}, err
	}
	dumped := reply.Dumped
	if dumped == nil || cl.content == nil {
		return Dumped{}, unexpectedReply(cl)
	}
	return Dumped{
		Structure:    graphops.Structure{Bytes: cl.content.Bytes(), Files: wire.StoredFiles(dumped.Files...)},
		Transformers: dumped.Transformers,
	}, nil
}
