package inputs

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// prepared returns the cases for a model.
func prepared(t *testing.T, text string, r Request) Cases {
	t.Helper()
	m := graphtest.Model(t, text)
	r.Model = m
	cases, err := Prepare(graphops.NamedTypes(m.Graph().FeedInputs()), r)
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

func caseNames(c Cases) string {
	var names []string
	for _, one := range c.Cases {
		names = append(names, one.Name)
	}
	return strings.Join(names, "; ")
}

// values returns the elements of an input in the case with a name.
func values(t *testing.T, c Cases, name, input string) []float64 {
	t.Helper()
	for _, one := range c.Cases {
		if one.Name != name {
			continue
		}
		xs, err := one.Feeds[input].Tensor.Float64s()
		if err != nil {
			t.Fatal(err)
		}
		return xs
	}
	t.Fatalf("no case %q among %s", name, caseNames(c))
	return nil
}

const textModel = `
	input input_ids i64[batch,seq]
	input attention_mask i64[batch,seq]
	input token_type_ids i64[batch,seq]
	input x f32[batch,4]
	init words f32[99,4] 1
	init table f32[64,4] 1
	init zero i64[] 0
	init one i64[] 1
	output y f32
	output z f32
	w = Gather(words, input_ids)
	s = Shape(input_ids)
	n = Gather(s, one)
	r = Range(zero, n, one)
	p = Gather(table, r)
	h = Add(w, p)
	y = Relu(h)
	z = Relu(x)
`

func TestFamilies(t *testing.T) {
	all6 := func(v float64) []float64 { return slices.Repeat([]float64{v}, 6) } // 2 texts of 3
	all := prepared(t, textModel, Request{Seeds: 2, Families: Families})
	want := "seed 0; seed 1; sizes batch=4, seq=32; sizes batch=3, seq=5; sizes batch=5, seq=7; largest seq=64; " +
		"zeros; large magnitudes; smallest integers; largest integers; padding; smallest batch=1, seq=1; a row that is masked completely"
	if got := caseNames(all); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if last := all.Notes[len(all.Notes)-1]; last != "no cases of empty (no sequence, and no axis of a cache)" {
		t.Errorf("notes %q", all.Notes)
	}
	for _, c := range []struct {
		name, input string
		want        []float64
	}{
		{"zeros", "input_ids", all6(0)},
		{"zeros", "attention_mask", all6(1)}, // a text of nothing is none
		{"zeros", "x", make([]float64, 8)},
		{"smallest integers", "input_ids", all6(0)},
		{"largest integers", "input_ids", all6(98)}, // one more is an error of the input
		{"largest integers", "token_type_ids", all6(1)},
		{"largest integers", "attention_mask", all6(1)},
	} {
		if got := values(t, all, c.name, c.input); !slices.Equal(got, c.want) {
			t.Errorf("%s: %s is %v, want %v", c.name, c.input, got, c.want)
		}
	}
	if xs := values(t, all, "large magnitudes", "x"); slices.Max(xs) < 10 && slices.Min(xs) > -10 {
		t.Errorf("large magnitudes are %v", xs)
	}
	checkPadding(t, values(t, all, "padding", "attention_mask"), 32)
	for i, x := range values(t, all, "a row that is masked completely", "attention_mask") {
		if hidden := i < 32; hidden != (x == 0) {
			t.Errorf("element %d of a mask with a row that is masked completely: %v", i, x)
		}
	}
	if got, want := caseNames(prepared(t, textModel, Request{Seeds: 2})), "seed 0; seed 1"; got != want {
		t.Errorf("without families: %s", got)
	}
	dims := map[string]int64{"seq": 9}
	if got := caseNames(prepared(t, textModel, Request{Families: []Family{Sizes}, Options: Options{Dims: dims}})); got != "sizes batch=4; sizes batch=3; sizes batch=5" {
		t.Errorf("a size that was given: %s", got)
	}
}

// checkPadding checks that each row begins with ones and ends in zeros, and that the rows have
// different numbers of ones.
func checkPadding(t *testing.T, mask []float64, row int) {
	t.Helper()
	lengths := map[int]bool{}
	for i := 0; i < len(mask); i += row {
		n := 0
		for n < row && mask[i+n] == 1 {
			n++
		}
		if n == 0 || n == row || slices.Max(mask[i+n:i+row]) > 0 {
			t.Errorf("row %v", mask[i:i+row])
		}
		lengths[n] = true
	}
	if len(lengths) < 2 {
		t.Errorf("all rows of one length: %v", lengths)
	}
}

// TestPaddingMask checks a mask in which true means that an element is ignored. It is false
// everywhere, and with padding it is true at the end of rows.
func TestPaddingMask(t *testing.T) {
	const byReader = "input hidden bool[batch,seq]\ninput s f32[batch,seq]\ninit far f32[] -inf\noutput y f32\na = Where(hidden, far, s)\ny = Softmax(a)"
	const byName = "input hidden_padding_mask bool[batch,seq]\noutput y bool\ny = Not(hidden_padding_mask)"
	for name, model := range map[string]string{"hidden": byReader, "hidden_padding_mask": byName} {
		all := prepared(t, model, Request{Families: []Family{Seeds, Masks, Hidden}})
		var sums []float64
		for _, c := range all.Cases {
			mask, sum := values(t, all, c.Name, name), 0.0
			for _, x := range mask {
				sum += x
			}
			if c.Family == Masks && (mask[0] != 0 || mask[len(mask)-1] != 1) {
				t.Errorf("%s: padding %v", name, mask)
			}
			sums = append(sums, sum)
		}
		if len(sums) != 3 || sums[0] != 0 || sums[1] == 0 || sums[2] == 0 {
			t.Errorf("%s: elements that are true: %v", name, sums)
		}
	}
}

// TestFamiliesNotRun checks that cases that are left out are listed, and that the others are still
// generated.
func TestFamiliesNotRun(t *testing.T) {
	skip := map[Family]string{Large: "no room", Masks: "never told: there is no mask"}
	c := prepared(t, "input x f32[batch,1000]\noutput y f32\ny = Relu(x)", Request{Families: Families, Skip: skip, Options: Options{MaxBytes: 23_999}})
	if got, want := caseNames(c), "seed 0; sizes batch=3"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var told []string
	for _, n := range c.NotRun {
		told = append(told, n.Case+": "+n.Reason)
	}
	for i, part := range []string{"sizes batch=4: its inputs exceed the remaining memory limit", "sizes batch=5: its inputs", "zeros: its inputs", "large magnitudes: no room", "smallest batch=1: its inputs"} {
		if i >= len(told) || !strings.Contains(told[i], part) {
			t.Errorf("told %q, want %q", told, part)
		}
	}
	if len(told) != 5 {
		t.Errorf("told %q", told)
	}
}

// TestManySymbols checks that a model with many symbols does not have more cases than the limit.
func TestManySymbols(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "input x%d f32[past_%d]\noutput y%d f32\n", i, i, i)
	}
	for i := range 100 {
		fmt.Fprintf(&text, "y%d = Relu(x%d)\n", i, i)
	}
	c := prepared(t, text.String(), Request{Families: []Family{Empty}})
	if len(c.Cases) != maxOfFamily || len(c.NotRun) != 100-maxOfFamily {
		t.Errorf("%d cases, %d not run", len(c.Cases), len(c.NotRun))
	}
}

