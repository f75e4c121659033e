package look

import (
	"fmt"
	"strings"
	"testing"

	"lathe/graphops/check"
	"lathe/session/text"
)

// TestChecksDocument compares docs/checks.md with the table of checks.
func TestChecksDocument(t *testing.T) {
	generated(t, "../../../docs/checks.md", checksDocument())
}

// checksDocument returns the table of checks and their explanations as Markdown.
func checksDocument() string {
	var b strings.Builder
	b.WriteString(`# Checks

` + "`lathe check`" + ` looks for these problems. ` + "`lathe check --explain CODE`" + ` prints the same texts. A code
keeps its meaning in later versions, so that scripts can use it: ` + "`--code CODE`" + ` shows only some
problems, and ` + "`--exclude CODE`" + ` leaves some out. Most problems of a check have the severity that is
shown here:

- **error**: ONNX Runtime does not load the model, or every run fails. The exit code is 3.
- **warning**: the model violates the standard although ONNX Runtime loads it, or is most likely not
  what was meant. With ` + "`--strict`" + ` the exit code is 3.
- **info**: worth knowing.

| code | severity | what it is |
|---|---|---|
`)
	for _, c := range check.Rules() {
		fmt.Fprintf(&b, "| [%s](#%[1]s) | %s | %s |\n", c.Code, c.Severity, cell(c.Title))
	}
	for _, c := range check.Rules() {
		about := fmt.Sprintf("## %s\n\n%s: %s.\n\n%s", c.Code, c.Severity, c.Title, c.About)
		for _, line := range append([]string{""}, text.Paragraphs(strings.ReplaceAll(about, "<", `\<`), 100)...) {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// cell escapes a text for a Markdown table.
func cell(s string) string { return strings.NewReplacer("|", `\|`, "<", `\<`).Replace(s) }
