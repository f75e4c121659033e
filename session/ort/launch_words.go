package ort

import (
	"errors"
	"strings"
)

// splitWords splits a command into words as a shell does, with quotes and backslashes but without
// expansion.
func splitWords(text string) ([]string, error) {
	var s wordSplitter
	for _, r := range text {
		s.take(r)
	}
	if s.quote != 0 || s.escaped {
		return nil, errors.New("a quote is not closed")
	}
	s.end()
	return s.words, nil
}

type wordSplitter struct {
	words   []string
	word    strings.Builder
	inWord  bool // also true for a word that is still empty, as after ""
	quote   rune // the open quote, 0 if none
	escaped bool // the last character was a backslash
}

func (s *wordSplitter) take(r rune) {
	switch {
	case s.escaped:
		// Between double quotes a backslash is literal unless it precedes one of these.
		if s.quote != 0 && !strings.ContainsRune("\"\\$`", r) {
			s.word.WriteByte('\\')
		}
		s.escaped = false
		s.word.WriteRune(r)
	case r == '\\' && s.quote != '\'':
		s.escaped, s.inWord = true, true
	case r == s.quote:
		s.quote = 0
	case s.quote == 0 && (r == '"' || r == '\''):
		s.quote, s.inWord = r, true
	case s.quote == 0 && strings.ContainsRune(" \t\n", r):
		s.end()
	default:
		s.inWord = true
		s.word.WriteRune(r)
	}
}

func (s *wordSplitter) end() {
	if s.inWord {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.inWord = false
}
