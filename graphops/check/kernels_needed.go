package check

import "lathe/graphops/opschema"

// NeedsKernel reports whether ONNX Runtime can run an operator of an imported version with
// a kernel only, because it has no definition by other operators to put in its place.
func NeedsKernel(schema *opschema.Schema, version int64) bool { return needsKernel(schema, version) }
