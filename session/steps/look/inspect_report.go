package look

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"lathe/graphops/cost"
	"lathe/session/flags"
	"lathe/session/reporting"
	"lathe/session/sizing"
	"lathe/session/text"
)

// InspectReport describes the content of a model.
type InspectReport struct {
	Schema        string            `json:"schema"`
	File          fileFacts         `json:"file"`
	IRVersion     int64             `json:"ir_version"`
	Opsets        map[string]int64  `json:"opsets"`
	Producer      string            `json:"producer"`
	Nodes         int               `json:"nodes"`
	SubgraphNodes int               `json:"subgraph_nodes"`
	Functions     int               `json:"functions"`
	Initializers  int               `json:"initializers"`
	Parameters    int64             `json:"parameters"` // also those that are packed into bytes
	WeightBytes   int64             `json:"weight_bytes"`
	Inputs        []reporting.Value `json:"inputs"`
	Outputs       []reporting.Value `json:"outputs"`
	Ops           map[string]int    `json:"ops"`
	// OpsByDomain distinguishes operators of the same name in different domains.
	OpsByDomain map[string]map[string]int `json:"ops_by_domain"`
	// Summary says what the model is, in words and as data.
	Summary *reporting.Summary `json:"summary"`
	// Roles says what each input and output is for.
	Roles *reporting.Roles `json:"roles"`
	// MACs and ActivationPeakBytes are null if some of their parts are not known; Cost then has the
	// known part. Cost is null if nothing was computed.
	MACs                quantity              `json:"macs"`
	ActivationPeakBytes *int64                `json:"activation_peak_bytes"`
	Cost                *costFacts            `json:"cost"`
	Metadata            metadata              `json:"metadata"`
	NodeList            *[]nodeEntry          `json:"node_list,omitempty"`
	ValueList           *[]valueEntry         `json:"value_list,omitempty"`
	TensorList          *[]tensorEntry        `json:"tensor_list,omitempty"`
	PlaceList           *[]placeEntry         `json:"place_list,omitempty"`
	Sizes               *[]sizing.Description `json:"sizes,omitempty"`
	// Compiled are the parts that an execution provider has compiled.
	Compiled []reporting.CompiledPart `json:"compiled,omitempty"`
	Warnings []string                 `json:"warnings"`

	byCount     []cost.OpCount
	allOps      bool
	allMetadata bool
	graph       metadata // metadata of the listed place
	speaks      bool     // the model is a language model, or roles are given
}

// summaryWidth is the number of columns of the sentence about the model.
const summaryWidth = 100

type fileFacts struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

// WriteText implements session.Report.
func (r *InspectReport) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s  %s\n", text.Clean(cmp.Or(r.File.Path, "standard input")), text.Bytes(r.File.Bytes))
	for _, line := range text.Wrap("  "+text.CleanLine(r.Summary.Text), summaryWidth, "  ") {
		fmt.Fprintln(w, line)
	}
	t := text.Table{}
	t.Add("IR version", r.IRVersion)
	t.Add("opsets", text.Clean(opsetLine(r.Opsets)))
	t.Add("producer", text.Clean(r.Producer))
	for _, line := range flags.ProvenanceLines(r.Metadata.of.Metadata()) {
		t.Add(line[0], text.Clean(line[1]))
	}
	t.Add("nodes", r.nodeLine())
	t.Add("parameters", fmt.Sprintf("%s in %s, %s", text.Count(r.Parameters), text.Plural(r.Initializers, "initializer"), text.Bytes(r.WeightBytes)))
	if line := r.macsLine(); line != "" {
		t.Add("MACs", text.Clean(line))
	}
	if line := r.peakLine(); line != "" {
		t.Add("memory", text.Clean(line))
	}
	if err := t.WriteText(w, "  "); err != nil {
		return err
	}
	reporting.WriteValues(w, "inputs", r.Inputs)
	reporting.WriteValues(w, "outputs", r.Outputs)
	if r.speaks {
		if err := reporting.WriteRoles(w, r.Roles); err != nil {
			return err
		}
		if err := r.Summary.WriteArchitecture(w); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "operators\n  %s\n", text.Clean(r.opLine()))
	unsummed := fmt.Sprintf("not computed for more than %s without --digest", text.Bytes(reporting.MaxSummed))
	if err := reporting.WriteCompiled(w, r.Compiled, unsummed); err != nil {
		return err
	}
	reporting.WriteWarnings(w, r.Warnings)
	if r.Sizes != nil {
		if err := sizing.WriteDescriptions(w, *r.Sizes); err != nil {
			return err
		}
	}
	if err := r.writeLists(w); err != nil || !r.allMetadata {
		return err
	}
	return r.writeMetadata(w)
}

