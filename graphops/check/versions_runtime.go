package check

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

// capacity is what a release of ONNX Runtime can load: the newest version of the file format,
// and of the operator sets.
type capacity struct {
	release  string
	ir       int64
	standard int64 // of the domain ""
	ml       int64 // of ai.onnx.ml
}

// capacities lists what releases of ONNX Runtime can load, oldest first, with an entry for each
// release in which this changed. The numbers come from its documentation (Versioning) and were
// confirmed by loading models with each release.
var capacities = []capacity{
	{"1.17", 9, 20, 4},
	{"1.18", 10, 21, 4},
	{"1.19", 10, 21, 5},
	{"1.22", 10, 22, 5},
	{"1.23", 11, 23, 5},
	{"1.24", 13, 25, 5},
	{"1.25", 13, 26, 5},
}

// NewestRelease is the newest release of ONNX Runtime for which the table was tested.
const NewestRelease = "1.31"

// kernelRelease is the release whose kernels the table has. kernelsSince is the oldest release
// for which it was found to apply; it applies up to NewestRelease.
const (
	kernelRelease = "1.30"
	kernelsSince  = "1.24"
)

// byKernels adapts a problem that follows from the table of kernels to the selected release,
// because the kernels of another release are not certain.
func (s *subject) byKernels(p Problem) Problem {
	if _, _, ok := release(s.Runtime); !ok || compareReleases(s.Runtime, kernelRelease) == 0 {
		return p
	}
	p.Message += ", as of ONNX Runtime " + kernelRelease
	if compareReleases(s.Runtime, kernelsSince) < 0 || compareReleases(s.Runtime, NewestRelease) > 0 {
		p.Severity = max(p.Severity, Warning)
	}
	return p
}

// capacityOf returns what a version of ONNX Runtime can load. A version older than the table
// counts as the oldest one, and a newer or unknown one as the newest.
func capacityOf(version string) capacity {
	if _, _, ok := release(version); !ok {
		version = NewestRelease
	}
	i, found := slices.BinarySearchFunc(capacities, version, func(c capacity, v string) int { return compareReleases(c.release, v) })
	if !found {
		i = max(i-1, 0)
	}
	c := capacities[i]
	c.release = version
	return c
}

// NewestOpset returns the newest opset of the standard operators that a version of ONNX Runtime
// supports, or the newest known one if the version is empty.
func NewestOpset(runtime string) int64 { return capacityOf(runtime).standard }

func compareReleases(a, b string) int {
	a1, a2, _ := release(a)
	b1, b2, _ := release(b)
	return cmp.Or(cmp.Compare(a1, b1), cmp.Compare(a2, b2))
}

// release parses the first two numbers of a version such as "1.30.0".
func release(version string) (major, minor int, ok bool) {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return 0, 0, false
	}
	major, err := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(parts[1])
	return major, minor, err == nil && err2 == nil
}

// newest returns the newest version of a domain, 0 if ONNX Runtime has no operators for it.
func (c capacity) newest(domain string) int64 {
	switch domain {
	case graphops.DefaultDomain:
		return c.standard
	case "ai.onnx.ml":
		return c.ml
	case "ai.onnx.preview", "ai.onnx.preview.training": // it has none of their operators
		return 0
	case "com.ms.internal.nhwc": // its operators are those of the standard in another layout
		return c.standard
	default:
		return min(opschema.Latest(domain), 1)
	}
}

// importable are domains that ONNX Runtime knows in version 1 although the table has no
// implemented operators for them.
var importable = []string{
	"ai.onnx.preview", "ai.onnx.preview.training", "ai.onnx.training", "com.microsoft.experimental", "org.pytorch.aten",
}

// newestImport returns the newest version of a domain that a model may import, 0 for a domain
// that ONNX Runtime does not know and does not check.
func (c capacity) newestImport(domain string) int64 {
	if slices.Contains(importable, domain) {
		return 1
	}
	return c.newest(domain)
}

// String returns the name of the runtime for a message.
func (c capacity) String() string { return "ONNX Runtime " + c.release }
