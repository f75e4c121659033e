package launch

import (
	"fmt"
	"path/filepath"
	"strings"

	"lathe/session"
	"lathe/session/text"
	"lathe/tui/files"
)

// recipeBeside returns the path of a recipe that has the name of a model and is in its folder, and a
// line that says so. This is where the workbench proposes to save one. Both are "" if there is no such file.
func recipeBeside(model string) (path, said string) {
	if model == "" {
		return "", ""
	}
	for _, extension := range files.RecipeFiles {
		path = strings.TrimSuffix(model, filepath.Ext(model)) + extension
		if r, err := session.OpenRecipe(path); err == nil && len(r.Steps) > 0 {
			return path, fmt.Sprintf("%s is a recipe of %s: \":apply\" and Enter run it on this model", text.Clean(filepath.Base(path)), text.Plural(len(r.Steps), "step"))
		}
	}
	return "", ""
}
