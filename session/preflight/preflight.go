// Package preflight checks the files of a list of steps before the first step runs. Without it, a
// long recipe could fail at its last step because a file exists already, a folder is missing, or an
// input is missing.
package preflight

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"lathe/graphops"
	"lathe/graphops/permit"
	"lathe/session"
)

// Overwrite sets the option force of a step that writes a file. A step that writes none keeps
// the option as it is, because some steps refuse force if there is nothing to replace.
func Overwrite(step session.Step) error {
	writes := false
	for _, o := range step.Options() {
		writes = writes || o.Target && len(o.Values()) > 0
	}
	if o, ok := session.WithRole(step, session.RoleForce); writes && ok {
		return o.Set("true")
	}
	return nil
}

// Plan is what must be made before the first step runs.
type Plan struct {
	// Folders are the missing folders of outputs, in the order of the steps.
	Folders []string
}

// Check looks at the files that the steps of a recipe write and read. Its error names the first
// step that would fail: its output exists (without force), another step writes the same file, a
// part of the output's path is a file, or an input is missing and no earlier step writes it.
func Check(ctx context.Context, list []session.Step) (Plan, error) {
	c := checker{writers: map[string]int{}}
	for i, step := range list {
		if err := c.step(ctx, i, step); err != nil {
			return Plan{}, fmt.Errorf("step %d, %w", i+1, session.InStep(step.Name(), err))
		}
	}
	return Plan{Folders: c.folders}, nil
}

// Make makes the folders. It returns those that it made, even if there is an error.
func (p Plan) Make(ctx context.Context) (made []string, err error) {
	for _, dir := range p.Folders {
		if err := permit.ToWrite(ctx, dir, false); err != nil {
			return made, err
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return made, fmt.Errorf("%s: cannot be made for an output: %w", dir, cause(err))
		}
		made = append(made, dir)
	}
	return made, nil
}

// checker checks the files of each step in order, and remembers which files earlier steps write.
type checker struct {
	writers map[string]int // the number of the step that writes a file, by its absolute path
	folders []string
}

func (c *checker) step(ctx context.Context, i int, step session.Step) error {
	elsewhere := false
	if s, ok := step.(session.Launched); ok {
		elsewhere = s.RunsElsewhere()
	}
	force := isForced(step)
	for _, o := range step.Options() {
		for _, v := range o.Values() {
			var err error
			switch {
			case o.Target:
				err = c.write(ctx, i, v, force)
			case o.IsPath() && !o.MayBeMissing && !elsewhere:
				o.WithPath(v, func(path string) string {
					if err == nil {
						err = c.read(path)
					}
					return path
				})
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func isForced(step session.Step) bool {
	o, ok := session.WithRole(step, session.RoleForce)
	return ok && len(o.Values()) > 0
}

// write checks whether step i will be able to write a file.
func (c *checker) write(ctx context.Context, i int, path string, force bool) error {
	if path == "-" {
		return session.ErrStdoutInRecipe
	}
	at := absolute(path)
	if other, ok := c.writers[at]; ok && other != i && !force {
		return fmt.Errorf("%s: is written by step %d already; choose another name, or give this step force", path, other+1)
	}
	c.writers[at] = i
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil // only the step knows whether it may write into an existing folder
	}
	missing, err := missingFolder(filepath.Dir(at))
	switch {
	case err != nil:
		return fmt.Errorf("%s: cannot be created: %w", path, err)
	case missing:
		c.need(filepath.Dir(filepath.Clean(path)))
		return nil
	}
	return graphops.CheckTarget(ctx, filepath.Clean(path), graphops.WriteOptions{Overwrite: force})
}

func (c *checker) need(folder string) {
	for _, have := range c.folders {
		if have == folder {
			return
		}
	}
	c.folders = append(c.folders, folder)
}

// missingFolder reports whether a folder has to be made. If a part of the path is not a folder, it
// returns an error.
func missingFolder(dir string) (bool, error) {
	missing := false
	for {
		info, err := os.Stat(dir)
		switch {
		case err == nil && info.IsDir():
			return missing, nil
		case err == nil:
			return false, fmt.Errorf("%s is a file, expected a folder", dir)
		case !os.IsNotExist(err):
			return false, cause(err)
		case filepath.Dir(dir) == dir:
			return false, cause(err)
		}
		missing, dir = true, filepath.Dir(dir)
	}
}

// read checks whether a file that a step reads exists, or is written by an earlier step.
func (c *checker) read(path string) error {
	if path == "-" || c.isWritten(path) {
		return nil
	}
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("%s: %w, and no earlier step writes it", path, cause(err))
	}
	return nil
}

// isWritten reports whether an earlier step writes a file. Some steps write further files named
// after the output, such as a submodel with its inputs, and a folder includes the files in it.
func (c *checker) isWritten(path string) bool {
	at := absolute(path)
	for target := range c.writers {
		stem := strings.TrimSuffix(target, filepath.Ext(target))
		if at == target || strings.HasPrefix(at, stem+".") || strings.HasPrefix(at, target+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// absolute returns a path that is equal for the same file unless there are links.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}

// cause returns the reason of a file error without the path, which the caller names.
func cause(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}
