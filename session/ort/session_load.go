package ort

import (
	"context"
	"errors"

	"lathe/graphops"
	"lathe/session/ort/wire"
)

// Model is what a session is made of: a file, or bytes.
type Model struct {
	Path string // as the worker sees it
	// Bytes hold a model in memory; its external data lies in Folder.
	Bytes  []byte
	Folder string
	// Structure holds a model whose weights lie in files of the worker's machine.
	Structure *graphops.Structure
	// Files are those that a model at Path is read from. They must be as they were.
	Files []graphops.StoredFile
	// Name stands in messages for a model in memory, and for a path that says nothing
	// to a person.
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

// Load makes a session. A model that the runtime refuses is an *Error with its
// code; a chain of providers of which none attaches is a *ProviderError.
func (c *Client) Load(ctx context.Context, m Model, o SessionOptions) (*Session, error) {
	load := &wire.Load{ExternalFolder: m.Folder, Options: o.wire(), Files: wire.Files(m.Files...)}
	var data []content
	switch {
	case m.Path != "" && m.Bytes != nil:
		return nil, errors.New("a model is given as a path or as bytes, not as both")
	case m.Path != "":
		load.Source = &wire.Load_Path{Path: m.Path}
	case m.Structure != nil:
		load.Source = &wire.Load_StructureBytes{StructureBytes: int64(len(m.Structure.Bytes))}
		load.Files, load.Unread = wire.Files(m.Structure.Files...), m.Structure.Unread
		data = []content{inMemory(m.Structure.Bytes)}
	default:
		load.Source = &wire.Load_ModelBytes{ModelBytes: int64(len(m.Bytes))}
		data = []content{inMemory(m.Bytes)}
	}
	cl := &call{phase: Loading, model: m.title(), progress: o.Progress}
	reply, err := c.roundTrip(ctx, cl, &wire.Request{Body: &wire.Request_Load{Load: load}}, data)
	if err != nil {
		return nil, err
	}
	loaded := reply.GetLoaded()
	if loaded == nil {
		return nil, unexpectedReply(cl)
	}
	return &Session{
		client: c, id: cl.id, model: m.title(), loaded: loaded,
		inputs: valueInfos(loaded.GetInputs()), outputs: valueInfos(loaded.GetOutputs()),
	}, nil
}
