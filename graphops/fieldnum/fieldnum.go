// Package fieldnum has the field numbers of the protobuf messages of ONNX, as defined in onnx.proto
// and onnx-data.proto. It has those fields that Lathe reads or writes. The name of a constant is
// the name of the message followed by that of the field.
package fieldnum

import "google.golang.org/protobuf/encoding/protowire"

// Fields of ModelProto.
const (
	ModelIRVersion       protowire.Number = 1
	ModelProducerName    protowire.Number = 2
	ModelProducerVersion protowire.Number = 3
	ModelDomain          protowire.Number = 4
	ModelVersion         protowire.Number = 5
	ModelDoc             protowire.Number = 6
	ModelGraph           protowire.Number = 7
	ModelOpsetImport     protowire.Number = 8
	ModelMetadata        protowire.Number = 14
	ModelTraining        protowire.Number = 20
	ModelFunction        protowire.Number = 25
	ModelConfiguration   protowire.Number = 26
)

// Fields of OperatorSetIdProto and StringStringEntryProto.
const (
	OpsetDomain  protowire.Number = 1
	OpsetVersion protowire.Number = 2

	EntryKey   protowire.Number = 1
	EntryValue protowire.Number = 2
)

// Fields of GraphProto and TensorAnnotation.
const (
	GraphNode              protowire.Number = 1
	GraphName              protowire.Number = 2
	GraphInitializer       protowire.Number = 5
	GraphDoc               protowire.Number = 10
	GraphInput             protowire.Number = 11
	GraphOutput            protowire.Number = 12
	GraphValueInfo         protowire.Number = 13
	GraphAnnotation        protowire.Number = 14
	GraphSparseInitializer protowire.Number = 15
	GraphMetadata          protowire.Number = 16

	AnnotationTensor     protowire.Number = 1
	AnnotationParameters protowire.Number = 2
)

// Fields of ValueInfoProto.
const (
	ValueName     protowire.Number = 1
	ValueType     protowire.Number = 2
	ValueDoc      protowire.Number = 3
	ValueMetadata protowire.Number = 4
)

// Fields of FunctionProto.
const (
	FunctionName      protowire.Number = 1
	FunctionInput     protowire.Number = 4
	FunctionOutput    protowire.Number = 5
	FunctionAttribute protowire.Number = 6
	FunctionNode      protowire.Number = 7
	FunctionDoc       protowire.Number = 8
	FunctionOpset     protowire.Number = 9
	FunctionDomain    protowire.Number = 10
	FunctionDefault   protowire.Number = 11 // attributes with a default
	FunctionValueInfo protowire.Number = 12
	FunctionOverload  protowire.Number = 13
	FunctionMetadata  protowire.Number = 14
)

// Fields of NodeProto, and of the messages that say on which devices a node runs.
const (
	NodeInput     protowire.Number = 1
	NodeOutput    protowire.Number = 2
	NodeName      protowire.Number = 3
	NodeOpType    protowire.Number = 4
	NodeAttribute protowire.Number = 5
	NodeDoc       protowire.Number = 6
	NodeDomain    protowire.Number = 7
	NodeOverload  protowire.Number = 8
	NodeMetadata  protowire.Number = 9
	NodeDevice    protowire.Number = 10

	DeviceSharding protowire.Number = 2 // of NodeDeviceConfigurationProto
	ShardingTensor protowire.Number = 1 // of ShardingSpecProto
)

// Fields of AttributeProto.
const (
	AttrName          protowire.Number = 1
	AttrF             protowire.Number = 2
	AttrI             protowire.Number = 3
	AttrS             protowire.Number = 4
	AttrT             protowire.Number = 5
	AttrG             protowire.Number = 6
	AttrFloats        protowire.Number = 7
	AttrInts          protowire.Number = 8
	AttrStrings       protowire.Number = 9
	AttrTensors       protowire.Number = 10
	AttrGraphs        protowire.Number = 11
	AttrDoc           protowire.Number = 13
	AttrTP            protowire.Number = 14
	AttrTPs           protowire.Number = 15
	AttrType          protowire.Number = 20
	AttrRefName       protowire.Number = 21
	AttrSparseTensor  protowire.Number = 22
	AttrSparseTensors protowire.Number = 23
)

// Fields of TensorProto and SparseTensorProto.
const (
	TensorDims       protowire.Number = 1
	TensorDataType   protowire.Number = 2
	TensorFloatData  protowire.Number = 4
	TensorInt32Data  protowire.Number = 5
	TensorStringData protowire.Number = 6
	TensorInt64Data  protowire.Number = 7
	TensorName       protowire.Number = 8
	TensorRawData    protowire.Number = 9
	TensorDoubleData protowire.Number = 10
	TensorUint64Data protowire.Number = 11
	TensorDoc        protowire.Number = 12
	TensorExternal   protowire.Number = 13
	TensorLocation   protowire.Number = 14
	TensorMetadata   protowire.Number = 16

	SparseValues  protowire.Number = 1
	SparseIndices protowire.Number = 2
	SparseDims    protowire.Number = 3
)

// Fields of TypeProto.
const (
	TypeTensor     protowire.Number = 1
	TypeSequence   protowire.Number = 4
	TypeMap        protowire.Number = 5
	TypeDenotation protowire.Number = 6
	TypeOpaque     protowire.Number = 7
	TypeSparse     protowire.Number = 8
	TypeOptional   protowire.Number = 9
)

// Fields of the messages in TypeProto, and of TensorShapeProto.
const (
	TypeElem     protowire.Number = 1 // of Tensor, SparseTensor, Sequence, Optional; the key of Map
	TypeShape    protowire.Number = 2 // of Tensor, SparseTensor
	TypeMapValue protowire.Number = 2

	OpaqueDomain protowire.Number = 1
	OpaqueName   protowire.Number = 2

	ShapeDim      protowire.Number = 1
	DimValue      protowire.Number = 1
	DimParam      protowire.Number = 2
	DimDenotation protowire.Number = 3
)

// Fields of the messages in onnx-data.proto: SequenceProto and OptionalProto, which use the same
// numbers, and MapProto.
const (
	DataItemName protowire.Number = 1
	DataElemType protowire.Number = 2

	SequenceTensors   protowire.Number = 3
	SequenceSequences protowire.Number = 5
	SequenceMaps      protowire.Number = 6
	SequenceOptionals protowire.Number = 7

	MapKeyType    protowire.Number = 2
	MapKeys       protowire.Number = 3
	MapStringKeys protowire.Number = 4
	MapValues     protowire.Number = 5
)
