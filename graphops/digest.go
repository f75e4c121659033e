package graphops

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"
)

// How much of a model's weights a digest covers.
const (
	CoversAll       = "all"       // every byte
	CoversSamples   = "samples"   // evenly distributed pieces of each large weight
	CoversStructure = "structure" // nothing, as the weights are on another machine
)

// OriginPrefix is the prefix of the keys of metadata_props with which Lathe records how it made a model.
// A digest leaves them out, because they say nothing about what the model computes: a model in memory
// and the file that is written from it have one digest.
const OriginPrefix = "lathe."

// IsOrigin reports whether an entry of metadata_props is about the origin of the model.
func (e Entry) IsOrigin() bool { return strings.HasPrefix(e.Key, OriginPrefix) }

// Digest identifies a model by its content, independent of its location, of how its weights are
// stored, and of the metadata about its origin (OriginPrefix). Checksums are SHA-256 in hexadecimal.
type Digest struct {
	// Structure is the checksum of everything except weights of at least 4 KiB. Of these it covers
	// the name, type and shape.
	Structure string `json:"structure"`
	// Content is the checksum of the structure and the weights. It is empty if Covers is
	// CoversStructure.
	Content string `json:"content,omitempty"`
	Covers  string `json:"covers"`
	// WeightBytes is the total size of the weights that Structure does not cover.
	WeightBytes int64 `json:"weight_bytes"`
}

// String returns the checksum with the prefix "sha256:". If the digest does not cover everything, it
// says what it covers.
func (d Digest) String() string {
	switch d.Covers {
	case CoversStructure:
		return "sha256:" + d.Structure + " (" + CoversStructure + ")"
	case CoversSamples:
		return "sha256:" + d.Content + " (" + CoversSamples + ")"
	}
	return "sha256:" + d.Content
}

// ParseDigest parses what String returns. WeightBytes of the result is 0.
func ParseDigest(text string) (Digest, bool) {
	sum, note, hasNote := strings.Cut(strings.TrimPrefix(text, "sha256:"), " ")
	if b, err := hex.DecodeString(sum); err != nil || len(b) != sha256.Size {
		return Digest{}, false
	}
	switch {
	case !hasNote:
		return Digest{Content: sum, Covers: CoversAll}, true
	case note == "("+CoversSamples+")":
		return Digest{Content: sum, Covers: CoversSamples}, true
	case note == "("+CoversStructure+")":
		return Digest{Structure: sum, Covers: CoversStructure}, true
	}
	return Digest{}, false
}

// DigestWholeBytes is the total size of the weights up to which a digest covers all of their bytes.
// Reading that much takes a fifth of a second. For a larger model, a digest covers the length of
// each weight and digestPieces evenly spaced pieces of it, including its first and last bytes.
// Further training changes all of a weight, so the pieces change too. An edit of a few elements may
// be missed.
const DigestWholeBytes = 256 << 20

const (
	digestPieces = 16
	digestPiece  = 4096
)

// StructureSum returns only the structure's checksum. It reads no weights.
func StructureSum(m *Model) (string, error) {
	sum, _, err := structureOf(m)
	return hex.EncodeToString(sum), err
}

// structureOf computes the checksum of everything except the weights, and lists the weights.
func structureOf(m *Model) (sum []byte, weights []Payload, err error) {
	bare, weights, err := withoutWeights(m)
	if err != nil {
		return nil, nil, err
	}
	h := sha256.New()
	e := encoder{w: h}
	e.model(withoutOrigin(bare))
	return h.Sum(nil), weights, e.err
}

// withoutOrigin returns the model without the metadata about its origin.
func withoutOrigin(m *Model) *Model {
	if !slices.ContainsFunc(m.Metadata(), Entry.IsOrigin) {
		return m
	}
	e := Edit(m)
	e.SetMetadata(slices.DeleteFunc(slices.Clone(m.Metadata()), Entry.IsOrigin))
	return e.Model()
}

// WeightBytes returns what DigestOf returns as Digest.WeightBytes. It reads no weights.
func WeightBytes(m *Model) (n int64, err error) {
	_, weights, err := withoutWeights(m)
	for _, w := range weights {
		n += w.Len()
	}
	return n, err
}

