package ort

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// limits are the largest sizes that an archive may have, as protection against malicious archives.
// The largest official archive, the CUDA wheel, has 247 MB and contains a file of 272 MB. No
// official archive unpacks to three times its size.
type limits struct {
	archive int64 // bytes of the archive itself
	member  int64 // bytes of one unpacked file
	total   int64 // bytes of all unpacked files
	entries int   // number of members, wanted or not
	ratio   int64 // unpacked bytes divided by bytes of the archive
	slack   int64 // bytes that may be unpacked before the ratio is checked
}

var installLimits = limits{archive: 8 << 30, member: 4 << 30, total: 8 << 30, entries: 100_000, ratio: 200, slack: 1 << 20}

// A member is one file of an archive or folder, with its declared size.
type member struct {
	name    string // slash-separated, as in the archive
	bytes   int64
	regular bool
	open    func() (io.ReadCloser, error) // valid only during the visit
}

// walkSource calls visit for each member of a folder, a zip archive (wheels, .nupkg and .jar are
// zip archives) or a gzipped tar archive. It recognizes the kind of an archive by its first bytes
// and ignores its name.
func walkSource(source string, lim limits, visit func(member) error) error {
	info, err := os.Stat(source)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return walkFolder(source, visit)
	}
	f, err := os.Open(source)
	if err != nil {
		return err
	}
	defer f.Close()
	if info.Size() > lim.archive {
		return fmt.Errorf("%d bytes, expected at most %d", info.Size(), lim.archive)
	}
	return walkArchive(f, info.Size(), lim, visit)
}

func walkArchive(r io.ReaderAt, size int64, lim limits, visit func(member) error) error {
	head := make([]byte, 4)
	n, _ := r.ReadAt(head, 0) // a shorter file matches neither kind
	switch head = head[:n]; {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return walkZip(r, size, lim, visit)
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return walkTarGz(io.NewSectionReader(r, 0, size), size, lim, visit)
	}
	return fmt.Errorf("neither a zip archive (.whl, .zip) nor a gzipped tar archive (.tgz, .tar.gz): it starts with %q", head)
}

func walkZip(r io.ReaderAt, size int64, lim limits, visit func(member) error) error {
	z, err := zip.NewReader(r, size)
	// names with an insecure path are accepted here, because admit checks all names
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return err
	}
	tally := tally{lim: lim, packed: size}
	for _, f := range z.File {
		if err := tally.admit(f.Name, f.UncompressedSize64); err != nil {
			return err
		}
		m := member{f.Name, int64(f.UncompressedSize64), f.Mode().IsRegular(), f.Open}
		if err := visit(m); err != nil {
			return err
		}
	}
	return nil
}

func walkTarGz(r io.Reader, size int64, lim limits, visit func(member) error) error {
	gz, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	stream := &inflationGuard{r: gz, lim: lim, packed: size}
	t := tar.NewReader(stream)
	tally := tally{lim: lim, packed: size}
	open := func() (io.ReadCloser, error) { return io.NopCloser(t), nil }
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			_, err := io.Copy(io.Discard, stream) // reads to the end, where gzip's checksum is
			return err
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return err
		}
		if err := tally.admit(h.Name, uint64(h.Size)); err != nil {
			return err
		}
		if err := visit(member{h.Name, h.Size, h.Typeflag == tar.TypeReg, open}); err != nil {
			return err
		}
	}
}

// A tally checks the names and declared sizes of an archive's members against the limits, before a
// member is unpacked. The code that unpacks a member checks that its real size is the declared one.
type tally struct {
	lim     limits
	packed  int64 // size of the archive
	entries int
	total   int64
}

func (t *tally) admit(name string, size uint64) error {
	t.entries++
	switch {
	case t.entries > t.lim.entries:
		return fmt.Errorf("the archive contains more than %d files", t.lim.entries)
	case !isLocal(name):
		return fmt.Errorf("member %q leads outside of the archive", name)
	case size > uint64(t.lim.member):
		return fmt.Errorf("member %q: %d bytes, expected at most %d", name, size, t.lim.member)
	}
	t.total += int64(size)
	if err := t.lim.checkInflation(t.total, t.packed); err != nil {
		return fmt.Errorf("member %q: %w", name, err)
	}
	return nil
}

// checkInflation returns an error if an archive of packed bytes unpacks to too many bytes: more
// than the limit for any archive, or too many times its own size.
func (l limits) checkInflation(unpacked, packed int64) error {
	switch {
	case unpacked > l.total:
		return fmt.Errorf("the archive unpacks to more than %d bytes", l.total)
	case unpacked > l.slack && unpacked/l.ratio > packed:
		return fmt.Errorf("the archive unpacks to more than %d times its size", l.ratio)
	}
	return nil
}

// An inflationGuard is a reader that returns an error as soon as a compressed stream has unpacked
// to too many bytes. It counts skipped members and padding too, since they have to be decompressed
// as well.
type inflationGuard struct {
	r      io.Reader
	lim    limits
	packed int64
	n      int64
}

func (g *inflationGuard) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	g.n += int64(n)
	if refused := g.lim.checkInflation(g.n, g.packed); refused != nil {
		return 0, refused
	}
	return n, err
}

// walkFolder calls visit for each file in a folder, such as that of a finished build. It does not
// enter subfolders. A link to a file outside of the folder is treated like that file. A link to a
// file in the folder is skipped, because that file is visited anyway.
func walkFolder(dir string, visit func(member) error) error {
	home, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(home)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path, err := filepath.EvalSymlinks(filepath.Join(home, e.Name()))
		if err != nil || e.Type()&fs.ModeSymlink != 0 && filepath.Dir(path) == home {
			continue // a dangling link, or a second name of a file in this folder
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		open := func() (io.ReadCloser, error) { return os.Open(path) }
		if err := visit(member{e.Name(), info.Size(), info.Mode().IsRegular(), open}); err != nil {
			return err
		}
	}
	return nil
}
