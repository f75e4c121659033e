package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// greetingLine is the first line of the greeting. It starts with a NUL byte, which shells do not
// print.
const greetingLine = "\x00" + greetingWords + "\n"

const greetingWords = "lathe worker"

// Greeting is what a worker writes before its first frame. Its second line shows whether the
// programs between worker and client pass bytes on unchanged. A terminal, for example, rewrites
// line ends, and srun --label puts words before each line.
const Greeting = greetingLine + greetingRest

const greetingRest = "\r\n"

// ErrNoGreeting is in the chain of the error if what was read contains no greeting, so that it does
// not come from a worker.
var ErrNoGreeting = errors.New("no worker's greeting")

// Errors for a greeting that was changed on its way.
var (
	ErrRewritten = errors.New("a terminal in between rewrites what the worker sends")
	ErrLabelled  = errors.New("something in between puts words before the lines that the worker sends")
	ErrDropped   = errors.New("something in between drops bytes that the worker sends")
)

// SkipToGreeting reads up to the end of the greeting and returns the text before it, for example a
// login message. If there is no greeting in the first MaxChatter bytes or before the end of the
// input, the error is ErrNoGreeting and the text shows what answered instead of a worker. If the
// greeting was changed on its way, the error says how.
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

// heard is what SkipToGreeting has read so far.
type heard struct {
	chatter []byte
	behind  int // position after the first line of a greeting; 0 if none was found yet
}

// spoiled returns an error if the text read so far ends in a greeting that was changed on its way.
// It is called after every byte. To detect a terminal, it looks for a carriage return before the
// line end: a terminal inserts that even if it swallows the NUL byte at the beginning.
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

// dropped is a greeting without its first byte, the NUL byte, which some programs do not pass on.
const dropped = greetingWords + "\n" + greetingRest

// mayGoOn reports whether the text after the first line of a greeting is the beginning of the
// second line or of another worker's greeting.
func (h *heard) mayGoOn() bool {
	rest := string(h.chatter[h.behind:])
	return strings.HasPrefix(greetingRest, rest) || strings.HasPrefix(greetingLine, rest)
}
