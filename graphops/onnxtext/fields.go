package onnxtext

import "google.golang.org/protobuf/encoding/protowire"

// Field numbers of ModelProto, OperatorSetIdProto and StringStringEntryProto.
const (
	modelIRVersion       protowire.Number = 1
	modelProducerName    protowire.Number = 2
	modelProducerVersion protowire.Number = 3
	modelDomain          protowire.Number = 4
	modelVersion         protowire.Number = 5
	modelDoc             protowire.Number = 6
	modelGraph           protowire.Number = 7
	modelOpset           protowire.Number = 8
	modelMetadata        protowire.Number = 14
	modelFunction        protowire.Number = 25

	opsetDomain  protowire.Number = 1
	opsetVersion protowire.Number = 2

	entryKey   protowire.Number = 1
	entryValue protowire.Number = 2
)

// Field numbers of GraphProto and ValueInfoProto.
const (
	graphNode        protowire.Number = 1
	graphName        protowire.Number = 2
	graphInitializer protowire.Number = 5
	graphInput       protowire.Number = 11
	graphOutput      protowire.Number = 12
	graphValueInfo   protowire.Number = 13

	valueName protowire.Number = 1
	valueType protowire.Number = 2
)

// Field numbers of FunctionProto.
const (
	functionName      protowire.Number = 1
	functionInput     protowire.Number = 4
	functionOutput    protowire.Number = 5
	functionAttribute protowire.Number = 6
	functionNode      protowire.Number = 7
	functionDoc       protowire.Number = 8
	functionOpset     protowire.Number = 9
	functionDomain    protowire.Number = 10
	functionDefault   protowire.Number = 11
	functionValueInfo protowire.Number = 12
	functionOverload  protowire.Number = 13
)

// Field numbers of NodeProto.
const (
	nodeInput     protowire.Number = 1
	nodeOutput    protowire.Number = 2
	nodeName      protowire.Number = 3
	nodeOpType    protowire.Number = 4
	nodeAttribute protowire.Number = 5
	nodeDomain    protowire.Number = 7
	nodeOverload  protowire.Number = 8
)

// Field numbers of AttributeProto.
const (
	attrName    protowire.Number = 1
	attrF       protowire.Number = 2
	attrI       protowire.Number = 3
	attrS       protowire.Number = 4
	attrT       protowire.Number = 5
	attrG       protowire.Number = 6
	attrFloats  protowire.Number = 7
	attrInts    protowire.Number = 8
	attrStrings protowire.Number = 9
	attrTensors protowire.Number = 10
	attrGraphs  protowire.Number = 11
	attrTP      protowire.Number = 14
	attrTPs     protowire.Number = 15
	attrType    protowire.Number = 20
	attrRef     protowire.Number = 21
)

// Field numbers of TensorProto.
const (
	tensorDims     protowire.Number = 1
	tensorDataType protowire.Number = 2
	tensorStrings  protowire.Number = 6
	tensorName     protowire.Number = 8
	tensorRaw      protowire.Number = 9
	tensorExternal protowire.Number = 13
	tensorLocation protowire.Number = 14

	// locationExternal is TensorProto.DataLocation.EXTERNAL.
	locationExternal = 1
)

// Field numbers of TypeProto and of the messages in it.
const (
	typeTensor   protowire.Number = 1
	typeSequence protowire.Number = 4
	typeMap      protowire.Number = 5
	typeOpaque   protowire.Number = 7
	typeSparse   protowire.Number = 8
	typeOptional protowire.Number = 9

	typeElem     protowire.Number = 1 // of all but a map, whose key it is
	typeShape    protowire.Number = 2
	mapValue     protowire.Number = 2
	opaqueDomain protowire.Number = 1
	opaqueName   protowire.Number = 2

	shapeDim protowire.Number = 1
	dimValue protowire.Number = 1
	dimParam protowire.Number = 2
)
