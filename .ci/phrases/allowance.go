package main

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// allowance has how many hits a folder may have.
type allowance map[string]int

// readAllowance reads lines of a number and a folder. A file that does not exist allows anything,
// so that -update can write the first one.
func readAllowance(name string) (allowance, error) {
	text, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	if err != nil {
		return nil, nil
	}
	return parseAllowance(string(text))
}

func parseAllowance(text string) (allowance, error) {
	a := allowance{}
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		count, folder, ok := strings.Cut(line, " ")
		n, err := strconv.Atoi(count)
		if _, twice := a[folder]; !ok || err != nil || n <= 0 || twice {
			return nil, fmt.Errorf("%s: %q: expected a number above 0 and a folder, each folder once", allowanceFile, line)
		}
		a[folder] = n
	}
	return a, lines.Err()
}

// compare returns a line for each hit of a folder that has too many, and one for each folder whose
// allowance is too large.
func (a allowance) compare(hits map[string][]hit) []string {
	var out []string
	for _, folder := range slices.Sorted(maps.Keys(hits)) {
		n := len(hits[folder])
		if n <= a[folder] {
			continue
		}
		for _, h := range hits[folder] {
			out = append(out, h.String())
		}
		out = append(out, fmt.Sprintf("%s: %d phrases that are hard to read, at most %d allowed; rewrite the new ones", folder, n, a[folder]))
	}
	for _, folder := range slices.Sorted(maps.Keys(a)) {
		if n := len(hits[folder]); n < a[folder] {
			out = append(out, fmt.Sprintf("%s: %d phrases left of %d allowed; lower the allowance: go run ./.ci/phrases -update", folder, n, a[folder]))
		}
	}
	return out
}

// lowered is the allowance for these hits. No folder gets more than before.
func (a allowance) lowered(hits map[string][]hit) allowance {
	out := allowance{}
	for folder, list := range hits {
		n := len(list)
		if a != nil {
			n = min(n, a[folder])
		}
		if n > 0 {
			out[folder] = n
		}
	}
	return out
}

const allowanceHead = `# How many phrases of phrases.txt a folder may have in files that are not rewritten yet.
# The numbers only get smaller: go run ./.ci/phrases -update
`

func (a allowance) write(name string) error {
	var b strings.Builder
	b.WriteString(allowanceHead)
	for _, folder := range slices.Sorted(maps.Keys(a)) {
		fmt.Fprintf(&b, "%d %s\n", a[folder], folder)
	}
	return os.WriteFile(name, []byte(b.String()), 0o644)
}
