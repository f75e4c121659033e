package accuracy

import (
	"math"

	"lathe/graphops/tensor"
	"lathe/session/proportion"
)

// block is how many consecutive tokens form a block.
const block = 64

// leastGroups is how many texts or blocks an interval needs. With fewer, a normal distribution is too
// narrow.
const leastGroups = 20

// group sums up differences that are not independent: those of one text, or of one block of it.
type group struct {
	sum float64
	n   int64
}

// losses are the differences of the loss of two models, token by token. Neighbouring tokens are not
// independent, so that texts count as wholes, or blocks of tokens if there are few texts.
type losses struct {
	texts, blocks []group
	pieces        bool // texts are pieces of longer ones
}

// begin begins a text.
func (l *losses) begin() {
	l.texts = append(l.texts, group{})
	l.blocks = append(l.blocks, group{})
}

func (l *losses) add(d float64) {
	if l.blocks[len(l.blocks)-1].n == block {
		l.blocks = append(l.blocks, group{})
	}
	for _, g := range []*group{&l.texts[len(l.texts)-1], &l.blocks[len(l.blocks)-1]} {
		g.sum += d
		g.n++
	}
}

// Loss compares the mean loss of two models in nats for each token.
type Loss struct {
	// Difference is that of B less that of A. The perplexity of B is e to this power times that of A.
	Difference tensor.Number `json:"difference"`
	// Low and High are the ends of its 95 % interval. They are NaN if there are too few groups.
	Low  tensor.Number `json:"low"`
	High tensor.Number `json:"high"`
	// Groups is how many texts or blocks the interval is from.
	Groups   int    `json:"groups"`
	GroupsOf string `json:"groups_of"`
	// Significant says that the interval does not contain 0.
	Significant bool `json:"significant"`
}

// summary returns the mean with its interval: mean ± z·√(K/(K-1)·Σ(Sₖ-nₖ·mean)²)/N for K groups of nₖ
// tokens with the sum Sₖ, N tokens in all (the variance of a ratio for samples of clusters; W. G.
// Cochran, Sampling Techniques, third edition, 1977, section 9A.1).
func (l *losses) summary() Loss {
	of, groups := "texts", filled(l.texts)
	if l.pieces {
		of = "pieces of texts"
	}
	if len(groups) < leastGroups {
		of, groups = "blocks of 64 tokens", filled(l.blocks)
	}
	out := Loss{Groups: len(groups), GroupsOf: of, Low: tensor.Number(math.NaN()), High: tensor.Number(math.NaN())}
	sum, n := 0.0, 0.0
	for _, g := range groups {
		sum, n = sum+g.sum, n+float64(g.n)
	}
	mean := sum / n
	out.Difference = tensor.Number(mean)
	if len(groups) < leastGroups {
		return out
	}
	squares := 0.0
	for _, g := range groups {
		off := g.sum - float64(g.n)*mean
		squares += off * off
	}
	k := float64(len(groups))
	half := proportion.Z95 * math.Sqrt(k/(k-1)*squares) / n
	out.Low, out.High = tensor.Number(mean-half), tensor.Number(mean+half)
	out.Significant = mean-half > 0 || mean+half < 0
	return out
}

// filled are the groups that have a token.
func filled(all []group) (out []group) {
	for _, g := range all {
		if g.n > 0 {
			out = append(out, g)
		}
	}
	return out
}
