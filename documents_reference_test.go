package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lathe/session"
	"lathe/session/command"
)

var update = flag.Bool("update", false, "write docs/reference")

// TestReference holds docs/reference to the options of the commands. -update writes it.
func TestReference(t *testing.T) {
	pages := map[string]string{}
	index := []string{"# Reference", "", "Every command with all its flags, generated from the options. The pages in [docs](..) explain by task.", "", "| command | does |", "|---|---|"}
	each(program().Tree(), func(c *cobra.Command) {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".md"
		pages[name] = referencePage(c)
		index = append(index, fmt.Sprintf("| [%s](%s) | %s |", c.CommandPath(), name, c.Short))
	})
	pages["README.md"] = strings.Join(append(index, ""), "\n")
	folder := filepath.Join("docs", "reference")
	if *update {
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, page := range pages {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) != len(pages) {
		t.Errorf("%d pages in %s, expected %d (%v); write them with -update", len(files), folder, len(pages), err)
	}
	for name, page := range pages {
		if got, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(got) != page {
			t.Errorf("%s is not what the options say (%v); write it with: go test . -run TestReference -update", name, err)
		}
	}
}

// each visits the commands that a person can use.
func each(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() && below.Name() != "completion" && below.Name() != "help" {
			each(below, visit)
		}
	}
}

// referencePage is the page of a command.
func referencePage(c *cobra.Command) string {
	var b strings.Builder
	about := c.Long
	if about == "" {
		about = strings.ToUpper(c.Short[:1]) + c.Short[1:] + "."
	}
	c.InheritedFlags() // UseLine counts them only once they are merged
	fmt.Fprintf(&b, "# %s\n\n%s\n\n```text\n%s\n```\n", c.CommandPath(), prose(about), c.UseLine())
	if c.Example != "" {
		fmt.Fprintf(&b, "\nExample: `%s`\n", c.Example)
	}
	var below []string
	for _, x := range c.Commands() {
		if x.IsAvailableCommand() && x.Name() != "completion" && x.Name() != "help" {
			below = append(below, fmt.Sprintf("| [%s](%s.md) | %s |", x.Name(), strings.ReplaceAll(x.CommandPath(), " ", "-"), x.Short))
		}
	}
	if len(below) > 0 {
		fmt.Fprintf(&b, "\n## Commands\n\n| command | does |\n|---|---|\n%s\n", strings.Join(below, "\n"))
	}
	for _, g := range session.Groups() {
		var rows []string
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if group := f.Annotations[command.GroupAnnotation]; !f.Hidden && f.Name != "help" && (len(group) == 0 && g == session.GroupStep || len(group) > 0 && group[0] == g.String()) {
				rows = append(rows, flagRow(f))
			}
		})
		if len(rows) > 0 {
			fmt.Fprintf(&b, "\n## %s\n\n| flag | meaning | default |\n|---|---|---|\n%s\n", g, strings.Join(rows, "\n"))
		}
	}
	if c.HasParent() {
		fmt.Fprintf(&b, "\n[Flags of every command](%s.md#options)\n", c.Root().Name())
	}
	return b.String()
}

// flagRow is the line of a flag in a table.
func flagRow(f *pflag.Flag) string {
	value, usage := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	switch {
	case value != "" && f.NoOptDefVal != "":
		name += "[=" + value + "]"
	case value != "":
		name += " " + value
	}
	meaning, standard, _ := strings.Cut(strings.TrimSuffix(usage, ")"), " (default: ")
	if standard == "" {
		meaning = usage
	}
	escape := strings.NewReplacer("|", "\\|", "<", "\\<").Replace
	return fmt.Sprintf("| `%s` | %s | %s |", strings.ReplaceAll(name, "|", "\\|"), escape(meaning), escape(standard))
}

// prose is a text in lines of at most 100 columns.
func prose(s string) string {
	var out []string
	for part := range strings.SplitSeq(s, "\n\n") {
		line := ""
		for _, word := range strings.Fields(part) {
			if line != "" && len(line)+1+len(word) > 100 {
				out, line = append(out, line), ""
			}
			line = strings.TrimSpace(line + " " + word)
		}
		out = append(out, line, "")
	}
	return strings.Join(out[:len(out)-1], "\n")
}
