package wire

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

// BenchmarkFrames sends and receives the frames that are sent most often, and the largest usual
// ones.
func BenchmarkFrames(b *testing.B) {
	run := &Run{Session: 7}
	for i := range 20 {
		run.Feeds = append(run.Feeds, Value{Name: fmt.Sprintf("input_%d", i), Kind: "tensor", DType: 1, Dims: []int64{1, 3, 224, 224}, Bytes: 602112})
	}
	samples := &Samples{}
	for i := range 1000 {
		samples.Runs = append(samples.Runs, time.Duration(1234567+i))
	}
	for _, bm := range []struct {
		name    string
		message Message
		payload int
	}{
		{"Data_1MiB", &Request{ID: 9, Data: &Data{}}, MaxPayload},
		{"Data_1KiB", &Request{ID: 9, Data: &Data{}}, 1 << 10},
		{"Done", &Reply{ID: 9, Done: &Done{}}, 0},
		{"Run_20_feeds", &Request{ID: 9, Run: run}, 0},
		{"Samples_1000", &Reply{ID: 9, Samples: samples}, 0},
	} {
		b.Run(bm.name, func(b *testing.B) {
			var pipe bytes.Buffer
			w, r := NewWriter(&pipe), NewReader(&pipe)
			payload := make([]byte, bm.payload)
			b.ReportAllocs()
			b.SetBytes(int64(bm.payload))
			for b.Loop() {
				if err := w.Send(bm.message, payload); err != nil {
					b.Fatal(err)
				}
				if err := r.Next(empty(bm.message)); err != nil {
					b.Fatal(err)
				}
				if err := r.ReadPayload(payload); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// empty returns a message of the same type without content.
func empty(m Message) Message {
	if _, ok := m.(*Request); ok {
		return new(Request)
	}
	return new(Reply)
}
