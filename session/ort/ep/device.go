package ep

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Device is a device on which a provider can run, as the provider's library describes it.
type Device struct {
	Provider string // the name of the provider: "webgpu"
	Version  string // of the provider's library, or ""
	Type     string // "cpu", "gpu" or "npu"
	Vendor   string
	VendorID uint32 // PCI's number of the vendor
	ID       uint32 // the vendor's number of the model, such as PCI's
	// Details has what else the system or the provider says about the device, such as a description
	// or the size of its memory.
	Details map[string]string
}

// String returns the type and the vendor: "gpu NVIDIA".
func (d Device) String() string { return strings.TrimSpace(d.Type + " " + d.Vendor) }

// vendors are the names of vendors by their numbers (PCI-SIG's list, and Khronos's for vendors without
// a PCI number). Where Linux does not show the name of a device, a provider reports only the number.
var vendors = map[uint32]string{
	0x1002: "AMD", 0x1010: "Imagination", 0x1022: "AMD", 0x106b: "Apple", 0x10de: "NVIDIA", 0x13b5: "ARM", 0x1414: "Microsoft",
	0x144d: "Samsung", 0x14c3: "MediaTek", 0x14e4: "Broadcom", 0x15ad: "VMware", 0x19e5: "Huawei", 0x1ae0: "Google", 0x1af4: "Red Hat",
	0x1d0f: "Amazon", 0x1d17: "Zhaoxin", 0x5143: "Qualcomm", 0x8086: "Intel", 0x10001: "Vivante", 0x10002: "VeriSilicon", 0x10005: "Mesa",
}

// VendorOf returns the name of a vendor: the one that is reported, or else the one that its number has,
// or "".
func VendorOf(reported string, id uint32) string {
	return cmp.Or(strings.TrimSpace(reported), vendors[id])
}

// types are the types of devices, in order of preference.
var types = []string{"gpu", "npu", "cpu"}

// CheckDevice returns an error if a value of --device is not a number, TYPE or VENDOR/TYPE.
func CheckDevice(wanted string) error {
	if _, err := strconv.ParseUint(wanted, 10, 16); err == nil {
		return nil
	}
	vendor, kind, ok := strings.Cut(wanted, "/")
	if !ok {
		vendor, kind = "any", wanted
	}
	if vendor == "" || !slices.Contains(types, kind) {
		return fmt.Errorf("--device %q: expected a number, one of %s, or VENDOR/TYPE such as intel/gpu", wanted, strings.Join(types, ", "))
	}
	return nil
}

// Pick returns the index of the device that a value of --device names: by its number in the list, or
// the first one of a type and vendor. For "" it is the first GPU, else the first NPU, else the first
// device.
func Pick(devices []Device, wanted string) (int, error) {
	if wanted == "" {
		for _, kind := range types {
			if i := slices.IndexFunc(devices, func(d Device) bool { return d.Type == kind }); i >= 0 {
				return i, nil
			}
		}
	}
	if n, err := strconv.ParseUint(wanted, 10, 16); err == nil && int(n) < len(devices) {
		return int(n), nil
	}
	vendor, kind, ok := strings.Cut(wanted, "/")
	if !ok {
		vendor, kind = "", wanted
	}
	i := slices.IndexFunc(devices, func(d Device) bool {
		return d.Type == kind && strings.Contains(strings.ToLower(d.Vendor), strings.ToLower(vendor))
	})
	if i < 0 {
		return 0, fmt.Errorf("there is no device %q; the provider offers %s", wanted, listed(devices))
	}
	return i, nil
}

// listed returns the devices with their numbers.
func listed(devices []Device) string {
	words := make([]string, len(devices))
	for i, d := range devices {
		words[i] = fmt.Sprintf("%d (%s)", i, d)
	}
	return strings.Join(words, ", ")
}
