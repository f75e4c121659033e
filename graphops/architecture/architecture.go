package architecture

import (
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/roles"
	"lathe/graphops/shape"
	"lathe/graphops/summary"
)

// Architecture is how a transformer is built.
type Architecture struct {
	Blocks []Block // of the parts of the summary that have attention or a cache, in their order
	Caches []Cache // in the order of the pairs of roles
	// Vocabulary is the number of different tokens, 0 if it is not known.
	Vocabulary int64
	// Tied says whether the embedding and the output head read the same stored tensor. It is nil if
	// one of them was not found.
	Tied     *bool
	Evidence []Evidence // for Vocabulary and Tied

	// Place is where the blocks are. Work says for each of its nodes what part of the work it does.
	Place *graphops.Place
	Work  []Work
	// Weights are the bytes of stored tensors that each part reads for one token. A tensor that two
	// parts read counts for the first of them.
	Weights map[Work]int64
}

// Block is a repeated part.
type Block struct {
	Part   int // the index in the parts of the summary
	Layers int
	Kinds  []Kind // layers with the same facts, in the order of their first layers
}

// Kind are the layers of a block that have the same facts.
type Kind struct {
	Layers []int // counted from 0
	Facts
	Evidence []Evidence // as the first of the layers shows it
}

// Facts are what is known of a layer. What is not known, or does not exist, is the zero value.
type Facts struct {
	// Heads are those of the queries, and KVHeads those of keys and values.
	Heads, KVHeads, HeadSize int64
	Hidden                   int64
	Window                   int64 // positions that the attention looks back
	Cache                    string
	Rotary                   Rotary
	Weights                  []Packing // of weights that are quantized in groups, the largest share first
	Norm                     string    // such as RMS
	Epsilon                  float64   // of the normalization
	Activation               string    // such as SiLU
	Gated                    bool      // the activation is multiplied with a second product
	Experts, TopK            int64     // of a mixture of experts
	Softcap                  float64   // limits scores of the attention
}

// Packing is how weights are quantized in groups.
type Packing struct{ Bits, Group int64 }

// Evidence is what shows a fact.
type Evidence struct {
	Fact string `json:"fact"` // such as "heads"
	Text string `json:"text"` // names in it are quoted
}

// Of describes a model. shapes may be nil; then sizes that the file does not declare are not known.
// ports and found belong to the same model. The error is that of ctx.
func Of(ctx context.Context, m *graphops.Model, shapes *shape.Result, ports *roles.Roles, found *summary.Summary) (*Architecture, error) {
	f := newFinder(m, shapes, ports, found)
	a := &Architecture{Place: found.Place}
	at := f.caches(a)
	f.rotaries()
	for i := range found.Parts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := &found.Parts[i]
		if p.Heads.Known() || len(at.parts[i]) > 0 {
			a.Blocks = append(a.Blocks, f.block(a, i, p, at.parts[i]))
		}
	}
	f.sizeCaches(a, at)
	f.vocabulary(a)
	f.work(a)
	return a, ctx.Err()
}

// block describes a part. stores are the caches of each repetition.
func (f *finder) block(a *Architecture, part int, p *summary.Part, stores map[int][]int) Block {
	b := Block{Part: part, Layers: p.Count()}
	of := map[string]int{}
	for k, nodes := range p.Nodes {
		l := f.layer(nodes, p.Each[k])
		for _, at := range stores[k] {
			l.caches = append(l.caches, &a.Caches[at])
		}
		l.describe()
		key := fmt.Sprintf("%+v", l.Facts)
		at, ok := of[key]
		if !ok {
			at = len(b.Kinds)
			of[key] = at
			b.Kinds = append(b.Kinds, Kind{Facts: l.Facts, Evidence: l.evidence})
		}
		b.Kinds[at].Layers = append(b.Kinds[at].Layers, k)
	}
	return b
}

// of returns the facts of a layer of the block.
func (b *Block) of(layer int) Facts {
	for i := range b.Kinds {
		for _, l := range b.Kinds[i].Layers {
			if l == layer {
				return b.Kinds[i].Facts
			}
		}
	}
	return Facts{}
}
