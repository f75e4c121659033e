package look

import (
	"errors"

	"lathe/session/reporting"
)

// atLength computes what the cache takes at the length and for the batch that are given.
func (s *Inspect) atLength(sum *reporting.Summary) error {
	if s.Context == 0 && s.Batch == 0 {
		return nil
	}
	c := sum.Cache
	if c == nil {
		return errors.New("--context and --batch are about the cache of a language model, and no cache was found; --role NAME=past:NAME states one")
	}
	tokens, from := s.Context, "--context"
	if tokens == 0 {
		if c.At == nil {
			return errors.New("--batch: neither the model nor a file beside it states the length of the context; add --context N")
		}
		tokens, from = c.At.Tokens, c.At.From
	}
	c.At = c.AtLength(tokens, max(s.Batch, 1), from)
	return nil
}
