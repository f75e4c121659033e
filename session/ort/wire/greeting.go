package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// greetingLine is the first line of the greeting. It starts with a byte that no
// shell prints.
const greetingLine = "\x00" + greetingWords + "\n"

const greetingWords = "lathe worker"

// Greeting is what a worker writes before its first frame. Its second line shows
// whether what lies in between passes bytes on as they are: a terminal rewrites line
// ends, and srun --label puts words before each line.
const Greeting = greetingLine + greetingRest

const greetingRest = "\r\n"

// ErrNoGreeting is returned where the other end is not a worker.
var ErrNoGreeting = errors.New("no worker's greeting")

// Errors for a greeting that did not stay as it was sent.
var (
	ErrRewritten = errors.New("a terminal in between rewrites what the worker sends")
	ErrLabelled  = errors.New("something in between puts words before the lines that the worker sends")
	ErrDropped   = errors.New("something in between drops bytes that the worker sends")
)

// SkipToGreeting reads up to the end of the greeting and returns what stood
// before it: a login message, say. Past MaxChatter bytes, or where the input
// ends, it gives up with ErrNoGreeting, and the chatter tells what answered. A
// greeting that did not stay as it was sent is an error that says what happened to it.
func SkipToGreeting(in *bufio.Reader) (chatter []byte, err error) {
	var h heard
	for len(h.chatter) <= MaxChatter {
		b, err := in.ReadByte()
		if err != nil {
			return h.chatter, fmt.Errorf("%w in %d bytes of output: %w", ErrNoGreeting, len(h.chatter), err)
		}
		h.chatter = append(h.chatter, b)
		if before, found := bytes.CutSuffix(h.chatter, []byte(Greeting)); found {
			return before, nil
		}
		if err := h.spoiled(); err != nil {
			return h.chatter, err
		}
	}
	return h.chatter, fmt.Errorf("%w in the first %d bytes of output", ErrNoGreeting, MaxChatter)
}

// heard is what was read where a greeting is expected.
type heard struct {
	chatter []byte
	behind  int // where the first line of a greeting ended; 0 for none so far
}

// spoiled is asked after every byte and recognizes a greeting that is not as it was
// sent. A terminal puts a carriage return before a line end, whatever it does with the
// byte that comes first.
func (h *heard) spoiled() error {
	ends := func(text string) bool { return bytes.HasSuffix(h.chatter, []byte(text)) }
	switch {
	case ends(greetingWords + "\r\n"):
		return ErrRewritten
	case ends(greetingLine) && h.behind > 0:
		return ErrSeveral
	case ends(greetingLine):
		h.behind = len(h.chatter)
	case h.behind > 0 && !h.mayGoOn():
		return ErrLabelled
	case h.behind == 0 && (ends("\n"+dropped) || string(h.chatter) == dropped):
		return ErrDropped
	}
	return nil
}

// dropped is a greeting that lost the byte it starts with.
const dropped = greetingWords + "\n" + greetingRest

// mayGoOn reports whether what follows the first line of a greeting can still become
// its second line, or the first line of another worker's greeting.
func (h *heard) mayGoOn() bool {
	rest := string(h.chatter[h.behind:])
	return strings.HasPrefix(greetingRest, rest) || strings.HasPrefix(greetingLine, rest)
}
