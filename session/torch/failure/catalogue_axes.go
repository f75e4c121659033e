package failure

import (
	"strings"

	"lathe/graphops/pattern"
)

// ofAxes are failures in which an axis that should be dynamic is not.
var ofAxes = []entry{
	{
		id:      "axes-not-converted",
		matches: says(`Failed to convert '(dynamic_axes)' to 'dynamic_shapes'`),
		meaning: "dynamic axes must be given in the structure of the arguments",
		next:    always(code("name inputs by their path below the parameter of forward, such as --dynamic batch.masks.0:0=batch")),
	},
	{
		id:      "unrolled",
		matches: loopsOverAxis,
		meaning: "a Python loop over an axis that should be dynamic is unrolled to the length of the example",
		next:    func(raised) []Suggestion { return WithoutLoop() },
	},
	{
		id:      "specialized",
		matches: specialized,
		meaning: "an axis that should be dynamic is a constant in the model's code",
		next:    withFreeSize,
	},
	{
		id:      "constraints",
		matches: says(`(?s)(?:Constraints violated \(([^)]*)\)|Not all values of (\S+) .{0,200}satisfy the generated guard)`),
		meaning: "the code makes further demands on a dynamic axis",
		next:    withFixes,
	},
}

// loopsOverAxis matches if a size became a constant in the head of a loop.
func loopsOverAxis(r raised) (string, bool) {
	about, ok := specialized(r)
	return about, ok && r.at != nil && IsLoop(r.at.Code) && !oneText.MatchString(r.all)
}

// IsLoop reports whether a line of Python begins a loop.
func IsLoop(line string) bool { return loopText.MatchString(line) }

// WithoutLoop suggests replacements for a loop over an axis that should be free.
func WithoutLoop() []Suggestion {
	return []Suggestion{
		code("put the loop into a function or module that torch.jit.script accepts, and export with --strategy legacy, which turns it into a Loop"),
		code("write it with torch.cumsum and the like, or with torch._higher_order_ops.scan, which the new exporter translates"),
		flags("leave that axis out of --dynamic, and export a model of that one size"),
	}
}

var (
	specialized  = says(`(?s)(?:marked (\S+) as dynamic but your code specialized it to be a constant|inferred a static shape of \d+ for dimension (\S+?)\.?(?:\s|$))`)
	loopText     = pattern.New(`^for\s.+\sin\s.+:`)
	oneText      = pattern.New(`(?:specialized it to be a constant \(|static shape of )[01]\b`)
	constantText = pattern.New(`(?:specialized it to be a constant \(|static shape of )(\d+)`)
	fixText      = pattern.New(`^\w+ = (?:Dim\([^()]*\)|[\w*+/ -]+|None\b.*)$`)
	fixesText    = pattern.New(`(?s)Suggested fixes:[^\n]*\n(.*?)(?:\n\s*\n|$)`)
	// inputText matches the input that an axis belongs to, in the exporter's notation.
	inputText = pattern.New(`^(?:inputs|L)\['([^'\]]+)'\]\.`)
)

// withFreeSize suggests how to free an axis. The other sizes of the input are not known, so the
// suggestion of a larger example is text and not flags that a form could fill in.
func withFreeSize(r raised) []Suggestion {
	if m := constantText.FindStringSubmatch(r.all); m != nil && (m[1] == "0" || m[1] == "1") {
		name := "NAME"
		if input := inputText.FindStringSubmatch(r.about); input != nil {
			name = input[1]
		}
		return []Suggestion{code("give an example of size 2 or more on that axis: --input " + name + "=f32[2,…]")}
	}
	return []Suggestion{
		code("take the size from the tensor, such as x.shape[0] or -1, wherever the code has the number; " + r.about + " is the axis"),
		withoutNumber(r),
		flags("leave that axis out of --dynamic, and export a model of that one size"),
	}
}

// comprehension matches a line with a loop inside of brackets.
var comprehension = pattern.New(`[\[({].*\sfor\s.+\sin\s`)

// withoutNumber suggests what to do if an axis got a fixed size although the code does not contain
// that number.
func withoutNumber(r raised) Suggestion {
	if r.at != nil && comprehension.MatchString(r.at.Code) {
		return OnWhole()
	}
	return code("if the code has no such number, an operator in that line accepts only one size: write the line with other operators")
}

// OnWhole suggests a replacement for a Python loop over the rows of a tensor.
func OnWhole() Suggestion {
	return code("write what is done to each row as operations on the whole tensor: a Python loop has the length of the example")
}

// withFixes suggests the fixes that PyTorch's message lists.
func withFixes(r raised) []Suggestion {
	var out []Suggestion
	if m := fixesText.FindStringSubmatch(r.all); m != nil {
		for line := range strings.SplitSeq(strings.TrimSpace(m[1]), "\n") {
			if line = strings.TrimSpace(line); !fixText.MatchString(line) {
				break // a traceback follows
			}
			out = append(out, code("in dynamic_shapes: "+line))
		}
	}
	return append(out, code("give the axis as torch.export.Dim.AUTO, which accepts what the code requires"))
}
