package config_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/tui/config"
)

var vocabulary = config.Vocabulary{
	Actions: []config.Action{
		{"everywhere", "help", "what keys do here", []string{"?"}},
		{"main screen", "find", "search", []string{"/"}},
		{"main screen", "earlier", "back", []string{"["}},
		{"main screen", "step:axes", "turn axes", []string{"a", "-", "#", ",", ":"}},
		{"nodes", "down", "down", []string{"j", "down"}},
		{"detail", "down", "down", []string{"j", "down"}},
		{"form", "accept", "go on", []string{"enter", "ctrl+j", `"`, "'", "\\", "~", "1", "y", "n"}},
		{"form", "nothing", "no key", nil},
	},
	Columns: []config.Column{
		{"op", "the operator", true},
		{"name", "the node's name", true},
		{"type", "of the first output", true},
		{"params", "elements of weights", false},
		{"bytes", "of weights", false},
	},
	KeyNames: []string{"enter", "tab", "esc", "space", "up", "down", "pgup", "pgdown", "f1"},
}

func defaults() config.Config { return config.Defaults(vocabulary) }

// with changes the defaults.
func with(f func(*config.Config)) config.Config {
	c := defaults()
	f(&c)
	return c
}

func TestParse(t *testing.T) {
	for in, want := range map[string]config.Config{
		"":                    defaults(),
		"# nothing\n":         defaults(),
		"---\n...\n":          defaults(),
		"theme: light":        with(func(c *config.Config) { c.Theme = config.ThemeLight }),
		"ascii: true":         with(func(c *config.Config) { c.ASCII = true }),
		"mouse: False":        with(func(c *config.Config) { c.Mouse = false }),
		"alt-screen: false":   with(func(c *config.Config) { c.AltScreen = false }),
		"screen-reader: true": with(func(c *config.Config) { c.ScreenReader = true }),
		"columns: [bytes, op]": with(func(c *config.Config) {
			c.Columns = []string{"bytes", "op"}
		}),
		"columns: []":   with(func(c *config.Config) { c.Columns = []string{} }),
		"sort: name":    with(func(c *config.Config) { c.Sort.Column = "name" }),
		"sort: -params": with(func(c *config.Config) { c.Sort = config.Sort{Column: "params", Descending: true} }),
		"keys:\n  down: [n, alt+ctrl+down]\n  nodes.down: []\n  step:axes: ['+', 1, y, ~, 'ctrl++', shift+tab]\n  main screen.find: [f1]": with(func(c *config.Config) {
			c.Keys = []config.Binding{
				{Action: "down", Keys: []string{"n", "ctrl+alt+down"}},
				{Place: "nodes", Action: "down"},
				{Action: "step:axes", Keys: []string{"+", "1", "y", "~", "ctrl++", "shift+tab"}},
				{Place: "main screen", Action: "find", Keys: []string{"f1"}},
			}
		}),
	} {
		got, err := config.Parse([]byte(in), vocabulary)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v\n%s", in, err, diff)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for in, want := range map[string]string{
		"them: dark":                         `1: unknown key "them"; nearest: "theme"`,
		"ascii: true\n\nfoo_bar_baz: 1":      `3: unknown key "foo_bar_baz"; expected one of theme, ascii, mouse, alt-screen, screen-reader, columns, constants, sort, keys`,
		"theme: drak":                        `1: unknown value "drak"; nearest: "dark"`,
		"theme: [dark]":                      `1: a list, expected one value`,
		"theme:":                             `1: nothing, expected one value`,
		"theme: dark\nmouse: true\ntheme: x": `3: key "theme" is in line 1 too`,
		"mouse: yes":                         `1: "yes", expected true or false`,
		"mouse: 'true'":                      `1: "true", expected true or false`,
		"mouse: 1":                           `1: "1", expected true or false`,
		"columns: op":                        `1: "op", expected a list, as [op]`,
		"columns: [op, naem]":                `1: unknown column "naem"; nearest: "name"`,
		"columns:\n- op\n- op":               `3: column "op" is named twice`,
		"columns: [{a: b}]":                  `1: keys with values, expected one value`,
		"sort: parms":                        `1: unknown column "parms"; nearest: "params"`,
		"sort: --op":                         `1: unknown column "--op"; nearest: "op"`,
		"keys: [a]":                          `1: a list, expected keys with values`,
		"keys:\n  dwon: [a]":                 `2: unknown action "dwon"; nearest: "down"`,
		"keys:\n  detail.find: [a]":          `2: unknown action "detail.find"; lathe config lists them all`,
		"keys:\n  down: j":                   `2: "j", expected a list, as [j]`,
		"keys:\n  down: [pgdwn]":             `2: unknown key "pgdwn"; nearest: "pgdown"`,
		"keys:\n  down: [control+x]":         `2: key "control+x": "control" is not one of ctrl, alt, shift, meta, hyper, super`,
		"keys:\n  down: [ctrl+ctrl+x]":       `2: key "ctrl+ctrl+x" contains ctrl twice`,
		"keys:\n  down: [shift+g]":           `2: key "shift+g" must be written as the character that it types, as in "G"`,
		"keys:\n  down: [ctrl+G]":            `2: key "ctrl+G" must be written "ctrl+g"`,
		"keys:\n  down: [' ']":               `2: key " " must be written "space"`,
		"keys:\n  down: ['']":                `2: nothing, expected one value`,
		"keys:\n  down: [\"\\e\"]":           `2: unknown key "\x1b"; expected a character or one of enter`,
		"keys:\n  down: [x]\n  find: [x]":    `3: key "x" is bound to down too`,
		"keys:\n  down: [x, x]":              `2: key "x" is bound to down too`,
		"theme: dark\n---\ntheme: dark":      `2: the file contains a second YAML document, expected one`,
		"nodes.down: [x]":                    `1: "nodes.down" is an action; write it below keys:`,
		"- a":                                `1: a list, expected keys with values`,
		"a: &x 1\nb: *x":                     `1: unknown key "a"`,
		"ascii: &x true\nmouse: *x":          `2: an alias, expected true or false`,
		"theme: !!binary ZGFyaw==":           `1: "ZGFyaw==", expected one value`,
		"theme: dark\n\tx":                   `2: `,
		"{":                                  `1: `,
		"theme: \xff":                        `1: `,
		"? [a]\n: b":                         `1: a list, expected one value`,
		"<<: {theme: dark}":                  `1: unknown key "<<"`,
	} {
		got, err := config.Parse([]byte(in), vocabulary)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", in, err, want)
		}
		if diff := cmp.Diff(defaults(), got); diff != "" {
			t.Errorf("%q leaves more than the defaults: %s", in, diff)
		}
	}
}

