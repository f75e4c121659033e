package architecture

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Rotary is the rotary embedding of an attention.
type Rotary struct {
	Exists bool
	// Base is the number whose powers the frequencies are, often called theta; 0 if there is no such
	// number.
	Base float64
	// Factor is by how much the lowest frequency is lower than the base says, 1 if none is, and 0 if
	// the base is not known. Uniform is set if all frequencies are lower by it.
	Factor  float64
	Uniform bool
	// Size is the number of elements of a head that are turned, 0 if it is not known.
	Size        int64
	Interleaved bool // pairs are next to each other, and not half a head apart
}

// source is from where a rotary embedding comes.
type source struct {
	Rotary
	text string // the evidence
}

// rotaryOp says what the slots of an operator with a rotary embedding are.
type rotaryOp struct {
	domain, on string // on is the attribute that switches it on, "" if it always is
	cos        int    // the table of cosines; that of sines follows
	interleave string
}

var rotaryOps = map[string][]rotaryOp{
	"GroupQueryAttention": {{graphops.MicrosoftDomain, "do_rotary", 7, "rotary_interleaved"}},
	"SparseAttention":     {{graphops.MicrosoftDomain, "do_rotary", 9, "rotary_interleaved"}},
	"PagedAttention":      {{graphops.MicrosoftDomain, "do_rotary", 8, "rotary_interleaved"}},
	"Attention":           {{graphops.MicrosoftDomain, "do_rotary", -1, ""}},
	"RotaryEmbedding":     {{graphops.MicrosoftDomain, "", 2, "interleaved"}, {graphops.DefaultDomain, "", 1, "interleaved"}},
}

// rotary finds the rotary embedding of the layer: an operator with a table of angles, or angles that
// other nodes compute.
func (l *layer) rotary() {
	l.each(func(n *graphops.Node) {
		if l.Rotary.Exists {
			return
		}
		for _, op := range rotaryOps[n.OpType()] {
			if n.Domain() != op.domain || op.on != "" && integerOr(n, op.on, 0) != 1 {
				continue
			}
			l.turns(n, op)
			return
		}
	})
	if len(l.nodes) == 0 {
		return
	}
	s, ok := l.turned[l.home[l.nodes[0]]]
	if !ok || l.Rotary.Base > 0 {
		return
	}
	if !l.Rotary.Exists {
		l.Rotary = s.Rotary
	}
	l.Rotary.Exists, l.Rotary.Base, l.Rotary.Factor, l.Rotary.Uniform, l.Rotary.Size = true, s.Base, s.Factor, s.Uniform, s.Size
	l.say("rotary", "%s", s.text)
	if l.Rotary.Base > 0 {
		l.say("rotary base", "%s", s.text)
	}
}

// turns describes the rotary embedding of an operator.
func (l *layer) turns(n *graphops.Node, op rotaryOp) {
	l.Rotary = Rotary{Exists: true, Interleaved: op.interleave != "" && integerOr(n, op.interleave, 0) == 1}
	l.say("rotary", "%s", called(n))
	if v := integerOr(n, "rotary_embedding_dim", 0); v > 0 {
		l.Rotary.Size = v
	}
	cos, sin := l.constant(l.in(n, op.cos)), l.constant(l.in(n, op.cos+1))
	if cos == nil {
		return
	}
	a := l.table(cos, sin)
	if l.Rotary.Size == 0 {
		l.Rotary.Size = 2 * a.columns
	}
	if a.base > 0 {
		l.Rotary.Base, l.Rotary.Factor, l.Rotary.Uniform = a.base, a.factor, a.uniform
		l.say("rotary base", "%s of %s fits in the %s that were compared", graphops.ShortQuoted(cos.Name()), called(n), a.compared())
	}
}

// table reads the angles of a table, once.
func (f *finder) table(cos, sin *graphops.Tensor) angles {
	a, ok := f.tables[cos]
	if !ok {
		a = readAngles(cos, sin)
		f.tables[cos] = a
	}
	return a
}

