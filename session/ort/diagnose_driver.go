package ort

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// A Driver describes which parts of NVIDIA's driver were found on this machine.
type Driver struct {
	Library string   `json:"library"` // path of libcuda.so.1, empty if the loader does not find it
	Version string   `json:"version"` // version of the loaded kernel module; empty if none is loaded
	Devices []string `json:"devices"` // files through which programs reach the GPUs
}

// driverVersion finds the driver's version in lines such as "NVRM version: NVIDIA UNIX Open Kernel
// Module for x86_64  580.65.06  Release Build".
var driverVersion = whenUsed(`Kernel Module.*?\s(\d+(?:\.\d+)+)\s`)

const maxDriverText = 4 << 10

// findDriver returns the version of the driver's kernel module and the device files. It leaves
// Library empty, because the caller searches for that with the loader.
func findDriver(root string) Driver {
	d := Driver{Devices: []string{}}
	if f, err := os.Open(filepath.Join(root, "proc/driver/nvidia/version")); err == nil {
		// a read error leaves the part that was read
		text, _ := io.ReadAll(io.LimitReader(f, maxDriverText))
		f.Close()
		if m := driverVersion().FindSubmatch(text); m != nil {
			d.Version = string(m[1])
		}
	}
	// Under WSL the GPU is /dev/dxg; on Jetson boards it is /dev/nvmap.
	for _, pattern := range []string{"dev/nvidia[0-9]*", "dev/dxg", "dev/nvmap"} {
		found, _ := filepath.Glob(filepath.Join(root, pattern))
		d.Devices = append(d.Devices, found...)
	}
	return d
}

// oldestDrivers maps a major version of CUDA to the major version of the first driver that supports
// it.
var oldestDrivers = map[int]int{11: 450, 12: 525, 13: 580}

// driverTrouble says what is wrong with a driver whose library was found: the kernel module is not
// loaded, there is no device file, or the version is too old. It is empty if none of these applies.
func (c *diagnosis) driverTrouble() string {
	d := c.Driver
	oldest := oldestDrivers[c.cuda]
	switch {
	case d == nil:
		return ""
	case len(d.Devices) == 0 && d.Version == "":
		return "no NVIDIA GPU is visible: the kernel has no NVIDIA driver loaded"
	case len(d.Devices) == 0:
		return "no NVIDIA GPU is visible: there is no /dev/nvidia0, although driver " + d.Version + " is loaded"
	case d.Version != "" && majorOf(d.Version) < oldest && (c.words.code == 0 || c.words.code == cudaDriverTooOld):
		return fmt.Sprintf("the NVIDIA driver %s is too old for CUDA %d, which needs %d or newer", d.Version, c.cuda, oldest)
	}
	return ""
}

// driverRemedy says how to get a suitable driver, or a build of ONNX Runtime that works with the
// present driver.
func (c *diagnosis) driverRemedy() string {
	d := c.Driver
	if d == nil {
		return "install NVIDIA's driver"
	}
	oldest := oldestDrivers[c.cuda]
	switch {
	case inContainer(c.env.Root):
		return "start the container with access to the GPU (docker run --gpus all), on a machine that has one"
	case d.Version != "" && majorOf(d.Version) < oldest && c.cuda > 12 && majorOf(d.Version) >= oldestDrivers[12]:
		return fmt.Sprintf("update the driver, or install the build for CUDA 12: %s%s --version %s", InstallCommand, cudaFlag, cuda12Version)
	case oldest > 0:
		return fmt.Sprintf("install NVIDIA's driver, version %d or newer, on a machine with an NVIDIA GPU", oldest)
	}
	return "install NVIDIA's driver, on a machine with an NVIDIA GPU"
}

// inContainer reports whether this process runs in a container. It looks for files that container
// runtimes create.
func inContainer(root string) bool {
	return slices.ContainsFunc([]string{".dockerenv", "run/.containerenv"}, func(name string) bool {
		return isFile(filepath.Join("/", root, name))
	})
}
