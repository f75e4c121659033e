package inputs

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"lathe/graphops"
)

// SaveSet writes a case with what a model made of it into a new folder, as ONNX keeps
// test data: input_0.pb and on, output_0.pb and on, and beside them what it is judged by. ReadCases
// gives it back.
func SaveSet(ctx context.Context, folder string, types []graphops.NamedType, c Case, outputs []graphops.Got) ([]string, error) {
	files, err := Save(ctx, folder, types, c.Feeds, graphops.WriteOptions{})
	if err != nil {
		return files, err
	}
	for i, o := range outputs {
		path := filepath.Join(folder, fmt.Sprintf("output_%d.pb", i))
		err := graphops.WriteFile(ctx, path, graphops.WriteOptions{}, func(w io.Writer) error { return graphops.WriteData(w, o.Name, o.Value) })
		if err != nil {
			return files, err
		}
		files = append(files, path)
	}
	more, err := saveAbout(ctx, folder, c)
	return append(files, more...), err
}

// maxFolderName bounds the name of a folder that is called after a case.
const maxFolderName = 80

// FolderName is what a case's folder is called: its name in letters, digits and signs
// that no shell and no file system takes for something else.
func FolderName(name string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("=-_", r):
			return r
		}
		return '_'
	}, strings.ReplaceAll(name, ", ", ","))
	if safe = strings.Trim(safe[:min(len(safe), maxFolderName)], "-"); safe == "" {
		return "case"
	}
	return safe
}
