package wire

import (
	"bufio"
	"errors"
	"fmt"
)

// Greeting is the line that a worker writes before its first frame. It starts
// with a byte that no shell prints, and ends so that a terminal in between,
// which would rewrite line ends in the frames too, spoils it.
const Greeting = "\x00lathe worker\n\r\n"

// ErrNoGreeting is returned where the other end is not a worker.
var ErrNoGreeting = errors.New("no worker's greeting")

// SkipToGreeting reads up to the end of the greeting and returns what stood
// before it: a login message, say. Past MaxChatter bytes, or where the input
// ends, it gives up with ErrNoGreeting, and the chatter tells what answered.
func SkipToGreeting(in *bufio.Reader) (chatter []byte, err error) {
	for len(chatter) <= MaxChatter {
		b, err := in.ReadByte()
		if err != nil {
			return chatter, fmt.Errorf("%w in %d bytes of output: %w", ErrNoGreeting, len(chatter), err)
		}
		chatter = append(chatter, b)
		if before, found := cutGreeting(chatter); found {
			return before, nil
		}
	}
	return chatter, fmt.Errorf("%w in the first %d bytes of output", ErrNoGreeting, MaxChatter)
}

func cutGreeting(b []byte) ([]byte, bool) {
	at := len(b) - len(Greeting)
	if at < 0 || string(b[at:]) != Greeting {
		return b, false
	}
	return b[:at], true
}
