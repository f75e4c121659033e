package graphops_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
)

func mustDo(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// TestSavePairThroughLink puts the data where both names of the model find it,
// and refuses to where there is no such place.
func TestSavePairThroughLink(t *testing.T) {
	m, _ := savable(t)
	dir := t.TempDir()
	file, near, far := filepath.Join(dir, "m.onnx"), filepath.Join(dir, "near.onnx"), filepath.Join(dir, "d", "far.onnx")
	mustDo(t, os.WriteFile(file, nil, 0o600), os.Symlink("m.onnx", near), os.Mkdir(filepath.Dir(far), 0o700), os.Symlink(file, far))
	o := overwriting()
	o.Storage = graphops.StoreExternal
	if _, err := graphops.Save(t.Context(), m, far, o); err == nil || !strings.Contains(err.Error(), "far.onnx: is a symbolic link to "+file) {
		t.Errorf("error %v", err)
	}
	saved, err := graphops.Save(t.Context(), m, near, o)
	if err != nil || saved.Path != near || saved.Data[0].Path != file+".data" {
		t.Errorf("saved %+v, %v", saved, err)
	}
	if a, b := contentOf(t, file), contentOf(t, near); a != b || a == "" {
		t.Error("the two names lead to different models")
	}
	o.Storage = graphops.StoreEmbedded
	if _, err := graphops.Save(t.Context(), m, far, o); err != nil {
		t.Error(err)
	}
	if got := folder(t, dir); !slices.Equal(got, []string{"d", "m.onnx", "near.onnx"}) {
		t.Errorf("the folder holds %q", got)
	}
}

// TestSavePairAboveLink puts a model and its data into one folder where ".." behind
// a link is not what it is in the text of the path.
func TestSavePairAboveLink(t *testing.T) {
	m, _ := savable(t)
	dir := t.TempDir()
	mustDo(t, os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700), os.Mkdir(filepath.Join(dir, "w"), 0o700),
		os.Symlink(filepath.Join(dir, "a", "b"), filepath.Join(dir, "w", "link")))
	asked := dir + "/w/link/../out.onnx"
	saved, err := graphops.Save(t.Context(), m, asked, graphops.SaveOptions{Storage: graphops.StoreExternal})
	if err != nil || saved.Path != asked || !strings.HasSuffix(saved.Data[0].Path, filepath.Join("a", "out.onnx.data")) {
		t.Errorf("saved %+v, %v", saved, err)
	}
	if got := folder(t, filepath.Join(dir, "a")); !slices.Equal(got, []string{"b", "out.onnx", "out.onnx.data"}) {
		t.Errorf("the folder above the link's holds %q", got)
	}
	if got := folder(t, filepath.Join(dir, "w")); !slices.Equal(got, []string{"link"}) {
		t.Errorf("the link's own folder holds %q", got)
	}
}
