package torch

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/edit"
)

// Name renames the inputs and outputs of a model that was exported from this one to their names in
// PyTorch, or to the requested names. It also returns those that could not be renamed. The old
// exporter was given names that contain the position of the argument. The new exporter keeps the
// order of all inputs, followed by those for weights; if some inputs are missing, it keeps the
// names of the rest.
func (b *Bridge) Name(m *graphops.Model, fakes int) (*graphops.Model, []edit.Renamed) {
	d := b.Description
	var want edit.Ports
	feeds := m.Graph().FeedInputs()
	whole := len(feeds)-fakes == len(d.Inputs)
	for _, v := range m.Graph().Inputs() {
		at, name := slices.Index(feeds, v), v.Name()
		if _, err := fmt.Sscanf(name, "lathe_input_%d", &at); at >= 0 && at < len(d.Inputs) && (err == nil || whole) {
			name = d.inputName(at)
		}
		want.Inputs = append(want.Inputs, name)
	}
	want.Outputs = d.OutputNames
	return edit.NamePorts(m, want)
}

// inputName returns the name of the input at a position: as requested, or derived from its path. If
// several inputs would have the same name, later ones get a number.
func (d Description) inputName(at int) string {
	var names []string
	for i, l := range d.Inputs[:at+1] {
		name := strings.ReplaceAll(l.Path, ".", "_")
		if i < len(d.InputNames) {
			name = d.InputNames[i]
		}
		base := name
		for n := 2; slices.Contains(names, name); n++ {
			name = fmt.Sprint(base, "_", n)
		}
		names = append(names, name)
	}
	return names[at]
}
