package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"lathe/graphops/durable"
)

// viewFile is a View as it is written to a file.
type viewFile struct {
	Version int    `yaml:"lathe-view"`
	Model   string `yaml:"model"` // absolute
	View    View   `yaml:"view"`
}

// SaveView stores the view of a model for the next start.
func (s Store) SaveView(ctx context.Context, model string, v View) error {
	return s.write(ctx, s.viewPath(model), func() ([]byte, error) {
		return marshal(viewFile{Version, realPath(model), v})
	})
}

// View returns the stored view of a model, or nil if nothing is stored.
func (s Store) View(model string) (View, error) {
	path := s.viewPath(model)
	content, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f, err := decodeView(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f.View, nil
}

func decodeView(content []byte) (f viewFile, err error) {
	if err := unmarshal(content, &f); err != nil {
		return viewFile{}, err
	}
	if f.Version != Version {
		return viewFile{}, fmt.Errorf("version %d of the format is not known; expected version %d", f.Version, Version)
	}
	return f, nil
}

func (s Store) viewPath(model string) string {
	return filepath.Join(s.Dir, hashOf(model)+".view.yaml")
}

// write writes a file of the folder. The file has either the new content or the old one, even if
// the process dies meanwhile. Other users may not read it, because it shows what a person works on.
func (s Store) write(ctx context.Context, path string, content func() ([]byte, error)) error {
	b, err := content()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	return durable.WriteFile(ctx, path, durable.Options{Overwrite: true}, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}
