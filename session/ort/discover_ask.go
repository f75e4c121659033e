package ort

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// maxAnswer limits how many bytes are read of a program's output. ldconfig prints about 100 bytes
// per library.
const maxAnswer = 16 << 20

// ask runs a program and returns its standard output. It returns an error if the program takes
// longer than timeout or prints more than maxAnswer bytes.
func ask(ctx context.Context, timeout time.Duration, exe string, args ...string) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, exe, args...)
	var out bytes.Buffer
	var complaint tail
	cmd.Stdout, cmd.Stderr = &boundedWriter{w: &out, left: maxAnswer}, &complaint
	err := runGroup(cmd)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, fmt.Errorf("did not answer within %s", timeout)
	case err != nil:
		return nil, fmt.Errorf("%w: %s", err, distill(complaint.String()))
	}
	return out.Bytes(), nil
}

// A boundedWriter collects what is written to it, and returns an error if that exceeds a size.
type boundedWriter struct {
	w    io.Writer
	left int
}

func (b *boundedWriter) Write(p []byte) (int, error) {
	if len(p) > b.left {
		return 0, errors.New("printed too much")
	}
	b.left -= len(p)
	return b.w.Write(p)
}
