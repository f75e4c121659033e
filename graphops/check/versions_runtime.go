package check

import (
	"slices"

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
	{"1.32", 14, 28, 5},
}

// NewestRelease is the newest release of ONNX Runtime for which the table was tested.
const NewestRelease = "1.32"

// kernelsSince is the oldest release for which the oldest table of kernels was found to apply.
const kernelsSince = "1.24"

// byKernels adapts a problem that follows from a table of kernels to the selected release, because
// the kernels of another release than the table's are not certain.
func (s *subject) byKernels(p Problem) Problem {
	kernelRelease := opschema.KernelRelease(s.Runtime)
	if !opschema.IsRelease(s.Runtime) || opschema.CompareReleases(s.Runtime, kernelRelease) == 0 {
		return p
	}
	p.Message += ", as of ONNX Runtime " + kernelRelease
	if opschema.CompareReleases(s.Runtime, kernelsSince) < 0 || opschema.CompareReleases(s.Runtime, NewestRelease) > 0 {
		p.Severity = max(p.Severity, Warning)
	}
	return p
}

// capacityOf returns what a version of ONNX Runtime can load. A version older than the table
// counts as the oldest one, and a newer or unknown one as the newest.
func capacityOf(version string) capacity {
	if !opschema.IsRelease(version) {
		version = NewestRelease
	}
	i, found := slices.BinarySearchFunc(capacities, version, func(c capacity, v string) int { return opschema.CompareReleases(c.release, v) })
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

// isSince reports whether the selected ONNX Runtime is of this release or a newer one.
func (s *subject) isSince(release string) bool {
	return !opschema.IsRelease(s.Runtime) || opschema.CompareReleases(s.Runtime, release) >= 0
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
