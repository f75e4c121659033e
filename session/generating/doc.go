// Package generating compares what two language models generate from the same prompts.
//
// # How it works
//
// walk.go runs a side: it feeds tokens, passes caches on, and returns the scores of each new position. A
// side is a decoder, with a second model for the first run if the decoder needs a cache that is filled.
// compare.go lets both sides take the same tokens, those that A chooses (teacher forcing). As long as B
// chooses them, too, these are also the tokens that B generates by itself. At the first other token, B
// goes its own way from the state that it has there, beside the comparison. scores.go compares two rows
// of scores: the best token and its margin, and the divergence of the two distributions. Only the rows of
// one run are in memory. summary.go sums up all positions.
//
// # Judgement
//
// Two sides that choose different tokens do so for one of two reasons. If the scores of both tokens are
// the same within the tolerance of the type, the tokens are nearly equally good and rounding decides:
// the other token says nothing. Otherwise the scores differ. The report has the numbers for either case.
package generating
