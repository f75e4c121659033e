package ort

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// An unpacker writes the libraries and licences of one archive into one folder, without subfolders,
// and records them for the manifest. If two libraries have the same name, it returns an error,
// because the archive contains several builds and it cannot know which one is wanted. Of several
// licences with the same name it writes only the first.
type unpacker struct {
	ctx      context.Context
	dir      string
	platform platform
	lim      limits
	onBytes  func(total int64)

	files []installedFile
	total int64 // bytes of all files, including the one being written
}

// unpack writes the files of an archive and returns them. Whatever the archive contains, these are
// regular files whose sizes are within the limits and whose names roleOf accepts.
func (u *unpacker) unpack(source string) ([]installedFile, error) {
	if err := walkSource(source, u.lim, u.visit); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(source), err)
	}
	return u.files, nil
}

func (u *unpacker) visit(m member) error {
	if err := u.ctx.Err(); err != nil {
		return err
	}
	role := roleOf(m.name, u.platform)
	// Links are skipped: official archives have them only as short names of the real file.
	if role == roleNone || !m.regular {
		return nil
	}
	err := u.write(m)
	if errors.Is(err, fs.ErrExist) {
		if role == roleLicence {
			return nil
		}
		err = fmt.Errorf("the archive contains a second file of this name; unpack it, and give the folder with the files for %s with --from", u.platform)
	}
	if err != nil {
		return fmt.Errorf("member %q: %w", m.name, err)
	}
	return nil
}

func (u *unpacker) write(m member) error {
	u.total += m.bytes
	name := path.Base(m.name)
	f, err := os.OpenFile(filepath.Join(u.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	sum := sha256.New()
	err = u.copyTo(f, sum, m)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	u.files = append(u.files, installedFile{Name: name, Bytes: m.bytes, SHA256: hex.EncodeToString(sum.Sum(nil))})
	return nil
}

// copyTo copies a member to a file and to a checksum. It returns an error if the member has more or
// fewer bytes than it declares.
func (u *unpacker) copyTo(f *os.File, sum hash.Hash, m member) error {
	r, err := m.open()
	if err != nil {
		return err
	}
	defer r.Close()
	w := io.MultiWriter(f, sum, &contextWriter{ctx: u.ctx, onBytes: u.onBytes, n: u.total - m.bytes})
	n, err := io.Copy(w, io.LimitReader(r, m.bytes+1))
	if err == nil && n != m.bytes {
		err = fmt.Errorf("does not unpack to the %d bytes it declares", m.bytes)
	}
	return err
}

// A contextWriter is a writer that counts bytes. It returns an error when its context ends, which
// stops a copy.
type contextWriter struct {
	ctx     context.Context
	onBytes func(total int64)
	n       int64
}

func (c *contextWriter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	c.onBytes(c.n)
	return len(p), c.ctx.Err()
}

// hashFile returns the SHA-256 of a file in hexadecimal.
func hashFile(ctx context.Context, name string, onBytes func(total int64)) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(sum, &contextWriter{ctx: ctx, onBytes: onBytes}), f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
