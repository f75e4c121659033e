package cut

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	. "lathe/graphops/parameters/parameterstest"
	"lathe/graphops/tensor"
	"lathe/session"
)

// lyingArray is an NPZ file with one array. Its header claims a number of elements, and packed
// bytes of zeros follow.
func lyingArray(t *testing.T, claimed, packed int) []byte {
	t.Helper()
	head := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }\n", claimed)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	f, err := z.Create("w.npy")
	if err == nil {
		_, err = f.Write(append(append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), 0), head...))
	}
	for zeros := make([]byte, 1<<20); err == nil && packed > 0; packed -= len(zeros) {
		_, err = f.Write(zeros)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// checkpointFile is a checkpoint with a parameter w whose table was changed.
func checkpointFile(change func(w Table)) []byte {
	c := Checkpoint{Trainable: []Tensor{{Name: "w", DType: tensor.F32, Dims: []int64{2}, Data: make([]byte, 8)}}}
	root, _ := c.Table()
	change(root[1].(Table)[0].([]Table)[0])
	return FlatBuffer("ODTC", root)
}

// TestExportRefusesHostileParameters reads files that claim more than they hold. The error is one
// line that starts with the file. Nothing is written, and memory is not allocated for the claims.
func TestExportRefusesHostileParameters(t *testing.T) {
	weights := func(offsets, shape string) []byte {
		return Safetensors(`{"w":{"dtype":"F32","shape":`+shape+`,"data_offsets":`+offsets+`}}`, make([]byte, 8))
	}
	index := func(file string) []byte { return []byte(`{"weight_map":{"w":"` + file + `"}}`) }
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"checkpoint: loop":          {FlatBuffer("ODTC", Table{0: int32(2), 1: Offset(0)}), "the offset at byte"},
		"checkpoint: wild offset":   {FlatBuffer("ODTC", Table{0: int32(2), 1: Offset(0x7fffffff)}), "the offset at byte"},
		"checkpoint: huge vector":   {checkpointFile(func(w Table) { w[4] = Claim{Length: 1 << 30, Data: nil} }), "a list of 1073741824 elements"},
		"checkpoint: huge shape":    {checkpointFile(func(w Table) { w[2] = []int64{1 << 40, 1 << 40} }), `parameter "w"`},
		"checkpoint: no data file":  {checkpointFile(func(w Table) { delete(w, 4); w[6] = int64(0) }), "it has none"},
		"safetensors: past the end": {weights("[0,12]", "[3]"), "data_offsets end at 12"},
		"safetensors: huge":         {weights("[0,9223372036854775807]", "[3]"), "data_offsets end at"},
		"safetensors: long header":  {append([]byte{0, 0, 0, 0, 0, 0, 0, 0x10}, "{}"...), "the format allows"},
		"index: a folder above":     {index("../w.safetensors"), "../w.safetensors"},
		"index: another root":       {index("/etc/hostname"), "/etc/hostname"},
		"npz: bomb":                 {lyingArray(t, 2, 1<<28), `entry "w.npy"`},
		"npz: huge array":           {lyingArray(t, 1<<40, 1<<20), `entry "w.npy"`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			model, file, out := filepath.Join(dir, "bare.onnx"), filepath.Join(dir, "w"), filepath.Join(dir, "out.onnx")
			for path, content := range map[string][]byte{
				model: graphtest.Bytes(t, "input x f32[2]\ninput w f32[2]\ny = Add(x, w)\noutput y f32[2]"), file: c.file,
			} {
				if err := os.WriteFile(path, content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			step := &Export{}
			step.Out = out
			if strings.HasPrefix(name, "checkpoint") {
				step.Checkpoint = file
			} else {
				step.Weights = file
			}
			m, err := graphops.Open(model, graphops.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err = step.Run(t.Context(), session.Env{Progress: func(session.Progress) {}}, m)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.HasPrefix(err.Error(), file+": ") || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("says %q, want %q", err, c.want)
			}
			if usage := session.UsageError(""); errors.As(err, &usage) {
				t.Errorf("%q is about the command and not about the file", err)
			}
			if left, _ := os.ReadDir(dir); len(left) != 2 {
				t.Errorf("left behind: %v", left)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
				t.Errorf("%d MiB were taken", took>>20)
			}
		})
	}
}
