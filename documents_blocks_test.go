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
			want := exitDone
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
	if len(got) > 0 && strings.HasPrefix(got[0], "slower: ") {
		got = got[1:] // quantize begins with it on machines where that was measured
	}
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
