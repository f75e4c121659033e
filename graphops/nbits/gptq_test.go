package nbits

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/quant"
)

var withData = Options{Method: GPTQ, Bits: 4, BlockSize: 32, Symmetric: true, Damping: DefaultDamping}

// ones is data: it passes on rows of numbers for each value.
func ones(asked *[]string, last int64, number float64) Activations {
	return func(_ context.Context, _ *graphops.Model, values []string, yield func(string, int64, []float64) error) error {
		*asked = append(*asked, values...)
		for _, v := range values {
			rows := make([]float64, 8*last)
			for i := range rows {
				rows[i] = number + float64(i%7)
			}
			if err := yield(v, last, rows); err != nil {
				return err
			}
		}
		return nil
	}
}

// TestGPTQ has a weight that two products read, and one in a body, whose values no data shows.
func TestGPTQ(t *testing.T) {
	text := "input c bool[]\ninput x f32[2,40]\noutput y f32[2,6]\noutput z f32[2,6]\ninit w f32[40,6]" + ramp(240) + `
		graph yes
		p: a = MatMul(x, w)
		output a f32[2,6]
		end
		graph no
		b = Identity(k)
		output b f32[2,6]
		end
		first: k = MatMul(x, w)
		r = Relu(x)
		second: z = MatMul(r, w)
		choice: y = If(c) then_branch=@yes else_branch=@no`
	var asked []string
	m, r, err := QuantizeOn(context.Background(), graphtest.Model(t, text), withData, ones(&asked, 40, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(asked, []string{"x", "r"}) || len(r.Weights) != 1 || r.Weights[0].Nodes != 2 {
		t.Errorf("asked for %q, weights %+v", asked, r.Weights)
	}
	if len(r.Skipped) != 1 || !strings.Contains(r.Skipped[0].Reason, "is in a body") {
		t.Errorf("skipped %+v", r.Skipped)
	}
	if got := names(m); !slices.Equal(got, []string{"w f32[40 6]", "w_Q4G32 u8[6 2 16]", "w_scale f32[6 2]"}) {
		t.Errorf("initializers %q", got)
	}
	if !slices.Contains(r.Departures, uncompensated) || !slices.Contains(r.Departures, keptWeight) {
		t.Errorf("departures %q", r.Departures)
	}
}

func TestGPTQErrors(t *testing.T) {
	var asked []string
	failing := errors.New("no runtime")
	for _, tt := range []struct {
		text   string
		change func(o *Options)
		run    Activations
		want   string
	}{
		{product, func(*Options) {}, nil, "needs data"},
		{product, func(*Options) {}, ones(&asked, 39, 1), `"x" has rows of 39 numbers`},
		{product, func(*Options) {}, ones(&asked, 40, math.NaN()), `"x" has infinite numbers or NaN`},
		{product, func(o *Options) { o.Damping = 2 }, ones(&asked, 40, 1), "expected 0 to 1"},
		{product, func(o *Options) { o.Damping = math.NaN() }, ones(&asked, 40, 1), "expected 0 to 1"},
		{product, func(o *Options) { o.Format = Standard }, ones(&asked, 40, 1), "not the standard's form"},
		{product, func(*Options) {}, func(context.Context, *graphops.Model, []string, func(string, int64, []float64) error) error {
			return failing
		}, "no runtime"},
		{"output y f32[2,6]\ninit x f32[2,40]" + ramp(80) + "\ninit w f32[40,6]" + ramp(240) + "\nfc: y = MatMul(x, w)", func(*Options) {}, ones(&asked, 40, 1), "is a constant"},
	} {
		o := withData
		tt.change(&o)
		_, _, err := QuantizeOn(context.Background(), graphtest.Model(t, tt.text), o, tt.run, nil)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
	nan := "input x f32[2,2]\noutput y f32[2,1]\ninit w f32[2,1] 1 nan\nfc: y = MatMul(x, w)"
	if _, _, err := QuantizeOn(context.Background(), graphtest.Model(t, nan), withData, ones(&asked, 2, 1), nil); !errors.Is(err, quant.ErrNothing) {
		t.Errorf("a weight with NaN: %v", err)
	}
}
