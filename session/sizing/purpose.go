package sizing

import (
	"strings"

	"lathe/graphops/shape"
)

// Purpose is the reason for which a model is run. It decides which sizes are preferred.
type Purpose uint8

// The purposes.
const (
	// Check prefers small sizes, and a different one for each symbol if possible, so that results
	// show if two axes were exchanged.
	Check Purpose = iota
	// Look prefers the sizes that files beside the model state, and otherwise small ones.
	Look
	// Measure prefers sizes that occur in practice: those that files beside the model state, and
	// otherwise usual sizes for each kind of input.
	Measure
)

// Usual sizes, which are used if no file beside the model states one.
const (
	usualImage    = 224    // height and width
	usualLatent   = 64     // height and width of a latent that is decoded to an image of 512×512
	usualChannels = 3      // of an image
	usualTokens   = 128    // of a sequence, or in a cache
	usualRate     = 16_000 // samples in a second of sound
	usualFrames   = 100    // frames of a spectrogram in a second of sound
	usualOther    = 16
)

// preference is the size that a symbol should get if the conditions allow it.
type preference struct {
	size   int64
	stated bool // this size is meant: it need not differ from the sizes of other symbols
}

// profile is a rule for preferred sizes. A search tries one profile after another. If apart is set,
// symbols should get different sizes.
type profile struct {
	prefer func(s *System, i int) preference
	apart  bool
}

// primes are preferred for checks: two of them have no common factor, so that an error such as an
// exchanged axis cannot stay hidden because one size divides the other.
var primes = [...]int64{3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41}

// ofKind returns a profile with the preferred sizes that a function returns.
func ofKind(apart bool, size func(s *System, i int) int64) profile {
	return profile{apart: apart, prefer: func(s *System, i int) preference { return preference{size: size(s, i)} }}
}

// small prefers primes, beginning with the one at position shift. Symbols that count samples get
// the size batch, and those that count channels of an image get 3.
func small(batch int64, shift int) profile {
	var before []int // by symbol: how many earlier ones get a prime
	return profile{apart: true, prefer: func(s *System, i int) preference {
		switch s.Symbols[i].Kind {
		case kindBatch:
			return preference{batch, true}
		case kindChannels:
			return preference{usualChannels, true}
		}
		if len(before) != len(s.Symbols) {
			before = primesBefore(s.Symbols)
		}
		return preference{size: primes[(shift+before[i])%len(primes)]}
	}}
}

// primesBefore returns, by symbol, how many earlier ones are neither samples nor channels.
func primesBefore(symbols []Symbol) []int {
	out := make([]int, len(symbols))
	n := 0
	for i, s := range symbols {
		out[i] = n
		if s.Kind != kindBatch && s.Kind != kindChannels {
			n++
		}
	}
	return out
}

// fewSamples is the largest number of samples that the profile all prefers, to limit memory.
const fewSamples = 3

// all prefers the same size for every symbol. Only the number of samples is at most fewSamples.
func all(n int64) profile {
	return ofKind(false, func(s *System, i int) int64 {
		if s.Symbols[i].Kind == kindBatch {
			return min(n, fewSamples)
		}
		return n
	})
}

// strides prefers a size, such as 32, that is divisible by the usual strides and windows. Symbols
// that count samples get the size batch.
func strides(n, batch int64, apart bool) profile {
	return ofKind(apart, func(s *System, i int) int64 {
		if s.Symbols[i].Kind == kindBatch {
			return batch
		}
		return n
	})
}

// stated prefers the sizes that files beside the model state, and for other symbols the sizes of
// another profile.
func stated(others profile) profile {
	return profile{apart: others.apart, prefer: func(s *System, i int) preference {
		if n, _, ok := s.beside.size(s.Symbols[i]); ok {
			return preference{n, true}
		}
		return others.prefer(s, i)
	}}
}

// common prefers sizes that occur in practice. A decoder with a cache gets one token and a full
// cache, because most of its runs are like that.
var common = ofKind(false, func(s *System, i int) int64 {
	switch s.Symbols[i].Kind {
	case kindBatch:
		return 1
	case kindChannels:
		return usualChannels
	case kindHeight, kindWidth:
		if s.isFeatures(i) {
			return usualLatent
		}
		return usualImage
	case kindLatent:
		return usualLatent
	case kindSequence:
		if s.isDecoded(i) {
			return 1
		}
		return usualTokens
	case kindPast, kindTotal:
		return usualTokens
	case kindSamples:
		return usualRate
	case kindFrames:
		return usualFrames
	}
	return usualOther
})

// isFeatures reports whether a height or width belongs to an input that is not an image, because it
// has neither 1 nor 3 channels.
func (s *System) isFeatures(i int) bool {
	for _, a := range s.Symbols[i].Axes {
		for _, in := range s.inputs {
			t := leaf(in.Type)
			if in.Name != a.Input || len(t.Shape) != 4 {
				continue
			}
			channels := t.Shape[1]
			if a.Axis == 1 {
				channels = t.Shape[3]
			}
			n, known := channels.Value, channels.IsFixed()
			if k, ok := s.set.index[Name(in.Name, 1, channels)]; !known && ok {
				n, known = s.onlySize(k)
			}
			if known && n != 1 && n != usualChannels {
				return true
			}
		}
	}
	return false
}

// onlySize returns the size of a symbol if a node allows only this one.
func (s *System) onlySize(i int) (int64, bool) {
	c := s.only(i)
	if c == nil {
		return 0, false
	}
	if n, ok := c.A.Number(); ok {
		return n, true
	}
	return c.B.Number()
}

// only returns the condition that a symbol equals a number, or nil if there is none.
func (s *System) only(i int) *Condition {
	for _, c := range s.Conditions {
		if c.Relation != shape.Equals || len(c.symbols) != 1 || c.symbols[0] != i || c.weight < needed {
			continue
		}
		_, plainA := c.A.IsSymbol()
		_, plainB := c.B.IsSymbol()
		if plainA || plainB {
			return c
		}
	}
	return nil
}

// isDecoded reports whether a sequence has the tokens that a decoder with a cache reads next.
func (s *System) isDecoded(i int) bool {
	return s.firstOf(kindPast) >= 0 && !s.Symbols[i].encoded
}

// isEncoded reports whether a symbol's name says that it is the sequence of an encoder.
func isEncoded(symbol string) bool {
	name := strings.ToLower(symbol)
	return strings.Contains(name, "encoder") && !strings.Contains(name, "decoder")
}

// profiles returns the profiles of a purpose, in the order in which they are tried.
func (p Purpose) profiles() []profile {
	checks := []profile{
		roomy(small(2, 0)), small(2, 0), roomy(strides(32, 2, true)), strides(256, 1, false), all(3), small(3, 2), all(1), stated(all(32)), stated(all(224)),
	}
	switch p {
	case Look:
		return append([]profile{stated(roomy(small(1, 0)))}, checks...)
	case Measure:
		return append([]profile{stated(common), stated(strides(256, 1, false)), stated(strides(64, 1, false))}, checks...)
	}
	return checks
}
