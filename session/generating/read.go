package generating

import (
	"context"
	"errors"
	"fmt"
)

// Reading is what a side says about one token of a text, from the tokens before it.
type Reading struct {
	// NLL is the negative logarithm of the probability of the token, in nats.
	NLL float64
	// Best is the token with the highest score.
	Best int
	// Usable is false if the scores are NaN or infinite, so that they are not a distribution.
	Usable bool
}

// chunk is how many tokens one run reads of a model with a cache. The scores of one run are in memory.
const chunk = 64

// errLastOnly is the error of a run that returns scores only after its last token.
var errLastOnly = errors.New("the run returned scores only after the last token")

// Read lets all sides read the same text, whatever tokens they prefer. visit gets the number of tokens
// before a token, the token, and what each side says about it. The first token has none before it, so it
// is not scored.
func Read(ctx context.Context, sides []*Side, p Prompt, visit func(position int, token int64, of []Reading)) error {
	size := chunk
	for _, s := range sides {
		if !s.Decoder.Plan.Cached() {
			size = len(p.IDs) // all earlier tokens are computed in every run
		}
	}
	started := false
	err := readBy(ctx, sides, p, size, func(position int, token int64, of []Reading) {
		started = true
		visit(position, token, of)
	})
	if errors.Is(err, errLastOnly) && !started {
		return readBy(ctx, sides, p, 1, visit)
	}
	return err
}

// readBy reads a text by runs over some tokens.
func readBy(ctx context.Context, sides []*Side, p Prompt, size int, visit func(position int, token int64, of []Reading)) error {
	walks := make([]*walk, len(sides))
	for i, side := range sides {
		var err error
		if walks[i], err = side.begin(p.Given[i], int64(len(p.IDs))); err != nil {
			return named(i, err)
		}
	}
	// The scores after the last token predict none, so it is not fed.
	for at, last := 0, len(p.IDs)-1; at < last; at += size {
		ids := p.IDs[at:min(at+size, last)]
		rows := make([][]row, len(sides))
		for i, w := range walks {
			var err error
			if rows[i], err = w.feed(ctx, ids); err != nil {
				return named(i, err)
			}
			if len(rows[i]) < len(ids) {
				return named(i, errLastOnly)
			}
		}
		for k := range ids {
			token, of := p.IDs[at+k+1], make([]Reading, len(sides))
			for i := range sides {
				var err error
				if of[i], err = rows[i][k].read(token); err != nil {
					return named(i, err)
				}
			}
			visit(at+k+1, token, of)
		}
	}
	return nil
}

// read returns what the scores say about the next token.
func (r row) read(token int64) (Reading, error) {
	scores, err := r.of.Float64s()
	if err != nil {
		return Reading{}, err
	}
	if token < 0 || token >= int64(len(scores)) {
		return Reading{}, fmt.Errorf("the text has token %d, and there are scores of the tokens 0 to %d", token, len(scores)-1)
	}
	sum := logSum(scores)
	return Reading{NLL: sum - scores[token], Best: bestOf(scores, nil).token, Usable: sum-sum == 0}, nil
}
