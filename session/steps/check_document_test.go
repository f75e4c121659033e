package steps

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"lathe/graphops/check"
	"lathe/session/text"
)

var update = flag.Bool("update", false, "write docs/checks.md anew")

// TestChecksDocument holds docs/checks.md against the table of checks.
func TestChecksDocument(t *testing.T) {
	const path = "../../docs/checks.md"
	want := checksDocument()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the table of checks says; go test ./session/steps -run TestChecksDocument -update writes it anew", path)
	}
}

// checksDocument is the table of checks and what each is about, as Markdown.
func checksDocument() string {
	var b strings.Builder
	b.WriteString(`# Checks

What ` + "`lathe check`" + ` looks for, as ` + "`lathe check --explain`" + ` tells it; this page is made of the same table. A code never changes its meaning, so that scripts
can rely on it: ` + "`--code CODE`" + ` and ` + "`--ignore CODE`" + ` choose what is told. The severity is that of most of a check's problems:

- **error**: ONNX Runtime does not load the model, or every run fails. The exit code is 3.
- **warning**: against the standard though ONNX Runtime takes it, or most likely not meant. With ` + "`--strict`" + ` the exit code is 3.
- **info**: worth knowing.

| code | severity | what it is |
|---|---|---|
`)
	for _, c := range check.Rules() {
		fmt.Fprintf(&b, "| [%s](#%[1]s) | %s | %s |\n", c.Code, c.Severity, cell(c.Title))
	}
	for _, c := range check.Rules() {
		fmt.Fprintf(&b, "\n## %s\n\n%s: %s.\n\n", c.Code, c.Severity, cell(c.Title))
		for _, line := range text.Paragraphs(c.About, 120) {
			b.WriteString(strings.ReplaceAll(line, "<", `\<`) + "\n")
		}
	}
	return b.String()
}

// cell is a text in a table of Markdown.
func cell(s string) string { return strings.NewReplacer("|", `\|`, "<", `\<`).Replace(s) }
