package roles

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// direct are the uses that are a role, the strongest first.
var direct = []struct {
	use    use
	kind   Kind
	source Source
	offset int
	text   string
}{
	{useLengths, Lengths, ByOperator, -1, "it is seqlens_k of %s"},
	{useKeyLengths, Lengths, ByOperator, 0, "it is the lengths of %s"},
	{useTotal, Total, ByOperator, 0, "it is the total length of %s"},
	{usePastLength, PastLength, ByOperator, 0, "it is the length of the past of %s"},
	{useBeams, Beams, ByOperator, 0, "it selects sequences of the cache for %s"},
	{useIndex, CacheIndex, ByStructure, 0, "it says where %s writes into a cache"},
	{useSetting, Setting, ByOperator, 0, "it is a setting of %s"},
	{useSegment, Segments, ByOperator, 0, "it is segment_ids of %s"},
}

// findInputs finds the roles of the inputs that are not a cache.
func (f *finder) findInputs() {
	var tables []int
	for in, v := range f.in {
		p := &f.roles.Inputs[in]
		if v == nothing || p.Kind != Unknown {
			continue
		}
		u := f.r.use[v]
		if isInteger(f.types[in]) || u&usePosition != 0 {
			if f.integerInput(p, u, v, f.types[in]) {
				tables = append(tables, in)
			}
			continue
		}
		f.realInput(p, u, v, f.types[in])
	}
	f.chooseTables(tables)
	f.inputsByName()
}

// integerInput finds the role of an input of integers or booleans. It returns true if the input
// selects rows of tables, whose roles are compared with each other.
func (f *finder) integerInput(p *Port, u use, v value, t graphops.Type) (selects bool) {
	node := f.node(f.r.by[v])
	if u&useBranch != 0 && f.onlyOne(v) {
		p.Kind, p.Evidence = Branch, []Evidence{structure("it decides which branch of %s runs", node)}
		return false
	}
	if u&useTable != 0 {
		return true
	}
	if u&useCounted != 0 {
		p.Kind = Mask
		p.Evidence = []Evidence{structure("it is summed up to lengths or positions, which %s reads", node)}
		if u&useMask != 0 {
			p.Evidence = append(p.Evidence, structure("it changes scores before a Softmax"))
		}
		return false
	}
	for _, d := range direct {
		if u&d.use == 0 {
			continue
		}
		p.Kind, p.Offset = d.kind, d.offset
		p.Evidence = []Evidence{{d.source, fmt.Sprintf(d.text, node)}}
		return false
	}
	switch {
	case u&usePosition != 0:
		p.Kind, p.Evidence = Positions, []Evidence{structure("the angles of %s are computed from it", node)}
	case u&useShifted != 0:
		return true
	case u&useMask != 0:
		p.Kind, p.Evidence = Mask, []Evidence{structure("it changes scores before a Softmax, at %s", node)}
		if n := f.r.by[v]; n >= 0 && f.nodes[n].op != nil && operators()[f.nodes[n].op.Op()] != nil {
			p.Evidence = []Evidence{byOperator("it is the mask of %s", node)}
			if len(t.Shape) == 1 {
				p.Kind, p.Assumed = Lengths, []string{"that it has one length for each sequence: it has one axis"}
			}
		}
	}
	return false
}

// onlyOne reports whether a value has at most one element.
func (f *finder) onlyOne(v value) bool {
	d := f.dims(v)
	return len(d) == 0 || len(d) == 1
}

// realInput finds the role of an input of real numbers.
func (f *finder) realInput(p *Port, u use, v value, t graphops.Type) {
	if t.Elem.Kind() != tensor.KindFloat {
		return
	}
	node, rank := f.node(f.r.by[v]), len(f.dims(v))
	switch {
	case u&useMask != 0 && u&(useInto|useEncoded) == 0:
		p.Kind, p.Evidence = Mask, []Evidence{structure("it changes scores before a Softmax, at %s", node)}
	case u&useSetting != 0:
		p.Kind, p.Evidence = Setting, []Evidence{byOperator("it is a setting of %s", node)}
	case u&useSeen != 0 && u&(useInto|useQuery) == 0:
		p.Kind, p.Evidence = Features, []Evidence{structure("it comes to the attention %s by a convolution or a search", node)}
	case rank == 3 && u&useInto != 0:
		p.Kind, p.Evidence = Embeddings, []Evidence{structure("the queries of %s are computed from it", node)}
	case rank == 3 && u&useEncoded != 0:
		p.Kind = Encoded
		p.Evidence = []Evidence{structure("keys and values, and no queries, are computed from it, such as those of %s", node)}
	}
}

// table is an input that selects rows of a table.
type table struct {
	in   int
	rows int64
	node int32
}

