package main

import (
	"math"
	"slices"
)

// results are those of all rows, in the order of the jobs.
type results []result

// of returns the result of a tool for a job on a model.
func (rs results) of(job, model string, tool int) (result, bool) {
	at := slices.IndexFunc(rs, func(r result) bool {
		return r.job.name == job && r.model.name == model && r.tool == tool
	})
	if at < 0 {
		return result{}, false
	}
	return rs[at], true
}

// seconds is the median of a tool, NaN if it was not measured.
func (rs results) seconds(job, model string, tool int) float64 {
	r, ok := rs.of(job, model, tool)
	if !ok {
		return math.NaN()
	}
	return r.samples.median()
}

// megabytes is the peak memory of Lathe for a job on a model, NaN if it was not measured.
func (rs results) megabytes(job, model string) float64 {
	r, ok := rs.of(job, model, 0)
	if !ok {
		return math.NaN()
	}
	return float64(r.peak) / 1e6
}

// ratio is how many times as long as Lathe the second tool takes.
func (rs results) ratio(job, model string) float64 {
	return rs.seconds(job, model, 1) / rs.seconds(job, model, 0)
}
