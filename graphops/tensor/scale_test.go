package tensor

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// channelOf is the channel of an element by the definition.
func channelOf(g ChannelGroups, i int64) int64 { return i/g.Size*g.Count + i/g.Inner%g.Count }

// TestScale compares with one multiplication after the other, for layouts that cut
// chunks in the middle of channels and groups.
func TestScale(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, d := range []DType{F16, BF16, F32, F64} {
		for _, g := range []struct{ groups, rows, count, inner int64 }{
			{1, 1, 1, 1}, {1, 1, 7, 9}, {1, 5, 7, 1}, {3, 5, 7, 11}, {4, 1, 1, 9}, {2, 3000, 5, 7}, {1, 1, 2, 3*scaleChunk + 1}, {3, 1, 50000, 1},
		} {
			size := g.rows * g.count * g.inner
			parts := ChannelGroups{Channels{g.count, g.inner}, size}
			n := g.groups * size
			xs, by := make([]float64, n), make([]float64, g.groups*g.count)
			for i := range xs {
				xs[i] = r.NormFloat64()
			}
			for i := range by {
				by[i] = r.NormFloat64()
			}
			in, err := FromFloat64s(d, xs, n)
			if err != nil {
				t.Fatal(err)
			}
			if xs, err = in.Float64s(); err != nil {
				t.Fatal(err)
			}
			most := make([]float64, len(by))
			for i := range xs {
				c := channelOf(parts, int64(i))
				most[c] = max(most[c], math.Abs(xs[i]))
				xs[i] *= by[c]
			}
			want, err := FromFloat64s(d, xs, n)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := Scale(&got, iotest.HalfReader(bytes.NewReader(in.Data)), d, n, parts, by); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want.Data) {
				t.Errorf("%s %+v: other bits", d, g)
			}
			found, err := ChannelMagnitudes(bytes.NewReader(in.Data), d, n, parts, int64(len(by)))
			if err != nil {
				t.Fatal(err)
			}
			for i := range most {
				if found[i] != most[i] {
					t.Errorf("%s %+v: channel %d is %v, want %v", d, g, i, found[i], most[i])
					break
				}
			}
		}
	}
}

func TestScaleFaults(t *testing.T) {
	one := OneGroup(OneChannel, 4)
	err := Scale(io.Discard, strings.NewReader("0123456"), F32, 4, one, []float64{1})
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a short source: %v", err)
	}
	if err := Scale(io.Discard, strings.NewReader("0123"), I8, 4, one, []float64{1}); err == nil || !strings.Contains(err.Error(), "expected f16") {
		t.Errorf("integers: %v", err)
	}
	if err := Scale(io.Discard, strings.NewReader(""), F32, 0, OneGroup(OneChannel, 0), []float64{1}); err != nil {
		t.Errorf("no elements: %v", err)
	}
}

func TestChannelMagnitudesOfNaN(t *testing.T) {
	in := FromSlice([]float32{1, float32(math.NaN()), 7, float32(math.Inf(-1)), 0, 2}, 3, 2)
	got, err := ChannelMagnitudes(bytes.NewReader(in.Data), F32, 6, OneGroup(ChannelsAlong(in.Shape, 0), 6), 3)
	if err != nil || got[0] == got[0] || !math.IsInf(got[1], 1) || got[2] != 2 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestCheckScaled(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		d     DType
		m, by float64
		want  string
	}{
		{F32, 1, 2, ""},
		{F32, 0, 1e-300, ""},
		{F32, 1, 0, ""},
		{F32, 1, -2, ""},
		{F16, 60000, 1.0, ""},
		{F16, 60000, -1.1, "beyond the range"},
		{BF16, 60000, 1.1, ""},
		{F16, 1, 0x1p-14, ""},
		{F16, 1, 0x1p-15, "too small"},
		{F32, 1, 0x1p-15, ""},
		{F32, 1e30, 1e10, "beyond"},
		{F64, 1e300, 1e10, "beyond"},
		{F32, 1, inf, "factor"},
		{F32, 0, nan, "factor"},
		{F32, nan, 1, "contains"},
		{F32, inf, 0, "contains"},
	} {
		err := CheckScaled(c.d, []float64{0, c.m}, []float64{1, c.by})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v·%v: %v, want %q", c.d, c.m, c.by, err, c.want)
		}
	}
}

// TestChannelMagnitudesIn reads both halves at once and finds what one reader finds, NaN and the
// end of what is too short included.
func TestChannelMagnitudesIn(t *testing.T) {
	const n = halvesFrom + 7*13
	xs := make([]float32, n)
	for i := range xs {
		xs[i] = float32(i*7919%n) - n/2
	}
	xs[n-5] = float32(math.NaN())
	raw := FromSlice(xs, n).Data
	open := func(at, n int64) io.Reader { return bytes.NewReader(raw[4*at : min(4*(at+n), int64(len(raw)))]) }
	for _, g := range []ChannelGroups{OneGroup(OneChannel, n), OneGroup(Channels{13, 1}, n), OneGroup(Channels{7, n / 7 / 13 * 13}, n), {Channels{4, 3}, 24}} {
		count := g.Count * ((n + g.Size - 1) / g.Size)
		want, err := ChannelMagnitudes(bytes.NewReader(raw), F32, n, g, count)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ChannelMagnitudesIn(open, F32, n, g, count)
		if err != nil || !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
			t.Errorf("%+v: other magnitudes, %v", g, err)
		}
	}
	raw = raw[:len(raw)-4]
	if _, err := ChannelMagnitudesIn(open, F32, n, OneGroup(OneChannel, n), 1); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a short source: %v", err)
	}
}

func BenchmarkScale(b *testing.B) {
	in := FromSlice(make([]float32, 1<<22), 1<<22)
	by := make([]float64, 1<<12)
	for _, layout := range []struct {
		name string
		c    Channels
	}{{"rows", Channels{1 << 12, 1 << 10}}, {"columns", Channels{1 << 12, 1}}} {
		b.Run(layout.name, func(b *testing.B) {
			b.SetBytes(int64(len(in.Data)))
			for b.Loop() {
				if err := Scale(io.Discard, bytes.NewReader(in.Data), F32, 1<<22, OneGroup(layout.c, 1<<22), by); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("magnitudes", func(b *testing.B) {
		b.SetBytes(int64(len(in.Data)))
		for b.Loop() {
			if _, err := ChannelMagnitudes(bytes.NewReader(in.Data), F32, 1<<22, OneGroup(Channels{1 << 12, 1 << 10}, 1<<22), 1<<12); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("copy", func(b *testing.B) {
		b.SetBytes(int64(len(in.Data)))
		for b.Loop() {
			err := eachFloats(bytes.NewReader(in.Data), F32, 1<<22, func(int64, []byte) error { return nil })
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// Who wants the beginning of what is scaled has little more made than that.
func TestScaleBeginsSmall(t *testing.T) {
	const n = 1 << 20
	stop := errors.New("enough")
	first := 0
	err := Scale(writerFunc(func(b []byte) (int, error) {
		first = len(b)
		return 0, stop
	}), bytes.NewReader(make([]byte, 4*n)), F32, n, OneGroup(OneChannel, n), []float64{2})
	if !errors.Is(err, stop) || first == 0 || first > 4096 {
		t.Errorf("%d bytes at first, error %v", first, err)
	}
}

type writerFunc func(b []byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
