package cost

import "lathe/graphops/dim"

// Attention multiplies each query with each key, and the result of each query with each value. The
// number of products is keys × (elements of the queries + elements of the result). Products that a
// mask hides count too, although a kernel may skip them.

var attention = family{"Attention": attentionONNX}

var attentionMicrosoft = family{
	"Attention": attentionProjected(4), "QAttention": attentionProjected(8),
	"MultiHeadAttention": multiHead, "GroupQueryAttention": groupQuery,
}

// attentionONNX is the formula of the standard operator, whose inputs are queries, keys and values.
// Their shapes are batch×heads×length×size, or batch×length×size with the heads joined.
func attentionONNX(n node) dim.Dim {
	keys := n.keys(1, 4)
	return keys.Mul(elements(n.in(0)).Add(elements(n.out(0))))
}

// keys returns the number of keys for each query: those of the input at position key, and those of
// the cache at position past, if there is one.
func (n node) keys(key, past int) dim.Dim {
	keys := dim.Unknown()
	switch k := n.in(key); len(k) {
	case 3:
		keys = k[1]
	case 4:
		keys = k[2]
	case 5: // batch×length×heads×2×size
		keys = k[1]
	}
	if n.has(past) {
		keys = keys.Add(axis(n.in(past), 2))
	}
	return keys
}

// attentionProjected returns the formula of operators that first multiply one input by one matrix
// to get queries, keys and values. past is the position of the input with the cache.
func attentionProjected(past int) formula {
	return func(n node) dim.Dim {
		x, w := n.in(0), n.in(1)
		keys := axis(x, 1)
		switch {
		case !n.has(past):
		case n.int("past_present_share_buffer", 0) != 0:
			keys = axis(n.in(past), 3) // the longest possible
		default:
			keys = keys.Add(axis(n.in(past), 3))
		}
		values := axis(n.out(0), -1)
		queries := axis(w, -1).Sub(values).FloorDiv(dim.Number(2))
		projection := elements(x).Mul(axis(w, -1))
		scores := rows(x).Mul(queries.Add(values)).Mul(keys)
		return projection.Add(scores)
	}
}

// multiHead is the formula of MultiHeadAttention. The queries have the shape batch×length×size, or
// queries, keys and values are packed as batch×length×heads×3×size.
func multiHead(n node) dim.Dim {
	q := n.in(0)
	queries, keys := elements(q), dim.Unknown()
	switch {
	case len(q) == 5:
		queries, keys = queries.FloorDiv(dim.Number(3)), axis(q, 1)
	case n.has(1):
		keys = n.keys(1, 6)
	}
	if present := n.out(1); len(present) == 4 {
		keys = known(present[2], keys)
	}
	return keys.Mul(queries.Add(elements(n.out(0))))
}

// groupQuery is the formula of GroupQueryAttention. The second output is the cache with all keys.
// Queries and result have equally many elements.
func groupQuery(n node) dim.Dim {
	return axis(n.out(1), 2).Mul(elements(n.out(0))).Mul(dim.Number(2))
}
