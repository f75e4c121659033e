package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func readerOf(t *testing.T, payloads ...[]byte) *Reader {
	t.Helper()
	var pipe bytes.Buffer
	for _, p := range payloads {
		if err := NewWriter(&pipe).Send(&Reply{ID: 1, Data: &Data{}}, p); err != nil {
			t.Fatal(err)
		}
	}
	return NewReader(&pipe)
}

func TestSink(t *testing.T) {
	room := make([]byte, 5)
	growing, err := NewSink(5)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Sink{growing, SinkInto(room)} {
		r := readerOf(t, []byte("abc"), []byte("de"))
		for !s.Full() {
			if err := r.Next(new(Reply)); err != nil {
				t.Fatal(err)
			}
			if err := s.Take(r); err != nil {
				t.Fatal(err)
			}
		}
		if string(s.Bytes()) != "abcde" {
			t.Errorf("got %q", s.Bytes())
		}
	}
	if string(room) != "abcde" {
		t.Errorf("the given memory holds %q", room)
	}
}

func TestSinkFaults(t *testing.T) {
	if _, err := NewSink(-1); err == nil {
		t.Error("a negative length was accepted")
	}
	empty, err := NewSink(0)
	if err != nil || !empty.Full() || len(empty.Bytes()) != 0 {
		t.Errorf("an empty sink: %v, %v", empty, err)
	}
	for _, payload := range []string{"", "abcdef"} {
		r := readerOf(t, []byte(payload))
		if err := r.Next(new(Reply)); err != nil {
			t.Fatal(err)
		}
		if err := SinkInto(make([]byte, 5)).Take(r); err == nil {
			t.Errorf("%q was taken by a sink for 5 bytes", payload)
		}
	}
}

// Memory follows what arrives, and ends at what was announced.
func TestSinkGrowth(t *testing.T) {
	tests := []struct{ announced, arrived, most int64 }{
		{1 << 60, 1 << 10, firstGrowth},
		{1 << 60, firstGrowth + 1, 2 * firstGrowth},
		{firstGrowth + 10, firstGrowth + 1, firstGrowth + 10},
		{100, 1, 100},
	}
	for _, tt := range tests {
		s, err := NewSink(tt.announced)
		if err != nil {
			t.Fatal(err)
		}
		for s.got < tt.arrived {
			s.grow(min(s.got+MaxPayload, tt.arrived))
			s.got = min(s.got+MaxPayload, tt.arrived)
		}
		if n := int64(len(s.buf)); n < tt.arrived || n > tt.most {
			t.Errorf("%d of %d announced bytes take %d of memory, want at most %d", tt.arrived, tt.announced, n, tt.most)
		}
	}
}

func TestStrings(t *testing.T) {
	for _, elements := range [][]string{nil, {""}, {"a", "", "b\x00c", "\xff", strings.Repeat("long", 100)}} {
		got, err := DecodeStrings(EncodeStrings(elements), int64(len(elements)))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Join(got, "|") != strings.Join(elements, "|") || len(got) != len(elements) {
			t.Errorf("got %q, want %q", got, elements)
		}
	}
}

func TestBadStrings(t *testing.T) {
	for _, tt := range []struct {
		data  string
		count int64
	}{{"", 1}, {"", -1}, {"\x00", 1 << 60}, {"\x02a", 1}, {"\x80", 1}, {"\x01ab", 1}, {strings.Repeat("\xff", 11), 1}} {
		if got, err := DecodeStrings([]byte(tt.data), tt.count); err == nil {
			t.Errorf("%d strings in %q: %q", tt.count, tt.data, got)
		}
	}
}

func FuzzDecodeStrings(f *testing.F) {
	f.Add(EncodeStrings([]string{"a", "", "bc"}), int64(3))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), int64(1))
	f.Fuzz(func(t *testing.T, data []byte, count int64) {
		elements, err := DecodeStrings(data, count)
		if err != nil {
			return
		}
		again, err := DecodeStrings(EncodeStrings(elements), count)
		if err != nil || strings.Join(again, "|") != strings.Join(elements, "|") {
			t.Errorf("%q became %q, %v", elements, again, err)
		}
	})
}

// A destination that fails costs the data, not the connection.
func TestSinkTo(t *testing.T) {
	var got bytes.Buffer
	full := &failingWriter{after: 1}
	for _, to := range []io.Writer{&got, full} {
		s, err := SinkTo(to, 5)
		if err != nil {
			t.Fatal(err)
		}
		r := readerOf(t, []byte("abc"), []byte("de"))
		for !s.Full() {
			if err := r.Next(new(Reply)); err != nil {
				t.Fatal(err)
			}
			if err := s.Take(r); err != nil {
				t.Fatal(err)
			}
		}
		if failed := to == io.Writer(full); (s.Err() != nil) != failed {
			t.Errorf("%T: error %v", to, s.Err())
		}
	}
	if got.String() != "abcde" {
		t.Errorf("got %q", got.String())
	}
	if _, err := SinkTo(&got, -1); err == nil {
		t.Error("a negative length was accepted")
	}
}

type failingWriter struct{ after int }

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.after--; w.after < 0 {
		return 0, errors.New("full")
	}
	return len(p), nil
}
