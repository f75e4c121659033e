package origin

import "strings"

// Kind is the kind of an input or output of the exported program, by PyTorch's name. A name that is
// not among the constants comes from a later PyTorch.
type Kind string

// The kinds of inputs.
const (
	UserInput      Kind = "USER_INPUT"
	Parameter      Kind = "PARAMETER"
	Buffer         Kind = "BUFFER"
	ConstantTensor Kind = "CONSTANT_TENSOR"
	CustomObject   Kind = "CUSTOM_OBJ"
	Token          Kind = "TOKEN" // orders side effects; also an output
)

// The kinds of outputs.
const (
	UserOutput          Kind = "USER_OUTPUT"
	LossOutput          Kind = "LOSS_OUTPUT"
	BufferMutation      Kind = "BUFFER_MUTATION"
	ParameterMutation   Kind = "PARAMETER_MUTATION"
	GradientToParameter Kind = "GRADIENT_TO_PARAMETER"
	GradientToUserInput Kind = "GRADIENT_TO_USER_INPUT"
	UserInputMutation   Kind = "USER_INPUT_MUTATION"
)

// kinds has the known kinds, with words for display.
var kinds = map[Kind]string{
	UserInput: "user input", Parameter: "parameter", Buffer: "buffer", ConstantTensor: "constant tensor",
	CustomObject: "custom object", Token: "token",
	UserOutput: "user output", LossOutput: "loss", BufferMutation: "new value of a buffer",
	ParameterMutation: "new value of a parameter", GradientToParameter: "gradient of a parameter",
	GradientToUserInput: "gradient of a user input", UserInputMutation: "new value of a user input",
}

// String returns the kind in words, or PyTorch's name if it is unknown.
func (k Kind) String() string {
	if words, ok := kinds[k]; ok {
		return words
	}
	return string(k)
}

func asKind(s string) (Kind, bool) {
	_, known := kinds[Kind(s)]
	return Kind(s), known
}

// Persistence says whether a buffer is saved with the weights.
type Persistence int

// The kinds of persistence. PyTorch records it only for buffers.
const (
	PersistenceUntold Persistence = iota
	Persistent
	NotPersistent
)

func asPersistence(s string) (Persistence, bool) {
	switch s {
	case "None":
		return PersistenceUntold, true
	case "True":
		return Persistent, true
	case "False":
		return NotPersistent, true
	}
	return PersistenceUntold, false
}

// Spec is one input or output of the exported program.
type Spec struct {
	Name string // in the captured graph, such as "p_stem_weight"
	Kind Kind
	// Target is what it refers to: a parameter or buffer by its full name, or the user input that
	// is mutated; "" if it refers to nothing else.
	Target      string
	Persistence Persistence
}

// Signature lists the inputs and outputs of the exported program. Its parameters and buffers are
// inputs that became initializers of the model.
type Signature struct{ Inputs, Outputs []Spec }

// signature reads either form that PyTorch has written.
func signature(s string) (Signature, bool) {
	if strings.HasPrefix(strings.TrimSpace(s), "#") {
		return signatureLines(s)
	}
	return signatureRepr(s)
}

// signatureLines reads the form with one line for each spec.
func signatureLines(s string) (Signature, bool) {
	var out Signature
	var list *[]Spec
	understood := true
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case line == "# inputs":
			list = &out.Inputs
		case line == "# outputs":
			list = &out.Outputs
		default:
			spec, ok := specLine(line)
			if !ok || list == nil {
				understood = false
				continue
			}
			*list = append(*list, spec)
		}
	}
	return out, understood && list != nil
}

// specLine reads "name: KIND target='name' persistent=True".
func specLine(line string) (Spec, bool) {
	name, rest, ok := strings.Cut(line, ": ")
	if !ok {
		return Spec{}, false
	}
	spec := Spec{Name: name}
	if before, after, found := cutLast(rest, " persistent="); found {
		// It may also be part of the target, which is not escaped.
		if spec.Persistence, found = asPersistence(after); found {
			rest = before
		}
	}
	kind, target, hasTarget := strings.Cut(rest, " target='")
	if hasTarget {
		if spec.Target, ok = strings.CutSuffix(target, "'"); !ok {
			return Spec{}, false
		}
	}
	spec.Kind = Kind(kind)
	return spec, kind != "" && !strings.Contains(kind, " ")
}
