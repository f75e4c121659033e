package cost

import "lathe/graphops/dim"

// Attention multiplies every element of the queries with every key, and every
// element of the result with every value: keys×(elements of the query + elements
// of the result). What a mask leaves out is counted.

var attention = family{"Attention": attentionONNX}

var attentionMicrosoft = family{
	"Attention": attentionProjected(4), "QAttention": attentionProjected(8),
	"MultiHeadAttention": multiHead, "GroupQueryAttention": groupQuery,
}

// attentionONNX has its operands projected: batch×heads×length×size, or
// batch×length×size of all heads.
func attentionONNX(n node) dim.Dim {
	keys := n.keys(1, 4)
	return keys.Mul(elements(n.in(0)).Add(elements(n.out(0))))
}

// keys is how many keys there are: those of a past, whose third axis tells it, and
// those of an input.
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

// attentionProjected makes queries, keys and values of one input by one matrix.
func attentionProjected(past int) formula {
	return func(n node) dim.Dim {
		x, w := n.in(0), n.in(1)
		keys := axis(x, 1)
		switch {
		case !n.has(past):
		case n.int("past_present_share_buffer", 0) != 0:
			keys = axis(n.in(past), 3) // the longest that it may become
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

// multiHead has queries of batch×length×size, or all three packed as
// batch×length×heads×3×size.
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

// groupQuery has as many keys as its cache is long, and results as long as its
// queries.
func groupQuery(n node) dim.Dim {
	return axis(n.out(1), 2).Mul(elements(n.out(0))).Mul(dim.Number(2))
}
