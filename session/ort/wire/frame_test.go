package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFramesRoundTrip(t *testing.T) {
	var pipe bytes.Buffer
	w := NewWriter(&pipe)
	frames := []struct {
		message *Request
		payload []byte
	}{
		{&Request{ID: 1, Load: &Load{Source: FromPath, Path: "m\xff.onnx", Options: Options{Config: map[string]string{"a": "b"}}}}, nil},
		{&Request{ID: 1, Data: &Data{}}, []byte("payload")},
		{&Request{}, nil},
		{&Request{ID: 2, Data: &Data{}}, bytes.Repeat([]byte{7}, MaxPayload)},
		{&Request{ID: 3, Unload: &Unload{Session: 1}}, nil},
	}
	for _, f := range frames {
		if err := w.Send(f.message, f.payload); err != nil {
			t.Fatal(err)
		}
		if !bytes.HasSuffix(pipe.Bytes(), []byte{'\n'}) {
			t.Errorf("%v does not end a line, so a launcher that waits for one would hold it back", f.message)
		}
	}
	r := NewReader(&pipe)
	for i, f := range frames {
		var got Request
		if err := r.Next(&got); err != nil {
			t.Fatal(err)
		}
		if !cmp.Equal(&got, f.message) || r.Payload() != len(f.payload) {
			t.Errorf("frame %d: got %v and %d bytes, want %v and %d", i, &got, r.Payload(), f.message, len(f.payload))
		}
		if i == 3 {
			continue // its payload is left to be skipped
		}
		payload := make([]byte, len(f.payload))
		if err := r.ReadPayload(payload); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(payload, f.payload) {
			t.Errorf("frame %d: another payload", i)
		}
	}
	if err := r.Next(new(Request)); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v, want io.EOF", err)
	}
}

// TestMessagesRoundTrip sends each kind of message, with a value of its own in every field.
func TestMessagesRoundTrip(t *testing.T) {
	for _, m := range []Message{new(Request), new(Reply)} {
		kinds := reflect.TypeOf(m).Elem()
		for i := range kinds.NumField() {
			sent, got := reflect.New(kinds), reflect.New(kinds)
			var f filler
			f.fill(sent.Elem().Field(i))
			var pipe bytes.Buffer
			if err := NewWriter(&pipe).Send(sent.Interface().(Message), nil); err != nil {
				t.Fatal(err)
			}
			if err := NewReader(&pipe).Next(got.Interface().(Message)); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(sent.Interface(), got.Interface()); d != "" {
				t.Errorf("%s: %s", kinds.Field(i).Name, d)
			}
		}
	}
}