// chooseTables decides which of the inputs that select rows are the tokens, segments and positions.
func (f *finder) chooseTables(list []int) {
	vocabularies := f.vocabularies()
	var tables []table
	most := int64(0)
	for _, in := range list {
		node := f.r.by[f.in[in]]
		t := table{in: in, node: node, rows: f.size(f.tableOf(node), 0)}
		tables = append(tables, t)
		most = max(most, t.rows)
	}
	for _, t := range tables {
		p := &f.roles.Inputs[t.in]
		u := f.r.use[f.in[t.in]]
		rows := structure("%s selects rows of a table of %d with it", f.node(t.node), t.rows)
		isNamed := namesKind(p.Name, IDs)
		switch {
		case f.nodes[t.node].op != nil && readers()[f.nodes[t.node].op.Op()] != nil:
			p.Kind, p.Evidence = IDs, []Evidence{byOperator("it is input_ids of %s", f.node(t.node))}
		case t.rows > 0 && vocabularies[t.rows] && u&useTable != 0:
			p.Kind = IDs
			p.Evidence = []Evidence{rows, structure("an output has as many scores")}
		case u&useTable == 0 || namesKind(p.Name, Positions) && !isNamed:
			p.Kind, p.Evidence = Positions, []Evidence{rows}
			if u&useTable == 0 {
				p.Evidence = append(p.Evidence, structure("a number is added to it first"))
				break
			}
			p.Evidence = append(p.Evidence, Evidence{ByName, "its name has the word positions"})
			p.Assumed = []string{"positions and not token ids: only its name says so"}
		case namesKind(p.Name, Segments) && !isNamed, t.rows > 0 && t.rows <= 16 && t.rows < most:
			p.Kind, p.Evidence = Segments, []Evidence{rows}
			p.Assumed = []string{"segments: its table has the fewest rows"}
			if namesKind(p.Name, Segments) {
				p.Evidence = append(p.Evidence, Evidence{ByName, "its name is that of segments"})
			}
		case isNamed:
			p.Kind, p.Evidence = IDs, []Evidence{rows, {ByName, "its name is that of token ids"}}
		case t.rows == most && f.attends() && len(f.dims(f.in[t.in])) >= 2:
			p.Kind, p.Evidence = IDs, []Evidence{rows}
			p.Assumed = []string{"token ids: its table is the largest one"}
		}
	}
}

// tableOf returns the table that a node looks up.
func (f *finder) tableOf(i int32) value {
	if i < 0 || f.nodes[i].op == nil {
		return nothing
	}
	n := &f.nodes[i]
	if readers()[n.op.Op()] != nil {
		return at(n.in, 2)
	}
	return at(n.in, 0)
}

// attends reports whether there is an attention, or a cache, in the model.
func (f *finder) attends() bool {
	if len(f.roles.Pairs) > 0 {
		return true
	}
	for i := range f.nodes {
		n := f.nodes[i].op
		if n != nil && (operators()[n.Op()] != nil || f.r.isProduct(&f.nodes[i]) && f.r.scored[at(f.nodes[i].out, 0)]) {
			return true
		}
	}
	return false
}

// inputNames are the names that exporters give inputs without a cache, and parts of such names. They
// decide only if nothing else does.
var inputNames = []struct {
	kind  Kind
	names []string
	parts []string
}{
	{Mask, nil, []string{"mask"}},
	{CacheIndex, []string{"cache_position", "cache_index"}, nil},
	{Segments, nil, []string{"segment", "type_id"}},
	{Positions, []string{"pos_ids"}, []string{"position"}},
	{Embeddings, []string{"inputs_embeds", "input_embeds", "inputs_embedding", "decoder_inputs_embeds"}, nil},
	{IDs, []string{"ids", "tokens", "input_tokens"}, []string{"input_id", "token_id"}},
	{Lengths, []string{"seqlens_k"}, nil},
	{Total, []string{"total_sequence_length", "total_seq_len"}, nil},
	{PastLength, []string{"past_sequence_length", "past_seq_len", "past_length"}, nil},
	{Branch, []string{"use_cache_branch", "use_cache"}, nil},
	{Beams, []string{"beam_idx", "beam_indices"}, nil},
	{Encoded, []string{"encoder_outputs", "encoder_output"}, []string{"hidden_state"}},
	{Features, []string{"pixel_values", "input_features", "input_values"}, nil},
}

// namesKind reports whether exporters give inputs of a kind this name.
func namesKind(name string, k Kind) bool {
	name = strings.ToLower(name)
	for _, row := range inputNames {
		if row.kind != k {
			continue
		}
		return slices.Contains(row.names, name) || slices.ContainsFunc(row.parts, func(part string) bool { return strings.Contains(name, part) })
	}
	return false
}

// inputsByName gives inputs that are left the role that their name has.
func (f *finder) inputsByName() {
	for in := range f.roles.Inputs {
		if p := &f.roles.Inputs[in]; p.Kind == Unknown {
			*p = ByNameOnly(graphops.NamedType{Name: p.Name, Type: f.types[in]})
		}
	}
}

// ByNameOnly returns an input with the role that its name and its type suggest.
func ByNameOnly(in graphops.NamedType) Port {
	p := Port{Name: in.Name, Pair: -1}
	for _, row := range inputNames {
		real := row.kind == Embeddings || row.kind == Encoded || row.kind == Features
		if !namesKind(p.Name, row.kind) || real == isInteger(in.Type) && row.kind != Mask {
			continue
		}
		p.Kind = row.kind
		if row.kind == Lengths {
			p.Offset = -1
		}
		p.Evidence = []Evidence{{ByName, fmt.Sprintf("its name suggests %s", row.kind.Title())}}
		p.Assumed = []string{fmt.Sprintf("%s: only its name says so", row.kind.Title())}
		break
	}
	return p
}

// findCrossMasks finds the masks of the positions of an encoder: they have as many columns as its
// states or keys have positions.
func (f *finder) findCrossMasks() {
	var lengths []dim.Dim
	for in, v := range f.in {
		p, d := &f.roles.Inputs[in], f.dims(f.in[in])
		switch {
		case v == nothing:
		case p.Kind == Encoded && len(d) == 3:
			lengths = append(lengths, d[1])
		case p.Kind == Past && p.Cross && len(d) == 4:
			lengths = append(lengths, d[2])
		}
	}
	for in, v := range f.in {
		p, d := &f.roles.Inputs[in], f.dims(v)
		if p.Kind != Mask || len(d) < 2 {
			continue
		}
		for _, n := range lengths {
			if _, fixed := n.Number(); !fixed && n.Known() && n.Equal(d[len(d)-1]) {
				p.Cross = true
				p.Evidence = append(p.Evidence, structure("it has as many columns as the encoder has positions, %s", n))
				break
			}
		}
	}
}
