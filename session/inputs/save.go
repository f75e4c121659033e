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
	"lathe/graphops/tensor/npz"
	"lathe/session/inputs/picture"
)

// Save writes what a run was fed, in the order of the inputs, so that ReadCases gives
// it back as one case: to an .npz archive where the path ends so, else into a folder
// of input_0.pb, input_1.pb … An archive holds dense tensors of numpy's types only.
func Save(ctx context.Context, path string, types []graphops.NamedType, feeds graphops.Feeds, o graphops.WriteOptions) ([]string, error) {
	for _, t := range types {
		if _, ok := feeds[t.Name]; !ok {
			return nil, fmt.Errorf("no value for input %q", t.Name)
		}
	}
	if err := CheckSaveName(path); err != nil {
		return nil, err
	}
	if !hasExtension(path, ".npz") {
		return saveFolder(ctx, path, types, feeds, o)
	}
	for _, t := range types {
		if v := feeds[t.Name]; !v.IsTensor() {
			return nil, fmt.Errorf("%s: input %q is %s, which an .npz archive cannot hold; name a folder, without .npz", path, t.Name, v.Type)
		}
	}
	err := graphops.WriteFile(ctx, path, o, func(w io.Writer) error { return writeArchive(w, types, feeds) })
	return []string{path}, err
}

// writtenKinds are the ends of names that say what is in a file, and are not that of
// arrays.
var writtenKinds = append([]string{".onnx", ".ort", ".pb", ".npy", ".json", ".yaml", ".csv", ".raw", ".bin"}, picture.Extensions...)

// CheckSaveName refuses to write arrays under a name that says something else.
func CheckSaveName(path string) error {
	if hasExtension(path, writtenKinds...) {
		return fmt.Errorf("%s: arrays go into an .npz archive, not a %s file; end the name in .npz, or with --save-inputs name a folder", path, filepath.Ext(path))
	}
	return nil
}

// writeArchive writes arrays as numpy.savez does, and that they are one case.
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
			return fmt.Errorf("input %q: %w; a folder, without .npz, holds every type", t.Name, err)
		}
	}
	return archive.Close()
}

// saveFolder writes a file for each input. A folder that is there is an error unless
// files may be replaced; it must not hold more inputs than are written.
func saveFolder(ctx context.Context, folder string, types []graphops.NamedType, feeds graphops.Feeds, o graphops.WriteOptions) ([]string, error) {
	err := os.Mkdir(folder, 0o777)
	switch {
	case errors.Is(err, fs.ErrExist) && !o.Overwrite:
		return nil, fmt.Errorf("%s: exists already; name another folder, or replace the files in it with --force", folder)
	case errors.Is(err, fs.ErrExist):
		if _, err := os.Lstat(numberedFile(folder, len(types))); err == nil {
			return nil, fmt.Errorf("%s: holds more inputs than the model has; name another folder", folder)
		}
	case err != nil:
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

func numberedFile(folder string, i int) string {
	return filepath.Join(folder, fmt.Sprintf("input_%d.pb", i))
}