// TestDeepestValue sends a value that is nested as deeply as worker and client accept, where a
// message has it deepest.
func TestDeepestValue(t *testing.T) {
	v := Value{Dims: []int64{1}}
	for range 8 {
		v = Value{Items: []Value{v}}
	}
	var pipe bytes.Buffer
	if err := NewWriter(&pipe).Send(&Request{Run: &Run{Want: []Want{{Against: &Against{Value: &v}}}}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := NewReader(&pipe).Next(new(Request)); err != nil {
		t.Error(err)
	}
}

// TestUnknownFields decodes messages of a newer version, with fields that this version does not
// know.
func TestUnknownFields(t *testing.T) {
	for _, message := range []string{
		"\xa2\x01\x07\x18\x63\xa1\x01\x80",                     // {1: 7, 99: {1: []}}
		"\xa2\x18\x63\x80\x01\x07",                             // {99: [], 1: 7}
		"\xa3\x01\x07\x61x\x01\x20\x00",                        // {1: 7, "x": 1, -1: 0}
		"\xa2\x01\x07\x08\xa1\x01\x61x",                        // {1: 7, 8: {1: "x"}}
		"\xa2\x01\x07\x1b\x00\xff\xff\xff\x00\x00\x00\x00\xf6", // a large number: null
	} {
		var got Request
		if err := NewReader(strings.NewReader(frame(uint32(len(message)), 0, message+"\n"))).Next(&got); err != nil || got.ID != 7 {
			t.Errorf("%q: got %+v, %v", message, got, err)
		}
	}
}

func TestFramesOfManyWriters(t *testing.T) {
	in, out := io.Pipe()
	w := NewWriter(out)
	var writers sync.WaitGroup
	for i := range uint64(8) {
		writers.Go(func() {
			for range 50 {
				payload := bytes.Repeat([]byte{byte(i)}, 1000)
				if err := w.Send(&Reply{ID: i + 1, Data: &Data{}}, payload); err != nil {
					t.Error(err)
				}
			}
		})
	}
	go func() {
		writers.Wait()
		_ = out.Close()
	}()
	frames := 0
	for r := NewReader(in); ; frames++ {
		var reply Reply
		err := r.Next(&reply)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		payload := make([]byte, r.Payload())
		if err := r.ReadPayload(payload); err != nil {
			t.Fatal(err)
		}
		if bytes.Count(payload, []byte{byte(reply.ID - 1)}) != 1000 {
			t.Fatalf("the payload of %d is torn", reply.ID)
		}
	}
	if frames != 400 {
		t.Errorf("%d frames, want 400", frames)
	}
}

func TestTooLargeToSend(t *testing.T) {
	var pipe bytes.Buffer
	w := NewWriter(&pipe)
	long := &Request{ID: 1, Load: &Load{Source: FromPath, Path: strings.Repeat("x", MaxMessage)}}
	if err := w.Send(long, nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("message: %v", err)
	}
	if err := w.Send(&Request{Data: &Data{}}, make([]byte, MaxPayload+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("payload: %v", err)
	}
	if err := w.Send(&Request{ID: 1, Run: &Run{}}, []byte("x")); !errors.Is(err, ErrStray) {
		t.Errorf("a payload without data: %v", err)
	}
	if pipe.Len() != 0 {
		t.Errorf("%d bytes were written", pipe.Len())
	}
}

// frame builds one by hand.
func frame(message, payload uint32, body string) string {
	b := binary.LittleEndian.AppendUint32(nil, message)
	return string(binary.LittleEndian.AppendUint32(b, payload)) + body
}

func TestBadFrames(t *testing.T) {
	tests := []struct {
		name  string
		input string
		want  error // nil: any
	}{
		{"half a header", "\x01\x00\x00", io.ErrUnexpectedEOF},
		{"half a message", frame(4, 0, "\xa1"), io.ErrUnexpectedEOF},
		{"no message", frame(4, 0, ""), io.ErrUnexpectedEOF},
		{"huge message", frame(MaxMessage+1, 0, ""), ErrTooLarge},
		{"huge payload", frame(1, MaxPayload+1, ""), ErrTooLarge},
		{"longest lengths", frame(1<<32-1, 1<<32-1, ""), ErrTooLarge},
		{"not a message", frame(1, 0, "\xff"), ErrDecoding},
		{"a message without bytes", frame(0, 0, "\n"), ErrDecoding},
		{"a message that ends early", frame(1, 0, "\xa1\n"), ErrDecoding},
		{"two messages", frame(2, 0, "\xa0\xa0\n"), ErrDecoding},
		{"an array", frame(1, 0, "\x80\n"), ErrDecoding},
		{"a field of another type", frame(3, 0, "\xa1\x01\x60\n"), ErrDecoding},
		{"a field twice", frame(5, 0, "\xa2\x01\x01\x01\x02\n"), ErrDecoding},
		{"a list of unknown length", frame(4, 0, "\xbf\x01\x01\xff\n"), ErrDecoding},
		{"a tag", frame(2, 0, "\xc1\xa0\n"), ErrDecoding},
		{"nested too deeply", frame(maxNesting+1, 0, strings.Repeat("\x81", maxNesting)+"\x80\n"), ErrDecoding},
		{"a message of version 10", frame(12, 0, "\x12\x0a\x08\x0a\x10\x07\x1a\x043.14\n"), ErrDecoding},
		{"a payload without data", frame(3, 1, "\xa1\x01\x01x\n"), ErrStray},
		{"two kinds at once", frame(5, 0, "\xa2\x07\xa0\x08\xa0\n"), ErrMixed},
		{"no end", frame(1, 0, "\xa0"), io.ErrUnexpectedEOF},
		{"another end", frame(1, 0, "\xa0x"), ErrTorn},
		{"a second worker", Greeting + frame(1, 0, "\xa0\n"), ErrSeveral},
		{"a second worker inside of a frame", frame(19, 0, "\xa1\x01"+Greeting+"\x10"), ErrSeveral},
		{"a second worker behind a torn frame", frame(1, 0, "\xa0x"+Greeting), ErrSeveral},
		{"a warning", "\x1b[33m2026-01-01 [W:onnxruntime] something is slow\x1b[m\n", ErrForeign},
		{"a warning inside of a frame", frame(5, 0, "\xa1\x18\x63\x61") + "[W] slow", ErrTorn},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := NewReader(strings.NewReader(tt.input)).Next(new(Request))
			if err == nil || errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

func TestBadPayloads(t *testing.T) {
	r := NewReader(strings.NewReader(frame(3, 4, "\xa1\x08\xa0ab")))
	if err := r.Next(new(Request)); err != nil {
		t.Fatal(err)
	}
	if err := r.ReadPayload(make([]byte, 5)); err == nil {
		t.Error("more was read than the payload has")
	}
	if err := r.ReadPayload(make([]byte, 4)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("cut payload: %v", err)
	}
	for input, want := range map[string]error{"ab": io.ErrUnexpectedEOF, "abcdx": ErrTorn, "abcd": io.ErrUnexpectedEOF} {
		r = NewReader(strings.NewReader(frame(3, 4, "\xa1\x08\xa0"+input)))
		if err := r.Next(new(Request)); err != nil {
			t.Fatal(err)
		}
		if err := r.Next(new(Request)); !errors.Is(err, want) {
			t.Errorf("payload %q, skipped: %v, want %v", input, err, want)
		}
	}
	r = NewReader(strings.NewReader(frame(3, 4, "\xa1\x08\xa0abcdx")))
	if err := r.Next(new(Request)); err != nil {
		t.Fatal(err)
	}
	if err := r.ReadPayload(make([]byte, 4)); !errors.Is(err, ErrTorn) {
		t.Errorf("payload without its end: %v", err)
	}
}

// FuzzReader wants that no input panics, or takes memory that its length does
// not explain, or reads past its end.
func FuzzReader(f *testing.F) {
	var good bytes.Buffer
	w := NewWriter(&good)
	for _, m := range []*Request{
		{ID: 1, Run: &Run{Session: 1, Feeds: []Value{{Name: "x", DType: 1, Dims: []int64{2}, Bytes: 8}}}},
		{ID: 1, Data: &Data{}},
	} {
		if err := w.Send(m, map[bool][]byte{true: []byte("12345678")}[m.Data != nil]); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(good.Bytes())
	f.Add([]byte(frame(MaxMessage, MaxPayload, "")))
	f.Add([]byte(frame(5, 3, "\xa2\x01\x01\x08\xa0abc\n")))
	f.Add([]byte(frame(1<<32-1, 0, "")))
	f.Fuzz(func(t *testing.T, input []byte) {
		r := NewReader(bytes.NewReader(input))
		taken := 0
		for {
			var req Request
			if err := r.Next(&req); err != nil {
				break
			}
			payload := make([]byte, r.Payload()/2) // the rest is skipped
			if err := r.ReadPayload(payload); err != nil {
				break
			}
			taken += headerSize + len(payload)
			if taken > len(input) {
				t.Fatalf("%d bytes out of %d", taken, len(input))
			}
			if r.message.Cap() > 4*len(input)+1<<10 {
				t.Fatalf("%d bytes of memory for %d of input", r.message.Cap(), len(input))
			}
		}
	})
}
