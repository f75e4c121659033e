//go:build cgo

package worker

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/bench/machine"
)

// driverStub is a driver in C: device 1 of CUDA is the one at the bus 0000:0A:00.0. What is
// defined on the compiler's command line changes what it answers.
const driverStub = `
#include <string.h>
#include <unistd.h>
#ifndef INIT
#define INIT 0
#endif
#ifndef CODE
#define CODE 0
#endif
#ifndef REASONS
#define REASONS 0x21
#endif
#ifndef PROCESSES
#define PROCESSES 2
#endif
typedef void *device;
int cuInit(unsigned flags) { return 0; }
int cuDeviceGet(int *d, int number) { *d = number + 7; return number == 1 ? 0 : 101; }
int cuDeviceGetPCIBusId(char *out, int size, int d) { strcpy(out, "0000:0A:00.0"); return d == 8 ? 0 : 1; }
int nvmlInit_v2(void) { return INIT; }
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, device *d) { *d = (device)42; return strcmp(bus, "0000:0A:00.0"); }
static int text(char *out, unsigned size, const char *value) { memset(out, 'x', size); if (strlen(value) < size) strcpy(out, value); return CODE; }
int nvmlDeviceGetName(device d, char *out, unsigned size) { return d == (device)42 ? text(out, size, NAME) : 1; }
int nvmlDeviceGetUUID(device d, char *out, unsigned size) { return text(out, size, "GPU-1-2"); }
int nvmlSystemGetDriverVersion(char *out, unsigned size) { return text(out, size, "580.1"); }
int nvmlDeviceGetClockInfo(device d, unsigned kind, unsigned *v) { *v = kind == 1 ? 1755 : 2619; return CODE; }
int nvmlDeviceGetMaxClockInfo(device d, unsigned kind, unsigned *v) { *v = kind == 1 ? 1980 : 2619; return CODE; }
int nvmlDeviceGetTemperature(device d, unsigned kind, unsigned *v) { *v = 61; return CODE + kind; }
int nvmlDeviceGetPowerUsage(device d, unsigned *v) { *v = 350500; return CODE; }
int nvmlDeviceGetEnforcedPowerLimit(device d, unsigned *v) { *v = 700000; return CODE; }
int nvmlDeviceGetCurrentClocksThrottleReasons(device d, unsigned long long *v) { *v = REASONS; return CODE; }
int nvmlDeviceGetMemoryInfo(device d, unsigned long long *m) { m[0] = 80ull << 30; m[1] = 70ull << 30; m[2] = 10ull << 30; return CODE; }
struct process { unsigned pid; unsigned long long used; unsigned a, b; };
int nvmlDeviceGetComputeRunningProcesses_v3(device d, unsigned *count, struct process *list) {
  list[0].pid = 1; list[0].used = 4ull << 30;
  list[1].pid = getpid(); list[1].used = 3ull << 30;
  *count = PROCESSES;
  return CODE;
}
int nvmlDeviceGetUtilizationRates(device d, unsigned *v) { v[0] = 87; v[1] = 12; return CODE; }
int nvmlDeviceGetMigMode(device d, unsigned *now, unsigned *later) { *now = *later = MIG; return CODE; }
`

// stubbed compiles a driver whose answers are changed by definitions.
func stubbed(t *testing.T, define ...string) driverLibraries {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler to make a driver with")
	}
	folder := t.TempDir()
	source, library := filepath.Join(folder, "driver.c"), filepath.Join(folder, "driver.so")
	if err := os.WriteFile(source, []byte(driverStub), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-shared", "-fPIC", "-w", "-o", library, source}
	for _, d := range define {
		args = append(args, "-D"+d)
	}
	if said, err := exec.CommandContext(t.Context(), cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return driverLibraries{library, library}
}

func ref[T any](v T) *T { return &v }

func TestDevice(t *testing.T) {
	whole := machine.GPU{
		Name: "H100", UUID: "GPU-1-2", Driver: "580.1",
		SM: ref(machine.Number(1755)), MaxSM: ref(machine.Number(1980)), Memory: ref(machine.Number(2619)), MaxMemory: ref(machine.Number(2619)),
		Watts: ref(machine.Number(350.5)), MaxWatts: ref(machine.Number(700)), Celsius: ref(machine.Number(61)), Busy: ref(machine.Number(0.87)),
		Slowed: []string{"heat (reported by the driver)"}, // and idling, which is no disturbance
		Used:   ref(int64(10 << 30)), Total: ref(int64(80 << 30)), Own: ref(int64(3 << 30)),
	}
	name, mig := `NAME="H100"`, "MIG=0"
	changed := func(change func(*machine.GPU)) machine.GPU {
		g := whole
		change(&g)
		return g
	}
	for _, c := range []struct {
		name   string
		define []string
		want   machine.GPU
	}{
		{"all", []string{name, mig}, whole},
		{"cut into several", []string{name, "MIG=1"}, changed(func(g *machine.GPU) { g.Shared = true })},
		{"every reason", []string{name, mig, "REASONS=~0ull"}, changed(func(g *machine.GPU) {
			g.Slowed = []string{"power limit", "hardware slowdown", "heat (reported by the driver)", "heat (reported by the hardware)", "power brake"}
		})},
		{"errors", []string{name, mig, "CODE=3"}, machine.GPU{}},
		{"a name without an end", []string{`NAME="` + strings.Repeat("n", 200) + `"`, mig}, changed(func(g *machine.GPU) { g.Name = strings.Repeat("x", 95) })},
		{"more processes than there is room for", []string{name, mig, "PROCESSES=4000000000u"}, changed(func(g *machine.GPU) { g.Own = nil })},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := stubbed(t, c.define...).read(1)
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestDeviceUnread(t *testing.T) {
	good := stubbed(t, `NAME="H100"`, "MIG=0")
	for _, c := range []struct {
		l      driverLibraries
		number int
		want   string
	}{
		{driverLibraries{"/none/libnvidia-ml.so.1", good.cuda}, 1, "no NVML library"},
		{driverLibraries{good.nvml, "/none/libcuda.so.1"}, 1, "no CUDA driver library"},
		{stubbed(t, `NAME=""`, "MIG=0", "INIT=9"), 1, "NVML does not start"},
		{good, 0, "the CUDA driver has no such device"},
		{driverLibraries{"libm.so.6", good.cuda}, 1, "NVML does not start"},
	} {
		if _, err := c.l.read(c.number); err == nil || err.Error() != c.want {
			t.Errorf("%v: %v, expected %q", c.l, err, c.want)
		}
	}
}
