package graphops

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// Compiled is a node EPContext of ONNX Runtime: a part of a model that an execution provider has
// compiled for a device. Only this provider can run it. What was compiled is its blob. The blob is
// in the node itself, in a file beside the model, or in another such node.
type Compiled struct {
	Node   *Node
	Source string // the execution provider, as the node names it
	// SDKVersion is the version of the provider's software, Hardware the architecture that the blob
	// is for, Partition the name of the part, Original the file of the model that was compiled, and
	// Notes any other text.
	SDKVersion, Hardware, Partition, Original, Notes string
	MaxSize                                          int64 // the largest size in the blob, of use to some providers
	// Main says that the node has a blob. Otherwise it uses that of another node.
	Main     bool
	Embedded bool // the blob is in the node
	// Opaque says that it is not known where the blob is: an attribute of a function says it, or an
	// attribute is of the wrong kind.
	Opaque bool

	cache *Attribute // ep_cache_context, or nil
}

// CompiledNode is a compiled part of a model and its position.
type CompiledNode struct {
	Compiled
	Place *Place
	Index int
}

// IsCompiled reports whether the node contains a part of a model that an execution provider has
// compiled.
func (n *Node) IsCompiled() bool {
	return n.OpType() == "EPContext" && NormalDomain(n.Domain()) == MicrosoftDomain
}

// Compiled returns what a compiled node says about itself. ok is false for other nodes.
func (n *Node) Compiled() (c Compiled, ok bool) {
	if !n.IsCompiled() {
		return Compiled{}, false
	}
	c = Compiled{Node: n, Main: true, Embedded: true}
	for _, text := range []struct {
		name string
		to   *string
	}{
		{"source", &c.Source},
		{"ep_sdk_version", &c.SDKVersion},
		{"hardware_architecture", &c.Hardware},
		{"partition_name", &c.Partition},
		{"onnx_model_filename", &c.Original},
		{"notes", &c.Notes},
	} {
		if a, given := n.Attribute(text.name); given && a.Kind() == AttrString {
			*text.to = a.Text()
		}
	}
	number := func(name string, without int64) int64 {
		a, given := n.Attribute(name)
		switch {
		case !given:
			return without
		case a.Kind() != AttrInt || a.RefName() != "":
			c.Opaque = true
		}
		return a.Int()
	}
	c.Main, c.Embedded = number("main_context", 1) != 0, number("embed_mode", 1) != 0
	c.MaxSize = number("max_size", 0)
	c.cache, _ = n.Attribute(cacheAttribute)
	c.Opaque = c.Opaque || c.cache != nil && (c.cache.Kind() != AttrString || c.cache.RefName() != "")
	return c, true
}

// cacheAttribute is the attribute with the blob, or with the path of its file.
const cacheAttribute = "ep_cache_context"

// CompiledNodes returns the compiled parts of a model.
func (m *Model) CompiledNodes() []CompiledNode {
	var out []CompiledNode
	for _, p := range m.Places() {
		for i, n := range p.Graph.Nodes() {
			if c, ok := n.Compiled(); ok {
				out = append(out, CompiledNode{c, p, i})
			}
		}
	}
	return out
}

// Location returns the path of the file with the blob, relative to the model's folder. It is empty
// if the blob is not in a file.
func (c Compiled) Location() string {
	if !c.Main || c.Embedded || c.Opaque || c.cache == nil {
		return ""
	}
	return c.cache.Text()
}

// BlobState says whether the blob of a compiled node can be read.
type BlobState int

// The states of a blob.
const (
	BlobFound     BlobState = iota
	BlobElsewhere           // in another node, or in a file that cannot be looked at from here
	BlobEmpty
	BlobOutside // outside of the model's folder
	BlobMissing // no such file
)

// Blob is what an execution provider has compiled, as far as it can be found.
type Blob struct {
	State BlobState
	Bytes int64
	Path  string // of the file; empty if the blob is in the node

	embedded Payload
}

// maxBlobPath is the longest path of a file on Linux. Anything longer was not meant as a path.
const maxBlobPath = 4096

// Blob finds the blob of a node of the model m. It does not read it.
func (c Compiled) Blob(m *Model) Blob {
	switch {
	case !c.Main || c.Opaque:
		return Blob{State: BlobElsewhere}
	case c.cache == nil:
		return Blob{State: BlobEmpty}
	}
	p := c.cache.textPayload()
	switch {
	case p.Len() == 0:
		return Blob{State: BlobEmpty}
	case c.Embedded:
		return Blob{Bytes: p.Len(), embedded: p}
	case p.Len() > maxBlobPath:
		return Blob{State: BlobMissing}
	case !filepath.IsLocal(c.Location()):
		return Blob{State: BlobOutside}
	case m.Machine() != "" || m.Path() == "":
		return Blob{State: BlobElsewhere}
	}
	b := Blob{Path: filepath.Join(filepath.Dir(m.Path()), filepath.FromSlash(c.Location()))}
	file, err := os.Stat(b.Path)
	if err != nil || !file.Mode().IsRegular() {
		b.State = BlobMissing
		return b
	}
	b.Bytes = file.Size()
	if b.Bytes == 0 {
		b.State = BlobEmpty
	}
	return b
}

// Sum returns the SHA-256 checksum of a blob that was found. It reads the blob piece by piece.
func (b Blob) Sum(ctx context.Context) (string, error) {
	h := sha256.New()
	if b.Path == "" {
		_, err := b.embedded.WriteTo(cancelWriter{ctx, h})
		return hex.EncodeToString(h.Sum(nil)), err
	}
	f, err := os.Open(b.Path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	_, err = io.Copy(cancelWriter{ctx, h}, f)
	return hex.EncodeToString(h.Sum(nil)), err
}

// textPayload returns the value of a string attribute without reading it.
func (a *Attribute) textPayload() Payload {
	c := memoryCursor(a.head)
	switch {
	case a.deferred && a.whole.src != nil:
		c = payloadCursor(a.whole)
	case a.deferred:
		b, _ := a.whole.InMemory()
		c = memoryCursor(b)
	}
	var value Payload
	for c.more() {
		num, typ, err := c.tag()
		if err != nil {
			break
		}
		if typ != protowire.BytesType {
			if _, err := c.scalar(num, typ, 0); err != nil {
				break
			}
			continue
		}
		n, err := c.length()
		if err != nil {
			break
		}
		if p := c.payload(n); num == fieldnum.AttrS {
			value = p
		}
	}
	return value
}
