package inplace

import (
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/tui/actions"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// ActionBranch keeps one branch of an If.
const ActionBranch actions.Name = "keep-branch"

// branchPass is the pass of simplify that puts the branch that runs in the place of an If.
const branchPass = "constant-branches"

// Branch is a branch of an If, and the input of the model that chooses it.
type Branch struct {
	Input string
	Value bool // for which the branch runs
}

// BranchRefusal says why no branch can be kept at the selected row, or "".
func BranchRefusal(ws *workspace.Workspace) string {
	if why := ws.Busy(); why != "" {
		return why
	}
	_, why := branches(ws)
	return why
}

// KeepBranch gives the input that chooses a branch the value for which this branch runs, and puts the
// branch in the place of the If. Inside of a branch it keeps that one. At an If it asks which one.
func KeepBranch(ws *workspace.Workspace) tea.Cmd {
	found, why := branches(ws)
	if why != "" {
		ws.Log.Say(why)
		return nil
	}
	if len(found) == 1 {
		return keep(ws, found[0])
	}
	choices := make([]shell.Choice, len(found))
	for i, b := range found {
		choices[i] = shell.Choice{Label: fmt.Sprintf("the branch for %s = %v", b.Input, b.Value), Do: func() tea.Cmd { return keep(ws, b) }}
	}
	ws.Host.Open(shell.NewChooseDialog(ws.Host, "keep which branch", choices))
	return nil
}

func keep(ws *workspace.Workspace, b Branch) tea.Cmd {
	fix, err := mainStep(ws, "constants", [][2]string{{"mode", "from-inputs"}, {"set", b.Input + "=" + strconv.FormatBool(b.Value)}})
	if err != nil {
		ws.Log.Fail(err)
		return nil
	}
	simplify, err := mainStep(ws, "simplify", [][2]string{{"only", branchPass}})
	if err != nil {
		ws.Log.Fail(err)
		return nil
	}
	return ws.RunAll(fix, simplify)
}

// branches returns the branches that can be kept at the selected row: that around it, or both of an If.
func branches(ws *workspace.Workspace) ([]Branch, string) {
	place := ws.Outline.Place
	for p := place; p.Kind == graphops.BodyGraph; p = p.Parent {
		if n := p.Parent.Graph.Nodes()[p.Node]; n.Is("If") && p.Parent.Kind == graphops.MainGraph {
			b, why := chosenBy(p.Parent.Graph, n)
			b.Value = b.Value == (p.Attribute == "then_branch")
			return []Branch{b}, why
		}
	}
	n := ws.Outline.Node(ws.Row())
	if place.Kind != graphops.MainGraph || n == nil || !n.Is("If") {
		return nil, "no branch of an If of the main graph is here"
	}
	b, why := chosenBy(place.Graph, n)
	return []Branch{{b.Input, b.Value}, {b.Input, !b.Value}}, why
}

// passing are the operators through which a condition passes unchanged.
var passing = []string{"Identity", "Cast", "Squeeze", "Unsqueeze", "Reshape"}

// chosenBy follows the condition of an If to an input of the model. The result is the branch that runs
// if the condition is true.
func chosenBy(g *graphops.Graph, n *graphops.Node) (Branch, string) {
	x, out := g.Index(), Branch{Value: true}
	for name := n.Input(0); ; {
		id, ok := x.Value(name)
		if !ok {
			return out, "the condition of this If is not defined"
		}
		made := x.Producer(id)
		if made < 0 && !x.IsInput(id) {
			return out, "the condition of this If is a constant already; simplify keeps the branch that runs"
		}
		if made < 0 {
			out.Input = name
			return out, ""
		}
		by := g.Nodes()[made]
		switch {
		case by.Is("Not"):
			out.Value = !out.Value
		case !slices.ContainsFunc(passing, by.Is):
			return out, fmt.Sprintf("the condition of this If is computed by a node %s, not given by an input", by.OpType())
		}
		name = by.Input(0)
	}
}
