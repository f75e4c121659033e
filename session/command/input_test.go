package command

import (
	"bytes"
	"context"
	"io"
	"testing"
)

// TestInterruptedWhileReading cancels a command that waits for a model which never
// comes.
func TestInterruptedWhileReading(t *testing.T) {
	never, w := io.Pipe()
	t.Cleanup(func() { _ = w.Close() }) // so that nobody reads on
	ctx, cancel := context.WithCancel(t.Context())
	var out, errOut bytes.Buffer
	ended := make(chan int)
	go func() { ended <- run(ctx, []string{"inspect", "-"}, never, &out, &errOut) }()
	if _, err := w.Write([]byte("\x08")); err != nil { // the command has begun to read
		t.Fatal(err)
	}
	cancel()
	if code := <-ended; code != exitInterrupted || out.Len() > 0 || errOut.String() != "lathe: interrupted\n" {
		t.Errorf("exit code %d, %q, %q", code, out.String(), errOut.String())
	}
}
