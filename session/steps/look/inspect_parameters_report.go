package look

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/parameters"
	"lathe/graphops/tensor"
	"lathe/session/reporting"
	"lathe/session/text"
)

// parametersReport describes a file of stored tensors without a graph.
type parametersReport struct {
	Schema      string          `json:"schema"`
	Kind        parameters.Kind `json:"kind"` // "checkpoint", "safetensors" or "npz"
	File        fileFacts       `json:"file"`
	Files       []fileFacts     `json:"files"` // further files that belong to it
	Tensors     int             `json:"tensors"`
	Parameters  int64           `json:"parameters"` // elements of all tensors
	WeightBytes int64           `json:"weight_bytes"`
	Checkpoint  *trainingFacts  `json:"checkpoint"` // null unless the file is a checkpoint
	Metadata    metadata        `json:"metadata"`   // of a safetensors file
	TensorList  []storedEntry   `json:"tensor_list"`
	Warnings    []string        `json:"warnings"`

	all, allMetadata bool
	groups           map[parameters.Group]int
}

// trainingFacts are the facts of a checkpoint apart from its parameters.
type trainingFacts struct {
	Version         int32            `json:"version"`
	Nominal         bool             `json:"nominal"`
	ExternalData    bool             `json:"external_data"`
	OptimizerGroups []optimizerFacts `json:"optimizer_groups"`
	Properties      []propertyFacts  `json:"properties"`
}

type optimizerFacts struct {
	Name         string        `json:"name"`
	Step         int64         `json:"step"`
	LearningRate tensor.Number `json:"initial_learning_rate"`
	States       []stateFacts  `json:"states"`
}

type stateFacts struct {
	Parameter string        `json:"parameter"`
	Tensors   []storedEntry `json:"tensors"`
}

type propertyFacts struct {
	Name  string `json:"name"`
	Type  string `json:"type"` // "int64", "float32" or "string"
	Value any    `json:"value"`
}

// storedMetadata is metadata that does not belong to a model.
type storedMetadata []graphops.Entry

// Metadata implements entries.
func (m storedMetadata) Metadata() []graphops.Entry { return m }

func newParametersReport(set *parameters.Set, listed []parameters.Entry, s *Inspect) *parametersReport {
	r := &parametersReport{
		Schema: "lathe.inspect/1", Kind: set.Kind,
		Files: []fileFacts{}, Tensors: len(set.Entries),
		Metadata: metadata{storedMetadata(set.Metadata)}, TensorList: storedList(set, listed), Warnings: reporting.OrEmpty(set.Warnings),
		all: s.Tensors || s.Filter != "", allMetadata: s.Metadata, groups: map[parameters.Group]int{},
	}
	for i, f := range set.Files {
		facts := fileFacts{f.Path(), f.Size()}
		if i == 0 {
			r.File = facts
			continue
		}
		r.Files = append(r.Files, facts)
	}
	for _, e := range set.Entries {
		if n, err := tensor.Elements(e.Dims); err == nil && (set.Training == nil || !set.Training.Nominal) {
			r.Parameters += n
		}
		r.WeightBytes += e.Bytes
		r.groups[e.Group]++
	}
	if set.Training != nil {
		r.Checkpoint = newTrainingFacts(set)
	}
	return r
}

func newTrainingFacts(set *parameters.Set) *trainingFacts {
	t := set.Training
	out := &trainingFacts{Version: t.Version, Nominal: t.Nominal, ExternalData: t.External, OptimizerGroups: []optimizerFacts{}, Properties: []propertyFacts{}}
	for _, g := range t.Groups {
		facts := optimizerFacts{Name: g.Name, Step: g.Step, LearningRate: shortNumber(g.LearningRate), States: []stateFacts{}}
		for _, s := range g.States {
			facts.States = append(facts.States, stateFacts{s.Parameter, storedList(set, s.Tensors)})
		}
		out.OptimizerGroups = append(out.OptimizerGroups, facts)
	}
	for _, p := range t.Properties {
		facts := propertyFacts{p.Name, fmt.Sprintf("%T", p.Value), p.Value}
		if x, ok := p.Value.(float32); ok {
			facts.Value = shortNumber(x)
		}
		out.Properties = append(out.Properties, facts)
	}
	return out
}

// shortNumber converts a float32 through its shortest decimal form, so that 0.1 stays 0.1.
func shortNumber(x float32) tensor.Number {
	v, err := strconv.ParseFloat(strconv.FormatFloat(float64(x), 'g', -1, 32), 64)
	if err != nil {
		return tensor.Number(x)
	}
	return tensor.Number(v)
}

