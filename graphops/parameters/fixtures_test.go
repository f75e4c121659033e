package parameters_test

import (
	"archive/zip"
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	. "lathe/graphops/parameters/parameterstest"
)

var update = flag.Bool("update", false, "write testdata/parameters anew")

// TestFixtures holds the files that the commands are tested on against their writer.
func TestFixtures(t *testing.T) {
	training, _ := full().Write()
	outside := full()
	outside.Trainable[0].External, outside.Frozen[0].External = true, true
	external, data := outside.Write()
	nominal, _ := Checkpoint{Nominal: true, Trainable: full().Trainable}.Write()
	files := map[string][]byte{
		"training.ckpt":               training,
		"external.ckpt":               external,
		"external.ckpt.data":          data,
		"nominal.ckpt":                nominal,
		"weights.safetensors":         Safetensors(`{"__metadata__":{"format":"pt"},"fc.weight":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]},"odd":{"dtype":"F2_E1","shape":[4],"data_offsets":[12,13]}}`, ramp(13)),
		"sharded/" + indexName:        []byte(`{"weight_map":{"a":"model-1.safetensors","b":"model-2.safetensors"}}` + "\n"),
		"sharded/model-1.safetensors": shardOf("a"),
		"sharded/model-2.safetensors": shardOf("b"),
		"outside.index.json":          []byte(`{"weight_map":{"a":"../digits.onnx"}}` + "\n"),
		"arrays.npz":                  archive(t, member{"w.npy", npy("<f4", false, "2, 2", ramp(16)), zip.Store, 0}, member{"big.npy", npy(">f4", true, "2, 2", ramp(16)), zip.Store, 0}),
	}
	dir := "../../testdata/parameters"
	for name, want := range files {
		path := filepath.Join(dir, name)
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what its writer writes (%v); go test ./graphops/parameters -run TestFixtures -update writes it anew", path, err)
		}
	}
}
