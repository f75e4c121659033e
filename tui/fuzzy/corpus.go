package fuzzy

import (
	"math"

	"github.com/junegunn/fzf/src/util"
)

// Corpus is a set of texts prepared for searching. It never changes, so any number of goroutines
// may search it.
type Corpus struct {
	chars []util.Chars
	// letters has a bit set for each letter that a text contains, so that most texts that cannot
	// match cost one comparison.
	letters []uint64
}

// NewCorpus copies n texts.
func NewCorpus(n int, text func(i int) string) *Corpus {
	c := &Corpus{chars: make([]util.Chars, n), letters: make([]uint64, n)}
	size := 0
	for i := range n {
		size += len(text(i))
	}
	all := make([]byte, 0, size)
	for i := range n {
		s := text(i)
		from := len(all)
		all = append(all, s...)
		c.chars[i] = util.ToChars(all[from:len(all):len(all)])
		c.letters[i] = lettersOf(s)
	}
	return c
}

// Len returns the number of texts.
func (c *Corpus) Len() int { return len(c.chars) }

// lettersOf returns the letters of a text as a set of bits. For a text that is not plain ASCII all
// bits are set, because its letters may match others, as é matches e.
func lettersOf(s string) uint64 {
	var bits uint64
	for i := range len(s) {
		if s[i] >= 0x80 {
			return math.MaxUint64
		}
		bits |= letter(s[i])
	}
	return bits
}

// letter returns the bit of an ASCII character. Each letter has one, for both cases, and each digit
// has one. All other characters share a few.
func letter(c byte) uint64 {
	switch {
	case c >= 'a' && c <= 'z':
		return 1 << (c - 'a')
	case c >= 'A' && c <= 'Z':
		return 1 << (c - 'A')
	case c >= '0' && c <= '9':
		return 1 << (26 + c - '0')
	default:
		return 1 << (36 + c%28)
	}
}
