package nbits

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lathe/graphops"
)

// Format is how the result stores quantized weights.
type Format uint8

// The formats.
const (
	// Operators uses MatMulNBits and GatherBlockQuantized, which only ONNX Runtime has.
	Operators Format = iota
	// Standard uses DequantizeLinear with blocks, as the standard has it since opset 21.
	Standard
)

// Method is how the integers of a block are found.
type Method uint8

// The methods.
const (
	// Nearest divides the range of a block evenly and rounds to nearest.
	Nearest Method = iota
	// KQuant chooses, among 21 scales and zero points of a block, those with the smallest weighted
	// error.
	KQuant
	// HQQ moves the zero points, which need not be integers, until few numbers have large errors.
	HQQ
	// GPTQ makes up for what the rows of a matrix lose in the rows that are quantized after them. It
	// needs data.
	GPTQ
)

// String returns the name of a method, as ParseMethod reads it.
func (m Method) String() string { return Methods()[m] }

// Methods returns the names of the methods.
func Methods() []string { return []string{"rtn", "k-quant", "hqq", "gptq"} }

// ParseMethod returns the method with a name. ok is false if no method has it.
func ParseMethod(name string) (m Method, ok bool) {
	i := slices.Index(Methods(), name)
	return Method(max(i, 0)), i >= 0
}

// HasZeroPoints reports whether a method needs zero points, so that it cannot be symmetric.
func (m Method) HasZeroPoints() bool { return m == KQuant || m == HQQ }

// Options say what is quantized, and how.
type Options struct {
	Method    Method
	Bits      int   // 2, 4 or 8
	BlockSize int64 // one of BlockSizes
	Symmetric bool
	// AccuracyLevel is the attribute of that name of MatMulNBits: the least precise type in which it
	// may compute. 0 leaves it to the kernel.
	AccuracyLevel int
	Format        Format
	// PerChannel makes each column of a matrix one block. It needs the format Standard.
	PerChannel bool
	// Damping is the share of the mean diagonal of the matrix XᵀX of the data that GPTQ adds to the
	// diagonal. LargestFirst makes GPTQ quantize rows with larger entries there first.
	Damping      float64
	LargestFirst bool
	// TableAxis is the axis along which the table of a Gather is divided into blocks. Negative axes
	// count from the last one.
	TableAxis int
	// OpTypes lists the operators to quantize; if empty, only MatMul.
	OpTypes []string
	// Include, if not empty, names the only nodes to quantize; Exclude names nodes to leave alone.
	Include, Exclude []string
}

// DefaultOptions returns the defaults: symmetric blocks of 32 numbers with 4 bits, which are those of
// the reference's command.
func DefaultOptions() Options {
	return Options{Bits: 4, BlockSize: 32, Symmetric: true, TableAxis: 1, Damping: DefaultDamping}
}

// BlockSizes returns the supported numbers of elements in a block.
func BlockSizes() []int64 { return []int64{16, 32, 64, 128, 256} }

// OpTypes returns the operators that can be quantized.
func OpTypes() []string { return []string{"Gather", "MatMul"} }

// maxAccuracyLevel is the largest value of the attribute of MatMulNBits.
const maxAccuracyLevel = 4

func (o Options) check(m *graphops.Model) error {
	switch {
	case o.Bits != 2 && o.Bits != 4 && o.Bits != 8:
		return fmt.Errorf("weights cannot have %d bits, expected 2, 4 or 8", o.Bits)
	case !slices.Contains(BlockSizes(), o.BlockSize):
		return fmt.Errorf("blocks cannot have %d elements, expected 16, 32, 64, 128 or 256", o.BlockSize)
	case o.AccuracyLevel < 0 || o.AccuracyLevel > maxAccuracyLevel:
		return fmt.Errorf("there is no accuracy level %d, expected 0 to %d", o.AccuracyLevel, maxAccuracyLevel)
	case o.Format == Standard && o.Bits == 2:
		return fmt.Errorf("the standard's DequantizeLinear has 2 bits only from opset 25 on, which is not supported; expected 4 or 8 bits, or the operators of ONNX Runtime")
	case o.Format == Standard && o.AccuracyLevel > 0:
		return fmt.Errorf("an accuracy level is an attribute of MatMulNBits, which the standard's form does not have")
	case o.Format == Operators && o.PerChannel:
		return fmt.Errorf("MatMulNBits has no scale for a whole column; expected the standard's form")
	}
	if err := o.checkMethod(); err != nil {
		return err
	}
	for _, op := range o.OpTypes {
		if !slices.Contains(OpTypes(), op) {
			return fmt.Errorf("operator %q cannot be quantized in blocks, only %s", op, strings.Join(OpTypes(), ", "))
		}
		if op == "Gather" && o.Format == Standard {
			return fmt.Errorf("a Gather cannot be quantized in the standard's form, because its result would be as large as before; expected the operators of ONNX Runtime")
		}
	}
	return o.checkNames(m)
}

// checkMethod returns an error for options that the method does not have.
func (o Options) checkMethod() error {
	switch {
	case o.Method == Nearest:
		return nil
	case o.Method == GPTQ && !(o.Damping >= 0 && o.Damping <= 1):
		return fmt.Errorf("the damping cannot be %v, expected 0 to 1, such as %v", o.Damping, DefaultDamping)
	case o.Method.HasZeroPoints() && o.Symmetric:
		return fmt.Errorf("%s makes zero points, so that blocks cannot be symmetric; expected asymmetric blocks", o.Method)
	case o.Format == Standard:
		return fmt.Errorf("%s writes the operators of ONNX Runtime, not the standard's form; expected that format, or the method %s", o.Method, Nearest)
	case slices.Contains(o.OpTypes, "Gather"):
		return fmt.Errorf("%s quantizes the matrices of MatMul, not the tables of Gather; expected only MatMul, or the method %s", o.Method, Nearest)
	}
	return nil
}

// checkNames returns an error for a name that no node has.
func (o Options) checkNames(m *graphops.Model) error {
	there := map[string]bool{}
	for n := range m.AllNodes() {
		there[n.Name()] = true
	}
	for _, name := range slices.Concat(o.Include, o.Exclude) {
		if !there[name] {
			return &graphops.UnknownNameError{What: "node", Name: name, Nearest: graphops.NearestNames(name, maps.Keys(there))}
		}
	}
	return nil
}

// wants reports whether the options ask for nodes of an op type.
func (o Options) wants(op string) bool {
	if len(o.OpTypes) == 0 {
		return op == "MatMul"
	}
	return slices.Contains(o.OpTypes, op)
}

// obstacle returns why the options exclude a node, or "" if they do not. asked reports whether an option
// names the node.
func (o Options) obstacle(n *graphops.Node) (reason string, asked bool) {
	switch {
	case slices.Contains(o.Exclude, n.Name()):
		return "is excluded", true
	case len(o.Include) > 0 && !slices.Contains(o.Include, n.Name()):
		return "is not among the nodes to include", false
	case !o.wants(n.OpType()) && slices.Contains(OpTypes(), n.OpType()):
		return "has an operator that is not among those to quantize", len(o.Include) > 0
	}
	return "", len(o.Include) > 0
}
