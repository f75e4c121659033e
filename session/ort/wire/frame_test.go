package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"
)

func TestFramesRoundTrip(t *testing.T) {
	var pipe bytes.Buffer
	w := NewWriter(&pipe)
	frames := []struct {
		message *Request
		payload []byte
	}{
		{&Request{Id: 1, Body: &Request_Load{Load: &Load{Source: &Load_Path{Path: "m\xff.onnx"}, Options: &Options{Config: map[string]string{"a": "b"}}}}}, nil},
		{&Request{Id: 1, Body: &Request_Data{Data: &Data{}}}, []byte("payload")},
		{&Request{}, nil},
		{&Request{Id: 2, Body: &Request_Data{Data: &Data{}}}, bytes.Repeat([]byte{7}, MaxPayload)},
		{&Request{Id: 3, Body: &Request_Unload{Unload: &Unload{Session: 1}}}, nil},
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
		if !proto.Equal(&got, f.message) || r.Payload() != len(f.payload) {
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

func TestFramesOfManyWriters(t *testing.T) {
	in, out := io.Pipe()
	w := NewWriter(out)
	var writers sync.WaitGroup
	for i := range uint64(8) {
		writers.Go(func() {
			for range 50 {
				payload := bytes.Repeat([]byte{byte(i)}, 1000)
				if err := w.Send(&Reply{Id: i + 1, Body: &Reply_Data{Data: &Data{}}}, payload); err != nil {
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
		if bytes.Count(payload, []byte{byte(reply.Id - 1)}) != 1000 {
			t.Fatalf("the payload of %d is torn", reply.Id)
		}
	}
	if frames != 400 {
		t.Errorf("%d frames, want 400", frames)
	}
}

func TestTooLargeToSend(t *testing.T) {
	var pipe bytes.Buffer
	w := NewWriter(&pipe)
	long := &Request{Id: 1, Body: &Request_Load{Load: &Load{Source: &Load_Path{Path: strings.Repeat("x", MaxMessage)}}}}
	if err := w.Send(long, nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("message: %v", err)
	}
	if err := w.Send(&Request{}, make([]byte, MaxPayload+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("payload: %v", err)
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
		{"half a message", frame(4, 0, "\x08"), io.ErrUnexpectedEOF},
		{"no message", frame(4, 0, ""), io.ErrUnexpectedEOF},
		{"huge message", frame(MaxMessage+1, 0, ""), ErrTooLarge},
		{"huge payload", frame(0, MaxPayload+1, ""), ErrTooLarge},
		{"longest lengths", frame(1<<32-1, 1<<32-1, ""), ErrTooLarge},
		{"not a message", frame(1, 0, "\xff"), nil},
		{"no end", frame(0, 0, ""), io.ErrUnexpectedEOF},
		{"another end", frame(0, 0, "x"), ErrTorn},
		{"a second worker", Greeting + frame(0, 0, "\n"), ErrSeveral},
		{"a second worker inside of a frame", frame(19, 0, "\x08\x01"+Greeting+"\x10"), ErrSeveral},
		{"a second worker behind a torn frame", frame(0, 0, "x"+Greeting), ErrSeveral},
		{"a warning", "\x1b[33m2026-01-01 [W:onnxruntime] something is slow\x1b[m\n", ErrForeign},
		{"a warning inside of a frame", frame(2, 0, "\x08") + "[W] slow", ErrTorn},
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
	r := NewReader(strings.NewReader(frame(0, 4, "ab")))
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
		r = NewReader(strings.NewReader(frame(0, 4, input)))
		if err := r.Next(new(Request)); err != nil {
			t.Fatal(err)
		}
		if err := r.Next(new(Request)); !errors.Is(err, want) {
			t.Errorf("payload %q, skipped: %v, want %v", input, err, want)
		}
	}
	r = NewReader(strings.NewReader(frame(0, 4, "abcdx")))
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
		{Id: 1, Body: &Request_Run{Run: &Run{Session: 1, Feeds: []*Value{{Name: "x", Dtype: 1, Dims: []int64{2}, Bytes: 8}}}}},
		{Id: 1, Body: &Request_Data{Data: &Data{}}},
	} {
		if err := w.Send(m, []byte("12345678")); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(good.Bytes())
	f.Add([]byte(frame(MaxMessage, MaxPayload, "")))
	f.Add([]byte(frame(2, 3, "\x08\x01abc\n")))
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
