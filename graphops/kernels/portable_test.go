package kernels

import (
	"os"
	"os/exec"
	"testing"
)

// TestPortable runs the tests of what uses the kernels without the instructions, as on other
// processors. The same files and reports are expected there.
func TestPortable(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the tests of other packages")
	}
	if !enabled {
		t.Skip("the instructions are switched off, so that every test runs without them")
	}
	run := exec.Command("go", "test", "-count", "1", "-short", "lathe/graphops/tensor", "lathe/graphops/half", "lathe/graphops/quant/...")
	run.Env = append(os.Environ(), "LATHE_KERNELS=portable")
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
