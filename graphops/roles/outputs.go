package roles

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// lastProduct returns the product with weights that an output comes from, without nodes that only
// scale, shift or select. ok is false otherwise.
func (f *finder) lastProduct(v value) (node int32, ok bool) {
	for range maxHops {
		if v == nothing || f.maker[v] < 0 {
			return 0, false
		}
		m := f.maker[v]
		n := &f.nodes[m]
		if n.op == nil {
			v = at(n.in, 0)
			continue
		}
		switch classes()[n.op.Op()] {
		case product, weighted:
			return m, !f.r.isProduct(n)
		case passing, single, looking:
			v = at(n.in, 0)
		case elementary:
			v = f.computed(n)
		default:
			return 0, false
		}
	}
	return 0, false
}

// computed returns the first operand of a node that is not a constant and is made by a node.
func (f *finder) computed(n *node) value {
	for _, v := range n.in {
		if v != nothing && !f.constant[v] && f.maker[v] >= 0 {
			return v
		}
	}
	return nothing
}

// vocabularies returns the sizes of the last axes of outputs that come from a product with weights.
func (f *finder) vocabularies() map[int64]bool {
	out := map[int64]bool{}
	for i, v := range f.out {
		if f.roles.Outputs[i].Kind != Unknown {
			continue
		}
		if _, ok := f.lastProduct(v); ok {
			if n := f.size(v, -1); n > 1 {
				out[n] = true
			}
		}
	}
	return out
}

// findResults finds the roles of the outputs that are not a cache.
func (f *finder) findResults() {
	rows, columns := map[int64]bool{}, map[int64]bool{}
	for in, v := range f.in {
		switch f.roles.Inputs[in].Kind {
		case IDs:
			t := f.tableOf(f.r.by[v])
			rows[f.size(t, 0)], columns[f.size(t, -1)] = true, true
		case Embeddings, Encoded:
			columns[f.size(v, -1)] = true
		default:
		}
	}
	delete(rows, 0)
	delete(columns, 0)
	for out, v := range f.out {
		p := &f.roles.Outputs[out]
		if v == nothing || p.Kind != Unknown {
			continue
		}
		f.result(p, v, rows, columns)
	}
}

// result finds the role of one output. rows and columns are the sizes of the table of tokens.
func (f *finder) result(p *Port, v value, rows, columns map[int64]bool) {
	last, rank := f.size(v, -1), len(f.dims(v))
	node, weighs := f.lastProduct(v)
	m := f.maker[v]
	isReal := f.elem(v).Kind() == tensor.KindFloat
	switch {
	case m >= 0 && f.nodes[m].op != nil && isSearch(f.nodes[m].op) && f.nodes[m].out[0] == v:
		p.Kind, p.Evidence = Generated, []Evidence{byOperator("it is sequences of %s", f.node(m))}
	case weighs && rows[last] && rank >= 2:
		p.Kind = Logits
		p.Evidence = []Evidence{structure("%s makes as many scores as the table of tokens has rows, %d", f.node(node), last)}
	case isReal && rank == 3 && m >= 0 && f.normed(v) && (columns[last] || len(columns) == 0):
		p.Kind, p.Evidence = Hidden, []Evidence{structure("it is the result of %s", f.node(m))}
	case isReal && rank >= 2 && columns[last]:
		p.Kind, p.Evidence = Hidden, []Evidence{structure("it is as wide as the hidden states, %d", last)}
	case weighs && rank == 3 && len(rows) == 0 && f.has(Embeddings) && len(f.roles.Pairs) > 0:
		p.Kind, p.Evidence = Logits, []Evidence{structure("%s makes it of weights, from hidden states", f.node(node))}
		p.Assumed = []string{"scores of the next token: there is no table of tokens to compare it with"}
	case rank != 3:
	case weighs && slices.Contains([]string{"logits", "lm_logits"}, p.Name):
		p.Kind = Logits
		p.Evidence = []Evidence{structure("%s makes it of weights", f.node(node)), {ByName, "its name is that of scores"}}
		p.Assumed = []string{"scores of the next token: it has another size than the table of tokens"}
		if len(rows) == 0 {
			p.Assumed = []string{"scores of the next token: there is no table of tokens to compare it with"}
		}
	case slices.Contains([]string{"logits", "lm_logits"}, p.Name):
		p.Kind, p.Evidence = Logits, []Evidence{{ByName, "its name is that of scores"}}
		p.Assumed = []string{"logits: only its name says so"}
	case slices.Contains([]string{"last_hidden_state", "last_state", "hidden_states", "encoder_hidden_states"}, p.Name):
		p.Kind, p.Evidence = Hidden, []Evidence{{ByName, "exporters give this name"}}
		p.Assumed = []string{"hidden states: only its name says so"}
	}
}

// has reports whether an input has a role.
func (f *finder) has(k Kind) bool {
	for i := range f.roles.Inputs {
		if f.roles.Inputs[i].Kind == k {
			return true
		}
	}
	return false
}

// isSearch reports whether an operator generates tokens.
func isSearch(n *graphops.Node) bool {
	switch n.Op() {
	case microsoft("BeamSearch"), microsoft("WhisperBeamSearch"), microsoft("GreedySearch"), microsoft("Sampling"):
		return true
	default:
		return false
	}
}

// normed reports whether a value is the result of a normalization, perhaps in another type.
func (f *finder) normed(v value) bool {
	for range maxHops {
		if v == nothing || f.maker[v] < 0 || f.nodes[f.maker[v]].op == nil {
			return false
		}
		n := &f.nodes[f.maker[v]]
		switch classes()[n.op.Op()] {
		case norming:
			return true
		case passing:
			v = at(n.in, 0)
		default:
			return false
		}
	}
	return false
}

func (f *finder) elem(v value) tensor.DType {
	h := f.homes[v]
	if f.shapes != nil && h.place.Function == nil {
		if t := f.shapes.Value(h.place, h.id); t.Elem != tensor.Undefined {
			return t.Elem
		}
	}
	return f.typeOf(v).Elem
}
