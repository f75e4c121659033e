package look

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"lathe/graphops"
	"lathe/graphops/parameters"
	"lathe/graphops/tensor"
	"lathe/session"
)

// Look lists a training checkpoint, a safetensors file or an .npz file.
func (s *Inspect) Look(ctx context.Context, env session.Env, path string) (session.Report, error) {
	if path == "-" || !parameters.Holds(path) {
		return nil, nil
	}
	set, err := parameters.Open(path, graphops.OpenOptions{AllowExternal: env.AllowExternal})
	if err != nil || set.Kind == parameters.Model {
		return nil, err
	}
	defer set.Close()
	for _, o := range s.Options() {
		switch o.Name {
		case "tensors", "filter", "metadata":
		default:
			if len(o.Values()) > 0 {
				return nil, session.UsageError(fmt.Sprintf("inspect: %s is %s, which has no graph; leave out --%s", path, set.Kind, o.Name))
			}
		}
	}
	listed, err := s.chosen(ctx, set)
	if err != nil {
		return nil, err
	}
	return newParametersReport(set, listed, s), set.Unchanged()
}

// chosen returns the tensors of a file that match the expression of --filter.
func (s *Inspect) chosen(ctx context.Context, set *parameters.Set) ([]parameters.Entry, error) {
	if s.Filter == "" {
		return set.Entries, nil
	}
	match, err := newSieve(s.Filter)
	if err != nil {
		return nil, err
	}
	m, err := standIn(set.Entries)
	if err != nil {
		return nil, err
	}
	found, err := match.tensors(m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", set.Path, err)
	}
	keep := map[string]bool{}
	for _, t := range found {
		keep[t.Name()] = true
	}
	return slices.DeleteFunc(slices.Clone(set.Entries), func(e parameters.Entry) bool { return !keep[e.Name] }), ctx.Err()
}

// standIn returns a model with the entries as initializers, on which the filter can be evaluated.
// Their elements are never read.
func standIn(entries []parameters.Entry) (*graphops.Model, error) {
	const emptyModel = "\x08\x0a\x3a\x00\x42\x02\x10\x15"
	m, err := graphops.Decode([]byte(emptyModel))
	if err != nil {
		return nil, err
	}
	e := graphops.Edit(m)
	for _, x := range entries {
		n, err := tensor.Elements(x.Dims)
		if err == nil {
			n, err = x.DType.ByteLen(n)
		}
		if err != nil { // the type has no fixed size
			e.Initializers = append(e.Initializers, graphops.NewTensorOf(x.Name, tensor.Tensor{DType: tensor.String, Shape: x.Dims}))
			continue
		}
		e.Initializers = append(e.Initializers, graphops.NewTensor(x.Name, x.DType, x.Dims, graphops.TransformPayload(n, nil)))
	}
	return e.Model(), nil
}

// storedEntry is a row of the tensor_list of a file of parameters. Location is "embedded" or the
// file beside it. The offset is null if the elements have to be computed from the stored bytes.
type storedEntry struct {
	tensorEntry
	StoredType string           `json:"stored_type"` // the type in the file
	Group      parameters.Group `json:"group"`       // "trainable", "frozen" or ""
	Unusable   string           `json:"unusable"`    // why it cannot go into a model
}

func storedList(set *parameters.Set, entries []parameters.Entry) []storedEntry {
	out := make([]storedEntry, 0, len(entries))
	for _, e := range entries {
		row := storedEntry{
			tensorEntry: tensorEntry{Name: e.Name, Type: e.DType.String(), Shape: graphops.FixedShape(e.Dims), Bytes: e.Bytes, Location: "embedded"},
			StoredType:  e.TypeName, Group: e.Group,
		}
		if err := e.Unusable(); err != nil {
			row.Unusable = err.Error()
		}
		if path, offset, ok := e.Location(); ok {
			row.Offset = &offset
			if path != set.Path {
				row.Location = beside(set.Path, path)
			}
		}
		out = append(out, row)
	}
	return out
}

// beside returns a path relative to the folder of another file.
func beside(main, path string) string {
	if rel, err := filepath.Rel(filepath.Dir(main), path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}
