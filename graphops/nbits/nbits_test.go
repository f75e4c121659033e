package nbits

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/quant"
)

// ramp is numbers for an initializer.
func ramp(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " %v", float32(i%23)/8-1)
	}
	return b.String()
}

var product = "input x f32[2,40]\noutput y f32[2,6]\ninit w f32[40,6]" + ramp(240) + "\nfc: y = MatMul(x, w)"

func quantized(t *testing.T, text string, o Options) (*graphops.Model, *Report) {
	t.Helper()
	m, r, err := Quantize(context.Background(), graphtest.Model(t, text), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m, r
}

// ops returns the operators of the main graph.
func ops(m *graphops.Model) []string {
	var out []string
	for _, n := range m.Graph().Nodes() {
		out = append(out, n.OpType())
	}
	return out
}

func names(m *graphops.Model) []string {
	var out []string
	for _, t := range m.Graph().Initializers() {
		out = append(out, fmt.Sprintf("%s %s%v", t.Name(), t.DType(), t.Dims()))
	}
	slices.Sort(out)
	return out
}

func with(change func(o *Options)) Options {
	o := DefaultOptions()
	change(&o)
	return o
}

func TestForms(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		o          Options
		ops, inits []string
	}{
		{"default", product, DefaultOptions(), []string{"MatMulNBits"}, []string{"w_Q4 u8[6 2 16]", "w_scales f32[6 2]"}},
		{"8 bits, asymmetric", product, with(func(o *Options) { o.Bits, o.Symmetric, o.BlockSize = 8, false, 16 }), []string{"MatMulNBits"}, []string{"w_Q8 u8[6 3 16]", "w_scales f32[6 3]", "w_zero_points u8[6 3]"}},
		{"2 bits, asymmetric", product, with(func(o *Options) { o.Bits, o.Symmetric = 2, false }), []string{"MatMulNBits"}, []string{"w_Q2 u8[6 2 8]", "w_scales f32[6 2]", "w_zero_points u8[6 1]"}},
		{"standard", product, with(func(o *Options) { o.Format, o.Symmetric = Standard, false }), []string{"DequantizeLinear", "MatMul"}, []string{"w_DQ_Q4 u4[40 6]", "w_DQ_scales f32[2 6]", "w_DQ_zero_points u4[2 6]"}},
		{"standard in 8 bits", product, with(func(o *Options) { o.Format, o.Bits = Standard, 8 }), []string{"DequantizeLinear", "MatMul"}, []string{"w_DQ_Q8 i8[40 6]", "w_DQ_scales f32[2 6]"}},
		{"columns", product, with(func(o *Options) { o.Format, o.PerChannel = Standard, true }), []string{"DequantizeLinear", "Transpose", "MatMul"}, []string{"w_DQ_Q4 i4[6 40]", "w_DQ_scales f32[6 1]"}},
		{"k-quant", product, Options{Method: KQuant, Bits: 4, BlockSize: 32}, []string{"MatMulNBits"}, []string{"w_Q4G32 u8[6 2 16]", "w_scale f32[6 2]", "w_zp u8[6 1]"}},
		{"HQQ", product, Options{Method: HQQ, Bits: 4, BlockSize: 32}, []string{"MatMulNBits"}, []string{"w_Q4 u8[6 2 16]", "w_scales f32[12]", "w_zero_points f32[12]"}},
		{
			"shared by two nodes", "input x f32[2,40]\noutput y f32[2,6]\noutput z f32[2,6]\ninit w f32[40,6]" + ramp(240) + "\na: y = MatMul(x, w)\nb: z = MatMul(x, w)",
			with(func(o *Options) { o.Format = Standard }),
			[]string{"DequantizeLinear", "MatMul", "MatMul"},
			[]string{"w_DQ_Q4 i4[40 6]", "w_DQ_scales f32[2 6]"},
		},
		{
			"still read", "input x f32[2,40]\noutput y f32[2,6]\noutput z f32[6,40]\ninit w f32[40,6]" + ramp(240) + "\na: y = MatMul(x, w)\nz = Transpose(w) perm=[1,0]",
			DefaultOptions(),
			[]string{"MatMulNBits", "Transpose"},
			[]string{"w f32[40 6]", "w_Q4 u8[6 2 16]", "w_scales f32[6 2]"},
		},
		{
			"more axes than the first factor", "input x f32[2,40]\noutput y f32[1,2,6]\ninit w f32[1,40,6]" + ramp(240) + "\nfc: y = MatMul(x, w)",
			DefaultOptions(),
			[]string{"MatMulNBits", "Unsqueeze"},
			[]string{"w_Q4 u8[6 2 16]", "w_scales f32[6 2]", "y_axes i64[1]"},
		},
		{
			"table", "input i i64[3]\noutput y f32[3,32]\ninit w f32[5,32]" + ramp(160) + "\nlook: y = Gather(w, i)",
			with(func(o *Options) { o.OpTypes, o.Symmetric = []string{"Gather"}, false }),
			[]string{"GatherBlockQuantized"},
			[]string{"w_Q4 u4[5 32]", "w_scales f32[5 1]", "w_zero_points u4[5 1]"},
		},
		{
			"table in 8 bits", "input i i64[3]\noutput y f32[3,32]\ninit w f32[5,32]" + ramp(160) + "\nlook: y = Gather(w, i)",
			with(func(o *Options) { o.OpTypes, o.Bits = []string{"Gather"}, 8 }),
			[]string{"GatherBlockQuantized"},
			[]string{"w_Q8 u8[5 32]", "w_scales f32[5 1]"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, _ := quantized(t, tt.text, tt.o)
			if got := ops(m); !slices.Equal(got, tt.ops) {
				t.Errorf("nodes %v, want %v", got, tt.ops)
			}
			if got := names(m); !slices.Equal(got, tt.inits) {
				t.Errorf("initializers %q, want %q", got, tt.inits)
			}
			var whole bytes.Buffer
			if err := graphops.Write(&whole, m); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestBody quantizes a weight that only a body reads, and one of the body itself.
func TestBody(t *testing.T) {
	text := "input c bool[]\ninput x f32[2,40]\noutput y f32[2,6]\ninit w f32[40,6]" + ramp(240) + `
		graph yes
		p: a = MatMul(x, w)
		output a f32[2,6]
		end
		graph no
		init v f32[40,6]` + ramp(240) + `
		q: b = MatMul(x, v)
		output b f32[2,6]
		end
		choice: y = If(c) then_branch=@yes else_branch=@no`
	m, r := quantized(t, text, DefaultOptions())
	if len(r.Quantized) != 2 || len(r.Weights) != 2 {
		t.Fatalf("quantized %+v", r.Quantized)
	}
	if got := names(m); !slices.Equal(got, []string{"w_Q4 u8[6 2 16]", "w_scales f32[6 2]"}) {
		t.Errorf("the main graph has %q", got)
	}
	for _, p := range m.Places()[1:] {
		if p.Graph.Nodes()[0].OpType() != "MatMulNBits" {
			t.Errorf("%s: %s", p, p.Graph.Nodes()[0].OpType())
		}
	}
}

func TestLeftOut(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		o          Options
		want       string
	}{
		{"excluded", product, with(func(o *Options) { o.Exclude = []string{"fc"} }), "is excluded"},
		{"computed", "input x f32[2,4]\ninput w f32[4,2]\noutput y f32[2,2]\ny = MatMul(x, w)", DefaultOptions(), `its second factor "w" is not a constant`},
		{"integers", "input x i32[2,4]\noutput y i32[2,2]\ninit w i32[4,2] 1\ny = MatMul(x, w)", DefaultOptions(), `is i32, expected f32, f16 or bf16`},
		{"vector", "input x f32[2,4]\noutput y f32[2]\ninit w f32[4] 1\ny = MatMul(x, w)", DefaultOptions(), "is a vector"},
		{"several", "input x f32[2,3,4]\noutput y f32[2,3,5]\ninit w f32[2,4,5] 1\ny = MatMul(x, w)", DefaultOptions(), "is several matrices"},
		{"no elements", "input x f32[2,0]\noutput y f32[2,5]\ninit w f32[0,5]\ny = MatMul(x, w)", DefaultOptions(), "has no elements"},
		{"not a number", "input x f32[2,2]\noutput y f32[2,1]\ninit w f32[2,1] 1 nan\ny = MatMul(x, w)", DefaultOptions(), "whose element 1 is NaN"},
		{"too far apart", "input x f32[2,2]\noutput y f32[2,1]\ninit w f32[2,1] 3e38 -3e38\ny = MatMul(x, w)", with(func(o *Options) { o.Symmetric = false }), "too far apart"},
		{"axis", "input i i64[3]\noutput y f32[3]\ninit w f32[32]" + ramp(32) + "\nlook: y = Gather(w, i)", with(func(o *Options) { o.OpTypes = []string{"Gather"} }), "has 1 axes, and no axis 1"},
		{"bytes", "input i i64[3]\noutput y f32[3,5]\ninit w f32[2,5]" + ramp(10) + "\nlook: y = Gather(w, i)", with(func(o *Options) { o.OpTypes, o.Bits = []string{"Gather"}, 2 }), "do not fill whole bytes"},
		{"foreign", "opset com.example 1\ninput x f32[2,40]\noutput y f32[2,40]\ninit w f32[40,40]" + ramp(1600) + "\nfc: y = com.example::MatMul(x, w)", DefaultOptions(), "is not among the operators"},
		{"experts", "opset com.microsoft 1\ninput x f32[2,32]\ninput r f32[2,2]\noutput y f32[2,32]\ninit a f32[2,32,32]" + ramp(2048) + "\ninit b f32[2,32,32]" + ramp(2048) + "\nmoe: y = com.microsoft::MoE(x, r, a, , b)", DefaultOptions(), "is not among the operators"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, r, err := Quantize(context.Background(), graphtest.Model(t, tt.text), tt.o, nil)
			if !errors.Is(err, quant.ErrNothing) || r == nil || len(r.Skipped) != 1 || !strings.Contains(r.Skipped[0].Reason, tt.want) {
				t.Errorf("%v, %+v", err, r)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	for _, tt := range []struct {
		change func(o *Options)
		want   string
	}{
		{func(o *Options) { o.Bits = 3 }, "expected 2, 4 or 8"},
		{func(o *Options) { o.BlockSize = 512 }, "expected 16, 32"},
		{func(o *Options) { o.AccuracyLevel = 5 }, "expected 0 to 4"},
		{func(o *Options) { o.Format, o.Bits = Standard, 2 }, "opset 25"},
		{func(o *Options) { o.Format, o.AccuracyLevel = Standard, 4 }, "accuracy level"},
		{func(o *Options) { o.PerChannel = true }, "whole column"},
		{func(o *Options) { o.OpTypes = []string{"Conv"} }, "only Gather, MatMul"},
		{func(o *Options) { o.Format, o.OpTypes = Standard, []string{"Gather"} }, "as large as before"},
		{func(o *Options) { o.Include = []string{"fd"} }, `"fc"`},
		{func(o *Options) { o.Method = KQuant }, "cannot be symmetric"},
		{func(o *Options) { o.Method, o.Symmetric, o.Format = HQQ, false, Standard }, "not the standard's form"},
		{func(o *Options) { o.Method, o.Symmetric, o.OpTypes = HQQ, false, []string{"Gather"} }, "not the tables of Gather"},
	} {
		_, _, err := Quantize(context.Background(), graphtest.Model(t, product), with(tt.change), nil)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}

func TestMethodNames(t *testing.T) {
	for i, name := range Methods() {
		if m, ok := ParseMethod(name); !ok || m != Method(i) || m.String() != name {
			t.Errorf("%q is %v, %v", name, m, ok)
		}
	}
	if _, ok := ParseMethod("awq"); ok {
		t.Error("a method is offered that is not there")
	}
}

// TestMethodDepartures has faults of the reference that only some methods have.
func TestMethodDepartures(t *testing.T) {
	odd := "input x f32[2,40]\noutput y f32[2,6]\nopset com.microsoft 1\ninit w f32[16,6]" + ramp(96) + "\nfc: y = MatMul(x, w)"
	for _, tt := range []struct {
		text string
		o    Options
		want []Departure
	}{
		{product, Options{Method: KQuant, Bits: 4, BlockSize: 32}, []Departure{noImport}},
		{product, Options{Method: KQuant, Bits: 2, BlockSize: 32}, []Departure{noImport, otherBits}},
		{odd, Options{Method: KQuant, Bits: 4, BlockSize: 16}, []Departure{oddBlocks}},
		{odd, Options{Method: KQuant, Bits: 8, BlockSize: 16}, nil},
		{product, Options{Method: HQQ, Bits: 4, BlockSize: 32, AccuracyLevel: 4}, []Departure{lostLevel}},
	} {
		_, r := quantized(t, tt.text, tt.o)
		got := slices.DeleteFunc(r.Departures, func(d Departure) bool { return d == raisedIRVersion })
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s, %d bits: departures %q, want %q", tt.o.Method, tt.o.Bits, got, tt.want)
		}
	}
}

// TestDraft compares the size that a draft states with that of the file.
func TestDraft(t *testing.T) {
	for _, o := range []Options{DefaultOptions(), with(func(o *Options) { o.Format = Standard }), {Method: KQuant, Bits: 4, BlockSize: 32}, {Method: HQQ, Bits: 4, BlockSize: 32}} {
		m := graphtest.Model(t, product)
		d, err := Draft(context.Background(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		result, _ := quantized(t, product, o)
		var whole bytes.Buffer
		if err := graphops.Write(&whole, result); err != nil {
			t.Fatal(err)
		}
		if d.After != int64(whole.Len()) || len(d.Candidates) != 1 || d.Candidates[0].Reason != "" {
			t.Errorf("%d bytes and %+v, want %d bytes", d.After, d.Candidates, whole.Len())
		}
		f, err := d.Candidates[0].Weights[0].Measure(context.Background(), nil)
		if err != nil || f.SNR() < 15 || f.Low >= 0 || f.High <= 0 {
			t.Errorf("%+v, %v", f, err)
		}
	}
}
