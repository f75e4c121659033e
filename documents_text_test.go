package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"lathe/session/command/commandtest"
	"lathe/session/inputs"
)

const maxColumns = 100

// TestDocumentLengths keeps what is read first short enough to be read at once.
func TestDocumentLengths(t *testing.T) {
	for page, most := range map[string]int{"README.md": 130, "ARCHITECTURE.md": 200, "CONTRIBUTING.md": 160} {
		if n := strings.Count(readPage(t, page), "\n"); n > most {
			t.Errorf("%s has %d lines, expected at most %d: move details to a page in docs or a package's description", page, n, most)
		}
	}
}

// TestDocumentColumns holds prose to 100 columns, which a terminal shows without breaking.
// Code, tables, pictures and lines that cannot be broken may be longer.
func TestDocumentColumns(t *testing.T) {
	for _, page := range append(documents(t), "ARCHITECTURE.md", "CONTRIBUTING.md") {
		for _, line := range longLines(readPage(t, page)) {
			t.Errorf("%s: wrap at %d columns: %s", page, maxColumns, line)
		}
	}
}

func longLines(page string) []string {
	var out []string
	code := false
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "```"):
			code = !code
		case code, strings.HasPrefix(line, "|"), strings.HasPrefix(line, "!["), len(strings.Fields(line)) == 1:
		case utf8.RuneCountInString(line) > maxColumns:
			out = append(out, line)
		}
	}
	return out
}

// TestLongLines has lines that are too long, and those that may be.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("word ", 21)
	page := long + "\n| " + long + "|\n![" + long + "](a.svg)\n```\n" + long + "\n```\n- " + long + "\n" + strings.Repeat("x", 101) + "\n" + strings.Repeat("ä ", 50) + "\n"
	if got := longLines(page); len(got) != 2 || got[0] != long || got[1] != "- "+long {
		t.Errorf("finds %q, expected the first line and the item of the list", got)
	}
}

var link = regexp.MustCompile(`\]\(([^)#]*)(#[^)]*)?\)`)

// TestDocumentLinks holds every link inside the repository against its files and headings.
func TestDocumentLinks(t *testing.T) {
	for _, page := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(withoutCode(readPage(t, page)), -1) {
			target, heading := m[1], m[2]
			if strings.Contains(target, "://") {
				continue
			}
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), target)
			}
			if !hasHeading(path, heading) {
				t.Errorf("%s: the link to %s%s leads nowhere", page, target, heading)
			}
		}
	}
}

// TestDocumentsAreLinked holds that a reader of README.md can get to every page.
func TestDocumentsAreLinked(t *testing.T) {
	pages := documents(t)
	seen := map[string]bool{pages[0]: true}
	for queue := slices.Clone(pages[:1]); len(queue) > 0; queue = queue[1:] {
		for _, m := range link.FindAllStringSubmatch(readPage(t, queue[0]), -1) {
			to := filepath.Join(filepath.Dir(queue[0]), m[1])
			if slices.Contains(pages, to) && !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	for _, page := range pages {
		if !seen[page] {
			t.Errorf("%s: no chain of links leads from README.md to it", page)
		}
	}
}

// TestDocumentKinds holds that docs/validate.md explains every kind of generated inputs.
func TestDocumentKinds(t *testing.T) {
	page := readPage(t, "docs/validate.md")
	for _, f := range inputs.Families {
		if !strings.Contains(page, "\n| `"+string(f)+"` | ") {
			t.Errorf("docs/validate.md has no row for %s", f)
		}
	}
}

// hasHeading reports whether a file exists and has the heading that a link names, if any.
func hasHeading(path, heading string) bool {
	if _, err := os.Stat(path); err != nil {
		return false
	}
	if heading == "" {
		return true
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	for line := range strings.Lines(withoutCode(string(b))) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") && "#"+anchor(title) == heading {
			return true
		}
	}
	return false
}

var notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchor is the name that a web page gives to a heading.
func anchor(title string) string {
	plain := notInAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
	return strings.ReplaceAll(plain, " ", "-")
}

// withoutCode is a page without its blocks of code.
func withoutCode(page string) string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "```") {
			code = !code
		} else if !code {
			b.WriteString(line)
		}
	}
	return b.String()
}

var codeSpan = regexp.MustCompile("(?s)```.*?```|`[^`]+`")

// TestDocumentCommands holds every command and option that a page names against those that
// there are, and every block that is not run against its reason.
func TestDocumentCommands(t *testing.T) {
	for _, page := range documents(t) {
		text := readPage(t, page)
		for _, code := range codeSpan.FindAllString(text, -1) {
			for _, at := range commandtest.Mention.FindAllStringSubmatchIndex(code, -1) {
				if strings.HasPrefix(code[at[3]:], ".") || strings.HasPrefix(code[at[3]:], "/") {
					continue // a file: lathe model.onnx
				}
				if missing := commandtest.Runner(program().Run).Missing(code[at[2]:at[3]], code[at[4]:at[5]]); missing != "" {
					t.Errorf("%s: %q: there is no %s", page, code[at[0]:at[1]], missing)
				}
			}
		}
		for _, b := range blocksOf(text) {
			if reason, skip := b.skipped(); skip && reason == "" {
				t.Errorf("%s: a block is skipped without a reason: %s", page, strings.Join(b.lines, "\n"))
			}
		}
	}
}
