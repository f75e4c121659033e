package ep

import (
	"strings"
	"testing"
)

func TestPick(t *testing.T) {
	devices := []Device{{Type: "cpu", Vendor: "AMD"}, {Type: "npu", Vendor: "Intel"}, {Type: "gpu", Vendor: "Intel Corporation"}, {Type: "gpu", Vendor: "NVIDIA"}}
	for wanted, want := range map[string]int{"": 2, "0": 0, "3": 3, "npu": 1, "gpu": 2, "nvidia/gpu": 3, "intel/npu": 1, "Intel/gpu": 2} {
		if got, err := Pick(devices, wanted); err != nil || got != want {
			t.Errorf("%q picks %d (%v), want %d", wanted, got, err, want)
		}
		if err := CheckDevice(wanted); wanted != "" && err != nil {
			t.Error(err)
		}
	}
	for _, wanted := range []string{"4", "amd/gpu", "tpu"} {
		if got, err := Pick(devices, wanted); err == nil || !strings.Contains(err.Error(), "0 (cpu AMD), 1 (npu Intel)") {
			t.Errorf("%q picks %d (%v), want an error that lists the devices", wanted, got, err)
		}
	}
	if got, err := Pick(devices[:1], ""); err != nil || got != 0 {
		t.Errorf("of one device, %d is picked (%v)", got, err)
	}
	for _, wanted := range []string{"-1", "/gpu", "nvidia/", "nvidia", "70000"} {
		if err := CheckDevice(wanted); err == nil {
			t.Errorf("%q is accepted as a device", wanted)
		}
	}
}
