package wire

import (
	"errors"
	"io"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// inUse returns how many bytes of memory are in use after make, beyond those before it. The result of
// make is kept until then.
func inUse(make func() any) int64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	kept := make()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(kept)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

// skipUnderRace skips a test that measures memory: the race detector takes memory of its own, and ten
// times as long. .ci/test runs these tests apart from it.
func skipUnderRace(t *testing.T) {
	t.Helper()
	info, ok := debug.ReadBuildInfo()
	if ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("measures memory, which the race detector takes, too")
	}
}

// TestWeight compares the computed weight of messages with the memory that they take.
func TestWeight(t *testing.T) {
	skipUnderRace(t)
	const n = 1 << 15
	list := func(element string) string { return "\x9a" + size(n) + strings.Repeat(element, n) }
	for name, message := range map[string]string{
		"numbers as values":   "\xa1\x03\xa1\x02" + list("\x00"),
		"empty values":        "\xa1\x03\xa1\x02" + list("\xa0"),
		"values in wants":     "\xa1\x03\xa1\x03" + list("\xa1\x08\xa1\x01\xa0"),
		"lists in values":     "\xa1\x03\xa1\x02" + list("\xa1\x05\x84\x00\x00\x00\x00"),
		"options of a map":    "\xa1\x02\xa1\x05\xa1\x05" + list("\xa1\x02\xa1\x60\x60"),
		"times":               "\xa1\x08\xa1\x01" + list("\x00"),
		"texts":               "\xa1\x02\xa1\x05\xa1\x0a" + list("\x63abc"),
		"empty ports":         "\xa1\x06\xa1\x01" + list("\xa0"),
		"a field of no known": "\xa1\x18\x63" + list("\xa0"),
	} {
		t.Run(name, func(t *testing.T) {
			for _, m := range []Message{new(Request), new(Reply)} {
				taken := inUse(func() any { _ = decoding.Unmarshal([]byte(message), m); return m })
				computed := weigh([]byte(message), reflect.TypeOf(m).Elem(), 1<<40)
				if slack := int64(64 << 10); taken > computed+slack {
					t.Errorf("%T: it takes %d bytes, %d were computed", m, taken, computed)
				}
			}
		})
	}
}

// TestWeightRefused decodes large messages whose elements are as small as possible: they
// are refused before memory is taken.
func TestWeightRefused(t *testing.T) {
	skipUnderRace(t)
	const n = MaxMessage / 4
	list := "\x9a" + size(n)
	for name, head := range map[string]string{
		"feeds":  "\xa1\x03\xa1\x02" + list,
		"wants":  "\xa1\x03\xa1\x03" + list,
		"inputs": "\xa1\x14\xa1\x04" + list,
		"caches": "\xa1\x14\xa1\x05" + list,
		"ports":  "\xa1\x06\xa1\x01" + list,
		"lines":  "\xa1\x06\xa1\x06" + list,
	} {
		t.Run(name, func(t *testing.T) {
			message := head + strings.Repeat("\xa0", n)
			input := frame(uint32(len(message)), 0, message+"\n")
			for _, m := range []Message{new(Request), new(Reply)} {
				before := allocated()
				_ = NewReader(strings.NewReader(input)).Next(m)
				// The buffer for the message is copied as it grows.
				if took := allocated() - before; took > 6*n {
					t.Errorf("%T: %d bytes were allocated", m, took)
				}
			}
		})
	}
}

// TestWeightOfParts checks that results about values are weighed by the names of their fields.
func TestWeightOfParts(t *testing.T) {
	first := tensor.Tensor{DType: tensor.F32, Shape: []int64{4096}, Data: make([]byte, 16384)}
	honest, err := EncodeParts([]graphops.Part{{At: "[0]", First: &first, Grid: &tensor.Grid{Rows: 1, Columns: 64, Cells: make([]tensor.Cell, 64)}}})
	if err != nil {
		t.Fatal(err)
	}
	if w := weigh(honest, reflect.TypeFor[[]graphops.Part](), 1<<40); w < 16384+64*40 || w > 32768 {
		t.Errorf("a tensor of 16 KiB and 64 cells weigh %d bytes", w)
	}
	const n = 1 << 20
	hostile := "\x81\xa1\x64Grid\xa1\x65Cells\x9a" + size(n) + strings.Repeat("\xf6", n)
	if got, err := DecodeParts([]byte(hostile), 16<<20); err == nil {
		t.Errorf("%d parts whose cells take 40 MiB were decoded", len(got))
	}
}

// TestWeightToSend checks that a message that would be refused is not sent.
func TestWeightToSend(t *testing.T) {
	skipUnderRace(t)
	many := &Request{ID: 1, Run: &Run{Feeds: make([]Value, MaxDecoded/100)}}
	if err := NewWriter(io.Discard).Send(many, nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v", err)
	}
}

// TestWeightOfHonest sends the largest messages that workers and clients send.
func TestWeightOfHonest(t *testing.T) {
	skipUnderRace(t)
	samples := &Reply{ID: 1, Samples: &Samples{Runs: make([]time.Duration, MaxBlockRuns)}}
	prompt := &Request{ID: 1, Generate: &Generate{Prompt: make([]int64, 4<<20)}}
	loaded := &Reply{ID: 1, Loaded: &Loaded{}}
	for range 100_000 {
		loaded.Loaded.Inputs = append(loaded.Loaded.Inputs, Port{Name: strings.Repeat("n", 40), Kind: "tensor", DType: 1, HasShape: true, Dims: []Dim{{Value: 1}, {Value: -1, Symbol: "batch"}}})
	}
	for _, m := range []Message{samples, prompt, loaded} {
		var pipe strings.Builder
		if err := NewWriter(&pipe).Send(m, nil); err != nil {
			t.Errorf("%T: %v", m, err)
			continue
		}
		if err := NewReader(strings.NewReader(pipe.String())).Next(empty(m)); err != nil {
			t.Errorf("%T: %v", m, err)
		}
	}
}
