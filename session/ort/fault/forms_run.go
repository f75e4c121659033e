package fault

import (
	"strings"

	"lathe/session/ort/ep"
)

// deviceWords returns messages about memory, devices and the libraries of providers.
func deviceWords() []words {
	p := ep.FailureTexts()
	return []words{
		{OutOfMemory, `Failed to allocate memory for requested buffer of size (?P<want>\d+)`},
		{OutOfMemory, `Available memory of \d+ is smaller than requested bytes of (?P<want>\d+)`},
		{OutOfMemory, `std::bad_alloc|bad allocation|out of memory|_STATUS_ALLOC_FAILED|` + strings.Join(p.Memory, "|")},
		{ProviderFailed, `Failed to load library (?P<file>\S+) with error: (?P<found>[^:]+): cannot open shared object file`},
		{ProviderFailed, `Failed to load library (?P<file>\S+) with error:? ?(?P<found>[^\n]*)`},
		{ProviderFailed, `execution provider is not enabled in this build`},
		{ProviderFailed, strings.Join(p.Unusable, "|")},
		{DeviceFailed, `(?:` + strings.Join(p.Libraries, "|") + `) (?:failure|error)(?: -?\d+)?:? ?(?P<found>[^;\n]*)`},
		{DeviceFailed, strings.Join(p.Device, "|")},
	}
}

// machineWords are messages about other things that are not installed on the machine.
var machineWords = []words{
	{LocaleMissing, `Failed to construct locale with name:(?P<found>.*?):`},
}

