package launch

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adrg/xdg"

	"lathe/graphops"
	"lathe/tui/config"
)

// themeFile is the file that remembers the theme that was chosen in the workbench: this theme, and
// that of the settings at the time. If the settings name another one later, they are newer.
func themeFile() string { return filepath.Join(xdg.StateHome, "lathe", "theme") }

// mostOfTheme is the largest size of the file that is read.
const mostOfTheme = 100

// rememberedTheme returns the theme that was chosen in the workbench in place of a theme of the
// settings, or the latter.
func rememberedTheme(set string) string {
	info, err := os.Stat(themeFile())
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostOfTheme {
		return set
	}
	content, err := os.ReadFile(themeFile())
	words := strings.Fields(string(content))
	if err != nil || len(words) != 2 || words[1] != set || !slices.Contains(config.Themes, words[0]) {
		return set
	}
	return words[0]
}

// rememberTheme keeps a theme that was chosen in place of that of the settings.
func rememberTheme(ctx context.Context, chosen, set string) error {
	path := themeFile()
	if chosen == set {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("the theme is not remembered: %w", err)
		}
		return nil
	}
	err := os.MkdirAll(filepath.Dir(path), fs.FileMode(0o700))
	if err == nil {
		err = graphops.WriteFile(ctx, path, graphops.WriteOptions{Overwrite: true}, func(w io.Writer) error {
			_, err := fmt.Fprintln(w, chosen, set)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("the theme is not remembered: %w", err)
	}
	return nil
}
