package main

import (
	"fmt"
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// phrases are the expressions to look for. One that begins with plain letters is searched as fast
// as these letters.
type phrases struct {
	fine []*regexp.Regexp
	hard []phrase
}

type phrase struct {
	pattern *regexp.Regexp
	instead string
}

// parsePhrases reads lines of an expression, " -> " and what to write instead.
func parsePhrases(text string) (*phrases, error) {
	p := &phrases{}
	for n, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		pattern, instead, ok := strings.Cut(line, " -> ")
		if !ok || pattern == "" || instead == "" {
			return nil, fmt.Errorf("%s, line %d: expected EXPRESSION -> TEXT", phrasesFile, n+1)
		}
		r, err := regexp.Compile(pattern)
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", phrasesFile, n+1, err)
		}
		if prefix, _ := r.LiteralPrefix(); prefix == "" {
			return nil, fmt.Errorf("%s, line %d: %q: expected plain letters at the beginning", phrasesFile, n+1, pattern)
		}
		if instead == "ok" {
			p.fine = append(p.fine, r)
		} else {
			p.hard = append(p.hard, phrase{r, instead})
		}
	}
	if len(p.hard) == 0 {
		return nil, fmt.Errorf("%s: has no phrases", phrasesFile)
	}
	return p, nil
}

// search returns the hits in a file: in Go only those in comments and in texts of several words.
func (p *phrases) search(name string, content []byte) []hit {
	if !strings.HasSuffix(name, ".go") {
		return p.within(nil, name, string(content), 1)
	}
	var hits []hit
	var s scanner.Scanner
	file := token.NewFileSet().AddFile(name, -1, len(content))
	s.Init(file, content, nil, scanner.ScanComments)
	var comment strings.Builder // lines that follow each other are one text
	begins, ends := 0, 0
	flush := func() {
		hits = p.within(hits, name, comment.String(), begins)
		comment.Reset()
	}
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			flush()
			return hits
		}
		line := file.Line(pos)
		switch {
		case tok == token.COMMENT:
			if comment.Len() > 0 && line != ends+1 {
				flush()
			}
			if comment.Len() == 0 {
				begins = line
			} else {
				comment.WriteByte('\n')
			}
			comment.WriteString(literal)
			ends = line + strings.Count(literal, "\n")
		case tok == token.STRING && strings.Contains(strings.TrimSpace(literal), " "):
			hits = p.within(hits, name, literal, line)
		}
	}
}

// lineBreak is where a comment or a paragraph goes on in the next line.
var lineBreak = regexp.MustCompile(`\n(?:[ \t]*//)?[ \t]*`)

// within appends the hits in a text that begins at a line. A phrase may go over a line's end.
func (p *phrases) within(hits []hit, name, text string, line int) []hit {
	first := len(hits)
	joined, breaks := join(text)
	joined = strings.ToLower(joined)
	for _, r := range p.fine {
		joined = r.ReplaceAllStringFunc(joined, func(s string) string { return strings.Repeat("_", len(s)) })
	}
	for _, one := range p.hard {
		for _, at := range one.pattern.FindAllStringIndex(joined, -1) {
			if at[0] > 0 && isLetter(joined[at[0]-1]) && isLetter(joined[at[0]]) {
				continue
			}
			hits = append(hits, hit{name, line + before(breaks, at[0]), joined[at[0]:at[1]], one.instead})
		}
	}
	slices.SortStableFunc(hits[first:], func(a, b hit) int { return a.line - b.line })
	return hits
}

// isLetter reports whether a byte is part of a word. In UTF-8 those above ASCII are taken for letters.
func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

// join makes one line of a text, and returns where its line breaks were.
func join(text string) (string, []int) {
	var b strings.Builder
	var breaks []int
	from := 0
	for _, at := range lineBreak.FindAllStringIndex(text, -1) {
		b.WriteString(text[from:at[0]])
		breaks = append(breaks, b.Len())
		b.WriteByte(' ')
		from = at[1]
	}
	b.WriteString(text[from:])
	return b.String(), breaks
}

// before counts the line breaks before a position.
func before(breaks []int, at int) int {
	n := 0
	for _, b := range breaks {
		if b < at {
			n++
		}
	}
	return n
}
