package command

import (
	"bytes"
	"context"
	"io"
	"testing"
)

// TestInterruptedWhileReading cancels a command that waits for a model on standard input.
func TestInterruptedWhileReading(t *testing.T) {
	never, w := io.Pipe()
	t.Cleanup(func() { _ = w.Close() }) // ends the read that is left behind
	ctx, cancel := context.WithCancel(t.Context())
	var out, errOut bytes.Buffer
	ended := make(chan int)
	go func() { ended <- run(ctx, []string{"inspect", "-"}, never, &out, &errOut) }()
	if _, err := w.Write([]byte("\x08")); err != nil { // returns when the command has read it
		t.Fatal(err)
	}
	cancel()
	if code := <-ended; code != exitInterrupted || out.Len() > 0 || errOut.String() != "lathe: interrupted\n" {
		t.Errorf("exit code %d, %q, %q", code, out.String(), errOut.String())
	}
}
