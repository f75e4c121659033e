package reporting

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/session/text"
)

// CompiledPart describes a part of a model that an execution provider has compiled: a node
// EPContext.
type CompiledPart struct {
	Place      []string `json:"place"`
	Index      int      `json:"index"`
	Name       string   `json:"name"`
	Provider   string   `json:"ep"`     // as for --ep; "" if the node names none
	Source     string   `json:"source"` // as in the node
	SDKVersion string   `json:"sdk_version"`
	Partition  string   `json:"partition"`
	Hardware   string   `json:"hardware"`
	Original   string   `json:"original"` // the file that was compiled
	Notes      string   `json:"notes"`
	Main       bool     `json:"main"` // false if the node uses the blob of another node
	// Storage says where the blob is: "embedded", "file", "other node", or "unknown".
	Storage string   `json:"storage"`
	File    string   `json:"file"`   // the path in the node; "" unless the blob is in a file
	Bytes   *int64   `json:"bytes"`  // null if the blob was not found
	SHA256  string   `json:"sha256"` // "" if it was not computed
	Problem string   `json:"problem"`
	Inputs  []string `json:"inputs"`
	Outputs []string `json:"outputs"`

	blob graphops.Blob
}

// CompiledPartOf describes a compiled node of a model. It does not read the blob.
func CompiledPartOf(m *graphops.Model, c graphops.CompiledNode) CompiledPart {
	p := CompiledPart{
		Place: OrEmpty(c.Place.Hops()), Index: c.Index, Name: c.Node.Name(),
		Provider: opschema.ShortProvider(c.Source), Source: c.Source, SDKVersion: c.SDKVersion, Partition: c.Partition,
		Hardware: c.Hardware, Original: c.Original, Notes: c.Notes, Main: c.Main,
		File: c.Location(), Inputs: OrEmpty(c.Node.Inputs()), Outputs: OrEmpty(c.Node.Outputs()), blob: c.Blob(m),
	}
	switch {
	case c.Opaque:
		p.Storage = "unknown"
	case !c.Main:
		p.Storage = "other node"
	case c.Embedded:
		p.Storage = "embedded"
	default:
		p.Storage = "file"
	}
	switch p.blob.State {
	case graphops.BlobFound:
		p.Bytes = &p.blob.Bytes
	case graphops.BlobEmpty:
		p.Problem = "empty"
	case graphops.BlobOutside:
		p.Problem = "outside of the model's folder"
	case graphops.BlobMissing:
		p.Problem = "missing"
	}
	return p
}

// MaxSummed is the size in bytes up to which the checksum of a blob is computed without being asked
// for. It takes a fraction of a second.
const MaxSummed = 64 << 20

// SumCompiled computes the checksums of blobs of at most limit bytes, or of all blobs if limit is
// negative. A file that several nodes refer to is read once.
func SumCompiled(ctx context.Context, parts []CompiledPart, limit int64) error {
	known := map[string]string{}
	for i := range parts {
		p := &parts[i]
		if p.Bytes == nil || limit >= 0 && *p.Bytes > limit {
			continue
		}
		sum, done := known[p.blob.Path]
		if !done {
			var err error
			if sum, err = p.blob.Sum(ctx); err != nil {
				return err
			}
		}
		if p.blob.Path != "" {
			known[p.blob.Path] = sum
		}
		p.SHA256 = sum
	}
	return nil
}

// Facts returns what is known about the part: titles and values, which are not cleaned.
func (p CompiledPart) Facts() [][2]string {
	var out [][2]string
	add := func(title, value string) {
		if value != "" {
			out = append(out, [2]string{title, value})
		}
	}
	provider := cmp.Or(p.Provider, "not named")
	if p.SDKVersion != "" {
		provider += ", SDK " + p.SDKVersion
	}
	add("provider", provider)
	add("hardware", p.Hardware)
	if p.Partition != p.Name {
		add("partition", p.Partition)
	}
	add("compiled from", p.Original)
	add("blob", p.where())
	add("sha256", p.SHA256)
	add("notes", p.Notes)
	return out
}

// where says where the blob is and how large it is.
func (p CompiledPart) where() string {
	var s string
	switch p.Storage {
	case "embedded":
		s = "in the node"
	case "file":
		s = "in " + filepath.ToSlash(p.File)
	case "other node":
		return "in another node (main_context 0)"
	default:
		return "not known"
	}
	switch {
	case p.Problem != "":
		return s + ": " + p.Problem
	case p.Bytes != nil:
		return s + ", " + text.Bytes(*p.Bytes)
	}
	return s
}

// WriteCompiled writes the compiled parts of a model. unsummed follows the size of a blob whose
// checksum was not computed.
func WriteCompiled(w io.Writer, parts []CompiledPart, unsummed string) error {
	if len(parts) == 0 {
		return nil
	}
	fmt.Fprintln(w, "compiled parts")
	for _, p := range parts {
		title := fmt.Sprintf("node %d", p.Index)
		if p.Name != "" {
			title += ", " + p.Name
		}
		if len(p.Place) > 0 {
			title += " in " + strings.Join(p.Place, " › ")
		}
		fmt.Fprintf(w, "  %s\n", text.Clean(title))
		t := text.Table{}
		for _, f := range p.Facts() {
			t.Add(f[0], text.CleanLine(f[1]))
		}
		if p.Bytes != nil && p.SHA256 == "" {
			t.Add("sha256", unsummed)
		}
		t.Add("reads", text.Clean(strings.Join(p.Inputs, ", ")))
		t.Add("makes", text.Clean(strings.Join(p.Outputs, ", ")))
		if err := t.WriteText(w, "    "); err != nil {
			return err
		}
	}
	return nil
}
