package fault

import "fmt"

// locale is the explanation of a StringNormalizer whose locale the machine lacks.
func (e *explainer) locale() string {
	return fmt.Sprintf("locale %q is not installed on the machine that runs the model", e.Fault.Found)
}
