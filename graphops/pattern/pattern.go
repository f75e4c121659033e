// Package pattern has regular expressions that are compiled at their first use. Most runs of the
// program need none of them, and compiling them all took a tenth of its start-up time.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression. Its methods are those of regexp.Regexp.
type Pattern struct {
	expr string
	once sync.Once
	re   *regexp.Regexp
}

// New returns a pattern for an expression. If the expression is not valid, the first use panics. A
// test compiles all literals that are passed to New.
func New(expr string) *Pattern { return &Pattern{expr: expr} }

// Compiled returns the compiled expression.
func (p *Pattern) Compiled() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(p.expr) })
	return p.re
}

// MatchString is regexp.Regexp.MatchString.
func (p *Pattern) MatchString(s string) bool { return p.Compiled().MatchString(s) }

// FindString is regexp.Regexp.FindString.
func (p *Pattern) FindString(s string) string { return p.Compiled().FindString(s) }

// FindStringIndex is regexp.Regexp.FindStringIndex.
func (p *Pattern) FindStringIndex(s string) []int { return p.Compiled().FindStringIndex(s) }

// FindStringSubmatch is regexp.Regexp.FindStringSubmatch.
func (p *Pattern) FindStringSubmatch(s string) []string { return p.Compiled().FindStringSubmatch(s) }

// FindStringSubmatchIndex is regexp.Regexp.FindStringSubmatchIndex.
func (p *Pattern) FindStringSubmatchIndex(s string) []int {
	return p.Compiled().FindStringSubmatchIndex(s)
}

// FindAllString is regexp.Regexp.FindAllString.
func (p *Pattern) FindAllString(s string, n int) []string { return p.Compiled().FindAllString(s, n) }

// FindAllStringIndex is regexp.Regexp.FindAllStringIndex.
func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.Compiled().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch is regexp.Regexp.FindAllStringSubmatch.
func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.Compiled().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is regexp.Regexp.FindAllStringSubmatchIndex.
func (p *Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.Compiled().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString is regexp.Regexp.ReplaceAllString.
func (p *Pattern) ReplaceAllString(s, with string) string {
	return p.Compiled().ReplaceAllString(s, with)
}

// ReplaceAllStringFunc is regexp.Regexp.ReplaceAllStringFunc.
func (p *Pattern) ReplaceAllStringFunc(s string, with func(string) string) string {
	return p.Compiled().ReplaceAllStringFunc(s, with)
}
