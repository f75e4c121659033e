package sheet

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/diff"
	"lathe/graphops/tensor"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
)

// diffSheet is a comparison of two models, line by line. It is immutable.
type diffSheet struct {
	*diff.Diff
	Names  [2]string
	shown  *graphops.Model // the one of the two that the workbench shows
	lines  []diffLine
	short  []int32 // the lines near differences
	Differ []int32 // the lines that differ in more than a name
	// outlines has an outline for each place of both models.
	outlines map[*graphops.Place]*graph.Outline
	// other is the file of the other model. It is "" if the visible model was compared with itself
	// as it was opened.
	other       string
	WithWeights bool // all elements were compared
	ops         int  // cells of the column of operators
	longest     int  // cells of the longest name of a node
}

// lineKind is the kind of a line.
type lineKind uint8

const (
	lineHead   lineKind = iota // the heading of a section; place is the index of a place, or headModel or headIO
	lineModel                  // Diff.Model
	lineIO                     // Diff.IO
	lineField                  // PlaceDiff.Fields
	lineNode                   // PlaceDiff.Rows
	lineType                   // PlaceDiff.Types
	lineWeight                 // Diff.Weights
)

// Sections that do not belong to a place.
const (
	headModel = -1
	headIO    = -2
)

// diffLine is a line of the sheet. It refers to an entry of the Diff: to entry at of the given
// kind, in the place with that index.
type diffLine struct {
	kind      lineKind
	place, at int32
}

// New makes the lines of a comparison. names are those of the files, and shown is the model in the workbench.
func New(d *diff.Diff, names [2]string, shown *graphops.Model, other string, weights bool) *diffSheet {
	s := &diffSheet{Diff: d, Names: names, shown: shown, other: other, WithWeights: weights, outlines: map[*graphops.Place]*graph.Outline{}}
	if len(d.Model) > 0 {
		s.add(lineHead, headModel, 0)
		for i, f := range d.Model {
			s.addIf(f.Counts(), lineModel, 0, i)
		}
	}
	if len(d.IO) > 0 {
		s.add(lineHead, headIO, 0)
		for i := range d.IO {
			s.addIf(true, lineIO, 0, i)
		}
	}
	byPlace := map[*diff.PlaceMatch][]int{}
	for i, w := range d.Weights {
		byPlace[w.Place] = append(byPlace[w.Place], i)
	}
	for i, p := range d.Places {
		s.addPlace(i, p, byPlace[p.PlaceMatch])
	}
	s.shorten()
	s.ops, s.longest = s.opWidth(), s.nameWidth()
	return s
}

func (s *diffSheet) add(kind lineKind, place, at int) {
	s.lines = append(s.lines, diffLine{kind, int32(place), int32(at)})
}

// addIf adds a line. If the two sides differ, it also notes the line in differ, through which the
// cursor can step.
func (s *diffSheet) addIf(differs bool, kind lineKind, place, at int) {
	if differs {
		s.Differ = append(s.Differ, int32(len(s.lines)))
	}
	s.add(kind, place, at)
}

func (s *diffSheet) addPlace(i int, p *diff.PlaceDiff, weights []int) {
	s.outlines[p.A], s.outlines[p.B] = outlineOrNil(s.Diff.A, p.A), outlineOrNil(s.Diff.B, p.B)
	s.addIf(p.A == nil || p.B == nil, lineHead, i, 0)
	for k, f := range p.Fields {
		s.addIf(f.Counts(), lineField, i, k)
	}
	read, rest := s.byReader(p, weights)
	for k, r := range p.Rows {
		s.addIf(p.Counts(r), lineNode, i, k)
		for _, at := range read[k] {
			s.addIf(s.Weights[at].Counts(), lineWeight, i, at)
		}
	}
	for k := range p.Types {
		s.addIf(true, lineType, i, k)
	}
	for _, k := range rest {
		s.addIf(s.Weights[k].Counts(), lineWeight, i, k)
	}
}

// byReader assigns constants to the rows of the nodes that read them first. rest are those that no
// node of the place reads.
func (s *diffSheet) byReader(p *diff.PlaceDiff, weights []int) (read map[int][]int, rest []int) {
	if len(weights) == 0 {
		return nil, nil
	}
	rowA, rowB := map[int]int{}, map[int]int{}
	for k, r := range p.Rows {
		rowA[r.A], rowB[r.B] = k, k
	}
	read = map[int][]int{}
	for _, at := range weights {
		w := s.Weights[at]
		k, ok := rowB[readerOf(p.B, w.B, w.NodeB)]
		if w.B < 0 && w.NodeB < 0 {
			k, ok = rowA[readerOf(p.A, w.A, w.NodeA)]
		}
		if !ok {
			rest = append(rest, at)
			continue
		}
		read[k] = append(read[k], at)
	}
	return read, rest
}

