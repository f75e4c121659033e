package fault_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"lathe/session/ort/fault"
)

// describe writes what a fault says, one fact a line, empty ones left out.
func describe(f fault.Fault) string {
	var out strings.Builder
	say := func(what, text string) {
		if text != "" {
			fmt.Fprintf(&out, "  %-9s %s\n", what, text)
		}
	}
	kind := string(f.Kind)
	if !f.Recognized() {
		kind = "UNRECOGNIZED"
	}
	if f.Stage != fault.Unknown {
		kind += ", " + string(f.Stage)
	}
	say("kind", kind)
	for _, n := range f.Around {
		say("around", node(n))
	}
	say("node", node(f.Node))
	if f.Value != "" {
		say("value", fmt.Sprintf("%q", f.Value))
	}
	say("attribute", f.Attribute)
	if f.Side != "" {
		say("operand", fmt.Sprintf("%s %d", f.Side, f.Position))
	}
	if f.HasAxis {
		say("axis", fmt.Sprint(f.Axis))
	}
	say("found", f.Found)
	say("wanted", f.Wanted)
	say("domain", f.Domain)
	say("file", f.File)
	say("detail", f.Detail)
	return out.String()
}

func node(n fault.Node) string {
	var parts []string
	if n.Named {
		parts = append(parts, fmt.Sprintf("%q", n.Name))
	}
	if n.Op != "" {
		parts = append(parts, strings.TrimPrefix(n.Domain+"::", "::")+n.Op)
	}
	if n.Version != 0 {
		parts = append(parts, fmt.Sprintf("since %d", n.Version))
	}
	if n.Inputs != nil || n.Outputs != nil {
		parts = append(parts, fmt.Sprintf("%q -> %q", n.Inputs, n.Outputs))
	}
	return strings.Join(parts, " ")
}

// TestParse reads every text that is kept. Texts of one model that say the same
// are listed once.
func TestParse(t *testing.T) {
	var out strings.Builder
	last, lastName := "", ""
	for _, file := range []string{"texts.txt", "texts_elsewhere.txt"} {
		for _, s := range readTexts(t, file) {
			if s.phase == "none" {
				continue
			}
			got := describe(fault.Parse(s.code, s.text))
			if s.name == lastName && got == last {
				continue
			}
			fmt.Fprintf(&out, "== %s (%s)\n%s", s.name, s.version, got)
			last, lastName = got, s.name
		}
	}
	golden.RequireEqual(t, []byte(out.String()))
}

// kinds are all kinds except Unrecognized.
var kinds = []fault.Kind{
	fault.UnknownOperator, fault.MissingOpset, fault.NoKernel, fault.FunctionInvalid,
	fault.TypeMismatch, fault.TypeRefused, fault.ShapeMismatch, fault.BodyMismatch,
	fault.OperandCount, fault.OperandMissing, fault.AttributeMissing, fault.AttributeUnknown, fault.AttributeInvalid,
	fault.ValueUndefined, fault.ValueUntyped, fault.DuplicateName, fault.Cycle,
	fault.OpsetUnsupported, fault.IRUnsupported, fault.NotAModel, fault.FileMissing, fault.ExternalData, fault.ConstantInvalid,
	fault.IndexOutOfRange, fault.AxisOutOfRange, fault.ValueInvalid, fault.OutOfMemory, fault.DeviceFailed, fault.ProviderFailed,
	fault.Canceled, fault.InferenceFailed, fault.OperatorFailed, fault.OptimizerFailed, fault.LocaleMissing, fault.FeedName, fault.FeedType, fault.FeedShape,
}

// TestKinds: each kind is that of some text, and none is missing in the list.
func TestKinds(t *testing.T) {
	met := map[fault.Kind]bool{fault.OptimizerFailed: true} // which a second try tells, and no text
	for _, file := range []string{"texts.txt", "texts_elsewhere.txt"} {
		for _, s := range readTexts(t, file) {
			met[fault.Parse(s.code, s.text).Kind] = true
		}
	}
	for _, k := range kinds {
		if !met[k] {
			t.Errorf("no text is of kind %q", k)
		}
		delete(met, k)
	}
	delete(met, fault.Unrecognized)
	if len(met) > 0 {
		t.Errorf("kinds that are not listed: %v", met)
	}
}
