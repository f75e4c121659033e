package check

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
)

// rewrite returns the step that writes external data again; nil if some of it cannot be read.
func (s *subject) rewrite() *Fix {
	if len(s.external().faults) > 0 {
		return nil
	}
	return &Fix{Step: "export", Options: []Setting{{"external-data", "1024"}}}
}

// externalData has the faults and warnings of external data.
type externalData struct {
	warnings []graphops.ExternalWarning
	faults   []graphops.ExternalFault
}

func (s *subject) lookOutside() externalData {
	return externalData{
		warnings: graphops.ExternalWarnings(s.model, func() string { return s.Runtime }),
		faults:   slices.Collect(s.model.ExternalFaults()),
	}
}

// externalFaults reports data that cannot be read, once for each data file, or for each tensor
// if the tensor itself is the problem.
func externalFaults(kind graphops.ExternalFaultKind) func(*subject, reporter) {
	return func(s *subject, report reporter) {
		type group struct {
			Problem
			tensors int
		}
		var groups []*group
		known := map[string]*group{}
		for _, f := range s.external().faults {
			if f.Kind != kind {
				continue
			}
			g := known[f.Location]
			if g == nil || kind == graphops.FaultEntries {
				g = &group{Problem: ofTensor(f.StoredTensor, "%s", f.Text)}
				g.Severity, g.Hint = Warning, f.Advice
				known[f.Location], groups = g, append(groups, g)
			}
			g.tensors++
			g.Severity = min(g.Severity, s.ifNeeded(f))
		}
		for _, g := range groups {
			if g.tensors > 1 {
				g.Message += fmt.Sprintf("; the same applies to %d tensors in total", g.tensors)
			}
			report(g.Problem)
		}
	}
}

// ifNeeded returns Error for external data that ONNX Runtime checks, and otherwise Warning. ONNX
// Runtime notices a data file that is too short only when it reads the data.
func (s *subject) ifNeeded(f graphops.ExternalFault) Severity {
	if f.Kind == graphops.FaultRange {
		return s.ifUsed(f.StoredTensor)
	}
	return s.ifRead(f.StoredTensor)
}

func externalWarnings(kind graphops.ExternalKind) func(*subject, reporter) {
	return func(s *subject, report reporter) {
		for _, w := range s.external().warnings {
			if w.Kind == kind && w.Operands == nil {
				p := in(nil, "%s", w.Text)
				p.Fix = s.rewrite()
				if kind == graphops.ExternalRefused && !s.readsAny(w.Tensors) {
					p.Severity = Warning
				}
				report(p)
			}
		}
	}
}

// readsAny reports whether a node reads one of some external tensors.
func (s *subject) readsAny(list []*graphops.Tensor) bool {
	those := map[*graphops.Tensor]bool{}
	for _, t := range list {
		those[t] = true
	}
	for _, t := range s.tensors() {
		if t.Node >= 0 && t.IsExternal() || those[t.Tensor] && s.isRead(t) {
			// tensors of attributes are decoded again each time, so they cannot be compared
			return true
		}
	}
	return false
}

// embedded is the size up to which "lathe export" keeps a tensor in the model file.
const embedded = 1024

func externalOperands(s *subject, report reporter) {
	for _, w := range s.external().warnings {
		for _, o := range w.Operands {
			n := o.Place.Graph.Nodes()[o.Node]
			p := of(site{n, o.Place, o.Node}, "input %d, %q, is needed while the model is loaded, but is in another file", o.Input, o.Name)
			p.Value = o.Name
			if !s.isCalled(o.Place) {
				p.Severity = Warning
			}
			if t, _ := o.Place.Constant(o.Name); t != nil {
				if size, err := t.ByteLen(); err == nil && size < embedded {
					p.Fix = s.rewrite()
				}
			}
			report(p)
		}
	}
}

// pageBytes is the alignment that the standard recommends. mappedBytes is the size from which a
// tensor should be aligned to a page.
const (
	pageBytes   = 4096
	mappedBytes = 1 << 20
)

// alignmentOf returns the recommended alignment of an external tensor: a page if it is large,
// and otherwise the size of an element.
func alignmentOf(t graphops.StoredTensor) int64 {
	if size, err := t.ByteLen(); err == nil && size >= mappedBytes {
		return pageBytes
	}
	return max(1, int64(t.DType().Bits())/8)
}

func misaligned(s *subject, report reporter) {
	type kind struct {
		location string
		multiple int64
	}
	var order []kind
	count := map[kind]int{}
	first := map[kind]graphops.StoredTensor{}
	for _, t := range s.tensors() {
		if !t.IsExternal() {
			continue
		}
		r, err := t.ExternalRange()
		k := kind{r.Location, alignmentOf(t)}
		if err != nil || r.Offset%k.multiple == 0 {
			continue
		}
		if count[k]++; count[k] == 1 {
			order, first[k] = append(order, k), t
		}
	}
	for _, k := range order {
		t := first[k]
		r, _ := t.ExternalRange() // it was read above
		p := in(t.Place, "external data %q: %s at a multiple of %d bytes, such as %q at offset %d", k.location, doNotBegin(count[k], k.multiple), k.multiple, t.Name(), r.Offset)
		p.Value, p.Fix = t.Constant, s.rewrite()
		report(p)
	}
}

func doNotBegin(n int, multiple int64) string {
	what := "tensor"
	if multiple == pageBytes {
		what = "large tensor"
	}
	if n == 1 {
		return "1 " + what + " does not start"
	}
	return fmt.Sprintf("%d %ss do not start", n, what)
}

func locationsByCase(s *subject, report reporter) {
	first := map[string]string{}
	told := map[string]bool{}
	for _, t := range s.tensors() {
		if !t.IsExternal() {
			continue
		}
		r, err := t.ExternalRange()
		if err != nil {
			continue
		}
		key := strings.ToLower(r.Location)
		if other, ok := first[key]; !ok {
			first[key] = r.Location
		} else if other != r.Location && !told[r.Location] {
			told[r.Location] = true
			p := in(nil, "the file names of external data %q and %q differ only in upper and lower case", other, r.Location)
			p.Fix = s.rewrite()
			report(p)
		}
	}
}