func (r *InspectReport) nodeLine() string {
	s := text.Count(int64(r.Nodes))
	if r.SubgraphNodes > 0 {
		s += fmt.Sprintf(", and %s in subgraphs", text.Count(int64(r.SubgraphNodes)))
	}
	if r.Functions > 0 {
		s += ", " + text.Plural(r.Functions, "local function")
	}
	return s
}

func opsetLine(opsets map[string]int64) string {
	var parts []string
	for _, domain := range slices.Sorted(maps.Keys(opsets)) {
		parts = append(parts, fmt.Sprintf("%s %d", domain, opsets[domain]))
	}
	return strings.Join(parts, ", ")
}

// fewOps is how many operators the summary names.
const fewOps = 12

func (r *InspectReport) opLine() string {
	var parts []string
	for i, o := range r.byCount {
		if i == fewOps && !r.allOps {
			parts = append(parts, fmt.Sprintf("and %d more (--ops)", len(r.byCount)-fewOps))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %d", o.Op, o.Count))
	}
	return strings.Join(parts, " · ")
}

func (r *InspectReport) writeLists(w io.Writer) error {
	if r.NodeList != nil {
		t := text.Table{Titles: []string{">#", "op", "name", ">MACs", "inputs", "outputs"}}
		for _, n := range *r.NodeList {
			t.Add(n.Index, text.Clean(n.Op), text.Clean(n.Name), text.Clean(n.macsText()), text.Clean(strings.Join(n.Inputs, ", ")), text.Clean(strings.Join(n.Outputs, ", ")))
		}
		fmt.Fprintln(w, "\nnodes")
		if err := t.WriteText(w, "  "); err != nil {
			return err
		}
	}
	if r.ValueList != nil {
		t := text.Table{Titles: []string{"value", "type", "shape", ">made by", "read by"}}
		for _, v := range *r.ValueList {
			made := "–"
			if v.Producer != nil {
				made = fmt.Sprint(*v.Producer)
			}
			t.Add(text.Clean(v.Name), v.Type, text.Clean(v.ShapeText()), made, strings.Trim(fmt.Sprint(v.Consumers), "[]"))
		}
		fmt.Fprintln(w, "\nvalues")
		if err := t.WriteText(w, "  "); err != nil {
			return err
		}
	}
	if r.TensorList != nil {
		t := text.Table{Titles: []string{"tensor", "type", "shape", ">size", "where", ">offset"}}
		for _, x := range *r.TensorList {
			offset := ""
			if x.Offset != nil {
				offset = fmt.Sprint(*x.Offset)
			}
			t.Add(text.Clean(x.Name), x.Type, x.Shape, text.Bytes(x.Bytes), text.Clean(x.Location), offset)
		}
		fmt.Fprintln(w, "\ntensors")
		if err := t.WriteText(w, "  "); err != nil {
			return err
		}
	}
	return r.writePlaces(w)
}

func (r *InspectReport) writePlaces(w io.Writer) error {
	if r.PlaceList == nil {
		return nil
	}
	t := text.Table{Titles: []string{"place", "kind", ">nodes", "captures"}}
	for _, p := range *r.PlaceList {
		place := text.Clean(strings.Join(p.Place, " › "))
		if len(p.Place) == 0 {
			place = "(main)"
		}
		t.Add(place, p.Kind, p.Nodes, text.Clean(strings.Join(p.Captures, ", ")))
	}
	fmt.Fprintln(w, "\nplaces")
	return t.WriteText(w, "  ")
}
