package wire

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Decoding a message allocates at most expansion bytes for each byte of the message, and constant
// bytes besides. The worst is a list of numbers where values are expected: each takes one byte in
// the message, and a Value and an error in memory. What stays in use is less, see TestWeight.
const (
	expansion = 256
	constant  = 64 << 10
)

// decode decodes one message as a request and as a reply, and checks what that allocates.
func decode(t *testing.T, message []byte) {
	t.Helper()
	for _, into := range []Message{new(Request), new(Reply)} {
		input := bytes.NewReader([]byte(frame(uint32(len(message)), 0, string(message)+"\n")))
		r := NewReader(input) // has memory of its own
		before := allocated()
		_ = r.Next(into) // most are wrong
		if took := allocated() - before; took > expansion*uint64(len(message))+constant {
			t.Errorf("%T: %d bytes of message took %d bytes of memory, which is %d for each", into, len(message), took, took/uint64(len(message)))
		}
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// TestHostileMessages decodes messages that announce more than they contain, and messages whose
// every byte becomes as much memory as possible.
func TestHostileMessages(t *testing.T) {
	const n = 1 << 14
	list := func(element string) string { return "\x9a" + size(n) + strings.Repeat(element, n) }
	// pairs is the content of a map with n different integers as keys.
	pairs := func(value string) string {
		var b strings.Builder
		b.WriteString("\xba" + size(n))
		for i := range uint32(n) {
			b.WriteString("\x1a" + size(i+1<<16) + value)
		}
		return b.String()
	}
	for name, message := range map[string]string{
		"a long list announced":  "\xa1\x03\xa1\x02\x9b\x00\x00\x00\x00\xff\xff\xff\xff",
		"a huge list announced":  "\xa1\x03\xa1\x02\x9b\x7f\xff\xff\xff\xff\xff\xff\xff",
		"a large map announced":  "\xa1\x02\xa1\x07\xba\x7f\xff\xff\xff",
		"a huge map announced":   "\xa1\x02\xa1\x07\xbb\x7f\xff\xff\xff\xff\xff\xff\xff",
		"a long text announced":  "\xa1\x02\xa1\x02\x7b\x00\x00\x00\x00\xff\xff\xff\xff",
		"a huge text announced":  "\xa1\x02\xa1\x02\x7b\xff\xff\xff\xff\xff\xff\xff\xff",
		"lists in lists":         "\xa1\x03\xa1\x02" + strings.Repeat("\x81\xa1\x07", maxNesting) + "\x80",
		"lists announced inside": "\xa1\x03\xa1\x02" + strings.Repeat("\x9a\x7f\xff\xff\xff", maxNesting),
		"empty values":           "\xa1\x03\xa1\x02" + list("\xa0"),
		"values that are null":   "\xa1\x03\xa1\x02" + list("\xf6"),
		"numbers as values":      "\xa1\x03\xa1\x02" + list("\x00"),
		"texts as values":        "\xa1\x03\xa1\x02" + list("\x60"),
		"lists as values":        "\xa1\x03\xa1\x02" + list("\x80"),
		"empty wants":            "\xa1\x03\xa1\x03" + list("\xa0"),
		"values in wants":        "\xa1\x03\xa1\x03" + list("\xa1\x08\xa1\x01\xa0"),
		"empty ports":            "\xa1\x06\xa1\x01" + list("\xa0"),
		"empty log lines":        "\xa1\x06\xa1\x06" + list("\xa0"),
		"empty dimensions":       "\xa1\x06\xa1\x01\x81\xa1\x05" + list("\xa0"),
		"empty texts":            "\xa1\x02\xa1\x05\xa1\x0a" + list("\x60"),
		"options of providers":   "\xa1\x02\xa1\x05\xa1\x05" + list("\xa1\x02\xa1\x60\x60"),
		"times":                  "\xa1\x08\xa1\x01" + list("\x00"),
		"texts as times":         "\xa1\x08\xa1\x01" + list("\x60"),
		"empty inputs":           "\xa1\x14\xa1\x04" + list("\xa0"),
		"empty caches":           "\xa1\x14\xa1\x05" + list("\xa0"),
		"empty axes":             "\xa1\x14\xa1\x04\x81\xa1\x03" + list("\xa0"),
		"empty generated runs":   "\xa1\x16\xa1\x01" + list("\xa0"),
		"tokens":                 "\xa1\x16\xa1\x03" + list("\x00"),
		"fields that are new":    "\xa1\x03" + pairs("\x00"),
		"keys that are lists":    "\xa1\x03\xba" + size(n) + strings.Repeat("\x80\x00", n),
		"lists as keys":          "\xa1\x03\xa1" + list("\x80") + "\x00",
		"maps as keys":           "\xa1\x03\xa1" + list("\xa0") + "\x00",
		"numbers as names":       "\xa1\x02\xa1\x07" + pairs("\x60"),
	} {
		t.Run(name, func(t *testing.T) { decode(t, []byte(message)) })
	}
}

func size(n uint32) string { return string(binary.BigEndian.AppendUint32(nil, n)) }

// FuzzNext checks that no message panics, or takes more memory than it may.
func FuzzNext(f *testing.F) {
	for _, m := range []Message{
		&Request{ID: 1, Run: &Run{Session: 1, Feeds: []Value{{Name: "x", Items: []Value{{Dims: []int64{1}}}}}, Want: []Want{{Against: &Against{}, Grid: &Grid{View: View{At: []int64{1}}}}}}},
		&Request{ID: 1, Load: &Load{Source: FromPath, Path: "m", Options: Options{Providers: []Provider{{Options: map[string]string{"a": "b"}}}}}},
		&Reply{ID: 1, Loaded: &Loaded{Inputs: []Port{{Dims: []Dim{{Value: 1}}}}, Log: []LogLine{{Severity: 2}}}},
		&Reply{ID: 1, Samples: &Samples{Runs: []time.Duration{1, 2}}},
		&Request{ID: 1, Decode: &Decode{Changing: []Input{{Axes: []Axis{{Of: OfNew}}}}, Caches: []Cache{{Dims: []int64{1}}}}},
		&Request{ID: 1, Generate: &Generate{Prompt: []int64{1, 2}, Steps: 3}},
		&Reply{ID: 1, Generated: &Generated{Steps: []GeneratedRun{{Whole: 2, Run: 1}}, Margins: []float64{1}}},
		&Reply{Error: &Error{Message: "\xff"}},
	} {
		raw, err := encoding.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		if len(message) > 0 && len(message) <= MaxMessage {
			decode(t, message)
		}
	})
}
