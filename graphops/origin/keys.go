package origin

// Keys in the metadata of a node.
const (
	keyNamespace     = "namespace"
	keyScopes        = "pkg.torch.onnx.name_scopes"
	keyClasses       = "pkg.torch.onnx.class_hierarchy"
	keyFX            = "pkg.torch.onnx.fx_node"
	keyStack         = "pkg.torch.onnx.stack_trace"
	keyInputNames    = "pkg.torch.onnx.input_names"
	keyBuilderScopes = "pkg.onnxscript.name_scopes"
	keyBuilderClass  = "pkg.onnxscript.class_hierarchy"
	keyRule          = "pkg.onnxscript.rewriter.rule_name"
	keyInference     = "pkg.onnxscript.shape_inference_error"
)

// Keys in the metadata of a value, under which exporters record where the value comes from.
const (
	keyInputKind    = "pkg.torch.export.graph_signature.InputSpec.kind"
	keyPersistent   = "pkg.torch.export.graph_signature.InputSpec.persistent"
	keyOutputKind   = "pkg.torch.export.graph_signature.OutputSpec.kind"
	keyOriginalName = "pkg.torch.onnx.original_node_name"
	keyFoldedFrom   = "pkg.onnxscript.optimizer.folded_from"
)

// Keys in the metadata of a graph or function.
const (
	keySignature = "pkg.torch.export.ExportedProgram.graph_signature"
	keyRanges    = "pkg.torch.export.ExportedProgram.range_constraints"
	keySubgraph  = "pkg.torch.ops.higher_order.invoke_subgraph.identifier"
)
