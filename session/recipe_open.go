package session

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"lathe/graphops/formats"
)

// OpenRecipe reads a recipe file. It opens the file without blocking: opening a named pipe would
// wait for its writer, and that wait could not be interrupted.
func OpenRecipe(path string) (Recipe, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Recipe{}, fmt.Errorf("%s: %w", path, errors.Unwrap(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return Recipe{}, fmt.Errorf("%s: is a directory, expected a recipe", path)
	}
	var content bytes.Buffer
	r, err := ReadRecipe(io.TeeReader(f, &content))
	r.Digest = DigestOf(content.Bytes())
	if err != nil {
		return r, UsageError(fmt.Sprintf("%s: %v", path, cmp.Or(noRecipe(f), err)))
	}
	return r, nil
}

// noRecipe returns an error that says what a file is if it is clearly not a recipe, or nil if that
// is unknown.
func noRecipe(f *os.File) error {
	if filepath.Ext(f.Name()) == ".onnx" {
		return errors.New("is a model, expected a recipe; lathe MODEL opens it")
	}
	head := make([]byte, 4<<10)
	n, _ := f.ReadAt(head, 0) // a file that cannot be read stays unknown
	what := formats.DescribeOwn(head[:n])
	if what == "" || strings.HasPrefix(what, "a recipe") {
		return nil
	}
	return fmt.Errorf("is %s; expected a recipe", what)
}
