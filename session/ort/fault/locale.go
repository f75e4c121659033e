package fault

import "fmt"

// locale explains the fault of a StringNormalizer whose locale is not installed.
func (e *explainer) locale() string {
	return fmt.Sprintf("locale %q is not installed on the machine that runs the model", e.Fault.Found)
}
