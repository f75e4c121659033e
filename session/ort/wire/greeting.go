package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
)

// Greeting is the line that a worker writes before its first frame. It starts
// with a byte that no shell prints, and ends so that a terminal in between,
// which would rewrite line ends in the frames too, spoils it.
const Greeting = "\x00lathe worker\n\r\n"

// ErrNoGreeting is returned where the other end is not a worker.
var ErrNoGreeting = errors.New("no worker's greeting")

// ErrRewritten is returned where there is a greeting that did not stay as it was
// sent.
var ErrRewritten = errors.New("a terminal in between rewrites what the worker sends")

// spoiled is what a terminal makes of the greeting: it puts a carriage
// return before the end of a line, whatever it does with the byte before them.
var spoiled = []byte("lathe worker\r\n")

// SkipToGreeting reads up to the end of the greeting and returns what stood
// before it: a login message, say. Past MaxChatter bytes, or where the input
// ends, it gives up with ErrNoGreeting, and the chatter tells what answered. A
// greeting that was rewritten is ErrRewritten.
func SkipToGreeting(in *bufio.Reader) (chatter []byte, err error) {
	for len(chatter) <= MaxChatter {
		b, err := in.ReadByte()
		if err != nil {
			return chatter, fmt.Errorf("%w in %d bytes of output: %w", ErrNoGreeting, len(chatter), err)
		}
		chatter = append(chatter, b)
		if before, found := bytes.CutSuffix(chatter, []byte(Greeting)); found {
			return before, nil
		}
		if bytes.HasSuffix(chatter, spoiled) {
			return chatter, ErrRewritten
		}
	}
	return chatter, fmt.Errorf("%w in the first %d bytes of output", ErrNoGreeting, MaxChatter)
}
