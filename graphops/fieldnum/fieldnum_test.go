package fieldnum_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"lathe/graphops/fieldnum"
	"lathe/graphops/onnxpb"
)

var named = map[string]protowire.Number{
	"ModelProto.ir_version":                         fieldnum.ModelIRVersion,
	"ModelProto.producer_name":                      fieldnum.ModelProducerName,
	"ModelProto.producer_version":                   fieldnum.ModelProducerVersion,
	"ModelProto.domain":                             fieldnum.ModelDomain,
	"ModelProto.model_version":                      fieldnum.ModelVersion,
	"ModelProto.doc_string":                         fieldnum.ModelDoc,
	"ModelProto.graph":                              fieldnum.ModelGraph,
	"ModelProto.opset_import":                       fieldnum.ModelOpsetImport,
	"ModelProto.metadata_props":                     fieldnum.ModelMetadata,
	"ModelProto.training_info":                      fieldnum.ModelTraining,
	"ModelProto.functions":                          fieldnum.ModelFunction,
	"ModelProto.configuration":                      fieldnum.ModelConfiguration,
	"OperatorSetIdProto.domain":                     fieldnum.OpsetDomain,
	"OperatorSetIdProto.version":                    fieldnum.OpsetVersion,
	"StringStringEntryProto.key":                    fieldnum.EntryKey,
	"StringStringEntryProto.value":                  fieldnum.EntryValue,
	"GraphProto.node":                               fieldnum.GraphNode,
	"GraphProto.name":                               fieldnum.GraphName,
	"GraphProto.initializer":                        fieldnum.GraphInitializer,
	"GraphProto.doc_string":                         fieldnum.GraphDoc,
	"GraphProto.input":                              fieldnum.GraphInput,
	"GraphProto.output":                             fieldnum.GraphOutput,
	"GraphProto.value_info":                         fieldnum.GraphValueInfo,
	"GraphProto.quantization_annotation":            fieldnum.GraphAnnotation,
	"GraphProto.sparse_initializer":                 fieldnum.GraphSparseInitializer,
	"GraphProto.metadata_props":                     fieldnum.GraphMetadata,
	"TensorAnnotation.tensor_name":                  fieldnum.AnnotationTensor,
	"TensorAnnotation.quant_parameter_tensor_names": fieldnum.AnnotationParameters,
	"ValueInfoProto.name":                           fieldnum.ValueName,
	"ValueInfoProto.type":                           fieldnum.ValueType,
	"ValueInfoProto.doc_string":                     fieldnum.ValueDoc,
	"ValueInfoProto.metadata_props":                 fieldnum.ValueMetadata,
	"FunctionProto.name":                            fieldnum.FunctionName,
	"FunctionProto.input":                           fieldnum.FunctionInput,
	"FunctionProto.output":                          fieldnum.FunctionOutput,
	"FunctionProto.attribute":                       fieldnum.FunctionAttribute,
	"FunctionProto.node":                            fieldnum.FunctionNode,
	"FunctionProto.doc_string":                      fieldnum.FunctionDoc,
	"FunctionProto.opset_import":                    fieldnum.FunctionOpset,
	"FunctionProto.domain":                          fieldnum.FunctionDomain,
	"FunctionProto.attribute_proto":                 fieldnum.FunctionDefault,
	"FunctionProto.value_info":                      fieldnum.FunctionValueInfo,
	"FunctionProto.overload":                        fieldnum.FunctionOverload,
	"FunctionProto.metadata_props":                  fieldnum.FunctionMetadata,
	"NodeProto.input":                               fieldnum.NodeInput,
	"NodeProto.output":                              fieldnum.NodeOutput,
	"NodeProto.name":                                fieldnum.NodeName,
	"NodeProto.op_type":                             fieldnum.NodeOpType,
	"NodeProto.attribute":                           fieldnum.NodeAttribute,
	"NodeProto.doc_string":                          fieldnum.NodeDoc,
	"NodeProto.domain":                              fieldnum.NodeDomain,
	"NodeProto.overload":                            fieldnum.NodeOverload,
	"NodeProto.metadata_props":                      fieldnum.NodeMetadata,
	"NodeProto.device_configurations":               fieldnum.NodeDevice,
	"NodeDeviceConfigurationProto.sharding_spec":    fieldnum.DeviceSharding,
	"ShardingSpecProto.tensor_name":                 fieldnum.ShardingTensor,
	"AttributeProto.name":                           fieldnum.AttrName,
	"AttributeProto.f":                              fieldnum.AttrF,
	"AttributeProto.i":                              fieldnum.AttrI,
	"AttributeProto.s":                              fieldnum.AttrS,
	"AttributeProto.t":                              fieldnum.AttrT,
	"AttributeProto.g":                              fieldnum.AttrG,
	"AttributeProto.floats":                         fieldnum.AttrFloats,
	"AttributeProto.ints":                           fieldnum.AttrInts,
	"AttributeProto.strings":                        fieldnum.AttrStrings,
	"AttributeProto.tensors":                        fieldnum.AttrTensors,
	"AttributeProto.graphs":                         fieldnum.AttrGraphs,
	"AttributeProto.doc_string":                     fieldnum.AttrDoc,
	"AttributeProto.tp":                             fieldnum.AttrTP,
	"AttributeProto.type_protos":                    fieldnum.AttrTPs,
	"AttributeProto.type":                           fieldnum.AttrType,
	"AttributeProto.ref_attr_name":                  fieldnum.AttrRefName,
	"AttributeProto.sparse_tensor":                  fieldnum.AttrSparseTensor,
	"AttributeProto.sparse_tensors":                 fieldnum.AttrSparseTensors,
	"TensorProto.dims":                              fieldnum.TensorDims,
	"TensorProto.data_type":                         fieldnum.TensorDataType,
	"TensorProto.float_data":                        fieldnum.TensorFloatData,
	"TensorProto.int32_data":                        fieldnum.TensorInt32Data,
	"TensorProto.string_data":                       fieldnum.TensorStringData,
	"TensorProto.int64_data":                        fieldnum.TensorInt64Data,
	"TensorProto.name":                              fieldnum.TensorName,
	"TensorProto.raw_data":                          fieldnum.TensorRawData,
	"TensorProto.double_data":                       fieldnum.TensorDoubleData,
	"TensorProto.uint64_data":                       fieldnum.TensorUint64Data,
	"TensorProto.doc_string":                        fieldnum.TensorDoc,
	"TensorProto.external_data":                     fieldnum.TensorExternal,
	"TensorProto.data_location":                     fieldnum.TensorLocation,
	"TensorProto.metadata_props":                    fieldnum.TensorMetadata,
	"SparseTensorProto.values":                      fieldnum.SparseValues,
	"SparseTensorProto.indices":                     fieldnum.SparseIndices,
	"SparseTensorProto.dims":                        fieldnum.SparseDims,
	"TypeProto.tensor_type":                         fieldnum.TypeTensor,
	"TypeProto.sequence_type":                       fieldnum.TypeSequence,
	"TypeProto.map_type":                            fieldnum.TypeMap,
	"TypeProto.denotation":                          fieldnum.TypeDenotation,
	"TypeProto.opaque_type":                         fieldnum.TypeOpaque,
	"TypeProto.sparse_tensor_type":                  fieldnum.TypeSparse,
	"TypeProto.optional_type":                       fieldnum.TypeOptional,
	"TypeProto.Tensor.elem_type":                    fieldnum.TypeElem,
	"TypeProto.Tensor.shape":                        fieldnum.TypeShape,
	"TypeProto.Map.value_type":                      fieldnum.TypeMapValue,
	"TypeProto.Opaque.domain":                       fieldnum.OpaqueDomain,
	"TypeProto.Opaque.name":                         fieldnum.OpaqueName,
	"TensorShapeProto.dim":                          fieldnum.ShapeDim,
	"TensorShapeProto.Dimension.dim_value":          fieldnum.DimValue,
	"TensorShapeProto.Dimension.dim_param":          fieldnum.DimParam,
	"TensorShapeProto.Dimension.denotation":         fieldnum.DimDenotation,
	// Sequence, Optional and SparseTensor have their element, and Map its key, in one place.
	"TypeProto.Sequence.elem_type": fieldnum.TypeElem, "TypeProto.Optional.elem_type": fieldnum.TypeElem,
	"TypeProto.SparseTensor.elem_type": fieldnum.TypeElem, "TypeProto.Map.key_type": fieldnum.TypeElem,
	"TypeProto.SparseTensor.shape": fieldnum.TypeShape,
}

// Every number is that of the field in onnx.proto.
func TestNumbers(t *testing.T) {
	for name, number := range named {
		path := strings.Split(name, ".")
		m := onnxpb.File_lathe_graphops_onnxpb_onnx_proto.Messages().ByName(protoreflect.Name(path[0]))
		for _, inner := range path[1 : len(path)-1] {
			m = m.Messages().ByName(protoreflect.Name(inner))
		}
		f := m.Fields().ByName(protoreflect.Name(path[len(path)-1]))
		if f == nil || f.Number() != number {
			t.Errorf("%s is %v, here %d", name, f, number)
		}
	}
}