// noReader differs from each position of a node, and from the -1 of a node that is missing.
const noReader = -2

// readerOf returns the position of the node that has a constant in an attribute, or that reads it
// first.
func readerOf(p *graphops.Place, v graphops.ValueID, node int) int {
	if node >= 0 {
		return node
	}
	if p == nil || v < 0 {
		return noReader
	}
	if readers := p.Graph.Index().Readers(v); len(readers) > 0 {
		return int(readers[0])
	}
	return noReader
}

// opWidth is the width of the column of operators in both halves.
func (s *diffSheet) opWidth() int {
	w := 0
	for _, o := range s.outlines {
		if o != nil {
			w = max(w, o.OpWidth)
		}
	}
	return w
}

// nameWidth is the width of the longest name of a node in both halves.
func (s *diffSheet) nameWidth() int {
	w := 0
	for _, o := range s.outlines {
		if o == nil {
			continue
		}
		for i := range o.Nodes {
			w = max(w, cells.Width(o.Name(o.NodeRow(i))))
		}
	}
	return w
}

func outlineOrNil(m *graphops.Model, p *graphops.Place) *graph.Outline {
	if p == nil {
		return nil
	}
	return graph.NewOutline(m, p)
}

// nearby is how many equal lines before and after a difference are shown in the short form of the
// sheet.
const nearby = 2

// shorten finds the lines near differences and the headings of their sections.
func (s *diffSheet) shorten() {
	near := make([]bool, len(s.lines))
	for _, at := range s.Differ {
		for i := max(0, int(at)-nearby); i <= min(len(s.lines)-1, int(at)+nearby); i++ {
			near[i] = near[i] || s.lines[i].kind != lineHead
		}
		head := int(at)
		for head > 0 && s.lines[head].kind != lineHead {
			head--
		}
		near[head] = true
	}
	for i, is := range near {
		if is {
			s.short = append(s.short, int32(i))
		}
	}
}

// Sides returns the text of a line for each model, safe to print.
func (s *diffSheet) Sides(l diffLine) (left, right string) {
	switch l.kind {
	case lineModel:
		return fieldSides(s.Model[l.at])
	case lineField:
		return fieldSides(s.Places[l.place].Fields[l.at])
	case lineIO:
		return s.ioSides(s.IO[l.at])
	case lineNode:
		p := s.Places[l.place]
		r := p.Rows[l.at]
		return nodeSide(s.outlines[p.A], r.A), nodeSide(s.outlines[p.B], r.B)
	case lineType:
		p := s.Places[l.place]
		c := p.Types[l.at]
		return typeSide(p.A, c.A, c.TypeA), typeSide(p.B, c.B, c.TypeB)
	case lineWeight:
		return s.weightSides(s.Weights[l.at])
	default:
		return s.head(l)
	}
}

func (s *diffSheet) head(l diffLine) (left, right string) {
	switch l.place {
	case headModel:
		return "the models", ""
	case headIO:
		return "inputs and outputs", ""
	}
	p := s.Places[l.place]
	return placeSide(p.A), placeSide(p.B)
}

func placeSide(p *graphops.Place) string {
	switch {
	case p == nil:
		return ""
	case p.Kind == graphops.MainGraph:
		return "main graph"
	}
	return p.Kind.String() + " " + cells.Prose(p.String())
}

func fieldSides(f diff.Field) (left, right string) {
	side := func(value string) string {
		if value == "" {
			return ""
		}
		return cells.Prose(f.Name + " " + value)
	}
	return side(f.Old), side(f.New)
}

func (s *diffSheet) ioSides(c diff.IOChange) (left, right string) {
	what := "input "
	if c.Output {
		what = "output "
	}
	side := func(at int, name string, t graphops.Type) string {
		if at < 0 {
			return ""
		}
		return fmt.Sprintf("%s%d %s %s", what, at, cells.Label(name), typeOrUnknown(t))
	}
	return side(c.A, c.NameA, c.TypeA), side(c.B, c.NameB, c.TypeB)
}

func nodeSide(o *graph.Outline, i int) string {
	if o == nil || i < 0 {
		return ""
	}
	return o.Called(o.NodeRow(i))
}

func typeSide(p *graphops.Place, v graphops.ValueID, t graphops.Type) string {
	return "value " + cells.Label(p.Graph.Index().Name(v)) + " " + typeOrUnknown(t)
}

