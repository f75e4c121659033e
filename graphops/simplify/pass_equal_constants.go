package simplify

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

var equalConstants = &pass{
	name:   "equal-constants",
	title:  "constants with the same type, shape and bits become one",
	reason: "the bits are compared, by SHA-256; 0 and -0 are different",
	model: func(j *job) error {
		for _, g := range j.m.Graphs() {
			if g.Holder() == nil {
				if err := j.shareConstants(g, nil); err != nil {
					return err
				}
			}
		}
		return nil
	},
}

// constantsSeen are the constants of a graph and those around it, by type and shape.
type constantsSeen struct {
	around *constantsSeen
	alike  map[string]*alike
}

// alike are constants with the same type and shape. The first one is only read if there is
// another.
type alike struct {
	first   *rewrite.Value
	by      map[string]*rewrite.Value // by their beginnings, as long as only one constant has it
	digests map[string]*rewrite.Value // otherwise by their full contents
}

func (j *job) shareConstants(g *rewrite.Graph, around *constantsSeen) error {
	seen := &constantsSeen{around, map[string]*alike{}}
	merged := 0
	for _, v := range g.Constants() {
		if j.ctx.Err() != nil {
			return j.ctx.Err()
		}
		if v.Constant() == nil {
			continue
		}
		first, err := seen.equal(j, v)
		if err != nil {
			j.warnOnce(fmt.Sprintf("constant %q cannot be compared with others: %v", v.Name(), err))
			continue
		}
		if first != nil && v.ReplaceWith(first) {
			merged++
		}
	}
	if merged > 0 {
		j.did(counted(merged, "constant equals another", "constants equal others"))
	}
	for n := range g.Nodes() {
		for _, b := range n.Bodies() {
			if err := j.shareConstants(b, seen); err != nil {
				return err
			}
		}
	}
	return nil
}

// equal returns an earlier constant that equals v. If there is none, it returns nil and
// remembers v.
func (s *constantsSeen) equal(j *job, v *rewrite.Value) (*rewrite.Value, error) {
	t := v.Constant()
	like := fmt.Sprintf("%d %s", t.DType(), tensor.FormatShape(t.Dims()))
	for at := s; at != nil; at = at.around {
		if a := at.alike[like]; a != nil {
			if first, err := a.find(j, v); first != nil || err != nil {
				return first, err
			}
		}
	}
	a := s.alike[like]
	if a == nil {
		s.alike[like] = &alike{first: v, by: map[string]*rewrite.Value{}, digests: map[string]*rewrite.Value{}}
		return nil, nil
	}
	return nil, a.add(j, v)
}

// find returns the constant that equals v. The beginnings distinguish most constants, and only
// if they agree are two constants read completely.
func (a *alike) find(j *job, v *rewrite.Value) (*rewrite.Value, error) {
	a.addFirst(j)
	begin, err := j.beginning(v)
	if err != nil {
		return nil, err
	}
	with := a.by[begin]
	if with == nil {
		return nil, nil
	}
	if size, err := v.Constant().ByteLen(); err != nil || size <= beginningBytes {
		return with, err
	}
	whole, err := j.digest(with)
	if err != nil {
		return nil, err
	}
	if a.digests[whole] == nil {
		a.digests[whole] = with
	}
	whole, err = j.digest(v)
	return a.digests[whole], err
}

// addFirst adds the first constant, which was not read while it was the only one.
func (a *alike) addFirst(j *job) {
	first := a.first
	if first == nil {
		return
	}
	a.first = nil
	if err := a.add(j, first); err != nil {
		j.warnOnce(fmt.Sprintf("constant %q cannot be compared with others: %v", first.Name(), err))
	}
}

func (a *alike) add(j *job, v *rewrite.Value) error {
	begin, err := j.beginning(v)
	if err != nil {
		return err
	}
	if a.by[begin] == nil {
		a.by[begin] = v
		return nil
	}
	whole, err := j.digest(v)
	if err == nil {
		a.digests[whole] = v
	}
	return err
}

// beginningBytes is how much is read of each constant whose type and shape occur more than once.
// Trained weights differ immediately.
const beginningBytes = 256

// digestKey is a constant, or its beginning.
type digestKey struct {
	tensor *graphops.Tensor
	whole  bool
}

// beginning returns the first bytes of a constant, or for strings a checksum of all of them.
func (j *job) beginning(v *rewrite.Value) (string, error) {
	return j.once(digestKey{v.Constant(), false}, beginningOf)
}

// digest returns a checksum of a constant's contents.
func (j *job) digest(v *rewrite.Value) (string, error) {
	return j.once(digestKey{v.Constant(), true}, digestOf)
}

// once reads a constant once in a run of Simplify.
func (j *job) once(key digestKey, read func(*graphops.Tensor) (string, error)) (string, error) {
	if d, ok := j.digests[key]; ok {
		return d, nil
	}
	d, err := read(key.tensor)
	if err != nil {
		return "", err
	}
	if j.digests == nil {
		j.digests = map[digestKey]string{}
	}
	j.digests[key] = d
	return d, nil
}

func beginningOf(t *graphops.Tensor) (string, error) {
	if t.DType() == tensor.String {
		return digestOf(t)
	}
	p, err := t.Data()
	if err != nil {
		return "", err
	}
	b := &beginning{bytes: make([]byte, 0, min(p.Len(), beginningBytes))}
	if at, ok := p.Reader().(io.ReaderAt); ok {
		b.bytes = b.bytes[:cap(b.bytes)]
		_, err = io.ReadFull(io.NewSectionReader(at, 0, int64(len(b.bytes))), b.bytes)
	} else if _, err = p.WriteTo(b); errors.Is(err, errBegun) {
		err = nil
	}
	if err == nil {
		err = p.Unchanged()
	}
	return string(b.bytes), err
}

func digestOf(t *graphops.Tensor) (string, error) {
	h := sha256.New()
	if t.DType() == tensor.String {
		list, err := t.Strings()
		for _, s := range list {
			fmt.Fprintf(h, "%d %s", len(s), s)
		}
		return string(h.Sum(nil)), err
	}
	p, err := t.Data()
	if err == nil {
		_, err = p.WriteTo(h)
	}
	if err == nil {
		err = p.Unchanged()
	}
	return string(h.Sum(nil)), err
}

// beginning keeps the first bytes written to it, up to its capacity, and then returns an error,
// so that a computed payload is not computed further.
type beginning struct{ bytes []byte }

var errBegun = errors.New("the beginning has been read")

func (w *beginning) Write(b []byte) (int, error) {
	n := min(len(b), cap(w.bytes)-len(w.bytes))
	w.bytes = append(w.bytes, b[:n]...)
	if n < len(b) {
		return n, errBegun
	}
	return n, nil
}
