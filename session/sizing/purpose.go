package sizing

import (
	"strings"

	"lathe/graphops/shape"
)

// Purpose is what a model is run for.
type Purpose uint8

// The purposes.
const (
	// Check has small sizes, another one for each symbol as far as they fit, so that a
	// swapped axis is seen.
	Check Purpose = iota
	// Look has the sizes that files beside the model name, else small ones.
	Look
	// Measure has sizes that people use: those that files beside the model name, else the
	// usual ones of each kind of input.
	Measure
)

// Usual sizes of inputs that no file beside the model names.
const (
	UsualImage    = 224    // height and width
	UsualLatent   = 64     // height and width of what becomes an image of 512×512
	UsualChannels = 3      // of an image
	UsualTokens   = 128    // of a sequence, and of a cache
	UsualRate     = 16_000 // samples of a second of sound
	UsualFrames   = 100    // of a spectrogram of a second
	usualOther    = 16
)

// preference is the size that a symbol should have, if it can.
type preference struct {
	size   int64
	stated bool // it need not differ from others
}

// profile is a way to prefer sizes. A search tries one after another.
type profile struct {
	prefer func(s *System, i int) preference
	apart  bool
}

// primes have no common factor, so that an axis that is taken for another one shows.
var primes = [...]int64{3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41}

// ofKind makes a profile of a function of symbols.
func ofKind(apart bool, size func(s *System, i int) int64) profile {
	return profile{apart: apart, prefer: func(s *System, i int) preference { return preference{size: size(s, i)} }}
}

// small prefers primes, from one of them on, for all symbols but those that count samples,
// of which there are as many everywhere.
func small(batch int64, shift int) profile {
	return profile{apart: true, prefer: func(s *System, i int) preference {
		switch s.Symbols[i].Kind {
		case Batch:
			return preference{batch, true}
		case Channels:
			return preference{UsualChannels, true}
		}
		at := shift
		for _, before := range s.Symbols[:i] {
			if before.Kind != Batch && before.Kind != Channels {
				at++
			}
		}
		return preference{size: primes[at%len(primes)]}
	}}
}

// fewSamples is how many samples there are at most where all other sizes are large.
const fewSamples = 3

// all prefers one size for everything; samples are few.
func all(n int64) profile {
	return ofKind(false, func(s *System, i int) int64 {
		if s.Symbols[i].Kind == Batch {
			return min(n, fewSamples)
		}
		return n
	})
}

// strides prefers a size that strides and windows divide, of so many samples.
func strides(n, batch int64, apart bool) profile {
	return ofKind(apart, func(s *System, i int) int64 {
		if s.Symbols[i].Kind == Batch {
			return batch
		}
		return n
	})
}

// stated prefers the sizes that files beside the model name, and where they name none
// what another profile does.
func stated(others profile) profile {
	return profile{apart: others.apart, prefer: func(s *System, i int) preference {
		if n, _, ok := s.beside.size(s.Symbols[i]); ok {
			return preference{n, true}
		}
		return others.prefer(s, i)
	}}
}

// common prefers sizes that people use. A decoder with a cache is measured at one token
// behind a full cache.
var common = ofKind(false, func(s *System, i int) int64 {
	switch s.Symbols[i].Kind {
	case Batch:
		return 1
	case Channels:
		return UsualChannels
	case Height, Width:
		if s.isFeatures(i) {
			return UsualLatent
		}
		return UsualImage
	case Latent:
		return UsualLatent
	case Sequence:
		if s.isDecoded(i) {
			return 1
		}
		return UsualTokens
	case Past, Total:
		return UsualTokens
	case Samples:
		return UsualRate
	case Frames:
		return UsualFrames
	}
	return usualOther
})

// isFeatures reports whether the height or width is that of an input with other numbers of
// channels than images have.
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
			if known && n != 1 && n != UsualChannels {
				return true
			}
		}
	}
	return false
}

// onlySize is the size that a node leaves a symbol no choice of.
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

// only is the condition that a symbol is a number, or nil.
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

// isDecoded reports whether a sequence is what a decoder with a cache reads next.
func (s *System) isDecoded(i int) bool {
	return s.firstOf(Past) >= 0 && !isEncoded(s.Symbols[i].Name)
}

// isEncoded reports whether a sequence is named for what an encoder reads.
func isEncoded(symbol string) bool {
	name := strings.ToLower(symbol)
	return strings.Contains(name, "encoder") && !strings.Contains(name, "decoder")
}

// profiles are those of a purpose, in the order in which they are tried.
func (p Purpose) profiles() []profile {
	checks := []profile{
		small(2, 0), strides(32, 2, true), strides(256, 1, false), all(3), small(3, 2), all(1), stated(all(32)), stated(all(224)),
	}
	switch p {
	case Look:
		return append([]profile{stated(small(1, 0))}, checks...)
	case Measure:
		return append([]profile{stated(common), stated(strides(256, 1, false)), stated(strides(64, 1, false))}, checks...)
	}
	return checks
}
