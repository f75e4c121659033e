package timing

import (
	"lathe/graphops"
	"lathe/session/reporting"
	"lathe/session/sizing"
)

// samples returns the number of samples in one run of a target, by which samples per second are
// counted. It is 1 if it is not known.
func (t *Subject) samples() int64 { return max(t.batch, t.counted, 1) }

// samplesIn counts the samples of inputs: the size of the free axis that counts samples, or the batch
// at which the model is fixed. It returns 0 if the model does not say which axis that is, or if two
// inputs have different numbers of samples.
func samplesIn(m *graphops.Model, t *Subject) int64 {
	batch := reporting.BatchOf(m, t.roles)
	if batch.Axis == "fixed" {
		return batch.Size
	}
	shapes, found := ShapesOf(t.feeds), int64(0)
	for _, in := range graphops.NamedTypes(m.Graph().FeedInputs()) {
		for axis, d := range in.Type.Shape {
			if !sizing.CountsSamples(d, axis) || axis >= len(shapes[in.Name]) {
				continue
			}
			n := shapes[in.Name][axis]
			if found > 0 && found != n {
				return 0
			}
			found = n
		}
	}
	return found
}
