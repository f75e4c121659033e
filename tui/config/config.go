// Package config reads the user's settings of the workbench: the theme, the columns and the keys.
// It defines the form of the settings file. The caller says which actions, places and columns
// exist. It reads no environment variables.
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
	ThemeAuto         = "auto" // dark or light, like the terminal's background
	ThemeDark         = "dark"
	ThemeLight        = "light"
	ThemeHighContrast = "high-contrast"
	ThemeNone         = "none" // no colors
)

// Themes are the values of the setting theme.
var Themes = []string{ThemeAuto, ThemeDark, ThemeLight, ThemeHighContrast, ThemeNone}

// Config holds the user's settings, with defaults for what is not set.
type Config struct {
	Theme        string
	ASCII        bool // draw with ASCII characters only
	Mouse        bool
	AltScreen    bool // leave the terminal's scrollback as it is
	ScreenReader bool // print lines, draw no screen
	Columns      []string
	Constants    bool // give constants rows of their own
	Sort         Sort
	Keys         []Binding // in the order of the file
}

// Sort says by what rows are sorted.
type Sort struct {
	Column     string // "" for the order of the model
	Descending bool
}

// Binding gives an action keys in place of its default ones.
type Binding struct {
	Place  string // "" for every place that has the action
	Action string
	Keys   []string // spelled as tea.KeyPressMsg.String does; an empty list unbinds the action
}

// Vocabulary is what can occur in a settings file: the actions, the columns and the names of keys.
type Vocabulary struct {
	Actions []Action
	Columns []Column
	// KeyNames are the keys that are not characters, such as "enter" and "pgdown".
	KeyNames []string
}

// Action is something that keys are bound to in one place.
type Action struct {
	Place, Name string
	Help        string   // one line
	Keys        []string // the default ones
}

// Column is a column that the list of nodes can show.
type Column struct {
	Name  string
	Help  string // one line
	Shown bool   // shown by default
}

// Defaults returns the settings without a file.
func Defaults(v Vocabulary) Config {
	c := Config{Theme: ThemeAuto, Mouse: true, AltScreen: true}
	for _, column := range v.Columns {
		if column.Shown {
			c.Columns = append(c.Columns, column.Name)
		}
	}
	return c
}

// Path returns the path of the file in the user's configuration folder, which is $XDG_CONFIG_HOME
// if that is set.
func Path(configHome string) string { return filepath.Join(configHome, "lathe", "config.yaml") }

// maxBytes limits the size of the file; a file that documents every key is a tenth of that.
const maxBytes = 256 << 10

// Load reads the file. If it does not exist, the defaults are returned; if it cannot be read or is
// invalid, the defaults are returned with an error.
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

// read reads the file. It opens the file without blocking and accepts only regular files, so that a
// named pipe cannot make it wait.
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

// actionNames returns the keys that the section keys accepts: every action, by itself and with each
// of its places.
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
