package ort

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// build fetches the archive if necessary, unpacks it into a folder inside work, and moves that
// folder to its final place in the store.
func (in *installation) build(ctx context.Context, work string) (Library, error) {
	if in.From != "" {
		return in.buildFrom(ctx, in.From, "", work)
	}
	if archive, pkg := in.kept(); archive != "" {
		lib, err := in.buildFrom(ctx, archive, pkg, work)
		if err == nil || isWorthKeeping(ctx, err) {
			return lib, in.settle(ctx, err)
		}
	}
	archive, pkg, err := in.fetch(ctx, work)
	if err == nil {
		archive, err = in.keep(archive)
	}
	if err != nil {
		return Library{}, fmt.Errorf("fetching ONNX Runtime %s: %w", in.Version, err)
	}
	lib, err := in.buildFrom(ctx, archive, pkg, work)
	return lib, in.settle(ctx, err)
}

func (in *installation) buildFrom(ctx context.Context, source, pkg, work string) (Library, error) {
	sum, err := in.verify(ctx, source, pkg)
	if err != nil {
		return Library{}, err
	}
	tree, err := os.MkdirTemp(work, "build-")
	if err != nil {
		return Library{}, err
	}
	if err := os.Chmod(tree, 0o755); err != nil { // other users may use what is installed
		return Library{}, err
	}
	unpacker := unpacker{
		ctx: ctx, dir: tree, platform: in.platform, lim: in.limits,
		onBytes: in.meter(PhaseUnpack, 0, filepath.Base(source)),
	}
	files, err := unpacker.unpack(source)
	if err != nil {
		return Library{}, err
	}
	lib, err := in.accept(source, tree, files)
	if err != nil {
		return Library{}, fmt.Errorf("%s: %w", filepath.Base(source), err)
	}
	m := manifest{Version: lib.Version, Origin: filepath.Base(source), SHA256: sum, Files: files}
	return in.place(ctx, tree, work, lib, m)
}

// verify returns the checksum of an archive, or "" for a folder, whose library is checked later. It
// returns an error if the archive is neither the expected one nor a known official one. It is
// called before the contents of the archive are read.
func (in *installation) verify(ctx context.Context, source, pkg string) (string, error) {
	name := filepath.Base(source)
	info, err := os.Stat(source)
	switch {
	case err != nil:
		return "", err
	case info.IsDir():
		return "", nil // its library is checked after it is copied
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s: neither a file nor a folder", name)
	}
	sum, err := hashFile(ctx, source, in.meter(PhaseVerify, info.Size(), name))
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if err := in.checkSum(sum, pkg); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return sum, nil
}

func (in *installation) checkSum(sum, pkg string) error {
	if in.SHA256 != "" {
		if sum != in.SHA256 {
			return fmt.Errorf("its SHA-256 is %s, expected %s (--sha256)", sum, in.SHA256)
		}
		return nil
	}
	if known, ok := knownRelease(in.table, in.Version, pkg, in.platform); ok && sum != known.sha256 {
		return fmt.Errorf("its SHA-256 is %s, expected %s: it is not the official %s %s; if you trust it anyway, add --sha256 %s",
			sum, known.sha256, pkg, in.Version, sum)
	}
	if _, ok := releaseWithSum(in.table, sum); !ok {
		return fmt.Errorf("its SHA-256 is %s, which is not an official build that Lathe knows; if you trust it, add --sha256 %s", sum, sum)
	}
	return nil
}

// accept returns an error if the unpacked build does not contain a library of the requested version
// for this platform, or not the requested CUDA provider.
func (in *installation) accept(source, tree string, files []installedFile) (Library, error) {
	lib := in.inspect(tree)
	switch {
	case lib.Path == "":
		return lib, fmt.Errorf("contains no ONNX Runtime library for %s", in.platform)
	case !lib.Usable:
		return lib, fmt.Errorf("%q: %s", filepath.Base(lib.Path), lib.Reason)
	case in.Version != "" && lib.Version != in.Version:
		return lib, fmt.Errorf("contains ONNX Runtime %s, expected %s", lib.Version, in.Version)
	case in.CUDA && !lib.CUDA:
		return lib, errors.New("contains no CUDA provider (libonnxruntime_providers_cuda.so), expected the CUDA build")
	}
	return lib, in.checkFolderSum(source, lib, files)
}

// checkFolderSum compares the checksum of a library that came from a folder with --sha256. For an
// archive it does nothing, because verify compares the checksum of the whole archive.
func (in *installation) checkFolderSum(source string, lib Library, files []installedFile) error {
	info, err := os.Stat(source)
	if err != nil || !info.IsDir() || in.SHA256 == "" {
		return err
	}
	for _, f := range files {
		if f.Name == filepath.Base(lib.Path) && f.SHA256 != in.SHA256 {
			return fmt.Errorf("the SHA-256 of %q is %s, expected %s (--sha256)", f.Name, f.SHA256, in.SHA256)
		}
	}
	return nil
}

// place gives a finished build its name in the store. If the store already contains a build of that
// name with the same files, place leaves that one unchanged, because running processes may have
// loaded it.
func (in *installation) place(ctx context.Context, tree, work string, lib Library, m manifest) (Library, error) {
	target := filepath.Join(in.store, buildName(lib.Version, lib.CUDA))
	old, err := intact(ctx, target, in.meter(PhaseVerify, 0, filepath.Base(target)))
	if err == nil && slices.Equal(old.Files, m.Files) {
		return in.inspect(target), nil
	}
	if err := ctx.Err(); err != nil {
		return Library{}, err
	}
	if err := writeManifest(tree, m); err != nil {
		return Library{}, err
	}
	if err := publish(tree, target, work); err != nil {
		return Library{}, err
	}
	return in.inspect(target), nil
}

// inspect returns the library in the folder of a build. The Path of the result is empty if there is
// none.
func (in *installation) inspect(build string) Library {
	for _, c := range librariesIn(build) {
		return c.inspect(SourceCache, in.platform)
	}
	return Library{}
}
