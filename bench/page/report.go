package page

import (
	"fmt"
	"io"
	"path"
	"strings"

	"lathe/bench/store"
	"lathe/session/text"
)

// Report is the content of a document, independent of its format.
type Report struct {
	Title string
	// Findings are the main results as sentences, shown first.
	Findings []string
	Sections []Section
	// Values are all numbers, one for each row of the CSV format.
	Values []Value
}

// Section shows one result.
type Section struct {
	ID    string // unique in the page
	Title string
	// Facts say what was measured, when, and on which machine.
	Facts []Fact
	Parts []Part
}

// Fact is something that was the case during the measurement, such as the processor, as a name and
// a value.
type Fact struct{ Name, Value string }

// Part shows one aspect of a result, such as its latencies, as a table with figures and notes.
type Part struct {
	Title string
	Notes []string // remarks about the numbers
	// Figures show numbers of the table.
	Figures []Figure
	Table   Table
}

// Figure is a drawing and its description in words.
type Figure struct {
	Title, Alt string
	SVG        string // an element whose colours are variables
}

// Table has the numbers of a part.
type Table struct {
	Titles []string // a title that begins with > marks a numeric column, aligned right
	Rows   [][]string
	// LeftOut says how many rows are left out; empty if none.
	LeftOut string
}

// add adds a row with the given cells.
func (t *Table) add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Value is one number of a result with everything that identifies it. It is one row of the CSV
// format, which can be sorted and filtered by each field.
type Value struct {
	File, Kind, Time, Machine, Model, Subject, Metric string
	// Number is the number as text; empty if it is unknown. Unit may be empty.
	Number, Unit string
}

// Format is an output format of a report.
type Format string

// The formats.
const (
	formatHTML     Format = "html"
	formatMarkdown Format = "md"
	formatCSV      Format = "csv"
)

// FormatOf returns the format for a file name's extension.
func FormatOf(name string) (Format, error) {
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".html", ".htm":
		return formatHTML, nil
	case ".md", ".markdown":
		return formatMarkdown, nil
	case ".csv":
		return formatCSV, nil
	default:
		return "", fmt.Errorf("%s: the name ends in none of .html, .md and .csv", name)
	}
}

// Write writes the report in format f.
func (r *Report) Write(w io.Writer, f Format) error {
	switch f {
	case formatMarkdown:
		return r.writeMarkdown(w)
	case formatCSV:
		return r.writeCSV(w)
	}
	return r.writeHTML(w)
}

// New returns a report of the results, in the given order.
func New(results []*store.Result) (*Report, error) {
	r := &Report{Title: "Lathe report"}
	if len(results) == 1 {
		r.Title = titleOf(results[0])
	}
	for i, x := range results {
		s, err := r.section(x)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.File, err)
		}
		s.ID = fmt.Sprintf("result-%d", i+1)
		r.Sections = append(r.Sections, s)
	}
	return r, nil
}

// section returns the section of a result.
func (r *Report) section(x *store.Result) (Section, error) {
	s := Section{Title: titleOf(x), Facts: factsOf(x)}
	var err error
	switch x.Kind {
	case store.KindBench:
		err = r.bench(&s, x)
	case store.KindValidate:
		err = r.validation(&s, x)
	case store.KindQuantize:
		err = r.quantization(&s, x)
	case store.KindProfile:
		err = r.profile(&s, x)
	case store.KindSensitivity:
		err = r.sensitivity(&s, x)
	case store.KindAccuracy:
		err = r.accuracy(&s, x)
	case store.KindCompare:
		err = r.modes(&s, x)
	}
	return s, err
}

// titles maps each kind of result to its title.
var titles = map[string]string{
	store.KindBench: "Latency", store.KindValidate: "Numbers", store.KindQuantize: "Quantization", store.KindProfile: "Profile",
	store.KindSensitivity: "Sensitivity", store.KindAccuracy: "Accuracy", store.KindCompare: "Modes of quantization",
}

// mostNames is the maximum number of models named in a title.
const mostNames = 3

func titleOf(x *store.Result) string {
	var names []string
	for i, m := range x.Models {
		if i == mostNames {
			names = append(names, fmt.Sprintf("%d more", len(x.Models)-mostNames))
			break
		}
		names = append(names, text.CleanLine(path.Base(m.Path)))
	}
	if len(names) == 0 {
		return titles[x.Kind]
	}
	return titles[x.Kind] + " of " + strings.Join(names, ", ")
}

// factsOf returns the facts about a result: its file, when and on which machine it was measured,
// the settings that all subjects share, and the models.
func factsOf(x *store.Result) []Fact {
	var out []Fact
	add := func(name, value string) {
		if value != "" {
			out = append(out, Fact{name, text.CleanLine(value)})
		}
	}
	add("File", x.File)
	if !x.Time.IsZero() {
		add("Measured", x.Time.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	add("Machine", x.Machine.Name)
	for _, t := range x.Machine.Traits() {
		add(traitTitle(t.Name), t.Value)
	}
	for _, s := range shared(x.Subjects) {
		add(s.Name, s.Value)
	}
	for _, m := range x.Models {
		add("Model", modelFact(m))
	}
	add("Lathe", x.Lathe)
	return out
}

func modelFact(m store.Model) string {
	s := m.Path
	if m.On != "" {
		s += " by " + m.On
	}
	if m.Bytes > 0 {
		s += ", " + text.Bytes(m.Bytes)
	}
	if short := m.Short(); short != "" {
		s += ", content " + short
	}
	return s
}

func traitTitle(name string) string {
	switch name {
	case "cpu":
		return "Processor"
	case "os":
		return "System"
	case "cpu_limit":
		return "Processors allowed"
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// shared returns the settings that all subjects have with the same value.
func shared(subjects []store.Subject) []Fact {
	var out []Fact
	if len(subjects) == 0 {
		return nil
	}
	for _, name := range subjects[0].Settings.Names() {
		value, same := subjects[0].Settings[name], true
		for _, s := range subjects {
			same = same && s.Settings[name] == value
		}
		if same {
			out = append(out, Fact{settingTitle(name), value})
		}
	}
	return out
}

func settingTitle(name string) string {
	switch name {
	case store.SettingEP:
		return "Providers asked for"
	case store.SettingRuntime:
		return "ONNX Runtime"
	case "":
		return "(no name)"
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// values adds the numbers of one result to the values of a report.
type values struct {
	of     *Report
	result *store.Result
}

func (v values) add(model, subject, metric string, number *float64, unit string) {
	x := v.result
	row := Value{
		File: text.CleanLine(x.File), Kind: x.Kind, Machine: text.CleanLine(x.Machine.Name),
		Model: text.CleanLine(model), Subject: text.CleanLine(subject), Metric: metric, Unit: unit,
	}
	if !x.Time.IsZero() {
		row.Time = x.Time.UTC().Format("2006-01-02T15:04:05Z")
	}
	if number != nil {
		row.Number = fmt.Sprintf("%.6g", *number)
	}
	v.of.Values = append(v.of.Values, row)
}
