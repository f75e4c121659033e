package main

import (
	"fmt"
	"math"
	"os"
	"strings"
)

const (
	document = "docs/performance.md"
	begin    = "<!-- begin of what make compare writes -->"
	end      = "<!-- end of what make compare writes -->"
)

// page is what stands between the markers.
func page(machine, versions string, rs results, cold []coldRow) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", wrapped("Measured on "+machine+". Versions: "+versions+"."))
	b.WriteString("\n### Aims\n\n" + aimTable(rs, cold))
	b.WriteString("\n### Models\n\n| model | what it is |\n|---|---|\n")
	for _, m := range models {
		fmt.Fprintf(&b, "| %s | %s |\n", m.name, m.about)
	}
	b.WriteString("\n### Beside other tools\n\n" + resultTable(rs))
	b.WriteString("\n### Files that are not in the page cache\n\n" + coldTable(cold))
	return b.String()
}

// resultTable has a line for each tool of each row.
func resultTable(rs results) string {
	var b strings.Builder
	b.WriteString("| task | model | tool | n | median, s | min – max | Lathe = 1 | peak, MB | result |\n|---|---|---|--:|--:|---|--:|--:|---|\n")
	for _, r := range rs {
		task, model, tool := r.job.name, r.model.name, r.tools[r.tool].name
		if r.tool == 0 {
			tool = "`lathe " + tool + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %s | %s | %s | %s | %s |\n", task, model, tool, len(r.samples),
			seconds(r.samples.median()), r.samples.spread(), rs.besideLathe(r), r.memory(), cell(r.verdict))
	}
	return b.String()
}

// besideLathe is how many times as long as Lathe a tool takes.
func (rs results) besideLathe(r result) string {
	ratio := r.samples.median() / rs.seconds(r.job.name, r.model.name, 0)
	switch {
	case math.IsNaN(ratio):
		return "–"
	case r.tool == 0:
		return "1"
	case ratio >= 10:
		return fmt.Sprintf("%.0f", ratio)
	}
	return fmt.Sprintf("%.2f", ratio)
}

// memory prints the peak of a tool.
func (r result) memory() string {
	if r.peak <= r.floor {
		return "< " + megabytes(r.floor)
	}
	return megabytes(r.peak)
}

// cell is a text that cannot end a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// wrapped breaks a text at 100 columns.
func wrapped(text string) string {
	const most = 100
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case column == 0:
		case column+1+n > most:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// writeDocument puts a text between the markers of the document.
func writeDocument(text string) error {
	old, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	changed, err := between(string(old), text)
	if err != nil {
		return fmt.Errorf("%s: %w", document, err)
	}
	return os.WriteFile(document, []byte(changed), 0o644)
}

// between returns a page with a text between its markers.
func between(page, text string) (string, error) {
	head, rest, ok := strings.Cut(page, begin+"\n")
	if !ok {
		return "", fmt.Errorf("it has no line %q", begin)
	}
	_, tail, ok := strings.Cut(rest, end+"\n")
	if !ok {
		return "", fmt.Errorf("it has no line %q after the first marker", end)
	}
	return head + begin + "\n\n" + strings.TrimSpace(text) + "\n\n" + end + "\n" + tail, nil
}
