package filter_test

import (
	"context"
	"errors"
	"testing"
	"unicode/utf8"

	"lathe/graphops/filter"
)

// FuzzCompile reads any expression: an error points into it and is one line,
// what compiles runs, and completing at any byte stays inside.
func FuzzCompile(f *testing.F) {
	for _, s := range []string{
		"", "conv", "op:Conv,Gemm -name:*x shape:*x224", "(a|b) OR -c", `name:"a\x1b\u{202e}"`, "params>1.5MiB rank:2..",
		"between:a..b", "attr:pads=[1,2],axis!=3", "meta:k=v", "after:#1 before:scores in:/s", "is:dead|has:body", `"`, "op:", "((", "a:::b",
	} {
		f.Add(s, uint8(len(s)))
	}
	facts := facts(f, workshop)
	f.Fuzz(func(t *testing.T, expr string, cursor uint8) {
		for _, c := range facts.Complete(context.Background(), expr, int(cursor)) {
			if c.From < 0 || c.From > c.To || c.To > len(expr) || !utf8.ValidString(c.Text) {
				t.Fatalf("offer %+v for %d bytes", c, len(expr))
			}
		}
		m, err := facts.Compile(expr)
		if err != nil {
			var e *filter.Error
			if !errors.As(err, &e) || e.From < 0 || e.From > e.To || e.To > len(expr) || e.Error() == "" {
				t.Fatalf("%#v", err)
			}
			return
		}
		all, err := m.All(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		not, err := facts.Compile("-(" + expr + ")")
		if err != nil {
			return // empty, or nested too deep
		}
		rest, err := not.All(context.Background())
		if err != nil || len(all)+len(rest) != 8 {
			t.Fatalf("%q: %v and %v", expr, all, rest)
		}
	})
}

// FuzzQuote writes any text so that it is found.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "a", `a"b\`, "a b", "\x1b\u202e\xff", "x*?..,|", "*"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, err := filter.MatchQuoted(s)
		if err != nil || !m(s) || m(s+"x") {
			t.Fatalf("%q is written %s: %v", s, filter.Quote(s, " "), err)
		}
	})
}
