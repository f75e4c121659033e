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

func TestVendorOf(t *testing.T) {
	for _, c := range []struct {
		reported string
		id       uint32
		want     string
	}{{"", 0x10de, "NVIDIA"}, {" ", 0x1ae0, "Google"}, {"Mine", 0x10de, "Mine"}, {"", 0xffff, ""}, {"", 0, ""}} {
		if got := VendorOf(c.reported, c.id); got != c.want {
			t.Errorf("%q and %#x are %q, want %q", c.reported, c.id, got, c.want)
		}
	}
	devices := []Device{{Type: "cpu", Vendor: "AMD"}, {Type: "gpu", Vendor: VendorOf("", 0x10de), VendorID: 0x10de}}
	if i, err := Pick(devices, "nvidia/gpu"); err != nil || i != 1 {
		t.Errorf("a GPU with only a number: %d, %v", i, err)
	}
	if said := devices[1].String(); said != "gpu NVIDIA" {
		t.Error(said)
	}
}
