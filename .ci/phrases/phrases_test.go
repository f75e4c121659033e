package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const some = `
there is no\b -> ok
is no [a-z] -> "is not a"
tells?\b -> "reports"
stands? for\b -> "is"
`

func TestSearch(t *testing.T) {
	p, err := parsePhrases(some)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		file, content string
		want          []string
	}{
		"comment":      {"a.go", "package a\n\n// F tells it.\nfunc F() {}\n", []string{`a.go:3: "tells": write "reports"`}},
		"over lines":   {"a.go", "package a\n\n// F stands\n// for it, and\n// tells it.\nfunc F() {}\n", []string{`a.go:3: "stands for": write "is"`, `a.go:5: "tells": write "reports"`}},
		"two comments": {"a.go", "package a\n\n// F stands\n\n// for it.\nfunc F() {}\n", nil},
		"block":        {"a.go", "package a\n\n/* F\n   tells it. */\nfunc F() {}\n", []string{`a.go:4: "tells": write "reports"`}},
		"behind code":  {"a.go", "package a\n\nvar b = 1 // tells it\n", []string{`a.go:3: "tells": write "reports"`}},
		"text":         {"a.go", "package a\n\nvar b = \"%q is no number\"\n", []string{`a.go:3: "is no n": write "is not a"`}},
		"word":         {"a.go", "package a\n\nvar b = \"tells\"\n", nil},
		"code":         {"a.go", "package a\n\nvar tells = 1\n", nil},
		"part":         {"a.md", "It retells and intells it.\n", nil},
		"fine":         {"a.md", "There is no node. It is\nno node.\n", []string{`a.md:1: "is no n": write "is not a"`}},
		"upper case":   {"a.md", "Tell me.\n\nSTANDS FOR\n", []string{`a.md:1: "tell": write "reports"`, `a.md:3: "stands for": write "is"`}},
	} {
		var got []string
		for _, h := range p.search(c.file, []byte(c.content)) {
			got = append(got, h.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestParsePhrasesRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"": "has no phrases", "tells": "expected EXPRESSION -> TEXT", "tells( -> x": "missing closing",
		"(a|b) -> x": "plain letters", "ok -> ok": "has no phrases",
	} {
		if _, err := parsePhrases(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestCompare has folders with more, as many and fewer hits than they may have.
func TestCompare(t *testing.T) {
	one := hit{"a/a.go", 3, "tells", "reports"}
	hits := map[string][]hit{"a": {one, one}, "b": {one}, "new": {one}}
	got := allowance{"a": 1, "b": 1, "c": 2}.compare(hits)
	want := []string{"a/a.go:3", "a/a.go:3", "a: 2 phrases", "a/a.go:3", "new: 1 phrases", "c: 0 phrases left of 2 allowed"}
	if len(got) != len(want) {
		t.Fatalf("got %q", got)
	}
	for i, w := range want {
		if !strings.HasPrefix(got[i], w) {
			t.Errorf("line %d: got %q, want %q", i, got[i], w)
		}
	}
	if got := (allowance{"a": 2, "b": 1, "new": 1}).compare(hits); got != nil {
		t.Errorf("got %q, want nothing", got)
	}
}

// TestLowered holds that -update only lowers.
func TestLowered(t *testing.T) {
	hits := map[string][]hit{"more": make([]hit, 3), "fewer": make([]hit, 1), "new": make([]hit, 1)}
	name := filepath.Join(t.TempDir(), "allowance.txt")
	if err := (allowance{"more": 2, "fewer": 4, "gone": 1}).lowered(hits).write(name); err != nil {
		t.Fatal(err)
	}
	got, err := readAllowance(name)
	if err != nil || len(got) != 2 || got["more"] != 2 || got["fewer"] != 1 {
		t.Errorf("got %v, %v", got, err)
	}
	if first := allowance(nil).lowered(hits); len(first) != 3 || first["more"] != 3 {
		t.Errorf("the first allowance: %v", first)
	}
}

func TestParseAllowanceRefuses(t *testing.T) {
	for _, text := range []string{"a", "x a", "0 a", "1 a\n2 a"} {
		if a, err := parseAllowance(text); err == nil {
			t.Errorf("%q: %v, want an error", text, a)
		}
	}
}

// TestPhrases reads the real list.
func TestPhrases(t *testing.T) {
	text, err := os.ReadFile("phrases.txt")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parsePhrases(string(text)); err != nil {
		t.Fatal(err)
	}
	if bytes.ContainsRune(text, '\t') {
		t.Error("phrases.txt has tabs")
	}
}
