package home

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLines prints the list for a screen reader, and no choice is made.
func TestLines(t *testing.T) {
	o := fixture(t)
	o.Settings.ScreenReader = true
	o.Notices = []error{errors.New("config.yaml:3: unknown key")}
	out := &bytes.Buffer{}
	o.Out = out
	choice, err := Run(t.Context(), o)
	if err != nil || choice != (Choice{}) {
		t.Fatalf("%v, %v", choice, err)
	}
	want := `warning: config.yaml:3: unknown key
models in models:
1. classifier.onnx, 61 B, opset 17, last p50 12.34 µs on cpu, 10 minutes ago
2. encoder.int8.onnx, 61 B, opset 17
3. encoder.onnx, 61 B, opset 17, last p50 12.35 ms on cuda, 2 hours ago, batch 8
4. plan.onnxtxt, 88 B, opset 17
5. truncated.onnx, 30 B, cannot be opened: truncated: the graph takes 51 bytes, the file ends after 26 of them; fetch it again
6. exports/decoder.onnx, 61 B, opset 17
7. exports/a folder with a long name/decoder_with_past_and_a_long_name.onnx, 61 B, opset 17
folders more than 2 levels down are not searched
interrupted sessions:
8. encoder.onnx in models, a job, 3 hours ago, was running: lathe bench encoder.onnx
9. vision.onnx in elsewhere, 2 steps, 25 hours ago, 1 earlier session of it too
lathe MODEL opens a model and offers its interrupted sessions
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestLinesOfNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("models", 0o700); err != nil {
		t.Fatal(err)
	}
	o := testOptions("models")
	o.Settings.ScreenReader = true
	out := &bytes.Buffer{}
	o.Out = out
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	want := `no models in models or 2 levels of folders below it, and no interrupted sessions
lathe MODEL opens a model; lathe --help lists the commands
models are files that end in .onnx, .onnxtxt, .onnxtext
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// full is a disk that is full.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestLinesEnd(t *testing.T) {
	o := fixture(t)
	o.Settings.ScreenReader = true
	o.Out = full{}
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Errorf("an output that is full gives %v", err)
	}
	o.Out = &bytes.Buffer{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("an end from outside gives %v", err)
	}
}
