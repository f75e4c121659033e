package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// What stands in the place of a frame, as far as it can be recognized.
var (
	// ErrSeveral is in the chain of the error where a second worker answers on the line.
	ErrSeveral = errors.New("the launcher started more than one worker")
	// ErrForeign is in the chain of the error where another program prints.
	ErrForeign = errors.New("something else prints into the worker's output")
	// ErrTorn is in the chain of the error of a frame that does not end where it says.
	ErrTorn = errors.New("a frame does not end where it should")
)

// shownIntruder is how much of what another program printed an error quotes.
const shownIntruder = 60

// intruder is the error for bytes that belong to no frame: read, and what has arrived
// behind them. Where they look like nothing known it is otherwise.
func (r *Reader) intruder(read []byte, otherwise error) error {
	waiting, _ := r.in.Peek(r.in.Buffered()) // never more than there is
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

// printable reports whether a line is one of text, colours included.
func printable(line []byte) bool {
	return !bytes.ContainsFunc(line, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\x1b' || r == '\ufffd'
	})
}

// unexpected keeps an end inside a frame apart from an orderly one.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
