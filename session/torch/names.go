package torch

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/edit"
)

// Name is a model that was exported from this one, with its inputs and outputs called as they are
// in PyTorch, or as was asked for, and those that could not be called so. The old exporter was
// given names that have the position of the argument. The new one gives all inputs in order, and
// behind them those that stand for weights; where some are missing, the rest have their names.
func (b *Bridge) Name(m *graphops.Model, fakes int) (*graphops.Model, []edit.Renamed) {
	d := b.Description
	var want edit.Ports
	feeds := m.Graph().FeedInputs()
	whole := len(feeds)-fakes == len(d.Inputs)
	for _, v := range m.Graph().Inputs() {
		at, name := slices.Index(feeds, v), v.Name()
		if _, err := fmt.Sscanf(name, "lathe_input_%d", &at); at >= 0 && at < len(d.Inputs) && (err == nil || whole) {
			name = d.InputName(at)
		}
		want.Inputs = append(want.Inputs, name)
	}
	want.Outputs = d.OutputNames
	return edit.NamePorts(m, want)
}

// InputName is what the input at a position is called in a model: as was asked for, or by its path.
// Of several inputs that would be called alike the later ones get a number.
func (d Description) InputName(at int) string {
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
