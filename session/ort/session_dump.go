package ort

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

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

// mayName reports whether a worker may name a file as one with weights of the optimized graph: a file
// of the model that is as it was, or one in the folder of a worker. Whoever opens another file for a
// worker would read for it what its sandbox forbids.
func (s *Session) mayName(f graphops.StoredFile) bool {
	if !f.Passing {
		return slices.ContainsFunc(s.files, func(g graphops.StoredFile) bool {
			return g.Real == f.Real && g.Bytes == f.Bytes && g.Modified.Equal(f.Modified)
		})
	}
	folder, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return false
	}
	rest, below := strings.CutPrefix(f.Real, filepath.Join(folder, wire.StoragePrefix))
	return below && filepath.Clean(f.Real) == f.Real && strings.Contains(rest, string(filepath.Separator))
}

// Dump returns the optimized graph of a session that was loaded with SessionOptions.Dump.
func (s *Session) Dump(ctx context.Context) (Dumped, error) {
	cl := s.call()
	cl.contentMost = maxStructure
	reply, err := s.client.roundTrip(ctx, cl, &wire.Request{Dump: &wire.Dump{Session: s.id}}, nil)
	if err != nil {
		return Dumped{}, err
	}
	dumped := reply.Dumped
	for _, f := range wire.StoredFiles(dumped.Files...) {
		if !s.mayName(f) {
			return Dumped{}, fmt.Errorf("%s: the optimized graph refers to %q, which is neither a file of the model nor one that the worker made", while(cl.phase, cl.model), f.Real)
		}
	}
	return Dumped{
		Structure:    graphops.Structure{Bytes: cl.content.Bytes(), Files: wire.StoredFiles(dumped.Files...)},
		Transformers: dumped.Transformers,
	}, nil
}
