package session

import (
	"fmt"
	"path/filepath"
	"strings"
)

// CommandLines returns the command lines that take the steps of before on a model, one after the other,
// and then the last step, joined by "&&". The result of each earlier step goes to a file that is named
// after the model. If an earlier step cannot write one, it returns "".
func CommandLines(before []Command, last Command, model string) string {
	if !TakesModel(last) {
		return CommandOf(last, model)
	}
	stem := strings.TrimSuffix(model, filepath.Ext(model))
	if model == "-" {
		stem = "model"
	}
	var lines []string
	for i, step := range before {
		file, ok := WithRole(step, RoleModel)
		next := fmt.Sprintf("%s.step%d.onnx", stem, i+1)
		if !ok || file.Set(next) != nil {
			return ""
		}
		lines = append(lines, CommandOf(step, model))
		model = next
	}
	return strings.Join(append(lines, CommandOf(last, model)), " && ")
}
