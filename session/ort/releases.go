package ort

import (
	"fmt"
	"runtime"
)

const (
	// OldestVersion is the first ONNX Runtime with C API version 24, which Lathe uses.
	OldestVersion = "1.24.1"
	// TestedVersion is the ONNX Runtime that Lathe is tested with and installs by default.
	TestedVersion = "1.32.0"
	// cudaVersion is the ONNX Runtime that is installed by default if the CUDA provider is wanted:
	// the newest GPU build that Lathe was tested with. 1.32 has no GPU build.
	cudaVersion = "1.30.0"
	// nodeVersion is the ONNX Runtime that is installed by default if only npm can download it. The
	// node package has no newer one.
	nodeVersion = "1.30.0"
	// InstallCommand is the command that installs a library. Errors about a missing library end
	// with it.
	InstallCommand = "lathe runtime install"
	// cudaFlag makes InstallCommand fetch the build with the CUDA and TensorRT providers.
	cudaFlag = " --cuda"
	// cuda12Version is the last ONNX Runtime whose official GPU build is for CUDA 12. Builds since
	// 1.27.0 are for CUDA 13.
	cuda12Version = "1.26.0"
)

// A platform is an operating system and an architecture in Go's names: "linux/amd64".
type platform string

func thisPlatform() platform { return platform(runtime.GOOS + "/" + runtime.GOARCH) }

// Packages that contain official builds. A wheel is for one platform. The node package has all
// platforms but no CUDA provider.
const (
	cpuWheel    = "onnxruntime"
	gpuWheel    = "onnxruntime-gpu"
	nodePackage = "onnxruntime-node"
)

// wheelPython is the version of CPython whose wheels are downloaded. The library inside is the same
// for every version. Using one fixed version makes the downloaded file and its checksum the same on
// every machine.
const wheelPython = "312"

// wheelTags maps a platform to the platform tag of its wheels, which pip needs. A platform without
// a tag has no official build to download.
var wheelTags = map[platform]string{
	"linux/amd64":  "manylinux_2_28_x86_64",
	"linux/arm64":  "manylinux_2_28_aarch64",
	"darwin/arm64": "macosx_14_0_arm64",
}

// A release is one official archive whose checksum Lathe knows.
type release struct {
	version  string
	pkg      string
	platform platform // empty if the file is for every platform
	bytes    int64
	sha256   string
}

// releases lists the official files that Lathe accepts without --sha256. Each was downloaded once
// to compute its checksum. To install a version that is not listed, the user has to give the
// checksum.
var releases = []release{
	{"1.24.1", cpuWheel, "linux/amd64", 17098191, "34b6119526eda12613f0d0498e2ae59563c247c370c9cef74c2fc93133dde157"},
	{"1.24.3", cpuWheel, "linux/amd64", 17237101, "b354afce3333f2859c7e8706d84b6c552beac39233bcd3141ce7ab77b4cabb5d"},
	{"1.24.3", cpuWheel, "linux/arm64", 15150105, "0a9847b870b6cb462652b547bc98c49e0efb67553410a082fde1918a38707452"},
	{"1.24.3", cpuWheel, "darwin/arm64", 17342578, "0d244227dc5e00a9ae15a7ac1eba4c4460d7876dfecafe73fb00db9f1d914d91"},
	{"1.24.3", nodePackage, "", 85987774, "aa1bb5fa261ea68de05dd53efbba210cd7adf2d2850f4c3a201054c74cc78040"},
	{"1.26.0", gpuWheel, "linux/amd64", 276971796, "3c01119ed4d9449d60367fa8ccffcd02bd3fe736754284e4b198d131f54edad6"},
	{"1.30.0", cpuWheel, "linux/amd64", 23585654, "fa688e7891a6aa206636fe7372e27ee75fd17713289f6b4fc7b190e0a7de9328"},
	{"1.30.0", cpuWheel, "linux/arm64", 21345202, "6c32a000d5139a38ba9349030b0032e3331acb559d596b22738d9d2b343a2b83"},
	{"1.30.0", cpuWheel, "darwin/arm64", 21544867, "001ed726c9bd5e2bc92faade7d37d889e9606a350b7d5529f0227df2e3bb57fd"},
	{"1.30.0", gpuWheel, "linux/amd64", 246685715, "6acc0f4b3d5ac5f2984432faa59dd8fcce6775f8b43a7140afa0f322c7a703b1"},
	{"1.30.0", nodePackage, "", 113507888, "6e3390d6b783e7be946fad629292799da28d0b42f84856e50d2c1b0383291e75"},
	{"1.31.1", cpuWheel, "linux/amd64", 23760988, "1f3dea47f2f0e5117c2404cea7d21fd253ae7836a3bf167a501cdfbb2600d536"},
	{"1.31.1", cpuWheel, "linux/arm64", 21420803, "0b9a492176886992e0e875f06bc0367e333f5fff11711a2d642e18b02f3009cc"},
	{"1.31.1", cpuWheel, "darwin/arm64", 20882125, "96dd2564b10ea7153ad9c207e7cd8e5917cb3ba521e0e0a62ac03486fdc8d56c"},
	{"1.31.1", gpuWheel, "linux/amd64", 255569273, "05d548956197b9d01f59b625de740e0d6be3593f874e241a12dc0362650ecdf7"},
	{"1.32.0", cpuWheel, "linux/amd64", 27780211, "99e1074c4b2197accd5073052a465361be17b89c093b8ffb6e6bd8f986c52df8"},
	{"1.32.0", cpuWheel, "linux/arm64", 23196724, "e36c187006e7a7c8b8d6d57f1a209dd63f52430dca6c282b177718ad6b841054"},
	{"1.32.0", cpuWheel, "darwin/arm64", 22519308, "d52510bbbcc880c13b826f7d75cdf33ac5cf0bb864d960000fc29ce73f0cb83e"},
}

// knownRelease returns the official release of a package in the given version for a platform.
func knownRelease(table []release, version, pkg string, p platform) (release, bool) {
	for _, r := range table {
		if r.version == version && r.pkg == pkg && (r.platform == p || r.platform == "") {
			return r, true
		}
	}
	return release{}, false
}

// releaseWithSum returns the release with this checksum. The name of the file does not matter.
func releaseWithSum(table []release, sha256 string) (release, bool) {
	for _, r := range table {
		if r.sha256 == sha256 {
			return r, true
		}
	}
	return release{}, false
}

// fetchable returns an error if Lathe knows no official build for a platform, with the CUDA
// provider if cuda is set.
func fetchable(p platform, cuda bool) error {
	if cuda && p != "linux/amd64" {
		return fmt.Errorf("no official CUDA build of ONNX Runtime for %s is known: name a build of your own with --from, a wheel, archive or folder", p)
	}
	if wheelTags[p] == "" {
		return fmt.Errorf("no official build of ONNX Runtime for %s is known: name a build of your own with --from, a wheel, archive or folder", p)
	}
	return nil
}
