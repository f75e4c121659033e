package search

import (
	"math"
	"strings"
	"testing"

	"lathe/graphops/tensor"
)

func TestParseTarget(t *testing.T) {
	for _, c := range []struct {
		text string
		want Target
		err  string
	}{
		{"snr>=30dB", Target{SNR, "", 30}, ""},
		{"snr>=-3.5dB", Target{SNR, "", -3.5}, ""},
		{"snr:logits>=30dB", Target{SNR, "logits", 30}, ""},
		{"snr:a>=b>=30dB", Target{SNR, "a>=b", 30}, ""},
		{"kl<=0.01", Target{KL, "", 0.01}, ""},
		{"kl:x:0<=1e-3", Target{KL, "x:0", 1e-3}, ""},
		{"size<=25%", Target{Size, "", 0.25}, ""},
		{"size<=150%", Target{Size, "", 1.5}, ""},
		{"", Target{}, "not known"},
		{"snr", Target{}, "not known"},
		{"snrx>=30dB", Target{}, "not known"},
		{"top1-loss<=0.5", Target{Top1Loss, "", 0.005}, ""},
		{"top1-loss<=0", Target{Top1Loss, "", 0}, ""},
		{"top1-loss<=-1", Target{}, "not be negative"},
		{"top1-loss<=0.5%", Target{}, "not a number"},
		{"top1-loss:y<=1", Target{}, "before <="},
		{"top1<=1", Target{}, "not known"},
		{" snr>=30dB", Target{}, "not known"},
		{"snr>30dB", Target{}, "needs >="},
		{"snr<=30dB", Target{}, "needs >="},
		{"kl>=0.1", Target{}, "needs <="},
		{"snr>=30", Target{}, "no unit dB"},
		{"snr>=30 dB", Target{}, "not a number"},
		{"snr>=dB", Target{}, "not a number"},
		{"snr>=infdB", Target{}, "not a number"},
		{"snr>=NaNdB", Target{}, "not a number"},
		{"kl<=1e999", Target{}, "not a number"},
		{"kl<=0", Target{}, "greater than 0"},
		{"kl<=-1", Target{}, "greater than 0"},
		{"kl<=0.01dB", Target{}, "not a number"},
		{"size<=25", Target{}, "no unit %"},
		{"size<=0%", Target{}, "greater than 0"},
		{"size:y<=25%", Target{}, "before <="},
		{"snr:>=30dB", Target{}, "before >="},
		{"snr<y>=30dB", Target{}, "before >="},
	} {
		got, err := ParseTarget(c.text)
		switch {
		case c.err == "" && (err != nil || got.Measure != c.want.Measure || got.Output != c.want.Output || math.Abs(got.Bound-c.want.Bound) > 1e-12):
			t.Errorf("%q: %+v, %v, expected %+v", c.text, got, err, c.want)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%q: %+v, %v, expected an error with %q", c.text, got, err, c.err)
		case c.err == "" && got.String() != c.text && c.text != "kl:x:0<=1e-3":
			t.Errorf("%q is written as %q", c.text, got)
		}
	}
}

// FuzzParseTarget checks that a target that is accepted is read again from how it is written.
func FuzzParseTarget(f *testing.F) {
	for _, s := range []string{"snr>=30dB", "kl:x<=0.01", "size<=25%", "snr:>=>=1dB", "kl<=1e-300"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := ParseTarget(s)
		if err != nil {
			return
		}
		b, err := ParseTarget(a.String())
		if err != nil || b.Measure != a.Measure || b.Output != a.Output || math.Abs(b.Bound-a.Bound) > 1e-5*math.Abs(a.Bound) {
			t.Errorf("%q: %+v is written as %q, which is %+v, %v", s, a, a.String(), b, err)
		}
	})
}

func TestLoad(t *testing.T) {
	o := &Outcome{Bytes: 10, Errors: []OutputGap{{"a", 1e-3, 0.02}, {"b", 1e-2, tensor.Number(math.NaN())}, {"c", 1e-5, 0.5}}}
	for _, c := range []struct {
		targets []string
		want    float64
	}{
		{[]string{"snr>=20dB"}, 1},
		{[]string{"snr:a>=20dB"}, 0.1},
		{[]string{"kl<=0.1"}, 5},
		{[]string{"kl:a<=0.1"}, 0.2},
		{[]string{"kl:a<=0.1", "snr:a>=30dB"}, 1},
		{[]string{"snr:c>=20dB", "size<=1%"}, 1e-3},
	} {
		targets, err := ParseTargets(c.targets)
		if err != nil {
			t.Fatal(err)
		}
		if got := Load(targets, o); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v: load %v, expected %v", c.targets, got, c.want)
		}
	}
	if _, err := ParseTargets([]string{"size<=25%"}); err == nil || !strings.Contains(err.Error(), "limits the error") {
		t.Errorf("%v, expected an error: nothing limits the error", err)
	}
}

func TestCheckOutputs(t *testing.T) {
	nan := tensor.Number(math.NaN())
	two := &Outcome{Errors: []OutputGap{{"a", 0, 0}, {"b", 0, 0}, {"n", 0, nan}}}
	one := &Outcome{Errors: []OutputGap{{"a", 0, 0}, {"n", 0, nan}}}
	none := &Outcome{Errors: []OutputGap{{"n", 0, nan}}}
	for _, c := range []struct {
		target string
		o      *Outcome
		err    string
	}{
		{"snr>=1dB", two, ""},
		{"kl:b<=1", two, ""},
		{"kl<=1", one, ""},
		{"kl<=1", two, "which output"},
		{"kl<=1", none, "no output has"},
		{"kl:n<=1", two, "has no floating-point"},
		{"snr:z>=1dB", two, "no output is named"},
	} {
		targets, err := ParseTargets([]string{c.target})
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckOutputs(targets, c.o); (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, expected %q", c.target, err, c.err)
		}
	}
}
