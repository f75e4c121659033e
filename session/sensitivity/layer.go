package sensitivity

import (
	"cmp"
	"math"
	"slices"

	"lathe/graphops/tensor"
)

// Layer is a node that could be quantized: what that costs and what it saves.
type Layer struct {
	Place string `json:"place,omitempty"` // the body of the node; "" for the main graph
	Index int    `json:"index"`           // of the node in its place, after the model is prepared
	Node  string `json:"node"`
	Op    string `json:"op"`
	// Weights are the constants that change. Shared is how many other nodes of the list read one of
	// them.
	Weights []string `json:"weights"`
	Shared  int      `json:"shared"`
	// BytesSaved is how much smaller the weights become. It assumes that the nodes that share a
	// weight are quantized too.
	BytesSaved int64 `json:"bytes_saved"`
	// Estimated is the signal-to-noise ratio that the weights let expect.
	Estimated tensor.Number `json:"estimated_snr_db"`
	*Cost
	// Failed says why the node cannot be quantized alone, or why the result does not run. It is ""
	// if it can, or if that was not tried.
	Failed string `json:"failed,omitempty"`
	Time   *Time  `json:"time,omitempty"` // nil if it was not measured

	name  string  // the unique name of the node while it is measured
	noise float64 // estimated, relative to the signal
	bytes int64   // of the quantized weights
}

// Cost is the error at the output of the model that is worst, over all cases of the data.
type Cost struct {
	SNR    tensor.Number `json:"snr_db"`
	RelErr tensor.Number `json:"relative_error"` // |a-b| / |a|, over all elements
	MaxAbs tensor.Number `json:"max_abs"`
	Output string        `json:"output"`
}

// Time compares the latency of the model with the node quantized and that of the original.
type Time struct {
	Original    tensor.Number     `json:"original_p50_ms"`
	P50         tensor.Number     `json:"p50_ms"`
	Ratio       tensor.Number     `json:"ratio"`
	CI95        *[2]tensor.Number `json:"ci95"`
	Significant bool              `json:"significant"`
}

// IsMeasured reports whether the error was measured, or it is known why it cannot be.
func (l *Layer) IsMeasured() bool { return l.Cost != nil || l.Failed != "" }

// lacks reports whether something is left to measure.
func (l *Layer) lacks(time bool) bool {
	return l.Failed == "" && (l.Cost == nil || time && l.Time == nil)
}

// signal returns the measured signal-to-noise ratio, or the estimated one.
func (l *Layer) signal() float64 {
	if l.Cost != nil {
		return float64(l.Cost.SNR)
	}
	return float64(l.Estimated)
}

// rank sorts layers, the largest error first. Those that cannot be quantized come last.
func rank(layers []*Layer) {
	slices.SortStableFunc(layers, func(a, b *Layer) int {
		return cmp.Or(cmp.Compare(a.hopeless(), b.hopeless()), cmp.Compare(a.signal(), b.signal()), cmp.Compare(a.BytesSaved, b.BytesSaved))
	})
}

// hopeless is 1 if the error cannot be measured, and 0 otherwise.
func (l *Layer) hopeless() int {
	if l.Cost == nil && l.Failed != "" {
		return 1
	}
	return 0
}

// mostValuable returns the layers in the order in which they are measured: the largest estimated noise
// first, and of equal ones that which saves more.
func mostValuable(layers []*Layer) []*Layer {
	out := slices.Clone(layers)
	slices.SortStableFunc(out, func(a, b *Layer) int {
		return cmp.Or(cmp.Compare(b.noise, a.noise), cmp.Compare(b.BytesSaved, a.BytesSaved))
	})
	return out
}

// coverage returns the part of the estimated noise that is caused by layers that were measured.
func coverage(layers []*Layer) float64 {
	var measured, all float64
	for _, l := range layers {
		all += l.noise
		if l.IsMeasured() {
			measured += l.noise
		}
	}
	if all == 0 || math.IsInf(all, 0) {
		return math.NaN()
	}
	return measured / all
}
