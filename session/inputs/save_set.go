package inputs

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"lathe/graphops"
	"lathe/graphops/durable"
	"lathe/graphops/execution"
)

// SaveSet writes a case and the model's outputs into a new folder in the layout of ONNX's test
// data, input_0.pb … and output_0.pb …, together with caseFile. ReadCases reads it back.
func SaveSet(ctx context.Context, folder string, types []graphops.NamedType, c Case, outputs []execution.Got) ([]string, error) {
	files, err := Save(ctx, folder, types, c.Feeds, durable.Options{})
	if err != nil {
		return files, err
	}
	for i, o := range outputs {
		path := filepath.Join(folder, fmt.Sprintf("output_%d.pb", i))
		err := durable.WriteFile(ctx, path, durable.Options{}, func(w io.Writer) error { return graphops.WriteData(w, o.Name, o.Value) })
		if err != nil {
			return files, err
		}
		files = append(files, path)
	}
	more, err := saveAbout(ctx, folder, c)
	return append(files, more...), err
}

// maxFolderName limits the length of a folder name that is made from a case's name.
const maxFolderName = 80

// FolderName returns the name of the folder for a case. It has only letters, digits and characters
// that are not special in shells and file systems.
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
