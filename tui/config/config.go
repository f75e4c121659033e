// Package config is the one file that says how a person wants the workbench:
// theme, columns, keys. It knows what such a file may say; what actions, places
// and columns there are, its caller tells. It reads no environment.
package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// The themes.
const (
	ThemeAuto         = "auto" // dark or light, as the terminal's background is
	ThemeDark         = "dark"
	ThemeLight        = "light"
	ThemeHighContrast = "high-contrast"
	ThemeNone         = "none" // no colours
)

// Themes are the values that theme takes.
var Themes = []string{ThemeAuto, ThemeDark, ThemeLight, ThemeHighContrast, ThemeNone}

// Config is what a person has chosen, defaults elsewhere.
type Config struct {
	Theme        string
	ASCII        bool // draw with ASCII alone
	Mouse        bool
	AltScreen    bool // leave the terminal's scrollback as it is
	ScreenReader bool // print lines, draw no screen
	Columns      []string
	Sort         Sort
	Keys         []Binding // in the order of the file
}

// Sort says what rows are sorted by.
type Sort struct {
	Column     string // "" for the order of the model
	Descending bool
}

// Binding gives an action keys in place of its default ones.
type Binding struct {
	Place  string // "" for every place that has the action
	Action string
	Keys   []string // as tea.KeyPressMsg.String spells them; none unbinds
}

// Vocabulary is what the workbench has that a file can name.
type Vocabulary struct {
	Actions []Action
	Columns []Column
	// KeyNames are the keys that are no character, as "enter" and "pgdown".
	KeyNames []string
}

// Action is something that keys are bound to in one place.
type Action struct {
	Place, Name string
	Help        string   // one line
	Keys        []string // the default ones
}

// Column is one that the list of nodes can show.
type Column struct {
	Name  string
	Help  string // one line
	Shown bool   // without a choice
}

// Defaults is what holds where no file says otherwise.
func Defaults(v Vocabulary) Config {
	c := Config{Theme: ThemeAuto, Mouse: true, AltScreen: true}
	for _, column := range v.Columns {
		if column.Shown {
			c.Columns = append(c.Columns, column.Name)
		}
	}
	return c
}

// Path is the file's place below the folder of configurations, which is
// $XDG_CONFIG_HOME where that is set.
func Path(configHome string) string { return filepath.Join(configHome, "lathe", "config.yaml") }

// maxBytes bounds the file; one that documents every key has a tenth of that.
const maxBytes = 256 << 10

// Load reads the file. Without one the defaults hold; a file that cannot be read,
// or says what is not understood, is an error besides them.
func Load(path string, v Vocabulary) (Config, error) {
	content, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Defaults(v), nil
	}
	if err != nil {
		return Defaults(v), fmt.Errorf("%s: %w", path, err)
	}
	c, err := Parse(content, v)
	if err != nil {
		return c, fmt.Errorf("%s:%w", path, err)
	}
	return c, nil
}

// read does not wait for the writer of a named pipe.
func read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, withoutPath(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a regular file, expected settings in YAML")
	}
	content, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, withoutPath(err)
	}
	if len(content) > maxBytes {
		return nil, fmt.Errorf("is larger than the %d KiB that settings may have", maxBytes>>10)
	}
	return content, nil
}

func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func (v Vocabulary) columnNames() []string {
	names := make([]string, len(v.Columns))
	for i, c := range v.Columns {
		names[i] = c.Name
	}
	return names
}

// actionNames are the keys that the section keys takes: every action, by itself
// and with each place that it is in.
func (v Vocabulary) actionNames() []string {
	var names []string
	for _, a := range v.Actions {
		if !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
	}
	for _, a := range v.Actions {
		names = append(names, a.Place+"."+a.Name)
	}
	return names
}
