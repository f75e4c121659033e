package graphops

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops/durable"
)

// blobCopy is a file with a compiled part that has to be beside the written model too.
type blobCopy struct {
	from  string
	name  string // in the folder of the written model
	bytes int64
}

// blobLayout says what happens to the files with compiled parts when a model is written.
type blobLayout struct {
	copies  []blobCopy
	reused  []string          // paths of files that are beside the written model already
	renamed map[string]string // locations that the written model states differently
}

// blobsFor decides which files with compiled parts are copied to the folder of the target. A file that
// is already there is used; another file of the same name stays, and the copy gets another name.
// Nothing is done about files that are missing.
func blobsFor(ctx context.Context, m *Model, t durable.Target) (blobLayout, error) {
	l := blobLayout{renamed: map[string]string{}}
	done, taken := map[string]bool{}, map[string]bool{}
	for _, c := range m.CompiledNodes() {
		location := c.Location()
		b := c.Blob(m)
		if location == "" || done[location] || b.State != BlobFound {
			continue
		}
		done[location] = true
		here := filepath.Join(t.Folder(), filepath.FromSlash(location))
		if sameFile(b.Path, here) {
			l.reused = append(l.reused, here)
			continue
		}
		name, exists, err := b.nameIn(ctx, t.Folder(), filepath.Base(location), taken)
		if err != nil {
			return l, err
		}
		taken[name] = true
		if name != location {
			l.renamed[location] = name
		}
		if exists {
			l.reused = append(l.reused, filepath.Join(t.Folder(), name))
			continue
		}
		l.copies = append(l.copies, blobCopy{b.Path, name, b.Bytes})
	}
	if len(l.copies) == 0 {
		return l, nil
	}
	return l, newDataNames(t, false).begin()
}

// nameIn returns the name for a copy of a blob in a folder. exists reports that a file of this name has
// the same content. A name of another file is not used.
func (b Blob) nameIn(ctx context.Context, folder, base string, taken map[string]bool) (name string, exists bool, err error) {
	suffix := filepath.Ext(base)
	for i := 1; ; i++ {
		name = base
		if i > 1 {
			name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(base, suffix), i, suffix)
		}
		path := filepath.Join(folder, name)
		if _, err := os.Lstat(path); err != nil && !taken[name] {
			return name, false, nil
		}
		if taken[name] {
			continue
		}
		if same, err := b.isIn(ctx, path); err != nil || same {
			return name, same, err
		}
	}
}

// isIn reports whether a file has the content of the blob.
func (b Blob) isIn(ctx context.Context, path string) (bool, error) {
	file, err := os.Stat(path)
	if err != nil || !file.Mode().IsRegular() || file.Size() != b.Bytes {
		return false, nil //nolint:nilerr // what cannot be read is another file
	}
	own, err := b.Sum(ctx)
	if err != nil {
		return false, err
	}
	other, err := Blob{Path: path}.Sum(ctx)
	return err == nil && own == other, ctx.Err()
}

func (c blobCopy) part() durable.Part {
	return durable.Part{Name: c.name, Bytes: c.bytes, Write: func(w io.Writer) error {
		f, err := os.Open(c.from)
		if err != nil {
			return err
		}
		defer f.Close()
		n, err := io.Copy(w, f)
		if err == nil && n != c.bytes {
			err = fmt.Errorf("%s: has changed while it was copied", c.from)
		}
		return err
	}}
}

// refuseBlobs returns an error if a path is a file with a compiled part of the model.
func refuseBlobs(m *Model, path string) error {
	for _, c := range m.CompiledNodes() {
		if b := c.Blob(m); b.Path != "" && sameFile(b.Path, path) {
			return fmt.Errorf("%s: contains a compiled part of the model; choose another name", path)
		}
	}
	return nil
}

// withLocations returns the model with other locations of files with compiled parts.
func (m *Model) withLocations(renamed map[string]string) *Model {
	if len(renamed) == 0 {
		return m
	}
	var relocated func(*Graph) *Graph
	relocated = func(g *Graph) *Graph {
		e, changed := EditGraph(g), false
		e.Nodes = slices.Clone(e.Nodes)
		for i, n := range e.Nodes {
			next := n.mapBodies(relocated)
			if c, ok := n.Compiled(); ok && renamed[c.Location()] != "" {
				next = next.withCache(renamed[c.Location()])
			}
			changed = changed || next != n
			e.Nodes[i] = next
		}
		if !changed {
			return g
		}
		return e.Graph()
	}
	out := m.changed()
	out.graph = relocated(m.graph)
	return out
}

// withCache returns a compiled node whose blob is in another file.
func (n *Node) withCache(location string) *Node {
	var list []*Attribute
	for _, a := range n.Attributes() {
		if a.Name() == cacheAttribute {
			a = TextAttribute(cacheAttribute, location)
		}
		list = append(list, a)
	}
	return n.WithAttributes(list)
}

// blobsOf returns the files with compiled parts that only the model at path can be expected to use,
// because they are named after it, as execution providers name them.
func blobsOf(path string) []string {
	m, err := Open(path, OpenOptions{})
	if err != nil {
		return nil
	}
	stem := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	var out []string
	for _, c := range m.CompiledNodes() {
		location := c.Location()
		if location != "" && location == filepath.Base(location) && strings.HasPrefix(location, stem) && c.Blob(m).State == BlobFound {
			out = append(out, filepath.Join(filepath.Dir(path), location))
		}
	}
	return out
}
