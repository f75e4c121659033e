package inputs

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/roles"
	"lathe/session/sizing"
	"lathe/session/text"
)

// decoder has the names of the sizes of a model with a cache.
type decoder struct {
	past        []string // of caches that grow
	next, batch string   // of the tokens, "" if they are fixed
	only        int64    // the number of tokens if it is fixed, otherwise 0
	grouped     bool     // GroupQueryAttention reads the cache
}

// decoder returns nil if the model has no cache that grows, or if its tokens are not known.
func (k *caseMaker) decoder() *decoder {
	found := k.fit.Roles()
	if found == nil {
		return nil
	}
	d := &decoder{}
	for _, p := range found.Pairs {
		if p.Past == "" || p.Cross || p.Axis < 0 || p.Growth != roles.Grows && p.Growth != roles.MayShare {
			continue
		}
		d.grouped = d.grouped || p.Form.Name == "group-query"
		if name, _ := k.axis(p.Past, p.Axis); name != "" && !slices.Contains(d.past, name) {
			d.past = append(d.past, name)
		}
	}
	for i := range found.Inputs {
		if p := &found.Inputs[i]; p.Kind == roles.IDs || p.Kind == roles.Embeddings {
			d.batch, _ = k.axis(p.Name, 0)
			d.next, d.only = k.axis(p.Name, 1)
			break
		}
	}
	if len(d.past) == 0 || d.next == "" && d.only == 0 {
		return nil
	}
	return d
}

// axis returns the name of a free axis of an input, or the size of a fixed one.
func (k *caseMaker) axis(input string, axis int) (name string, fixed int64) {
	i := slices.IndexFunc(k.types, func(t graphops.NamedType) bool { return t.Name == input })
	if i < 0 {
		return "", 0
	}
	shape := leafOf(k.types[i].Type).Shape
	switch {
	case axis >= len(shape):
		return "", 0
	case shape[axis].IsFixed():
		return "", shape[axis].Value
	}
	return sizing.Name(input, axis, shape[axis]), 0
}

// Sizes of the cases of a model with a cache. No two are equal, so that results show if they were
// exchanged.
const (
	prefillTokens   = 7
	continuedPast   = 5
	continuedTokens = 4
	decodePast      = 9
	decodeSequences = 3
)

// decoding returns the case of a family of a model with a cache.
func (k *caseMaker) decoding(f Family) ([]plan, string) {
	d := k.decoder()
	switch {
	case d == nil && k.r.Rare:
		return nil, "no cache that grows is known"
	case d == nil:
		return nil, "" // most models have none
	}
	past, next, batch := int64(continuedPast), int64(continuedTokens), int64(0)
	switch f {
	case Prefill:
		past, next = 0, prefillTokens
	case Decode:
		past, next, batch = decodePast, 1, decodeSequences
	default:
		if d.grouped {
			batch = 1 // the operator takes several tokens with a past of one sequence only
		}
	}
	if d.only > 0 && d.only != next {
		return nil, fmt.Sprintf("a run takes %d of the tokens", d.only)
	}
	at := map[string]int64{d.next: next}
	if batch > 0 {
		at[d.batch] = batch
	}
	for _, name := range d.past {
		at[name] = past
	}
	sizes, ok := k.fit.ModerateAt(at)
	if !ok {
		return nil, fmt.Sprintf("no sizes fit %d tokens after %d", next, past)
	}
	return []plan{{name: fmt.Sprintf("%s, %s after %d", f, text.Plural(int(next), "token"), past), sizes: sizes}}, ""
}

// paddings returns the cases with padding. Where GroupQueryAttention reads a mask as lengths, padding
// can only be at the end.
func (k *caseMaker) paddings() []plan {
	d := k.decoder()
	switch {
	case d == nil:
		return []plan{{name: "padding", reach: padded}}
	case d.grouped:
		k.out.Notes = append(k.out.Notes, "no case of padding at the beginning: GroupQueryAttention reads the mask as lengths")
		return []plan{{name: "padding at the end", reach: padded}}
	}
	return []plan{{name: "padding at the end", reach: padded}, {name: "padding at the beginning", reach: leading}}
}

// counted returns the positions that the mask of a case leaves out, or nil.
func (k *caseMaker) counted(p plan, feeds graphops.Feeds) *Counted {
	found := k.fit.Roles()
	if p.reach != padded && p.reach != leading && p.reach != hidden || found == nil || len(found.Pairs) == 0 {
		return nil
	}
	for i := range found.Inputs {
		port := &found.Inputs[i]
		t := feeds[port.Name].Tensor
		if port.Kind != roles.Mask || port.Cross || len(t.Shape) != 2 {
			continue
		}
		values, err := t.Float64s()
		if err != nil {
			return nil
		}
		c := &Counted{Sequences: t.Shape[0], Positions: t.Shape[1]}
		for _, x := range values {
			c.At = append(c.At, (x != 0) != masksOf(k.r.Model)[port.Name].Padding)
		}
		return c
	}
	return nil
}
