package generating

import (
	"math"
	"slices"

	"lathe/graphops/tensor"
)

// row has the scores of all tokens at one position, as the model returned them.
type row struct{ of tensor.Tensor }

// best are the token with the highest score and by how much that is above the second one. Of equal
// scores the first counts, as in the worker.
type best struct {
	token  int
	margin float64
}

// bestOf chooses from scores. avoid are tokens that are not chosen.
func bestOf(scores []float64, avoid []int64) best {
	at, first, second := -1, math.Inf(-1), math.Inf(-1)
	for i, x := range scores {
		if slices.Contains(avoid, int64(i)) {
			continue
		}
		switch {
		case at < 0 || x > first:
			at, first, second = i, x, first
		case x > second:
			second = x
		}
	}
	return best{max(at, 0), first - second}
}

// logSum is the logarithm of the sum of exponentials. Scores are a distribution if it is finite: then none
// is NaN or infinite upward, and one is finite.
func logSum(scores []float64) float64 {
	most := math.Inf(-1)
	for _, x := range scores {
		most = math.Max(most, x)
	}
	if math.IsInf(most, 0) {
		return most
	}
	sum := 0.0
	for _, x := range scores {
		sum += math.Exp(x - most)
	}
	return most + math.Log(sum)
}

// divergence is the Kullback–Leibler divergence of the distribution of b from that of a, in nats: by how
// much a text of a is less likely for b, for each token. A token that a excludes counts nothing. sumA and sumB are their logSum.
func divergence(a, b []float64, sumA, sumB float64) float64 {
	total := 0.0
	for i := range a {
		if p := a[i] - sumA; !math.IsInf(p, -1) {
			total += math.Exp(p) * (p - (b[i] - sumB))
		}
	}
	return math.Max(total, 0) // rounding may make the sum of equal distributions slightly negative
}

// largest is the largest difference of two scores.
func largest(a, b []float64) (most float64) {
	for i := range a {
		if d := math.Abs(a[i] - b[i]); d > most {
			most = d
		}
	}
	return most
}
