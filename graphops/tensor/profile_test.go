package tensor

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func profileOf(t *testing.T, v Tensor) Profile {
	t.Helper()
	p, err := ProfileOf(v)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProfileOfFewNumbers(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	minus0 := math.Copysign(0, -1)
	for _, d := range []DType{F32, F64, F16, BF16} {
		tiny := d.smallestNormal() / 2
		v, err := FromFloat64s(d, []float64{3, nan, 0, -inf, minus0, tiny, -1, inf, 3, nan, -tiny, 3}, 12)
		if err != nil {
			t.Fatal(err)
		}
		p := profileOf(t, v)
		want := []ValueCount{
			{Number(-inf), "-Inf", 1},
			{-1, "-1", 1},
			{Number(-tiny), formatValue(d, -tiny), 1},
			{0, "0", 2},
			{Number(tiny), formatValue(d, tiny), 1},
			{3, "3", 3},
			{Number(inf), "+Inf", 1},
		}
		if got := p.Values[:7]; !slices.Equal(got, want) {
			t.Errorf("%s: values %v\nwant %v", d, got, want)
		}
		if last := p.Values[len(p.Values)-1]; len(p.Values) != 8 || last.Value == last.Value || last.Count != 2 {
			t.Errorf("%s: the last of 8 values is NaN, got %v", d, p.Values)
		}
		if p.Count != 12 || p.NaN != 2 || p.Inf != 2 || p.NegInf != 1 || p.Zeros != 2 || p.Subnormal != 2 || p.Distinct != 8 {
			t.Errorf("%s: %+v", d, p.Stats)
			t.Errorf("%s: -inf %d, zeros %d, subnormal %d, distinct %d", d, p.NegInf, p.Zeros, p.Subnormal, p.Distinct)
		}
		if p.AbsMax != 3 || p.MinText != "-1" || p.MaxText != "3" || p.Mean != 1 {
			t.Errorf("%s: |x| up to %v, %s to %s, mean %v", d, p.AbsMax, p.MinText, p.MaxText, p.Mean)
		}
		// Of -1 -tiny 0 0 tiny 3 3 3 the quarter is at position 1.75, as in numpy.
		quarter := -tiny + tiny*0.75
		if got := p.Quantiles[3]; got.Share != 0.25 || !near(float64(got.Value), quarter, 0) {
			t.Errorf("%s: quantile %v, want %v", d, got, quarter)
		}
		if got := p.Quantiles[5]; got.Value != 3 {
			t.Errorf("%s: quantile %v, want 3", d, got)
		}
	}
}

func TestProfileOfNothing(t *testing.T) {
	for _, d := range []DType{F32, F16, I64, I4, Bool, C64} {
		v, err := FromFloat64s(d, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		p := profileOf(t, v)
		if p.Count != 0 || p.MinText != "" || p.Quantiles != nil || p.Values != nil || p.Histogram.Counts != nil || p.Magnitudes.Counts != nil {
			t.Errorf("%s: %+v", d, p)
		}
		if p.AbsMax == p.AbsMax {
			t.Errorf("%s: |x| up to %v, want NaN", d, p.AbsMax)
		}
	}
	p := profileOf(t, FromSlice([]float32{float32(math.NaN())}, 1))
	if p.Count != 1 || p.MinText != "" || p.Quantiles != nil || p.Distinct != 1 || p.Histogram.Counts != nil {
		t.Errorf("NaN alone: %+v", p)
	}
	if _, err := ProfileOf(FromStrings([]string{"a"}, 1)); err == nil {
		t.Error("strings have a profile of numbers")
	}
}

// TestProfileOfWideIntegers: a float64 would round the ends.
func TestProfileOfWideIntegers(t *testing.T) {
	p := profileOf(t, FromSlice([]int64{math.MaxInt64, 0, math.MinInt64, math.MaxInt64 - 1, 5}, 5))
	if p.MinText != "-9223372036854775808" || p.MaxText != "9223372036854775807" || p.Distinct != 5 {
		t.Errorf("i64: %s to %s, %d values", p.MinText, p.MaxText, p.Distinct)
	}
	texts := make([]string, 0, 5)
	for _, v := range p.Values {
		texts = append(texts, v.Text)
	}
	want := []string{"-9223372036854775808", "0", "5", "9223372036854775806", "9223372036854775807"}
	if !slices.Equal(texts, want) {
		t.Errorf("i64: %v, want %v", texts, want)
	}
	p = profileOf(t, FromSlice([]uint64{math.MaxUint64, 1, math.MaxUint64 - 1}, 3))
	if p.MinText != "1" || p.MaxText != "18446744073709551615" || p.Values[1].Text != "18446744073709551614" {
		t.Errorf("u64: %s to %s, %v", p.MinText, p.MaxText, p.Values)
	}
}

// TestProfileOfPackedTypes counts every code of each type below a byte, and one more.
func TestProfileOfPackedTypes(t *testing.T) {
	for d, want := range map[DType]struct{ min, max, distinct, zeros float64 }{
		U2: {0, 3, 4, 2}, I2: {-2, 1, 4, 2}, U4: {0, 15, 16, 2}, I4: {-8, 7, 16, 2},
		F4E2M1: {-6, 6, 15, 3}, F6E2M3: {-7.5, 7.5, 63, 3}, F6E3M2: {-28, 28, 63, 3},
	} {
		codes := append(newCodes(d).all(), 0)
		n := int64(1)<<d.Bits() + 1
		size, err := d.ByteLen(n)
		if err != nil {
			t.Fatal(err)
		}
		p := profileOf(t, Tensor{DType: d, Shape: []int64{n}, Data: codes[:size]})
		if float64(p.Min) != want.min || float64(p.Max) != want.max || float64(p.Distinct) != want.distinct || float64(p.Zeros) != want.zeros {
			t.Errorf("%s: %v to %v, %d values, %d zeros, want %v", d, p.Min, p.Max, p.Distinct, p.Zeros, want)
		}
	}
}

// TestCodesAndNumbersAgree gives both ways of collecting the same numbers.
func TestCodesAndNumbersAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	xs := make([]float64, 3*chunkNumbers+100)
	for i := range xs {
		xs[i] = rng.NormFloat64() * math.Ldexp(1, rng.IntN(20)-10)
	}
	for _, d := range []DType{F16, BF16, F8E5M2, I8, I16, U8, F6E3M2, I4} {
		few, err := FromFloat64s(d, xs, int64(len(xs)))
		if err != nil {
			t.Fatal(err)
		}
		values, err := few.Float64s()
		if err != nil {
			t.Fatal(err)
		}
		a, b := profileOf(t, few), profileOf(t, FromSlice(values, int64(len(values))))
		if !near(float64(a.Mean), float64(b.Mean), 1e-13*float64(b.Std)) || !near(float64(a.Std), float64(b.Std), 0) {
			t.Errorf("%s: mean %v, std %v against %v, %v", d, a.Mean, a.Std, b.Mean, b.Std)
		}
		if a.Min != b.Min || a.Max != b.Max || a.Zeros != b.Zeros || a.AbsMax != b.AbsMax {
			t.Errorf("%s: %+v against %+v", d, a.Stats, b.Stats)
		}
		if !reflect.DeepEqual(a.Magnitudes, b.Magnitudes) {
			t.Errorf("%s: magnitudes %v against %v", d, a.Magnitudes, b.Magnitudes)
		}
		if d.Kind() == KindFloat && !reflect.DeepEqual(a.Histogram, b.Histogram) {
			t.Errorf("%s: histograms differ: %v from %d against %v from %d", d, a.Histogram.Width, a.Histogram.First, b.Histogram.Width, b.Histogram.First)
		}
	}
}

func TestQuantilesAreClose(t *testing.T) {
	lists := series()
	lists["third zero"] = slices.Concat(lists["normal"], make([]float64, 2500))
	for name, xs := range lists {
		p := profileOf(t, FromSlice(xs, int64(len(xs))))
		sorted := slices.Clone(xs)
		slices.Sort(sorted)
		for _, q := range p.Quantiles {
			at := q.Share * float64(len(xs)-1)
			below := int(at)
			above := min(below+1, len(xs)-1)
			want := sorted[below] + (sorted[above]-sorted[below])*(at-float64(below))
			// Two neighbours may lie in different buckets, and any number between.
			slack := math.Abs(sorted[above] - sorted[below])
			slack += min(max(math.Abs(want), math.Abs(float64(q.Value)))/128, p.Histogram.Width)
			if math.Abs(float64(q.Value)-want) > slack {
				t.Errorf("%s: quantile %v is %v, want %v within %v", name, q.Share, q.Value, want, slack)
			}
		}
	}
}

func TestProfileOfStrings(t *testing.T) {
	p := ProfileStrings([]string{"b", "", "abc", "b", "\xff", "é", "a"})
	want := StringProfile{
		Count: 7, Bytes: 9, Empty: 1, Invalid: 1, Distinct: 6, Shortest: 0, Longest: 3, MeanBytes: 9.0 / 7,
		Lengths:  Histogram{Width: 1, First: 0, Counts: []int64{1, 4, 1, 1}},
		Frequent: []StringCount{{"b", 2}, {"", 1}, {"a", 1}, {"abc", 1}, {"é", 1}, {"\xff", 1}},
	}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("%+v\nwant %+v", p, want)
	}
	if p := ProfileStrings(nil); !reflect.DeepEqual(p, StringProfile{}) {
		t.Errorf("of none: %+v", p)
	}
}
