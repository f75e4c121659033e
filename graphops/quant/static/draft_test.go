package static

import (
	"context"
	"testing"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// TestDraftAgreesWithQuantize holds what is projected against what comes out: the size
// to the byte where ranges are given, and the nodes that change.
func TestDraftAgreesWithQuantize(t *testing.T) {
	for _, tt := range models {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, tt.text)
			for _, perChannel := range []bool{false, true} {
				for _, weights := range []tensor.DType{tensor.I8, tensor.I16, tensor.I4} {
					for _, r := range []calibration.Range{unit, {Low: 0, High: 4}} {
						o := DefaultOptions()
						o.PerChannel, o.WeightType = perChannel, weights
						agree(t, m, o, r)
						if weights == tensor.I8 {
							ops := o
							ops.Format = FormatOperators
							agree(t, m, ops, r)
						}
						for _, n := range m.Graph().Nodes() {
							if n.Name() != "" {
								o.Exclude = []string{n.Name()}
								agree(t, m, o, r)
							}
						}
					}
				}
			}
		})
	}
}

func agree(t *testing.T, m *graphops.Model, o Options, r calibration.Range) {
	t.Helper()
	table := tableFor(t, m, o, r)
	d, err := Draft(context.Background(), m, table, o)
	if err != nil {
		t.Fatal(err)
	}
	q, report, err := Quantize(context.Background(), m, table, o)
	if err != nil {
		if d.Nothing != err.Error() {
			t.Errorf("%+v: %v, the draft says %q", o, err, d.Nothing)
		}
		return
	}
	size, err := graphops.SavedSize(q, graphops.SaveOptions{})
	if err != nil || size != d.After {
		t.Errorf("%+v: %d bytes were projected, it has %d, %v", o, d.After, size, err)
	}
	changes := 0
	for _, c := range d.Candidates {
		if c.Reason == "" {
			changes++
		}
	}
	if changes != len(report.Quantized) {
		t.Errorf("%+v: %d nodes were projected, %d change", o, changes, len(report.Quantized))
	}
}

// TestDraftWithoutRanges supposes what is usual: a Relu does not stay.
func TestDraftWithoutRanges(t *testing.T) {
	for _, tt := range models {
		m := graphtest.Model(t, tt.text)
		d, err := Draft(context.Background(), m, nil, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		q, _, err := Quantize(context.Background(), m, tableFor(t, m, DefaultOptions(), unit), DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		size, err := graphops.SavedSize(q, graphops.SaveOptions{})
		if err != nil || max(size-d.After, d.After-size) > int64(600*len(m.Graph().Nodes())) {
			t.Errorf("%s: %d bytes were projected, it has %d, %v", tt.name, d.After, size, err)
		}
	}
}

// TestDraftAfterConversion drafts a model in which the conversion to a later opset replaces a node by
// two, so that positions of nodes change.
func TestDraftAfterConversion(t *testing.T) {
	m := graphtest.Model(t, `
opset 7
input x f32[1,3,4,4]
output y f32[1,2,4,4]
init w f32[2,3,1,1] 1 2 3 4 5 6
scaled = ImageScaler(x) bias=[1.0,2.0,3.0]
last: y = Conv(scaled, w)
`)
	d, err := Draft(t.Context(), m, nil, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range d.Candidates {
		if c.Reason == "" && c.Node().Name() == "last" && d.Elsewhere {
			return
		}
	}
	t.Errorf("no candidate is the Conv, elsewhere %v: %+v", d.Elsewhere, d.Candidates)
}