// rotaries finds rotary embeddings whose angles nodes compute: a Cos of the product of positions and
// stored frequencies, which reaches a layer.
func (f *finder) rotaries() {
	for i, n := range f.nodes {
		if !n.Is("Cos") {
			continue
		}
		t, exact := f.frequencies(f.in(n, 0))
		s := source{Rotary: Rotary{Exists: true}, text: called(n)}
		if t != nil {
			list := numbers(t, maxColumns)
			if elements, err := t.Elements(); err != nil || elements != int64(len(list)) {
				continue
			}
			s.Size = 2 * int64(len(list))
			if exact {
				s.Base, s.Factor, s.Uniform = fit(list, precision(t.DType()))
			}
			s.text = fmt.Sprintf("%s turns by the stored frequencies %s", called(n), graphops.ShortQuoted(t.Name()))
		}
		f.spread(int32(i), s)
	}
}

// frequencies returns the stored factor of positions from which angles are computed. exact is false if
// they are scaled on the way.
func (f *finder) frequencies(id graphops.ValueID) (_ *graphops.Tensor, exact bool) {
	exact = true
	for range maxHops {
		n := f.maker(id)
		if n == nil {
			return nil, false
		}
		switch {
		case n.Is("Mul"), n.Is("MatMul"), n.Is("Einsum"):
			for k := range 2 {
				t := f.factor(f.in(n, k))
				if t == nil {
					continue
				}
				if e, err := t.Elements(); err != nil || e == 1 {
					exact = false // a scale
					continue
				}
				return t, exact
			}
			id = f.in(n, 0)
		case n.Is("Concat"), shaping[n.StandardOp()]:
			id = f.in(n, 0)
		default:
			return nil, false
		}
	}
	return nil, false
}

// factor returns the stored tensor that a factor is, perhaps expanded, or nil.
func (f *finder) factor(id graphops.ValueID) *graphops.Tensor {
	for range maxHops {
		if t := f.constant(id); t != nil {
			if t.DType().Kind() != tensor.KindFloat {
				return nil
			}
			return t
		}
		n := f.maker(id)
		if n == nil || !shaping[n.StandardOp()] && !n.Is("Expand") {
			return nil
		}
		id = f.in(n, 0)
	}
	return nil
}

// carrying are operators through which angles pass on their way to the layers.
var carrying = map[string]bool{
	"Cast": true, "Concat": true, "Expand": true, "Gather": true, "Identity": true, "Reshape": true, "Slice": true, "Squeeze": true, "Transpose": true, "Unsqueeze": true, "Flatten": true,
}

// maxSpread limits how many nodes angles are followed through.
const maxSpread = 10_000

// spread gives the repetitions that read angles their source.
func (f *finder) spread(from int32, s source) {
	next, seen := []int32{from}, map[int32]bool{from: true}
	for len(next) > 0 && len(seen) < maxSpread {
		n := f.nodes[next[0]]
		if h := f.home[next[0]]; h != nowhere {
			f.reached(h, s)
		}
		next = next[1:]
		for _, name := range n.Outputs() {
			id := f.value(name)
			if id == none {
				continue
			}
			for _, r := range f.x.Readers(id) {
				reader := f.nodes[r]
				switch h := f.home[r]; {
				case seen[r]:
				case carrying[reader.StandardOp()] || f.isScaled(reader):
					seen[r] = true
					next = append(next, r)
				case h != nowhere && (reader.Is("Mul") || reader.OpType() == "RotaryEmbedding"):
					f.reached(h, s)
				}
			}
		}
	}
}

// isScaled reports whether a node multiplies by a stored number, as some rotary embeddings do.
func (f *finder) isScaled(n *graphops.Node) bool {
	if !n.Is("Mul") {
		return false
	}
	_, a := f.scalar(f.in(n, 0))
	_, b := f.scalar(f.in(n, 1))
	return a || b
}

// reached notes a source. A repetition with two different ones has none: it is not known which of
// them turns what.
func (f *finder) reached(h home, s source) {
	if was, ok := f.turned[h]; ok && was.Rotary != s.Rotary {
		f.turned[h] = source{Rotary: Rotary{Exists: true}, text: "several angles"}
		return
	}
	f.turned[h] = s
}