// WriteText implements session.Report.
func (r *parametersReport) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s  %s, %s\n", text.Clean(r.File.Path), r.Kind, text.Bytes(r.File.Bytes))
	t := text.Table{}
	t.Add("parameters", fmt.Sprintf("%s in %s, %s", text.Count(r.Parameters), text.Plural(r.Tensors, "tensor"), text.Bytes(r.WeightBytes)))
	for _, f := range r.Files {
		t.Add("file", fmt.Sprintf("%s  %s", text.Clean(beside(r.File.Path, f.Path)), text.Bytes(f.Bytes)))
	}
	r.Checkpoint.addTo(&t, r.groups)
	if err := t.WriteText(w, "  "); err != nil {
		return err
	}
	reporting.WriteWarnings(w, r.Warnings)
	if err := r.writeTensors(w); err != nil {
		return err
	}
	if err := r.Checkpoint.writeText(w, r.all); err != nil {
		return err
	}
	if !r.allMetadata {
		if n := len(r.Metadata.of.Metadata()); n > 0 {
			fmt.Fprintf(w, "\nmetadata: %s (--metadata)\n", text.Plural(n, "entry"))
		}
		return nil
	}
	fmt.Fprintln(w, "\nmetadata")
	return r.Metadata.writeText(w)
}

// fewTensors is how many tensors are listed without --tensors.
const fewTensors = 20

func (r *parametersReport) writeTensors(w io.Writer) error {
	rows := r.TensorList
	if !r.all && len(rows) > fewTensors {
		rows = rows[:fewTensors]
	}
	fmt.Fprintln(w, "\ntensors")
	if err := writeStored(w, rows, r.Checkpoint != nil && r.Checkpoint.Nominal); err != nil {
		return err
	}
	if more := len(r.TensorList) - len(rows); more > 0 {
		fmt.Fprintf(w, "  and %s more (--tensors)\n", text.Count(int64(more)))
	}
	return nil
}

// writeStored writes a table of stored tensors. A nominal checkpoint has only names and types of
// tensors, so shape and location are left out.
func writeStored(w io.Writer, rows []storedEntry, nominal bool) error {
	t := text.Table{Titles: []string{"tensor", "type", "shape", ">size", "group", "where", ">offset", ""}}
	for _, x := range rows {
		offset := ""
		if x.Offset != nil {
			offset = fmt.Sprint(*x.Offset)
		}
		kind := x.Type
		if kind == tensor.Undefined.String() {
			kind = text.Clean(x.StoredType)
		}
		if nominal {
			t.Add(text.Clean(x.Name), kind, "–", "–", x.Group, "", "", "")
			continue
		}
		t.Add(text.Clean(x.Name), kind, x.Shape, text.Bytes(x.Bytes), x.Group, text.Clean(x.Location), offset, text.Clean(x.Unusable))
	}
	return t.WriteText(w, "  ")
}

// addTo adds a few lines about a checkpoint. A nil receiver adds nothing.
func (f *trainingFacts) addTo(t *text.Table, groups map[parameters.Group]int) {
	if f == nil {
		return
	}
	t.Add("training", fmt.Sprintf("%d trainable, %d frozen", groups[parameters.Trainable], groups[parameters.Frozen]))
	t.Add("version", f.Version)
	if f.Nominal {
		t.Add("nominal", "names and types only: there are no values to export")
	}
	for _, g := range f.OptimizerGroups {
		t.Add("optimizer", text.Clean(g.line()))
	}
	for _, p := range f.Properties {
		t.Add("property", fmt.Sprintf("%s = %s  %s", text.Clean(p.Name), text.Clean(p.shown()), p.Type))
	}
}

// shown returns the value, shortened if it is a long text.
func (p propertyFacts) shown() string {
	const most = 200
	s := fmt.Sprint(p.Value)
	if len(s) <= most {
		return s
	}
	return fmt.Sprintf("%s… (%s, --json has all)", s[:most], text.Bytes(int64(len(s))))
}

// line says which optimizer states a group has, and for how many parameters.
func (g optimizerFacts) line() string {
	bytes, names := int64(0), []string{}
	for _, s := range g.States {
		for _, x := range s.Tensors {
			bytes += x.Bytes
			if len(names) <= fewTensors && !slices.Contains(names, x.Name) {
				names = append(names, x.Name)
			}
		}
	}
	if len(names) > fewTensors {
		names[fewTensors] = "… (--tensors)"
	}
	s := fmt.Sprintf("%s: step %d, initial learning rate %v, states of %s", g.Name, g.Step, g.LearningRate, text.Plural(len(g.States), "parameter"))
	if len(names) > 0 {
		s += fmt.Sprintf(" (%s), %s", strings.Join(names, ", "), text.Bytes(bytes))
	}
	return s
}

// writeText lists the optimizer states if all is set.
func (f *trainingFacts) writeText(w io.Writer, all bool) error {
	if f == nil || !all {
		return nil
	}
	for _, g := range f.OptimizerGroups {
		var rows []storedEntry
		for _, s := range g.States {
			for _, x := range s.Tensors {
				x.Name = s.Parameter + " " + x.Name
				rows = append(rows, x)
			}
		}
		if len(rows) == 0 {
			continue
		}
		fmt.Fprintf(w, "\nstates of optimizer %s\n", text.Clean(g.Name))
		if err := writeStored(w, rows, f.Nominal); err != nil {
			return err
		}
	}
	return nil
}
