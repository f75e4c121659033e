package tensors

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/weights"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/workspace"
)

// ActionWeights is the action that lists the weights.
const ActionWeights = "weights"

// OpenWeights lists the stored tensors of the model, the largest first. Each leads to the row that
// reads it.
func OpenWeights(ws *workspace.Workspace) tea.Cmd {
	m := ws.Model()
	look := func(context.Context) []graph.Finding { return weightList(m) }
	return workspace.Once(ws, "listing the weights", look, func(list []graph.Finding) tea.Cmd {
		if len(list) == 0 {
			ws.Log.Say("the model stores no tensors")
			return nil
		}
		return workspace.OpenFindings(ws, text.Plural(len(list), "weight"), list)
	})
}

// weightList returns a line for each stored tensor of the model.
func weightList(m *graphops.Model) []graph.Finding {
	items := weights.List(m)
	slices.SortStableFunc(items, func(a, b weights.Item) int { return cmp.Compare(bytesOf(b), bytesOf(a)) })
	outlines := map[*graphops.Place]*graph.Outline{}
	out := make([]graph.Finding, len(items))
	for i, item := range items {
		out[i] = graph.Finding{Where: itemText(item), Text: weightText(item)}
		spots := readersOf(item)
		if len(spots) == 0 {
			out[i].Note = "no node reads it"
			continue
		}
		o := outlines[item.Place]
		if o == nil {
			o = graph.NewOutline(m, item.Place)
			outlines[item.Place] = o
		}
		out[i].Spot = spots[0]
		out[i].Note = "read by " + cells.Prose(o.Op(spots[0].Row)+" "+o.Name(spots[0].Row))
		if n := len(spots) - 1; n > 0 {
			out[i].Note += fmt.Sprintf(" and %s", text.Plural(n, "more node"))
		}
	}
	return out
}

func weightText(i weights.Item) string {
	return fmt.Sprintf("%s %s  %s", i.DType(), tensor.FormatShape(i.Dims()), text.Bytes(bytesOf(i)))
}

// bytesOf returns the size of a tensor, 0 if it is not known.
func bytesOf(i weights.Item) int64 {
	n, err := i.ByteLen()
	if err != nil {
		return 0
	}
	return n
}
