package check

import "lathe/graphops/opschema"

// NeedsKernel reports whether ONNX Runtime needs a kernel to run an operator of an imported
// version, because it has no definition by other operators.
func NeedsKernel(schema *opschema.Schema, version int64) bool { return needsKernel(schema, version) }
