package roles

import (
	"sync"

	"lathe/graphops"
)

// Growth is how a cache changes in a run.
type Growth uint8

// The ways in which caches change.
const (
	Grows     Growth = iota + 1 // the present is longer than the past by the new positions
	MayShare                    // it grows, or past and present are one buffer with room for both
	Shares                      // past and present are one buffer with room for both
	Slides                      // the newest positions replace the oldest ones
	Indexed                     // new positions are written where an index says
	Replaced                    // a state of fixed size is replaced
	Unchanged                   // it is only read
)

// String describes the growth in a few words.
func (g Growth) String() string {
	return [...]string{"", "grows", "grows or has room", "has room", "slides", "written at an index", "replaced", "only read"}[g]
}

// Form is a known kind of cache or state.
type Form struct {
	Name   string
	Title  string
	Growth Growth
	// About says by what the form is recognized, and what a run has to observe.
	About string
	// operators are the operators whose slots are the cache. It is empty for forms that are
	// recognized by structure.
	operators []operator
}

// Operators returns the operators that have a cache of this form.
func (f *Form) Operators() []graphops.Op {
	var out []graphops.Op
	for _, o := range f.operators {
		out = append(out, o.op)
	}
	return out
}

// Forms returns the known forms.
func Forms() []*Form { return forms }

// operator says what the slots of an operator with a cache are.
type operator struct {
	op graphops.Op
	// caches are the slots of each cache.
	caches []slots
	// reads are the uses of the other slots.
	reads map[int]use
}

// slots are the input slot of a past, the output slot of its present, and what they hold. axis is
// the axis with the positions, or -1.
type slots struct {
	past, present int
	content       Content
	axis          int
}

func microsoft(name string) graphops.Op {
	return graphops.Op{Domain: graphops.MicrosoftDomain, Name: name}
}

// keysAndValues are the slots of a cache with separate keys and values. The slot of keys comes first.
func keysAndValues(past, axis int) []slots {
	return []slots{{past, 1, Key, axis}, {past + 1, 2, Value, axis}}
}

// whole are the slots of a cache with keys and values in one tensor.
func whole(past int) []slots { return []slots{{past, 1, KeyAndValue, 3}} }

// state are the slots of a state.
func state(past, present int) []slots { return []slots{{past, present, State, -1}} }

// packedQuery are the uses of the first inputs of an attention whose queries may hold keys and
// values too.
var packedQuery = useQuery | useKey | useValue

// cells are the slots of an LSTM.
var cells = []slots{{5, 1, State, -1}, {6, 2, State, -1}}

