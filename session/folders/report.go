package folders

import (
	"context"

	"lathe/graphops/folder"
	"lathe/session/reporting"
)

// Report says which models a folder holds, and how their values reach each other.
type Report struct {
	Schema  string         `json:"schema"`
	Kind    string         `json:"kind"` // "folder"
	Path    string         `json:"path"`
	Layout  string         `json:"layout"` // such as "genai"; "loose" if no layout is known
	Why     string         `json:"why"`
	Members []MemberReport `json:"members"` // in an order in which each runs after those that it reads
	Wires   []WireReport   `json:"wires"`
	Shared  []SharedReport `json:"shared"`
	Callers []PortReport   `json:"callers"` // inputs that the caller gives
	Results []PortReport   `json:"results"` // outputs that no model of the folder reads
	Unknown []PortReport   `json:"unknown"` // inputs without evidence of where they come from
	Assumed []string       `json:"assumed"`
	// Problems are contradictions between models, or between the configuration and the files.
	Problems []ProblemReport `json:"problems"`
	Limits   []string        `json:"limits"` // what was not searched

	f *folder.Folder
}

// MemberReport is a model of a folder.
type MemberReport struct {
	Name     string   `json:"name"`
	Role     string   `json:"role"`
	File     string   `json:"file"`
	Why      string   `json:"why"`
	Variants []string `json:"variants"` // files of the same model in another precision
	Bytes    int64    `json:"bytes"`    // of the model file
	Summary  string   `json:"summary"`
	Inputs   []string `json:"inputs"`
	Outputs  []string `json:"outputs"`
	Error    string   `json:"error,omitempty"` // why it cannot be opened
}

// WireReport is a wire from an output to an input.
type WireReport struct {
	From     PortName `json:"from"`
	To       PortName `json:"to"`
	Type     string   `json:"type"`
	Evidence string   `json:"evidence"` // configuration, structure, name and type, or type only
	Why      string   `json:"why"`
	Turn     string   `json:"turn"`    // always, first run, or next run
	Via      string   `json:"via"`     // what the pipeline does in between, "" if nothing
	Assumed  string   `json:"assumed"` // what the evidence does not show
	Misfit   string   `json:"misfit"`  // why the value cannot be what the input takes
}

// PortName names an input or an output of a member.
type PortName struct {
	Member string `json:"member"`
	Name   string `json:"name"`
}

// PortReport is an input or output on the border of the folder.
type PortReport struct {
	PortName
	Role  string `json:"role"`
	About string `json:"about"` // "" if it is not known
}

// SharedReport is a group of inputs that get the same value.
type SharedReport struct {
	Ports []PortName `json:"ports"`
	Why   string     `json:"why"`
}

// ProblemReport is a problem of a folder, or of one of its members.
type ProblemReport struct {
	Severity string `json:"severity"` // error, warning or info
	Member   string `json:"member"`   // "" if it is about the folder
	Message  string `json:"message"`
}

// Describe makes the report on a folder.
func Describe(ctx context.Context, f *folder.Folder) (*Report, error) {
	r := &Report{
		Schema: "lathe.inspect/1", Kind: "folder", Path: f.Path, Layout: string(f.Kind), Why: f.Why, f: f,
		Members: []MemberReport{}, Wires: []WireReport{}, Shared: []SharedReport{}, Callers: []PortReport{}, Results: []PortReport{}, Unknown: []PortReport{},
		Assumed: reporting.OrEmpty(f.Assumed), Problems: ProblemsOf(f), Limits: reporting.OrEmpty(f.Limits),
	}
	for _, m := range f.Members {
		row, err := memberReport(ctx, m)
		if err != nil {
			return nil, err
		}
		r.Members = append(r.Members, row)
	}
	for i := range f.Wires {
		r.Wires = append(r.Wires, wireReport(&f.Wires[i]))
	}
	for _, s := range f.Shared {
		row := SharedReport{Why: s.Why}
		for _, p := range s.Ports {
			row.Ports = append(row.Ports, portName(p))
		}
		r.Shared = append(r.Shared, row)
	}
	for _, o := range f.Callers {
		if o.About == "" {
			r.Unknown = append(r.Unknown, portReport(o))
			continue
		}
		r.Callers = append(r.Callers, portReport(o))
	}
	for _, o := range f.Results {
		r.Results = append(r.Results, portReport(o))
	}
	return r, ctx.Err()
}

func memberReport(ctx context.Context, m *folder.Member) (MemberReport, error) {
	row := MemberReport{Name: m.Name, Role: string(m.Role), File: m.File, Why: m.Why, Variants: reporting.OrEmpty(m.Variants), Inputs: []string{}, Outputs: []string{}}
	if m.Model == nil {
		row.Error = m.Err.Error()
		return row, nil
	}
	s, err := reporting.SummaryOf(ctx, m.Model, m.Costs, nil, nil)
	if err != nil {
		return row, err
	}
	row.Bytes, row.Summary = m.Model.FileBytes(), s.Text
	for _, in := range m.Inputs() {
		row.Inputs = append(row.Inputs, in.Name)
	}
	for _, out := range m.Outputs() {
		row.Outputs = append(row.Outputs, out.Name)
	}
	return row, nil
}

func wireReport(w *folder.Wire) WireReport {
	return WireReport{
		From: portName(w.From), To: portName(w.To), Type: w.Type().Declaration(), Evidence: w.Evidence.String(), Why: w.Why,
		Turn: w.Turn.String(), Via: w.Via, Assumed: w.Assumed, Misfit: w.Misfit(),
	}
}

func portName(p folder.Port) PortName { return PortName{p.Member.Name, p.Name} }

func portReport(o folder.Outside) PortReport {
	return PortReport{portName(o.Port), o.Kind.String(), o.About}
}

// ProblemsOf returns the problems of a folder as rows of a report.
func ProblemsOf(f *folder.Folder) []ProblemReport {
	out := []ProblemReport{}
	for _, p := range f.Problems {
		row := ProblemReport{Severity: string(p.Severity), Message: p.Text}
		if p.Member != nil {
			row.Member = p.Member.Name
		}
		out = append(out, row)
	}
	return out
}
