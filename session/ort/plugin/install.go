package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lathe/session/ort"
	"lathe/session/ort/ep"
)

// InstallOptions say which provider's library to install.
type InstallOptions struct {
	Provider string  // a name of the table of providers
	Version  string  // of the Python package; empty means the newest
	Env      ort.Env // for the Python whose pip downloads, and the cache folder
	// Progress is called once with the package and the program that downloads it. It may be nil.
	Progress func(string)
}

// workPrefix starts the names of folders of running installations.
const workPrefix = ".install-"

// staleAfter is the age at which the folder of an installation belongs to a process that was killed.
const staleAfter = 24 * time.Hour

// Install downloads the Python package of a provider's library with pip and puts it into Lathe's
// cache. The library is complete as soon as its folder has the package's version as its name. A
// cancelled or failed installation leaves nothing behind.
func Install(ctx context.Context, o InstallOptions) (Library, error) {
	row, known := ep.Find(o.Provider)
	if !known || row.Plugin == "" {
		return Library{}, fmt.Errorf("--ep %q: there is no library of its own to install; expected one of %s", o.Provider,
			strings.Join(ep.Names(func(p ep.Provider) bool { return p.Plugin != "" }), ", "))
	}
	if o.Env.CacheDir == "" {
		return Library{}, errors.New("there is no cache folder to install into")
	}
	python, err := ort.FindPython(o.Env)
	if err != nil {
		return Library{}, err
	}
	store := filepath.Join(o.Env.CacheDir, cacheFolder, row.Name)
	if err := os.MkdirAll(store, 0o755); err != nil {
		return Library{}, fmt.Errorf("cache folder: %w", err)
	}
	sweep(store)
	work, err := os.MkdirTemp(store, workPrefix)
	if err != nil {
		return Library{}, fmt.Errorf("cache folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	wanted := row.Plugin
	if o.Version != "" {
		wanted += "==" + o.Version
	}
	if o.Progress != nil {
		o.Progress("fetching " + wanted + " with pip of " + python)
	}
	if err := download(ctx, python, wanted, work); err != nil {
		return Library{}, err
	}
	return place(store, work, row)
}

// sweep removes the folders that killed installations left.
func sweep(store string) {
	entries, _ := os.ReadDir(store)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), workPrefix) && time.Since(info.ModTime()) > staleAfter {
			_ = os.RemoveAll(filepath.Join(store, e.Name()))
		}
	}
}

// download makes pip install a package into a folder, without the packages that it needs: ONNX
// Runtime is one of them.
func download(ctx context.Context, python, wanted, folder string) error {
	cmd := exec.CommandContext(ctx, python, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check",
		"--no-deps", "--only-binary=:all:", "--no-compile", "--target", folder, wanted)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%s -m pip install %s: %w: %s", python, wanted, err, lastLine(said.String()))
	}
	return nil
}

// lastLine returns the last line of an output that is not empty.
func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// place gives the folder of a complete download its final name, and returns the library in it. A
// folder that has the name already contains the same package.
func place(store, work string, row ep.Provider) (Library, error) {
	found := slices.DeleteFunc(inSite(work), func(l Library) bool { return l.Check() != nil })
	if len(found) == 0 {
		return Library{}, fmt.Errorf("package %s has no library of execution providers for this machine", row.Plugin)
	}
	l := found[0]
	final := filepath.Join(store, l.Version)
	if err := os.Rename(work, final); err != nil && !errors.Is(err, fs.ErrExist) {
		return Library{}, fmt.Errorf("cache folder: %w", err)
	}
	rest, err := filepath.Rel(work, l.Path)
	if err != nil {
		return Library{}, err
	}
	l.Path, l.Source = filepath.Join(final, rest), ort.SourceCache
	return l, nil
}