// runWords are messages of kernels during a run. Shape inference uses some of the same messages
// while a model is loaded.
var runWords = []words{
	{IndexOutOfRange, `(?:idx=|index = |indice = |index \()(?P<found>-?\d+)\)?(?: must be within the inclusive range (?P<want>\[.*?\]))?`},
	{IndexOutOfRange, `value (?P<found>-?\d+) at index \d+ is out of range (?P<want>\[.*?[\])])`},
	{IndexOutOfRange, `Index value out of bounds\. Got: (?P<found>-?\d+)\. Valid range is (?P<want>\[.*?[\])])`},
	{IndexOutOfRange, `requests feature (?P<found>\d+) but input tensor has (?P<want>\d+) features`},
	{IndexOutOfRange, `Invalid sequence index \((?P<found>-?\d+)\) specified for sequence of size \((?P<want>\d+)\)`},
	{IndexOutOfRange, `(?i)out of range value in index tensor|out of (?:data )?bounds`},

	{AxisOutOfRange, `axis (?P<axis>-?\d+) is not in valid range (?P<want>\[.*?\])`},
	{AxisOutOfRange, `'(?P<attr>axis)' must be in (?P<want>\[.*?\])\. Its actual value is: (?P<axis>-?\d+)`},
	{AxisOutOfRange, `(?P<attr>axis) must be in (?P<want>\[.*?\])`},
	{AxisOutOfRange, `Axis (?P<axis>-?\d+) is referred to more than once`},
	{AxisOutOfRange, `Invalid value of attribute '(?P<attr>axis)'\. Rank=\d+ Value=(?P<axis>-?\d+)`},
	{AxisOutOfRange, `has an axis outside of the tensor dimension count`},
	{AxisOutOfRange, `rank of input tensor must be >= (?P<attr>axis)`},
	{AxisOutOfRange, `(?i)axis.{0,40}(?:out of range|must be (?:in|within)|not in range)`},

	{ShapeMismatch, `Input shape:(?P<found>\{.*?\}), requested shape:(?P<want>\{.*?\})`},
	{ShapeMismatch, `Axis (?P<axis>\d+) has mismatched dimensions of (?P<found>\d+) and (?P<want>\d+)`},
	{ShapeMismatch, `expected rank: (?P<want>\d+) got: (?P<found>\d+)`},
	{ShapeMismatch, `broadcast an axis by a dimension other than 1\. (?P<found>\d+) by (?P<want>\d+)`},
	{ShapeMismatch, `Dimension mismatch, W: (?P<found>\{.*?\}) K: (?P<want>\d+) N:`},
	{ShapeMismatch, `C: (?P<found>\d+) kernel channels: (?P<want>\d+) group: \d+`},
	{ShapeMismatch, `filter_number: (?P<want>\d+) num_input_channels: (?P<found>\d+)`},
	{ShapeMismatch, `Invalid input shape: (?P<found>\{.*?\})`},
	{ShapeMismatch, `Invalid input (?P<attr>\w+): (?:\d+th|NumDimensions\(\)).*?(?:dimension )?!= (?P<want>\d+)`},
	{ShapeMismatch, `X\.shape=(?P<want>\{.*?\}) scale\.shape=(?P<found>\{.*?\})`},
	{ShapeMismatch, `Dimension of input (?P<axis>\d+) must be (?P<want>\d+) instead of (?P<found>\d+)\. shape=\{`},
	{ShapeMismatch, `Cannot split using values in 'split'.*?Axis=(?P<axis>-?\d+) Input shape=(?P<want>\{.*?\}).*Sum of sizes.*was (?P<found>\d+)`},
	{ShapeMismatch, `cannot be split evenly on selected axis\. Input shape=(?P<found>\{.*?\}) Axis=(?P<axis>-?\d+) NumOutputs=(?P<want>\d+)`},
	{ShapeMismatch, `perm size: (?P<found>\d+) does not match input rank: (?P<want>\d+)`},
	{ShapeMismatch, `input '(?P<value>.*?)' dimension (?P<axis>\d+) has length of (?P<found>\d+)`},
	{ShapeMismatch, `Inconsistent shape in loop output for output\.\s+Expected:(?P<want>\{.*?\}) Got:(?P<found>\{.*?\})`},
	{ShapeMismatch, `The shape is: (?P<found>\{.*?\})Another operand has a dim value of (?P<want>\d+)`},
	{ShapeMismatch, `Input (?P<input>\d+) dimension (?P<axis>\d+) should have same length`},
	{ShapeMismatch, `scale must be 1D tensor with size (?P<want>\d+)|zero_point must be null or 1D tensor with size (?P<want>\d+)`},
	{ShapeMismatch, `must have shape (?P<want>\{.*?\})\. Actual: ?(?P<found>\{.*?\})`},
	{ShapeMismatch, `of feature size \((?P<want>\d+)\) or 1`},
	{ShapeMismatch, `(?i)incompatible (?:dimensions|shapes)|dimension mismatch|mismatch(?:ed)? (?:in )?(?:dimension|shape|rank)|shapes? (?:do|does) not match|cannot be reshaped|unexpected rank`},
	{ShapeMismatch, `kernel_shape: (?P<want>\{.*?\}) W: (?P<found>\{.*?\})`},
	{ShapeMismatch, `input '\w+' \((?P<found>\d+)\) must be same as rank of input '\w+' \((?P<want>\d+)\)`},
	{ShapeMismatch, `p(?:re|ost)-pad \((?P<found>-?\d+)\) exceeds maximum allowed \((?P<want>-?\d+)\) for axis (?P<axis>\d+)`},
	{ShapeMismatch, `must be a 1D tensor of size \w+ \((?P<want>\d+)\)`},
	{ShapeMismatch, `input '\w+' \((?P<found>\d+)\) does not match the number of axes \((?P<want>\d+)\)|must be (?P<want>\d+)-dimensional`},
	{ShapeMismatch, `(?i)must be a scalar|should be (?:a )?scalar|must be 1D|invalid expand shape|Invalid bias shape|must have (?:\d+|exactly one)|zero point is not valid`},
	{ShapeMismatch, `(?i)incorrect number of values|twice the input dimension|equal to rank|less than rank|multiple of|don't match|allowed$|exceeds the dimension size`},
	{ShapeMismatch, `Input dimension cannot be less than (?P<want>\d+)`},
	{ShapeMismatch, `Calculated output dimension is negative|shape\.Size\(\) must be >= 0|^\*out_size >= 0`},

	{ValueInvalid, `Invalid sequence length: (?P<found>-?\d+)\. Value must be in range (?P<want>\[.*?\])`},
	{ValueInvalid, `^stod$|^stoll$|^stof$`},
	{ValueInvalid, `k argument \[(?P<found>-?\d+)\] should not be greater than specified axis dim value \[(?P<want>\d+)\]`},
	{ValueInvalid, `(?i)division by zero|modulo by zero|cannot be 0|can ?not be zero|should be greater than 0|must be non-negative|is negative|multiple -1|one dimension can be -1|Integer overflow|Invalid value/s in`},
	{ValueInvalid, `(?i)must be provided|exactly one element|attribute must be`},
}
