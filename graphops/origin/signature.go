package origin

import "strings"

// Kind is the kind of an input or output of the exported program, under PyTorch's name. A later
// version of PyTorch may have kinds that are not among the constants.
type Kind string

// The kinds of inputs.
const (
	userInput      Kind = "USER_INPUT"
	parameter      Kind = "PARAMETER"
	buffer         Kind = "BUFFER"
	constantTensor Kind = "CONSTANT_TENSOR"
	customObject   Kind = "CUSTOM_OBJ"
	token          Kind = "TOKEN" // orders side effects; also an output
)

// The kinds of outputs.
const (
	userOutput          Kind = "USER_OUTPUT"
	lossOutput          Kind = "LOSS_OUTPUT"
	bufferMutation      Kind = "BUFFER_MUTATION"
	parameterMutation   Kind = "PARAMETER_MUTATION"
	gradientToParameter Kind = "GRADIENT_TO_PARAMETER"
	gradientToUserInput Kind = "GRADIENT_TO_USER_INPUT"
	userInputMutation   Kind = "USER_INPUT_MUTATION"
)

// kinds maps the known kinds to words for display.
var kinds = map[Kind]string{
	userInput: "user input", parameter: "parameter", buffer: "buffer", constantTensor: "constant tensor",
	customObject: "custom object", token: "token",
	userOutput: "user output", lossOutput: "loss", bufferMutation: "new value of a buffer",
	parameterMutation: "new value of a parameter", gradientToParameter: "gradient of a parameter",
	gradientToUserInput: "gradient of a user input", userInputMutation: "new value of a user input",
}

// String returns the kind in words. For an unknown kind it is PyTorch's name.
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
	// Target is the full name of the parameter or buffer, or the name of the user input that is
	// changed. It is "" for other kinds.
	Target      string
	Persistence Persistence
}

// Signature lists the inputs and outputs of the exported program. Among the inputs are its
// parameters and buffers, which are initializers in the model.
type Signature struct{ Inputs, Outputs []Spec }

// signature parses a signature in either of the two forms that versions of PyTorch write.
func signature(s string) (Signature, bool) {
	if strings.HasPrefix(strings.TrimSpace(s), "#") {
		return signatureLines(s)
	}
	return signatureRepr(s)
}

// signatureLines parses the form with one line for each input or output.
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

// specLine parses "name: KIND target='name' persistent=True".
func specLine(line string) (Spec, bool) {
	name, rest, ok := strings.Cut(line, ": ")
	if !ok {
		return Spec{}, false
	}
	spec := Spec{Name: name}
	if before, after, found := cutLast(rest, " persistent="); found {
		// If the end is not a valid value, it is part of the target, because the quotes in a target
		// are not escaped.
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
