package ort

import (
	"encoding/hex"
	"testing"
)

// TestReleases holds the table to what the rest of the package relies on.
func TestReleases(t *testing.T) {
	sums := map[string]bool{}
	for _, r := range releases {
		if err := checkVersion(r.version); err != nil {
			t.Errorf("%+v: %v", r, err)
		}
		if raw, err := hex.DecodeString(r.sha256); err != nil || len(raw) != 32 || sums[r.sha256] {
			t.Errorf("%+v: the checksum is malformed or there twice", r)
		}
		sums[r.sha256] = true
		if r.bytes <= 0 || r.bytes > installLimits.archive {
			t.Errorf("%+v: the size is out of range", r)
		}
		if (r.platform == "") != (r.pkg == nodePackage) {
			t.Errorf("%+v: only the node package serves all platforms", r)
		}
	}
	for p := range wheelTags {
		if _, ok := knownRelease(releases, TestedVersion, cpuWheel, p); !ok {
			t.Errorf("%s has no known build of the tested version", p)
		}
	}
	for pkg, version := range map[string]string{gpuWheel: cudaVersion, nodePackage: nodeVersion} {
		if _, ok := knownRelease(releases, version, pkg, "linux/amd64"); !ok {
			t.Errorf("%s %s is not in the table", pkg, version)
		}
	}
}

func TestDistill(t *testing.T) {
	for name, c := range map[string]struct{ output, want string }{
		"pip":                {"WARNING: root\nERROR: Could not find a version (from versions: 1.24.1, 1.30.0)\nERROR: No matching distribution found for x==9\n\n[notice] A new release\n", "No matching distribution found for x==9"},
		"pip, no network":    {"WARNING: Retrying (Retry(total=4)) after connection broken by 'A': /simple/x/\nWARNING: Retrying (Retry(total=0)) after connection broken by 'B': /simple/x/\nERROR: Could not find a version (from versions: none)\nERROR: No matching distribution found", "'B': /simple/x/"},
		"pip, after a retry": {"WARNING: Retrying (Retry(total=4)) after connection broken by 'A': /simple/x/\nERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n", "Could not install packages due to an OSError: [Errno 28] No space left on device"},
		"pip, traceback":     {"ERROR: Exception:\nTraceback (most recent call last):\n  File \"x\", line 1, in y\nOSError: [Errno 28] No space left on device\n\n", "OSError: [Errno 28] No space left on device"},
		"pip, cut short":     {"ERROR: Wheel 'onnxruntime-gpu' located at /tmp/pip-unpack-1/x.whl is invalid.\n", "the download was cut short, which pip 25.1 and newer resume"},
		"npm 10":             {"npm error code ENOTFOUND\nnpm error syscall getaddrinfo\nnpm error errno ENOTFOUND\nnpm error network request to x failed\nnpm error network This is a problem\nnpm error A complete log\n", "network request to x failed"},
		"npm 6":              {"npm ERR! code E404\nnpm ERR! 404 Not Found - GET x\nnpm ERR! 404 \n", "404 Not Found - GET x"},
		"traceback":          {"Traceback (most recent call last):\n  File \"x\"\nModuleNotFoundError: No module named 'pip._vendor'\n\n", "ModuleNotFoundError: No module named 'pip._vendor'"},
		"hostile":            {"\x1b[31mred\x1b[0m\a", `\x1b[31mred\x1b[0m\a`},
		"silent":             {"\n\n", "no message"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := distill(c.output); got != c.want {
				t.Errorf("%q, expected %q", got, c.want)
			}
		})
	}
}