var (
	groupQuery = &Form{Name: "group-query", Title: "GroupQueryAttention", Growth: MayShare, operators: []operator{
		{microsoft("GroupQueryAttention"), keysAndValues(3, 2), map[int]use{0: packedQuery, 1: useKey, 2: useValue, 5: useLengths, 6: useTotal, 7: useAngle, 8: useAngle, 9: usePosition, 10: useMask}},
	}, About: `past_key and past_value of com.microsoft's GroupQueryAttention. seqlens_k has, for each sequence, the number of valid positions minus one, and total_sequence_length the length of past and new positions together. If past and present are the same buffer, the length of past is its capacity; otherwise the present is longer by the new positions. After a filled cache a batch of several sequences takes one new position only. local_window_size limits how far the operator looks back; with sliding_window_cache the cache itself keeps only the newest positions.`}
	sparse = &Form{Name: "sparse", Title: "SparseAttention", Growth: Shares, operators: []operator{
		{microsoft("SparseAttention"), keysAndValues(3, 2), map[int]use{0: packedQuery, 1: useKey, 2: useValue, 7: useTotal, 8: useKeyLengths, 9: useAngle, 10: useAngle}},
	}, About: `past_key and past_value of com.microsoft's SparseAttention. Past and present are one buffer. key_total_sequence_lengths has the number of valid positions of each sequence.`}
	paged = &Form{Name: "paged", Title: "PagedAttention", Growth: Shares, operators: []operator{
		{microsoft("PagedAttention"), keysAndValues(3, -1), map[int]use{0: packedQuery, 1: useKey, 2: useValue, 6: usePastLength, 8: useAngle, 9: useAngle}},
	}, About: `key_cache and value_cache of com.microsoft's PagedAttention: blocks of positions, which block_table assigns to the sequences.`}
	multiHead = &Form{Name: "multi-head", Title: "MultiHeadAttention", Growth: Grows, operators: []operator{
		{microsoft("MultiHeadAttention"), keysAndValues(6, 2), map[int]use{0: packedQuery, 1: useKey, 2: useValue, 4: useMask, 5: useMask, 8: usePastLength, 9: useBeams}},
		{microsoft("DecoderMaskedMultiHeadAttention"), keysAndValues(5, 2), map[int]use{0: packedQuery, 1: useKey, 2: useValue, 3: useMask, 4: useMask, 7: usePastLength, 8: useSetting, 9: useBeams}},
	}, About: `past_key and past_value of com.microsoft's MultiHeadAttention, or of DecoderMaskedMultiHeadAttention, which takes one new position. The present is longer than the past by the new positions, unless past_sequence_length is given (or past_present_share_buffer is set): then both are one buffer.`}
	merged = &Form{Name: "attention", Title: "Attention of com.microsoft", Growth: Grows, operators: []operator{
		{microsoft("Attention"), whole(4), map[int]use{0: useInto, 3: useMask, 5: useMask, 6: usePastLength}},
		{microsoft("QAttention"), whole(8), map[int]use{0: useInto, 5: useMask}},
		{microsoft("DecoderMaskedSelfAttention"), whole(4), map[int]use{0: useInto, 3: useMask, 5: useMask, 6: usePastLength, 7: useSetting, 8: useBeams}},
	}, About: `past of com.microsoft's Attention, QAttention or DecoderMaskedSelfAttention: keys and values in one tensor of 2 × batch × heads × positions × size. With past_present_share_buffer past and present are one buffer.`}
	standard = &Form{Name: "standard", Title: "Attention of ONNX", Growth: Grows, operators: []operator{
		{graphops.Op{Name: "Attention"}, keysAndValues(4, 2), map[int]use{0: useQuery, 1: useKey, 2: useValue, 3: useMask, 6: useKeyLengths}},
	}, About: `past_key and past_value of ONNX's Attention (opset 23 and later). The present is longer than the past by the new positions. From opset 24 on, nonpad_kv_seqlen has the number of valid positions of each sequence instead, for a cache that is written before the attention (see indexed).`}
	decoder = &Form{Name: "decoder", Title: "DecoderAttention", Growth: Grows, operators: []operator{
		{microsoft("DecoderAttention"), keysAndValues(6, 2), map[int]use{0: useInto, 1: useEncoded, 5: useMask, 9: useBranch}},
	}, About: `key_cache and value_cache of com.microsoft's DecoderAttention, whose inputs use_past and has_layer_state switch them.`}
	linear = &Form{Name: "linear", Title: "linear attention", Growth: Replaced, operators: []operator{
		{microsoft("LinearAttention"), state(3, 1), map[int]use{0: useInto, 1: useInto, 2: useInto}},
		{graphops.Op{Name: "LinearAttention"}, state(3, 1), map[int]use{0: useInto, 1: useInto, 2: useInto}},
		{microsoft("GatedDeltaNet"), state(6, 1), map[int]use{0: useInto, 1: useInto, 2: useInto}},
	}, About: `past_state of LinearAttention, or initial_state of com.microsoft's GatedDeltaNet: a state whose size does not depend on the number of positions.`}
	recurrent = &Form{Name: "recurrent", Title: "recurrent layer", Growth: Replaced, operators: []operator{
		{graphops.Op{Name: "LSTM"}, cells, map[int]use{4: useKeyLengths}},
		{graphops.Op{Name: "GRU"}, cells[:1], map[int]use{4: useKeyLengths}},
		{graphops.Op{Name: "RNN"}, cells[:1], map[int]use{4: useKeyLengths}},
		{microsoft("DynamicQuantizeLSTM"), cells, map[int]use{4: useKeyLengths}},
		{microsoft("AttnLSTM"), cells, map[int]use{4: useKeyLengths, 11: useEncoded}},
	}, About: `initial_h (and initial_c) of LSTM, GRU or RNN, with Y_h (and Y_c) as the present.`}
	convolution = &Form{Name: "conv", Title: "convolution with a state", Growth: Replaced, operators: []operator{
		{microsoft("CausalConvWithState"), []slots{{3, 1, ConvState, -1}}, map[int]use{0: useInto}},
		{graphops.Op{Name: "CausalConvWithState"}, []slots{{3, 1, ConvState, -1}}, map[int]use{0: useInto}},
		{microsoft("VarlenCausalConvWithState"), []slots{{4, 1, ConvState, -1}}, map[int]use{0: useInto}},
	}, About: `past_state of CausalConvWithState or initial_state of VarlenCausalConvWithState: the last positions, which the kernel of the convolution still needs.`}
)

