package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// block is a fenced block of code in a page.
type block struct {
	info  string // what follows the fence
	lines []string
}

func blocksOf(page string) []block {
	var out []block
	inside := false
	for _, line := range strings.Split(page, "\n") {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && !inside:
			out = append(out, block{info: info})
			inside = true
		case fence:
			inside = false
		case inside:
			out[len(out)-1].lines = append(out[len(out)-1].lines, line)
		}
	}
	return out
}

// skipped returns the reason that a block gives for not being run.
func (b block) skipped() (reason string, skip bool) {
	_, reason, skip = strings.Cut(b.info, " skip:")
	return strings.TrimSpace(reason), skip
}

// run runs the commands of a block in dir, or writes its file there.
func (b block) run(t *testing.T, dir, library string) {
	t.Helper()
	_, skip := b.skipped()
	_, option, _ := strings.Cut(b.info, " ")
	switch {
	case skip || len(b.lines) == 0:
	case strings.HasPrefix(b.lines[0], "$ "):
		commands := b.commands()
		for i, c := range commands {
			want := 0
			if text, ok := strings.CutPrefix(option, "exit "); ok && i == len(commands)-1 {
				want, _ = strconv.Atoi(text)
			}
			c.run(t, dir, library, want)
		}
	case filepath.Ext(option) != "":
		if err := os.WriteFile(filepath.Join(dir, option), []byte(strings.Join(b.lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// shown is a command and the output that a page shows for it.
type shown struct {
	line string
	want []string
}

func (b block) commands() []shown {
	var out []shown
	for _, line := range b.lines {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			out = append(out, shown{line: command})
			continue
		}
		last := &out[len(out)-1]
		last.want = append(last.want, line)
	}
	for i := range out {
		for n := len(out[i].want); n > 0 && out[i].want[n-1] == ""; n-- {
			out[i].want = out[i].want[:n-1]
		}
	}
	return out
}

// matchLines reports whether the printed lines are those that a page shows.
func matchLines(want, got []string) bool {
	if len(want) == 0 {
		return len(got) == 0
	}
	if strings.TrimSpace(want[0]) == "…" {
		return anySuffix(want[1:], got)
	}
	return len(got) > 0 && matchLine(want[0], got[0]) && matchLines(want[1:], got[1:])
}

// anySuffix reports whether some end of the printed lines matches.
func anySuffix(want, got []string) bool {
	for i := range len(got) + 1 {
		if matchLines(want, got[i:]) {
			return true
		}
	}
	return false
}

// duration finds lines whose numbers differ from run to run and from machine to machine.
var duration = regexp.MustCompile(`\d (ns|µs|ms|s)\b|times as (fast|slow)`)

var (
	spaces         = regexp.MustCompile(` +`)
	runtimeVersion = regexp.MustCompile(`ONNX Runtime \d+\.\d+\.\d+`)
)

// matchLine compares a line with one that a page shows. Widths of columns do not matter. Of a
// line with durations only the first word has to be the same.
func matchLine(want, got string) bool {
	if duration.MatchString(want) {
		return strings.Fields(want)[0] == strings.Fields(got + " -")[0]
	}
	parts := strings.Split(plainLine(want), "…")
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$").MatchString(plainLine(got))
}

func plainLine(s string) string {
	s = runtimeVersion.ReplaceAllString(s, "ONNX Runtime N")
	return strings.TrimSpace(spaces.ReplaceAllString(s, " "))
}

// TestMatchLines has outputs that a page shows rightly, and some that it does not.
func TestMatchLines(t *testing.T) {
	for _, c := range []struct {
		want, got string
		match     bool
	}{
		{"a\nb", "a\nb", true},
		{"a\nb", "a\nb\nc", false},
		{"a\nb", "a", false},
		{"a\n…", "a\nb\nc", true},
		{"a\n…\nc", "a\nb\nb\nc", true},
		{"a\n…\nc", "a\nb", false},
		{"wrote x (… KiB)", "wrote x (12 KiB)", true},
		{"wrote x (… KiB)", "wrote y (12 KiB)", false},
		{"name  type", "name      type", true},
		{"x  1.2 µs", "x  904 ms  noisy", true},
		{"x  1.2 µs", "y  1.2 µs", false},
		{"ONNX Runtime 1.30.0 at level all", "ONNX Runtime 1.31.0 at level all", true},
	} {
		if got := matchLines(strings.Split(c.want, "\n"), strings.Split(c.got, "\n")); got != c.match {
			t.Errorf("%q shown for %q: match is %t, expected %t", c.want, c.got, got, c.match)
		}
	}
}

// TestBlocks reads the words behind a fence.
func TestBlocks(t *testing.T) {
	page := "text\n```console exit 3\n$ lathe a\nout\n\n$ lathe b\n```\n```console skip: needs a GPU\n$ lathe c\n```\n```yaml job.yaml\nlathe: 1\n```\n"
	blocks := blocksOf(page)
	if len(blocks) != 3 {
		t.Fatalf("finds %d blocks, expected 3: %v", len(blocks), blocks)
	}
	if c := blocks[0].commands(); len(c) != 2 || c[0].line != "lathe a" || strings.Join(c[0].want, "\n") != "out" || len(c[1].want) != 0 {
		t.Errorf("reads the commands as %v", c)
	}
	if reason, skip := blocks[1].skipped(); !skip || reason != "needs a GPU" {
		t.Errorf("reads the reason as %q, %t", reason, skip)
	}
	dir := t.TempDir()
	blocks[2].run(t, dir, "")
	if b, err := os.ReadFile(filepath.Join(dir, "job.yaml")); err != nil || string(b) != "lathe: 1" {
		t.Errorf("writes the file as %q: %v", b, err)
	}
}