func TestLoad(t *testing.T) {
	path := config.Path(t.TempDir())
	check := func(theme, message string) {
		t.Helper()
		c, err := config.Load(path, vocabulary)
		if c.Theme != theme {
			t.Errorf("theme %q, want %q", c.Theme, theme)
		}
		if (err == nil) != (message == "") || err != nil && err.Error() != path+message {
			t.Errorf("error %v, want %q", err, message)
		}
	}
	check("auto", "")
	write := func(content string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write("theme: none")
	check("none", "")
	write("\ntheme: nome")
	check("auto", `:2: unknown value "nome"; nearest: "none"`)
	write(strings.Repeat("#", 256<<10+1))
	check("auto", ": is larger than the 256 KiB that settings may have")
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	check("auto", ": is not a regular file, expected settings in YAML")
	if err := errors.Join(os.Remove(path), os.Symlink("config.yaml", path)); err != nil {
		t.Fatal(err)
	}
	check("auto", ": too many levels of symbolic links")
}

// TestWriteDefault reads the file that documents everything: as it is, and with
// every line put into force, which changes nothing.
func TestWriteDefault(t *testing.T) {
	var b bytes.Buffer
	if err := config.WriteDefault(&b, vocabulary); err != nil {
		t.Fatal(err)
	}
	if got, err := config.Parse(b.Bytes(), vocabulary); err != nil || !cmp.Equal(got, defaults()) {
		t.Errorf("%v\n%s", err, cmp.Diff(defaults(), got))
	}
	var all strings.Builder
	for line := range strings.Lines(b.String()) {
		switch {
		case len(line) > 1 && line[0] != '#', len(line) > 96:
			t.Errorf("line %q", line)
		case strings.HasPrefix(line, "# "):
			all.WriteString(line[2:])
		}
	}
	want := with(func(c *config.Config) {
		for _, a := range vocabulary.Actions {
			c.Keys = append(c.Keys, config.Binding{Place: a.Place, Action: a.Name, Keys: a.Keys})
		}
	})
	got, err := config.Parse([]byte(all.String()), vocabulary)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s\n%s", err, diff, all.String())
	}
	if err := config.WriteDefault(refusing{}, vocabulary); err == nil {
		t.Error("a writer that refuses is not told")
	}
}

type refusing struct{}

func (refusing) Write([]byte) (int, error) { return 0, errors.New("no") }

func FuzzParse(f *testing.F) {
	var b bytes.Buffer
	if err := config.WriteDefault(&b, vocabulary); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("theme: dark\nkeys: {down: [x]}"))
	f.Fuzz(func(t *testing.T, content []byte) {
		c, err := config.Parse(content, vocabulary)
		if err != nil && !cmp.Equal(c, defaults()) {
			t.Errorf("%q: %v leaves more than the defaults", content, err)
		}
		if err != nil && (err.Error()[0] < '1' || err.Error()[0] > '9') {
			t.Errorf("%q: %v names no line", content, err)
		}
	})
}
