package calibrate

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
	"lathe/session/text"
)

// reduced computes what want requests of an input. An input needs no run of the model.
func reduced(v graphops.Value, want execution.Want) (execution.Got, error) {
	got := execution.Got{Name: want.Name, Value: v, Parts: []execution.Part{{}}}
	part := &got.Parts[0]
	if !v.IsTensor() || !calibration.Takes(v.Tensor.DType) {
		part.Unable = "it is not a tensor of float32 or float16"
		return got, nil
	}
	n, err := tensor.Elements(v.Tensor.Shape)
	if err != nil {
		return got, err
	}
	size, err := v.Tensor.DType.ByteLen(n)
	if err != nil {
		return got, err
	}
	var from io.Reader = bytes.NewReader(v.Tensor.Data)
	if v.Stored != nil {
		from = io.NewSectionReader(v.Stored, 0, size)
	}
	r, err := tensor.NewReader(from, v.Tensor.DType, n)
	if err != nil {
		return got, err
	}
	part.Extent, part.Counts, err = calibration.Measure(r, v.Tensor.DType, want.Extent, want.Bins)
	return got, err
}

func (v *value) wantExtent() execution.Want { return execution.Want{Name: v.name, Extent: true} }

func (v *value) wantCounts() execution.Want { return execution.Want{Name: v.name, Bins: &v.plan.Bins} }

// spread takes the smallest and largest element that a value has in a sample.
func (v *value) spread(j *job, sample string, got execution.Got) {
	if len(got.Parts) != 1 || got.Parts[0].Extent == nil {
		v.leftOut = fmt.Sprintf("sample %s: %s", sample, unable(got))
		return
	}
	e := *got.Parts[0].Extent
	if v.elem == tensor.Undefined {
		v.elem, v.extent.Elem = e.Elem, e.Elem
		v.whole = calibration.NewExtent(e.Elem)
		v.minmax = &calibration.MinMax{Elem: e.Elem, Symmetric: j.o.Symmetric, Average: j.o.Average, Constant: j.o.Constant}
	}
	switch {
	case math.IsInf(e.Min, 0) || math.IsInf(e.Max, 0):
		v.leftOut = fmt.Sprintf("its elements go from %v to %v in sample %s, and no range of integers covers an infinity", e.Min, e.Max, sample)
		return
	case e.NaN > 0 && v.remark == nil:
		v.remark = &Remark{v.name, sample, text.Plural(int(e.NaN), "element") + " of it NaN, which no range can include"}
	}
	v.extent = v.extent.Join(e)
	if e.Count > 0 {
		v.minmax.Add(e.Min, e.Max)
	}
}

// unable returns why a result has no statistics.
func unable(got execution.Got) string {
	if len(got.Parts) == 1 && got.Parts[0].Unable != "" {
		return got.Parts[0].Unable
	}
	return "it is not a tensor"
}

// count adds to each bin the number of elements that a value has in it in one sample.
func (v *value) count(_ *job, sample string, got execution.Got) {
	if len(got.Parts) != 1 || len(got.Parts[0].Counts) != len(v.counts) {
		v.leftOut = fmt.Sprintf("sample %s: %s", sample, unable(got))
		return
	}
	for i, n := range got.Parts[0].Counts {
		v.counts[i] += n
	}
}
