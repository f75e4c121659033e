package trust

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"lathe/graphops"
	"lathe/graphops/permit"
)

// Records remembers the recipes that this program saved, in a folder of the user. A record belongs to
// the content of a recipe and to the folder of the recipe, because a recipe can name other files
// there, such as scripts.
type Records struct{ Dir string }

// RecordsIn returns the records in the folder for the state of programs, usually $XDG_STATE_HOME.
func RecordsIn(stateHome string) Records {
	return Records{filepath.Join(stateHome, "lathe", "recipes")}
}

// Add records that this program saved a recipe with this digest in a file.
func (r Records) Add(ctx context.Context, path, digest string) error {
	name, err := r.name(path, digest)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		return err
	}
	return graphops.WriteFile(ctx, name, graphops.WriteOptions{Overwrite: true}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%q\n", path) // for a person who looks
		return err
	})
}

// Has reports whether this program saved the recipe with this digest in the folder of the file.
func (r Records) Has(path, digest string) bool {
	name, err := r.name(path, digest)
	if err != nil || digest == "" || r.Dir == "" {
		return false
	}
	info, err := os.Lstat(name)
	return err == nil && info.Mode().IsRegular()
}

func (r Records) name(path, digest string) (string, error) {
	folder, err := permit.Real(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(folder + "\x00" + digest))
	return filepath.Join(r.Dir, hex.EncodeToString(sum[:])), nil
}
