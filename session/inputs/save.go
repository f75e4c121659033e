package inputs

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"lathe/graphops"
	"lathe/graphops/permit"
	"lathe/graphops/tensor/npz"
	"lathe/session/inputs/picture"
)

// Save writes the inputs of a run, in the order of the inputs, so that ReadCases returns them as
// one case. If the path ends in .npz, it writes an archive, which can only contain dense tensors of
// numpy's types. Otherwise it writes a folder with input_0.pb, input_1.pb …
func Save(ctx context.Context, path string, types []graphops.NamedType, feeds graphops.Feeds, o graphops.WriteOptions) ([]string, error) {
	for _, t := range types {
		if _, ok := feeds[t.Name]; !ok {
			return nil, fmt.Errorf("no value for input %q", t.Name)
		}
	}
	if err := CheckSaveName(path); err != nil {
		return nil, err
	}
	if !IsArchive(path) {
		return saveFolder(ctx, path, types, feeds, o)
	}
	for _, t := range types {
		if v := feeds[t.Name]; !v.IsTensor() {
			return nil, fmt.Errorf("%s: input %q is %s, which an .npz archive cannot contain; use a folder, without .npz", path, t.Name, v.Type)
		}
	}
	err := graphops.WriteFile(ctx, path, o, func(w io.Writer) error { return writeArchive(w, types, feeds) })
	return []string{path}, err
}

// writtenKinds are the extensions that a user may take for a format in which inputs can be saved.
var writtenKinds = append([]string{".onnx", ".ort", ".pb", ".npy", ".json", ".yaml", ".csv", ".raw", ".bin"}, picture.Extensions...)

// CheckSaveName returns an error if the path has the extension of a format in which inputs cannot
// be saved.
func CheckSaveName(path string) error {
	if hasExtension(path, writtenKinds...) {
		return fmt.Errorf("%s: arrays go into an .npz archive, not a %s file; end the name in .npz, or with --save-inputs name a folder", path, filepath.Ext(path))
	}
	return nil
}

// writeArchive writes an archive of arrays as numpy.savez does. A comment in it says that the
// arrays are one case.
func writeArchive(w io.Writer, types []graphops.NamedType, feeds graphops.Feeds) error {
	archive := zip.NewWriter(w)
	if err := archive.SetComment(oneCase); err != nil {
		return err
	}
	for _, t := range types {
		out, err := archive.CreateHeader(&zip.FileHeader{Name: t.Name + ".npy", Method: zip.Store})
		if err == nil {
			err = npz.WriteArray(out, feeds[t.Name].Tensor)
		}
		if err != nil {
			return fmt.Errorf("input %q: %w; a folder, without .npz, can contain every type", t.Name, err)
		}
	}
	return archive.Close()
}

// saveFolder writes a file for each input. A folder that exists is an error, unless o.Overwrite
// allows to replace files. Even then it must not contain more inputs than are written.
func saveFolder(ctx context.Context, folder string, types []graphops.NamedType, feeds graphops.Feeds, o graphops.WriteOptions) ([]string, error) {
	if err := checkFolder(folder, len(types), o); err != nil {
		return nil, err
	}
	if err := permit.ToWrite(ctx, folder, false); err != nil {
		return nil, err
	}
	if err := os.Mkdir(folder, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	var files []string
	for i, t := range types {
		path := numberedFile(folder, i)
		err := graphops.WriteFile(ctx, path, o, func(w io.Writer) error { return graphops.WriteData(w, t.Name, feeds[t.Name]) })
		if err != nil {
			return files, err
		}
		files = append(files, path)
	}
	return files, nil
}

// checkFolder returns the error for a folder that exists and cannot receive n inputs.
func checkFolder(folder string, n int, o graphops.WriteOptions) error {
	if _, err := os.Lstat(folder); err != nil {
		return nil // it will be created
	}
	if !o.Overwrite {
		return fmt.Errorf("%s: exists already; use another folder, or replace the files in it with --force", folder)
	}
	if _, err := os.Lstat(numberedFile(folder, n)); err == nil {
		return fmt.Errorf("%s: contains more inputs than the model has; use another folder", folder)
	}
	return nil
}

// IsArchive reports whether Save writes an archive, and not a folder, for a path.
func IsArchive(path string) bool { return hasExtension(path, ".npz") }

// SavedFiles returns the files that Save writes for n inputs.
func SavedFiles(path string, n int) []string {
	if IsArchive(path) {
		return []string{path}
	}
	var files []string
	for i := range n {
		files = append(files, numberedFile(path, i))
	}
	return files
}

// CheckTarget returns the error that Save would return for a path and n inputs. It leaves no files
// behind.
func CheckTarget(ctx context.Context, path string, n int, o graphops.WriteOptions) error {
	if IsArchive(path) {
		return graphops.CheckTarget(ctx, path, o)
	}
	if err := checkFolder(path, n, o); err != nil {
		return err
	}
	if _, err := os.Lstat(path); err != nil {
		// Creating a folder at this path is possible exactly if creating a file is.
		return graphops.CheckTarget(ctx, filepath.Clean(path), o)
	}
	for _, file := range SavedFiles(path, n) {
		if err := graphops.CheckTarget(ctx, file, o); err != nil {
			return err
		}
	}
	return nil
}

func numberedFile(folder string, i int) string {
	return filepath.Join(folder, fmt.Sprintf("input_%d.pb", i))
}
