package config

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// WriteDefault writes a settings file with every key and its default. All of them are commented
// out. So settings that the user does not change follow the defaults of later versions.
func WriteDefault(w io.Writer, v Vocabulary) error {
	out := bufio.NewWriter(w)
	d := Defaults(v)
	fmt.Fprint(out, "## Settings of the workbench. Lines after a single # show\n## the defaults. To change a setting, remove \"# \" and edit the value.\n")
	section := func(comment, line string) { fmt.Fprintf(out, "\n## %s\n# %s\n", comment, line) }
	section("Colours: one of "+strings.Join(Themes, ", ")+". NO_COLOR means none.", "theme: "+d.Theme)
	section("Draw with ASCII characters only.", fmt.Sprint("ascii: ", d.ASCII))
	section("React to clicks and the wheel. If false, the terminal can select text.", fmt.Sprint("mouse: ", d.Mouse))
	section("Use the alternate screen, so that the scrollback stays as it was.", fmt.Sprint("alt-screen: ", d.AltScreen))
	section("Print lines instead of drawing a screen.", fmt.Sprint("screen-reader: ", d.ScreenReader))
	fmt.Fprint(out, "\n## The columns of the list of nodes, from left to right:\n")
	for _, c := range v.Columns {
		fmt.Fprintf(out, "##   %-12s %s\n", c.Name, c.Help)
	}
	fmt.Fprintf(out, "# columns: %s\n", list(d.Columns))
	section("Give constants rows of their own. If false, they fold into the nodes that read them.", fmt.Sprint("constants: ", d.Constants))
	fmt.Fprint(out, "\n## The column that rows are sorted by; -NAME puts the largest first. By default they\n## are in the order of the model.\n")
	if n := len(v.Columns); n > 0 {
		fmt.Fprintf(out, "## sort: -%s\n", v.Columns[n-1].Name)
	}
	writeKeys(out, v)
	return out.Flush()
}

// writeKeys writes every action, place by place.
func writeKeys(w io.Writer, v Vocabulary) {
	fmt.Fprint(w, "\n## The keys of each action, which replace its default keys; [] leaves it without a key.\n"+
		"## PLACE.ACTION binds it in one place, ACTION in every place that has it. A key is the\n"+
		"## character that it types, or one of these, after "+strings.Join(modifiers, "+ ")+"+:\n")
	for _, line := range wrap(v.KeyNames, 84) {
		fmt.Fprintf(w, "##   %s\n", line)
	}
	fmt.Fprint(w, "# keys:\n")
	place := ""
	for _, a := range v.Actions {
		if a.Place != place {
			place = a.Place
			fmt.Fprintf(w, "##   %s\n", place)
		}
		line := fmt.Sprintf("%s: %s", quoted(a.Place+"."+a.Name), list(a.Keys))
		fmt.Fprintf(w, "#   %-44s # %s\n", line, a.Help)
	}
}

// list writes words as YAML on one line.
func list(items []string) string {
	out := make([]string, len(items))
	for i, s := range items {
		out[i] = quoted(s)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// quoted returns a word, in quotes if YAML would otherwise read it as something else.
func quoted(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_+. :/", r)
	}
	isPlain := len(s) > 0 && strings.IndexFunc(s, func(r rune) bool { return !plain(r) && r != '-' }) < 0 &&
		!strings.ContainsAny(s[:1], "-: ") && !strings.HasSuffix(s, ":") && !strings.Contains(s, ": ")
	if isPlain {
		return s
	}
	b, err := yaml.Marshal(&yaml.Node{Kind: yaml.ScalarNode, Value: s, Style: yaml.DoubleQuotedStyle})
	if err != nil {
		return fmt.Sprintf("%q", s)
	}
	return strings.TrimSuffix(string(b), "\n")
}

// wrap joins words to lines of at most width bytes.
func wrap(words []string, width int) []string {
	var lines []string
	for _, s := range words {
		if n := len(lines); n > 0 && len(lines[n-1])+2+len(s) <= width {
			lines[n-1] += ", " + s
			continue
		}
		lines = append(lines, s)
	}
	return lines
}
