package sizing_test

import (
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session/sizing"
)

// TestKinds: what symbols count, by their names and where they stand.
func TestKinds(t *testing.T) {
	m := graphtest.Model(t, `
		input pixel_values f32[batch_size,num_channels,height,width]
		input image f32[?,?,?,?]
		input nhwc f32[n,?,?,3]
		input input_ids i64[b,sequence_length]
		input tokens i64[?,?]
		input attention_mask i64[b,total_sequence_length]
		input past_key_values.0.key f32[b,2,past_sequence_length,16]
		input input_values f32[b2,sequence_length_2]
		input waveform f32[?,?]
		input mel f32[1,80,num_frames]
		input latent_sample f32[1,4,?,?]
		input boxes f32[num_boxes,4]
		input joined f32[past_sequence_length + sequence_length]
	`)
	s := systemOf(t, m)
	got := map[string]string{}
	for _, symbol := range s.Symbols {
		got[symbol.Name] = symbol.Kind.String()
	}
	for name, want := range map[string]string{
		"batch_size": "batch", "num_channels": "channels", "height": "height", "width": "width",
		"image:0": "batch", "image:1": "channels", "image:2": "height", "image:3": "width",
		"n": "batch", "nhwc:1": "height", "nhwc:2": "width",
		"b": "batch", "sequence_length": "sequence", "tokens:0": "batch", "tokens:1": "sequence",
		"total_sequence_length": "total", "past_sequence_length": "past",
		"b2": "batch", "sequence_length_2": "samples", "waveform:0": "batch", "waveform:1": "samples",
		"num_frames": "frames", "latent_sample:2": "latent", "latent_sample:3": "latent", "num_boxes": "other",
	} {
		if got[name] != want {
			t.Errorf("%s: %s, want %s", name, got[name], want)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("symbols that no axis has: %v", got)
	}
}

// TestPurposes: what a check and a measurement prefer where nothing demands anything.
func TestPurposes(t *testing.T) {
	m := graphtest.Model(t, `
		input pixel_values f32[batch,3,height,width]
		input input_ids i64[batch,sequence_length]
		input encoder_states f32[batch,encoder_length,8]
		input past f32[batch,2,past_length,16]
		input mask i64[batch,total_length]
		input wav f32[batch,samples]
	`)
	for p, want := range map[sizing.Purpose]map[string]int64{
		sizing.Check:   {"batch": 2, "height": 3, "width": 5, "sequence_length": 7, "encoder_length": 11, "past_length": 13, "total_length": 20, "samples": 19},
		sizing.Measure: {"batch": 1, "height": 224, "width": 224, "sequence_length": 1, "encoder_length": 128, "past_length": 128, "total_length": 129, "samples": 16_000},
	} {
		sizes, ok := searchOf(t, m, nil, p).Next(t.Context())
		for name, n := range want {
			if sizes[name] != n {
				t.Errorf("purpose %d: %s is %d, want %d, %v", p, name, sizes[name], n, ok)
			}
		}
	}
}
