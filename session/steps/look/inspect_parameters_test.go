package look

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops/parameters/parameterstest"
	"lathe/graphops/tensor"
	"lathe/session"
)

// inspected returns what inspect prints for a checkpoint.
func inspected(t *testing.T, s *Inspect, c parameterstest.Checkpoint) (told string, document []byte) {
	t.Helper()
	file, _ := c.Write()
	path := filepath.Join(t.TempDir(), "ck")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := s.Look(context.Background(), session.Env{}, path)
	if err != nil || r == nil {
		t.Fatalf("%v, %v", r, err)
	}
	var b bytes.Buffer
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	document, err = json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), document
}

// TestInspectLongCheckpoint checks that the report says what it leaves out of a long list or text.
func TestInspectLongCheckpoint(t *testing.T) {
	c := parameterstest.Checkpoint{Texts: map[string]string{"note": strings.Repeat("x", 5000)}}
	for i := range 25 {
		c.Frozen = append(c.Frozen, parameterstest.Tensor{Name: fmt.Sprint("w", i), DType: tensor.F32, Data: make([]byte, 4)})
	}
	told, _ := inspected(t, &Inspect{}, c)
	if !strings.Contains(told, "  and 5 more (--tensors)\n") || !strings.Contains(told, "xxx… (4.9 KiB, --json has all)") || strings.Contains(told, "w24") {
		t.Errorf("%s", told)
	}
	if told, _ = inspected(t, &Inspect{Tensors: true}, c); strings.Contains(told, "more (") || !strings.Contains(told, "w24") {
		t.Errorf("%s", told)
	}
}

// TestInspectOddNumbers writes numbers that JSON does not have.
func TestInspectOddNumbers(t *testing.T) {
	told, document := inspected(t, &Inspect{}, parameterstest.Checkpoint{
		Groups: []parameterstest.Group{{Name: "g", Rate: float32(math.Inf(1))}},
		Floats: map[string]float32{"loss": float32(math.NaN()), "rate": 0.1},
	})
	for _, want := range []string{"loss = NaN", "rate = 0.1 ", "initial learning rate +Inf"} {
		if !strings.Contains(strings.ReplaceAll(told, "Infinity", "+Inf"), want) {
			t.Errorf("%q is missing:\n%s", want, told)
		}
	}
	if !json.Valid(document) || !bytes.Contains(document, []byte(`"value":0.1}`)) {
		t.Errorf("%s", document)
	}
}