// withoutWeights returns the model without the data of its weights, and the weights.
func withoutWeights(m *Model) (bare *Model, weights []Payload, err error) {
	bare, err = mapTensors(m, func(t *Tensor, initializer bool) (*Tensor, error) {
		if t.dtype.Bits() == 0 || !initializer && !t.IsExternal() {
			return t, nil
		}
		data, err := t.Data()
		if err != nil {
			return t, nil //nolint:nilerr // the checksum then covers its reference instead of its data
		}
		if data.Len() < minImageReference {
			return t.inlineIfOutside(data), nil
		}
		weights = append(weights, data)
		return t.outside("", 0, data.Len()), nil
	})
	return bare, weights, err
}

// DigestOf computes a model's digest. For a model on another machine it covers only the
// structure.
func DigestOf(ctx context.Context, m *Model) (Digest, error) {
	d := Digest{Covers: CoversAll}
	structure, weights, err := structureOf(m)
	if err != nil {
		return d, err
	}
	for _, w := range weights {
		d.WeightBytes += w.Len()
	}
	d.Structure = hex.EncodeToString(structure)
	switch {
	case m.Machine() != "":
		d.Covers = CoversStructure
		return d, nil
	case d.WeightBytes > DigestWholeBytes:
		d.Covers = CoversSamples
	}
	h := sha256.New()
	h.Write(structure)
	for _, w := range weights {
		if err := errors.Join(ctx.Err(), sumUp(ctx, h, w, d.Covers == CoversAll)); err != nil {
			return d, err
		}
	}
	d.Content = hex.EncodeToString(h.Sum(nil))
	return d, unchangedSources(m)
}

// SumUp adds a payload to a checksum: its length, and then all of its bytes if whole is set,
// otherwise evenly spaced pieces.
func (p Payload) SumUp(ctx context.Context, h hash.Hash, whole bool) error {
	return sumUp(ctx, h, p, whole)
}

// sumUp does the work of SumUp for payloads and weights.
func sumUp(ctx context.Context, h hash.Hash, p Payload, whole bool) error {
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(p.length)))
	n := p.length
	switch {
	case whole || n <= digestPieces*digestPiece:
		_, err := p.WriteTo(cancelWriter{ctx, h})
		return err
	case p.make != nil:
		_, err := p.WriteTo(cancelWriter{ctx, &pieceWriter{h: h, length: n}})
		return err
	}
	buf := make([]byte, digestPiece)
	for i := range int64(digestPieces) {
		at := pieceAt(i, n)
		if err := p.readAt(buf, at); err != nil {
			return err
		}
		h.Write(buf)
	}
	return nil
}

// pieceAt returns the offset of piece i in a payload of n bytes. The digestPieces pieces are evenly
// spaced, and the last one ends with the payload.
func pieceAt(i, n int64) int64 {
	return (n-digestPiece)/(digestPieces-1)*i + (n-digestPiece)%(digestPieces-1)*i/(digestPieces-1)
}

// readAt reads len(b) bytes of a payload from an offset. The payload must not be a computed one.
func (p Payload) readAt(b []byte, offset int64) error {
	if p.src == nil {
		copy(b, p.data[offset:])
		return nil
	}
	if _, err := io.ReadFull(io.NewSectionReader(p.src, p.offset+offset, int64(len(b))), b); err != nil {
		return fmt.Errorf("%s: %w", p.src.path, err)
	}
	return nil
}

// pieceWriter adds the pieces of a payload to a checksum, given the whole payload as a stream.
type pieceWriter struct {
	h            hash.Hash
	length, done int64
	piece        int64
}

func (w *pieceWriter) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 && w.piece < digestPieces {
		at := pieceAt(w.piece, w.length)
		if skip := at - w.done; skip > 0 {
			skip = min(skip, int64(len(b)))
			b, w.done = b[skip:], w.done+skip
			continue
		}
		take := min(at+digestPiece-w.done, int64(len(b)))
		w.h.Write(b[:take])
		if b, w.done = b[take:], w.done+take; w.done == at+digestPiece {
			w.piece++
		}
	}
	w.done += int64(len(b))
	return n, nil
}

// cancelWriter fails if its context is cancelled.
type cancelWriter struct {
	ctx context.Context
	w   io.Writer
}

func (c cancelWriter) Write(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(b)
}