func (s *diffSheet) weightSides(w diff.Weight) (left, right string) {
	side := func(p *graphops.Place, v graphops.ValueID, node int, d tensor.DType, dims []int64) string {
		name := ""
		switch {
		case p == nil:
			return ""
		case v >= 0:
			name = "constant " + cells.Label(p.Graph.Index().Name(v))
		case node >= 0:
			name = "attribute " + cells.Label(w.Attribute) + " of " + nodeSide(s.outlines[p], node)
		default:
			return ""
		}
		return fmt.Sprintf("%s %s %s", name, d, graphops.FixedShape(dims))
	}
	return side(w.Place.A, w.A, w.NodeA, w.DTypeA, w.DimsA), side(w.Place.B, w.B, w.NodeB, w.DTypeB, w.DimsB)
}

// isSlight reports whether a line shows a difference that does not change what the models compute,
// such as another name.
func (s *diffSheet) isSlight(l diffLine) bool {
	switch l.kind {
	case lineModel:
		return !s.Model[l.at].Counts()
	case lineField:
		return !s.Places[l.place].Fields[l.at].Counts()
	case lineNode:
		p := s.Places[l.place]
		r := p.Rows[l.at]
		return r.Differs() && !p.Counts(r)
	case lineWeight:
		return !s.Weights[l.at].Counts()
	}
	return false
}

// mark returns the sign between the two sides of a line, such as '+' if only the right side exists.
func (s *diffSheet) mark(l diffLine) rune {
	left, right := s.Sides(l)
	switch {
	case s.isSlight(l):
		return '·'
	case l.kind == lineHead && l.place < 0:
		return ' '
	case left == "":
		return '+'
	case right == "":
		return '-'
	case l.kind == lineHead:
		return ' '
	case l.kind != lineNode:
		return '≠'
	}
	p := s.Places[l.place]
	switch r := p.Rows[l.at]; {
	case r.Change >= 0:
		return '≠'
	case r.Renamed:
		return '~'
	default:
		return ' '
	}
}

// tell says in words what differs in a line, safe to print.
func (s *diffSheet) tell(l diffLine) []string {
	switch l.kind {
	case lineNode:
		p := s.Places[l.place]
		r := p.Rows[l.at]
		switch {
		case (r.A < 0 || r.B < 0) && !p.Counts(r):
			return []string{"a constant that the other model stores in another way or that no node reads"}
		case r.A < 0:
			return []string{"only the model on the right has this node"}
		case r.B < 0:
			return []string{"only the model on the left has this node"}
		case r.Change >= 0:
			return partsTold(p.Changed[r.Change])
		case r.Renamed:
			return []string{"the same under another name"}
		default:
			return []string{"equal"}
		}
	case lineIO:
		return []string{string(s.IO[l.at].Kind)}
	case lineType:
		return []string{"the models declare different types for this value"}
	case lineWeight:
		return weightTold(s.Weights[l.at])
	}
	return nil
}

func partsTold(c diff.NodeChange) []string {
	var out []string
	for _, p := range c.Parts {
		what := string(p.What)
		if p.Name != "" {
			what += " " + p.Name
		}
		line := fmt.Sprintf("%s: %s → %s", what, shownOr(p.Old), shownOr(p.New))
		if p.Follows {
			line += ", because of a node that only one model has"
		}
		out = append(out, cells.Prose(line))
	}
	return out
}

func shownOr(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

func weightTold(w diff.Weight) []string {
	var out []string
	if m := w.Metrics; m != nil {
		line := fmt.Sprintf("%d of %s differ", m.Mismatched, text.Plural(int(m.Total), "element"))
		if most := w.MaxAbs(); math.IsNaN(most) {
			line += fmt.Sprintf(", %d with NaN in one model only", m.NaNMismatched)
		} else {
			line += ", most by " + strconv.FormatFloat(most, 'g', 3, 64)
			if at := m.Worst; at != nil && m.Mismatched > 0 && w.DTypeA != tensor.String {
				line += fmt.Sprintf(" at %s: %.6g → %.6g", strings.ReplaceAll(fmt.Sprint(at.Index), " ", ","), at.A, at.B)
			}
			if where := w.Region.String(); where != "" {
				line += "; " + where
			}
		}
		out = append(out, line)
	}
	if w.OldText != "" || w.NewText != "" {
		out = append(out, cells.Prose(shownOr(w.OldText)+" → "+shownOr(w.NewText)))
	}
	switch {
	case out != nil:
	case w.A < 0 && w.NodeA < 0:
		out = []string{"only the model on the right has this constant"}
	case w.B < 0 && w.NodeB < 0:
		out = []string{"only the model on the left has this constant"}
	case w.DTypeA != w.DTypeB || !slices.Equal(w.DimsA, w.DimsB):
		out = []string{"type or shape differ"}
	default:
		out = []string{"the elements differ"}
	}
	return out
}
