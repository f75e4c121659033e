package tui

import (
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/text"
	"lathe/tui/cells"
)

// facts returns the model's totals, as far as they are known.
func (ws *workspace) facts() []string {
	m := ws.model()
	facts := []string{text.Plural(len(ws.outline.nodes), "node")}
	facts = append(facts, present([]string{ws.types.checkup.count()})...)
	if ws.wiring != nil {
		facts = append(facts, text.Short(ws.wiring.summary.Parameters)+" parameters")
		if ws.session.CanUndo() != "" {
			facts = append(facts, text.Bytes(ws.wiring.summary.WeightBytes)+" of weights")
		}
	}
	if ws.session.CanUndo() == "" && m.FileBytes() > 0 {
		facts = append(facts, text.Bytes(m.FileBytes()))
	}
	facts = append(facts, originOf(m)...)
	if done := ws.taken(); done != "" {
		facts = append(facts, "after "+done)
	}
	return facts
}

// taken returns the names of the steps that a saved recipe would contain, separated by commas.
func (ws *workspace) taken() string {
	var names []string
	for _, c := range ws.session.Recipe().Steps {
		names = append(names, c.Step)
	}
	return strings.Join(names, ", ")
}

// after returns the text that precedes a step's command line. It says that the earlier steps have
// to be taken first. It is "" if there are none, or if the step does not use the model in the
// workbench.
func (ws *workspace) after(s session.Step) string {
	if ws.session.CanUndo() == "" || !session.TakesModel(s) {
		return ""
	}
	return "after the earlier steps: "
}

// notices reports whether the line about marked values is shown.
func (ws *workspace) notices() bool { return len(ws.marks.names) > 0 }

func (ws *workspace) side() string {
	if j := ws.jobs.running(); j != nil {
		return cells.Cut(j.short(), 60)
	}
	if ws.span.on {
		return text.Plural(len(ws.chosen()), "row") + " in the range"
	}
	if ws.found.isOn() {
		return ws.found.summary(ws.row())
	}
	return fmt.Sprintf("%d/%d", min(ws.rows.Cursor+1, ws.rows.N), ws.rows.N)
}

// originOf returns the version of the default opset and the tool that made the model, safe to
// print.
func originOf(m *graphops.Model) []string {
	var out []string
	if v, ok := m.Opset(graphops.DefaultDomain); ok {
		out = append(out, fmt.Sprintf("opset %d", v))
	}
	if name, version := m.Producer(); name != "" {
		out = append(out, cells.Label(strings.TrimSpace(name+" "+version)))
	}
	return out
}
