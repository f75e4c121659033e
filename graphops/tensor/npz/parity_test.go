//go:build parity

package npz

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// rewrite loads an archive with numpy and saves its arrays in the ways that
// numpy knows.
const rewrite = `
import sys, numpy as np
folder = sys.argv[1]
data = np.load(folder + "/ours.npz")
arrays = {name: data[name] for name in data.files}
np.savez(folder + "/stored.npz", **arrays)
np.savez_compressed(folder + "/packed.npz", **arrays)
np.savez(folder + "/fortran.npz", **{n: np.asfortranarray(a) if a.ndim else a for n, a in arrays.items()})
np.savez(folder + "/big.npz", **{n: a.astype(a.dtype.newbyteorder(">")) for n, a in arrays.items()})
`

func TestParityWithNumpy(t *testing.T) {
	python := os.Getenv("LATHE_PARITY_PYTHON")
	if python == "" {
		t.Skip("LATHE_PARITY_PYTHON names no Python with numpy")
	}
	folder := t.TempDir()
	want := sample(t)
	f, err := os.Create(filepath.Join(folder, "ours.npz"))
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(f, want); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(python, "-c", rewrite, folder).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"stored.npz", "packed.npz", "fortran.npz", "big.npz"} {
		got, err := Open(filepath.Join(folder, name), Options{})
		if err != nil {
			t.Error(err)
		} else if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
