package reporting

import "lathe/session"

// Fronted is the report of a search that found several models. A smaller one always has larger errors.
type Fronted interface {
	session.Report
	// FrontTitle says in a few words what was searched.
	FrontTitle() string
	// FrontPoints returns the models, the smallest first.
	FrontPoints() []FrontPoint
}

// FrontPoint is one model of a front.
type FrontPoint struct {
	Bytes int64
	Ratio float64 // of the size to that of the original
	SNR   float64 // signal-to-noise ratio of the worst output, in dB; infinite if nothing differs
	KL    float64 // the largest Kullback-Leibler divergence of an output; NaN if it is not known
	Top1  float64 // the share of rows that are right; NaN if it is not known
	Made  string  // how many nodes have each type, such as "3 dynamic, 1 float16"
	Mark  string  // such as "best", or ""
	// Make is the call of the step that makes the model without a search. It has no options for the original.
	Make session.Call
}
