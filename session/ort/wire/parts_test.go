package wire

import (
	"math"
	"reflect"
	"testing"

	"lathe/graphops"
)

// TestPartsRoundTrip sends parts in which every field has a value of its own.
func TestPartsRoundTrip(t *testing.T) {
	want := []graphops.Part{filledPart(), {Unable: "not UTF-8: \xff"}}

	data, err := EncodeParts(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeParts(data, MaxDecoded)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestPartsKeepSpecialNumbers sends the numbers that equality cannot distinguish.
func TestPartsKeepSpecialNumbers(t *testing.T) {
	part := filledPart()
	numbers := []*float64{&part.Metrics.MaxAbs, &part.Metrics.SNR, &part.Metrics.Used, &part.Extent.Min}
	special := []float64{math.NaN(), math.Inf(1), math.Copysign(0, -1), math.SmallestNonzeroFloat64}
	for i, x := range special {
		*numbers[i] = x
	}
	data, err := EncodeParts([]graphops.Part{part})
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeParts(data, MaxDecoded)
	if err != nil {
		t.Fatal(err)
	}
	m, e := got[0].Metrics, got[0].Extent
	for i, x := range []float64{m.MaxAbs, m.SNR, m.Used, e.Min} {
		if math.Float64bits(x) != math.Float64bits(special[i]) {
			t.Errorf("%v arrived as %v", special[i], x)
		}
	}
}

// filledPart returns a part in which every field has a value of its own.
func filledPart() (part graphops.Part) {
	f := filler{}
	f.fill(reflect.ValueOf(&part).Elem())
	return part
}

// filler gives every field of a value a different content.
type filler struct{ n, depth int }

// deepest is the depth below which a filler leaves pointers, lists and maps empty. A type that
// contains itself would have no end.
const deepest = 12

func (f *filler) fill(v reflect.Value) {
	f.n++
	f.depth++
	defer func() { f.depth-- }()
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if f.depth > deepest {
			return
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			f.fill(v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key)
		f.fill(value)
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString(string(rune('a'+f.n%26)) + "\xfe")
	case reflect.Float64:
		v.SetFloat(float64(f.n) + 0.1)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8:
		v.SetUint(uint64(f.n % 256))
	case reflect.Uint32:
		v.SetUint(math.MaxUint32 - uint64(f.n))
	case reflect.Uint64:
		v.SetUint(math.MaxUint64 - uint64(f.n))
	case reflect.Int, reflect.Int64:
		v.SetInt(math.MaxInt64 - int64(f.n))
	default:
		if !v.CanInt() {
			panic("a field of type " + v.Type().String())
		}
		v.SetInt(int64(f.n % 100))
	}
}

func BenchmarkParts(b *testing.B) {
	parts := []graphops.Part{filledPart()}
	for b.Loop() {
		data, err := EncodeParts(parts)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := DecodeParts(data, MaxDecoded); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzParts checks that no input panics.
func FuzzParts(f *testing.F) {
	good, err := EncodeParts([]graphops.Part{filledPart()})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Fuzz(func(_ *testing.T, input []byte) {
		_, _ = DecodeParts(input, MaxDecoded)
	})
}
