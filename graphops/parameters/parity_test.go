//go:build parity

package parameters_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// stored writes random tensors with the libraries of the formats, and tells of each file
// what a reader must find: type, shape and a hash of the elements, little endian.
const stored = `
import hashlib, json, sys
import numpy as np, torch, safetensors.torch
folder, told = sys.argv[1], {}
g = torch.Generator().manual_seed(7)
onnx = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.float64: "f64", torch.int8: "i8", torch.uint8: "u8", torch.int16: "i16",
    torch.int32: "i32", torch.int64: "i64", torch.bool: "bool", torch.float8_e4m3fn: "f8e4m3fn", torch.float8_e5m2: "f8e5m2", torch.complex64: "c64"}
def tensors(prefix):
    out = {}
    for dtype in onnx:
        for shape in [(), (0, 3), (5,), (3, 4), (2, 3, 4)]:
            x = torch.randn(shape, generator=g) * 3
            out[prefix + str(dtype).split(".")[1] + "." + "x".join(map(str, shape))] = x.to(dtype)
    return out
def tell(x):
    raw = x.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if x.numel() else b""
    return [onnx[x.dtype], list(x.shape), hashlib.sha256(raw).hexdigest()]
def save(name, ts):
    safetensors.torch.save_file(ts, folder + "/" + name, metadata={"format": "pt", "note": "läuft"})
one, a, b = tensors("t."), tensors("a."), tensors("b.")
save("one.safetensors", one)
save("m-1.safetensors", a)
save("m-2.safetensors", b)
with open(folder + "/model.safetensors.index.json", "w") as f:
    json.dump({"metadata": {"total_size": 1}, "weight_map": {**{k: "m-1.safetensors" for k in a}, **{k: "m-2.safetensors" for k in b}}}, f, indent=2)
told["one.safetensors"] = {k: tell(v) for k, v in one.items()}
told["model.safetensors.index.json"] = {k: tell(v) for k, v in {**a, **b}.items()}
arrays = {k: v.numpy() for k, v in one.items() if v.dtype not in (torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2)}
want = {k: tell(one[k]) for k in arrays}
np.savez(folder + "/stored.npz", **arrays); np.savez_compressed(folder + "/packed.npz", **arrays)
np.savez(folder + "/fortran.npz", **{k: np.asfortranarray(v) if v.ndim else v for k, v in arrays.items()})
np.savez_compressed(folder + "/big.npz", **{k: np.asfortranarray(v.astype(v.dtype.newbyteorder(">"))) if v.ndim else v for k, v in arrays.items()})
for name in ["stored.npz", "packed.npz", "fortran.npz", "big.npz"]:
    told[name] = want
json.dump(told, open(folder + "/told.json", "w"))
`

// TestParity reads what the libraries of the formats have written.
func TestParity(t *testing.T) {
	python := safetensorsPython(t)
	dir := t.TempDir()
	if out, err := exec.Command(python, "-c", stored, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b, err := os.ReadFile(filepath.Join(dir, "told.json"))
	if err != nil {
		t.Fatal(err)
	}
	var told map[string]map[string][3]any
	if err := json.Unmarshal(b, &told); err != nil {
		t.Fatal(err)
	}
	for file, want := range told {
		s := open(t, filepath.Join(dir, file))
		got := map[string][3]any{}
		for _, e := range s.Entries {
			dims := []any{}
			for _, d := range e.Dims {
				dims = append(dims, float64(d))
			}
			sum := sha256.Sum256([]byte(elements(t, e)))
			got[e.Name] = [3]any{e.DType.String(), dims, hex.EncodeToString(sum[:])}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-written +read):\n%s", file, d)
		}
		t.Logf("%s: %d tensors equal", file, len(got))
	}
	if s := open(t, filepath.Join(dir, "one.safetensors")); len(s.Metadata) != 2 {
		t.Errorf("metadata %v", s.Metadata)
	}
}

// accepted tells which of the files of a folder the library of safetensors takes.
const accepted = `
import os, sys, safetensors
for name in sorted(os.listdir(sys.argv[1])):
    try:
        with safetensors.safe_open(sys.argv[1] + "/" + name, "np") as f:
            f.keys()
        print(name)
    except Exception:
        pass
`

// TestParityOfRefusals has the library refuse what is refused here, but for two names of
// which it silently takes one, and for more dimensions than are read here.
func TestParityOfRefusals(t *testing.T) {
	python := safetensorsPython(t)
	dir := t.TempDir()
	for name, c := range hostileSafetensors() {
		if err := os.WriteFile(filepath.Join(dir, name), c.file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(python, "-c", accepted, dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"many dimensions", "one name twice"}, strings.Split(strings.TrimSpace(string(out)), "\n")); d != "" {
		t.Error(d)
	}
}

func safetensorsPython(t *testing.T) string {
	t.Helper()
	python := os.Getenv("LATHE_PARITY_PYTHON")
	if python == "" {
		t.Skip("LATHE_PARITY_PYTHON names no Python with safetensors and torch")
	}
	if err := exec.Command(python, "-c", "import safetensors, torch").Run(); err != nil {
		t.Skip("the Python of LATHE_PARITY_PYTHON has no safetensors or no torch")
	}
	return python
}
