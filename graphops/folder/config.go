package folder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// maxConfig is the maximum size of a configuration in bytes, and maxDepth how deep it may nest.
const (
	maxConfig = 4 << 20
	maxDepth  = 64
)

// readConfig reads a configuration of the folder. ok is false if there is no such file. A
// configuration that cannot be used is a problem of the folder, which is then read by its names.
func (f *Folder) readConfig(l *listing, name string, into any) (ok bool) {
	if !l.files[name] {
		return false
	}
	b, err := readBounded(l.at(name))
	if err == nil {
		err = decode(b, into)
	}
	if err != nil {
		f.problem(Warning, "%s: %s; the folder is read by its file names instead", name, reason(err))
		return false
	}
	return true
}

func readBounded(file string) ([]byte, error) {
	r, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe without a writer must not wait
	if err != nil {
		return nil, err
	}
	defer r.Close() // it was only read
	info, err := r.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	b, err := io.ReadAll(io.LimitReader(r, maxConfig+1))
	if len(b) > maxConfig {
		return nil, fmt.Errorf("is larger than %d MiB, which no configuration is", maxConfig>>20)
	}
	return b, err
}

// decode reads JSON that nests at most maxDepth deep.
func decode(b []byte, into any) error {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '{' || c == '['):
			if depth++; depth > maxDepth {
				return fmt.Errorf("nests deeper than %d", maxDepth)
			}
		case !quoted && (c == '}' || c == ']'):
			depth--
		}
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("is not the JSON that was expected: %w", err)
	}
	return nil
}

// inside returns a path that a configuration states, relative to the folder, or an error if the path
// leaves it.
func inside(name string) (string, error) {
	local := filepath.FromSlash(strings.ReplaceAll(name, `\`, "/"))
	if name == "" || !filepath.IsLocal(local) {
		return "", fmt.Errorf("the path %q leaves the folder, and is not followed", name)
	}
	return path.Clean(filepath.ToSlash(local)), nil
}

// ordered is a JSON object whose keys keep their order.
type ordered []entry

type entry struct {
	key   string
	value json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler.
func (o *ordered) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.Join(errors.New("expected an object"), err)
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		key, _ := t.(string)
		e := entry{key: key}
		if err := d.Decode(&e.value); err != nil {
			return err
		}
		*o = append(*o, e)
	}
	return nil
}
