package ort

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/permit"
	"lathe/session/ort/wire"
)

// Model says which model a session loads: a file on the worker's machine, bytes, or a structure.
// Exactly one of Path, Bytes and Structure is set.
type Model struct {
	Path string // path on the worker's machine
	// Bytes is a model in memory. Folder is the folder of its external data.
	Bytes  []byte
	Folder string
	// Structure is a model without its weights, which are in files on the worker's machine.
	Structure *graphops.Structure
	// Files are the files that the model at Path consists of. Loading fails if they have changed.
	Files []graphops.StoredFile
	// Sources are the files on the worker's machine that the worker may read. They include those of
	// models that will be loaded later in the same worker.
	Sources []graphops.StoredFile
	// Own says that the model is one of Lathe's, so that it needs no sandbox.
	Own bool
	// Sent says that a worker wrote the model at Path: other workers may read the folder of that file,
	// which has sent models only.
	Sent bool
	// Name is the name of the model in messages. It is needed for a model in memory. For a file it
	// replaces the path, if that means nothing to the user.
	Name string
}

func (m Model) title() string {
	switch {
	case m.Name != "":
		return m.Name
	case m.Path != "":
		return m.Path
	}
	return "model in memory"
}

// Load creates a session. The error is an *Error with the runtime's code if the runtime refuses the
// model, and a *ProviderError if no provider of the chain can be attached.
func (c *Client) Load(ctx context.Context, m Model, o SessionOptions) (*Session, error) {
	if len(o.CustomOps) > 0 {
		if err := permit.To(ctx, permit.Library); err != nil {
			return nil, err
		}
	}
	load, data, err := m.request(o)
	if err != nil {
		return nil, err
	}
	if err := c.limitTo(load, m); err != nil {
		return nil, err
	}
	cl := &call{phase: Loading, model: m.title(), progress: o.Progress}
	reply, err := c.roundTrip(ctx, cl, &wire.Request{Load: load}, data)
	if err != nil {
		return nil, err
	}
	loaded := reply.Loaded
	if err := o.checkUsed(loaded.Provider); err != nil {
		return nil, fmt.Errorf("%s: %w", while(cl.phase, cl.model), err)
	}
	for i, name := range loaded.Unknown {
		loaded.Unknown[i] = shown(name)
	}
	return &Session{
		client: c, id: cl.id, model: m.title(), loaded: loaded,
		inputs: valueInfos(loaded.Inputs), outputs: valueInfos(loaded.Outputs), files: slices.Concat(m.Files, m.Sources),
	}, nil
}

// request returns the request to load the model, and the data that follows it.
func (m Model) request(o SessionOptions) (load *wire.Load, data []content, err error) {
	load = &wire.Load{ExternalFolder: m.Folder, Options: o.wire(), Files: wire.Files(m.Files...)}
	switch {
	case m.Path != "" && m.Bytes != nil:
		return nil, nil, errors.New("a model is given as a path or as bytes, not as both")
	case m.Path != "":
		load.Source, load.Path = wire.FromPath, m.Path
	case m.Structure != nil:
		load.Source, load.Bytes = wire.FromStructure, int64(len(m.Structure.Bytes))
		load.Files, load.Unread = wire.Files(m.Structure.Files...), m.Structure.Unread
		data = []content{inMemory(m.Structure.Bytes)}
	default:
		load.Source, load.Bytes = wire.FromModel, int64(len(m.Bytes))
		data = []content{inMemory(m.Bytes)}
	}
	return load, data, nil
}