// TestSizesThatDepend checks that an axis whose size is an expression has the size that follows
// from the symbols.
func TestSizesThatDepend(t *testing.T) {
	const m = "input past f32[past_len,2]\ninput mask i64[past_len + 1]\noutput y f32\noutput z i64\ny = Relu(past)\nz = Identity(mask)"
	c := prepared(t, m, Request{Families: []Family{Seeds, Sizes, Empty}})
	if got, want := caseNames(c), "seed 0; sizes past_len=8; sizes past_len=5; sizes past_len=7; empty past_len"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for name, n := range map[string]int64{"seed 0": 3, "sizes past_len=8": 8, "sizes past_len=5": 5, "empty past_len": 0} {
		if got := int64(len(values(t, c, name, "mask"))); got != n+1 {
			t.Errorf("%s: a mask of %d for a past of %d", name, got, n)
		}
	}
}

// TestEndsOfTypes checks that integers that no node limits reach the smallest and largest number of
// their type.
func TestEndsOfTypes(t *testing.T) {
	for _, c := range []struct {
		dtype    string
		min, max float64
	}{
		{"i8", -128, 127},
		{"u8", 0, 255},
		{"i4", -8, 7},
		{"i32", math.MinInt32, math.MaxInt32},
		{"u32", 0, math.MaxUint32},
		{"i64", math.MinInt64, math.MaxInt64 - 1023}, // the last that a float64 has
		{"u64", 0, math.MaxUint64 - 2047},
	} {
		cases := prepared(t, "input x "+c.dtype+"[2]\noutput y "+c.dtype+"\ny = Identity(x)", Request{Families: []Family{Integers}})
		if got := values(t, cases, "smallest integers", "x"); got[1] != c.min {
			t.Errorf("%s: least is %v", c.dtype, got)
		}
		if got := values(t, cases, "largest integers", "x"); got[1] != c.max {
			t.Errorf("%s: most is %v", c.dtype, got)
		}
	}
	for dtype, most := range map[string]float64{"f16": 8000, "f8e4m3fn": 448, "f32": 1e5, "bf16": 1e5} {
		cases := prepared(t, "input x "+dtype+"[1000]\noutput y "+dtype+"\ny = Identity(x)", Request{Families: []Family{Large}})
		xs := values(t, cases, "large magnitudes", "x")
		if hi := slices.Max(xs); !(hi <= most && hi > 50) {
			t.Errorf("%s: largest is %v", dtype, hi)
		}
	}
}

// TestSameCaseOnce checks that cases with the same inputs become one case with both names.
func TestSameCaseOnce(t *testing.T) {
	c := prepared(t, "input x u8[2]\noutput y u8\ny = Identity(x)", Request{Families: []Family{Zeros, Integers}})
	if got := caseNames(c); got != "zeros, smallest integers; largest integers" {
		t.Error(got)
	}
}

func TestFolderName(t *testing.T) {
	for name, want := range map[string]string{
		"sizes batch=4, seq=32": "sizes_batch=4_seq=32", "../x": "___x", "": "case", "-rf": "rf", "Größe": "Gr__e", strings.Repeat("a", 200): strings.Repeat("a", maxFolderName),
	} {
		if got := FolderName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
