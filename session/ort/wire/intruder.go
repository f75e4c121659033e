package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Errors for received bytes that are not a valid frame. Each names a probable reason.
var (
	// ErrSeveral is in the chain of the error if a second worker answers on the same connection.
	ErrSeveral = errors.New("the launcher started more than one worker")
	// ErrForeign is in the chain of the error if another program prints into the output.
	ErrForeign = errors.New("something else prints into the worker's output")
	// ErrTorn is in the chain of the error for a frame that has no newline after the length that
	// its header announces.
	ErrTorn = errors.New("a frame does not end where it should")
)

// shownIntruder is the largest number of bytes of another program's output that an error quotes.
const shownIntruder = 60

// intruder returns the error for bytes that are not part of a valid frame. It examines read, which
// are the bytes in question, and the buffered bytes after them. The error is ErrSeveral if they
// contain a greeting, and ErrForeign if they are text. If they are neither, intruder returns
// otherwise.
func (r *Reader) intruder(read []byte, otherwise error) error {
	waiting, _ := r.in.Peek(r.in.Buffered()) // Peek of buffered bytes cannot fail
	all := append(bytes.Clone(read), waiting...)
	switch line := firstLine(all); {
	case bytes.Contains(all, []byte(greetingLine)):
		return ErrSeveral
	case len(line) >= headerSize && printable(line):
		return fmt.Errorf("%w: %q", ErrForeign, line[:min(len(line), shownIntruder)])
	}
	return otherwise
}

func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'})
}

// printable reports whether a line is text, possibly with colour escapes.
func printable(line []byte) bool {
	return !bytes.ContainsFunc(line, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\x1b' || r == '\ufffd'
	})
}

// unexpected returns io.ErrUnexpectedEOF in place of io.EOF, and other errors unchanged. It is used
// inside frames, because io.EOF means that the input ended between two frames.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