var (
	concat  = &Form{Name: "concat", Title: "Concat", Growth: Grows, About: `A Concat of the past and the new keys or values, along the axis of positions, whose result is an output. Which of them it has is known by the product that reads it: the one before the Softmax reads keys, the one after it values. Casts, transpositions, reshapes, quantization, repeated heads and branches may be between. Exporters write this if nothing fuses the attention.`}
	window  = &Form{Name: "window", Title: "Concat and Slice", Growth: Slides, About: `As concat, but a Slice before or after the Concat drops the oldest positions, so that the cache has the size of a window.`}
	convCat = &Form{Name: "conv-concat", Title: "Concat before a convolution", Growth: Replaced, About: `A Concat of the last inputs of a convolution and the new ones, which a Conv reads. A Slice of it is the present.`}
	indexed = &Form{Name: "indexed", Title: "static cache with an index", Growth: Indexed, About: `A cache of fixed capacity, into which TensorScatter, ScatterND, ScatterElements or Where writes the new positions. Another input says where.`}
	cross   = &Form{Name: "cross", Title: "keys and values of an encoder", Growth: Unchanged, About: `An input that an attention reads as keys or values without joining it with new ones. If an output returns it, that output is the same cache. In a merged decoder the branch without a past computes it from what the encoder returned.`}
	looped  = &Form{Name: "loop", Title: "state of a loop", Growth: Replaced, About: `A state variable of a Scan or Loop, with its final value as an output.`}
	updated = &Form{Name: "updated", Title: "state updated by elements", Growth: Replaced, About: `An input that additions and multiplications by elements turn into an output of the same type, as layers such as RWKV or Mamba write it. No axis of it is that of the tokens.`}
	filled  = &Form{Name: "filled", Title: "keys and values without a past", Growth: Unchanged, About: `An output that an attention reads as keys or values, of a model that has no such input: a decoder for the first run. The cache of the model for later runs begins with it.`}
	named   = &Form{Name: "named", Title: "names only", Growth: Replaced, About: `An input and an output of the same type whose names differ only in words such as past and present. No structure shows that one continues the other.`}
	given   = &Form{Name: "given", Title: "--role", Growth: Replaced, About: `A pair that --role states.`}
)

// forms are the known forms, in the order in which they are documented.
var forms = []*Form{
	groupQuery, sparse, paged, multiHead, merged, standard, decoder, linear, recurrent, convolution,
	concat, window, convCat, indexed, cross, filled, looped, updated, named, given,
}

// operators are the operators with a cache, by name.
var operators = sync.OnceValue(func() map[graphops.Op]*Form {
	out := map[graphops.Op]*Form{}
	for _, f := range forms {
		for _, o := range f.operators {
			out[o.op] = f
		}
	}
	return out
})

// operator returns the row of an operator of the form.
func (f *Form) operator(op graphops.Op) *operator {
	for i := range f.operators {
		if f.operators[i].op == op {
			return &f.operators[i]
		}
	}
	return nil
}
