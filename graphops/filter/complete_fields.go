package filter

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lathe/graphops"
	"lathe/graphops/scope"
)

// special has the characters that are syntax in an item.
const special = " \t\r\n\"|()[],*?"

// Quote returns s in quotes if it contains characters in special, unprintable characters or "..",
// so that an expression takes it literally. Otherwise it returns s.
func Quote(s, special string) string {
	if s != "" && !strings.ContainsAny(s, special) && !strings.Contains(s, "..") && isPrintable(s) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for i, n := 0, 0; i < len(s); i += n {
		var r rune
		r, n = utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == utf8.RuneError && n == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(s[i])|0x100, 16)[1:])
		case !unicode.IsPrint(r):
			b.WriteString(`\u{` + strconv.FormatInt(int64(r), 16) + `}`)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func isPrintable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

func (c *completer) operators(string) { c.addCounted(c.opCounts(), special) }
func (c *completer) domains(string)   { c.addCounted(c.domainCounts(), special) }
func (c *completer) files(string)     { c.addCounted(c.fileCounts(), special) }
func (c *completer) ranks(string)     { c.addCounted(c.rankCounts(), special) }

// In types and shapes, "?" and brackets have no meaning of their own.
func (c *completer) types(string)  { c.addCounted(c.typeCounts(), " \t\r\n\"|") }
func (c *completer) shapes(string) { c.addCounted(c.shapeCounts(), " \t\r\n\"|()[]") }

func (c *completer) hasWords(string) { c.words(hasWords) }
func (c *completer) isWords(string)  { c.words(isWords) }

func (c *completer) words(list wordTests) {
	for _, w := range list {
		c.add(w.word, w.help, 0)
	}
}

// scopes adds the paths of scopes, those with few parts first.
func (c *completer) scopes(string) {
	t := c.Facts.scopes()
	order := make([]scope.ID, 0, len(t.Scopes))
	for s := range t.Scopes {
		if scope.ID(s) != scope.Root {
			order = append(order, scope.ID(s))
		}
	}
	slices.SortStableFunc(order, func(a, b scope.ID) int { return cmp.Compare(t.Scopes[a].Depth, t.Scopes[b].Depth) })
	for i, s := range order {
		if i%chunk == 0 && c.ctx.Err() != nil || !c.addQuoted(t.Path(s), t.Scopes[s].Class, t.Scopes[s].Nodes, special) {
			return
		}
	}
}

// nodes adds the names of nodes. values, inputs and outputs add the names of values.
func (c *completer) nodes(string) {
	for i, n := range c.graph.Nodes() {
		if i%chunk == 0 && c.ctx.Err() != nil {
			return
		}
		if n.Name() != "" && !c.addQuoted(n.Name(), n.OpType(), 0, special) {
			return
		}
	}
}

func (c *completer) values(string) { c.valuesThat(func(graphops.ValueID) bool { return true }) }

func (c *completer) inputs(string) {
	c.valuesThat(func(v graphops.ValueID) bool { return len(c.index.Readers(v)) > 0 })
}

func (c *completer) outputs(string) {
	c.valuesThat(func(v graphops.ValueID) bool { return c.index.Producer(v) >= 0 })
}

func (c *completer) valuesThat(are func(graphops.ValueID) bool) {
	types := c.Facts.types()
	for v := range c.index.Values() {
		if v%chunk == 0 && c.ctx.Err() != nil {
			return
		}
		if !are(graphops.ValueID(v)) {
			continue
		}
		name, k := c.index.Name(graphops.ValueID(v)), &types.kinds[types.of[v]]
		if name != "" && !c.addQuoted(name, strings.Trim(k.name+" "+k.shape, "? "), 0, special) {
			return
		}
	}
}

// points adds scopes, nodes and values.
func (c *completer) points(typed string) {
	c.scopes(typed)
	c.nodes(typed)
	if len(c.prefix) < maxCompletions {
		c.values(typed)
	}
}

// ranges adds the same as points, for either end of A..B.
func (c *completer) ranges(string) {
	c.skip("..", true)
	c.points(c.typed)
}

// attributes adds the names of attributes, or, after "=", the values that the attribute has in the
// graph.
func (c *completer) attributes(string) {
	name, ok := c.skip("=", false)
	if !ok {
		c.addCounted(c.attributeCounts(), special)
		return
	}
	for _, e := range count(func(add func(string, int)) { c.valuesOf(name, add) }) {
		if !c.add(e.Text, "", e.Count) {
			return
		}
	}
}

// valuesOf calls add with the text of each short value that the attribute has in the graph.
func (c *completer) valuesOf(name string, add func(string, int)) {
	for i, n := range c.graph.Nodes() {
		if i%chunk == 0 && c.ctx.Err() != nil {
			return
		}
		if a, ok := n.Attribute(name); ok {
			if s, ok := valueText(a); ok {
				add(s, 1)
			}
		}
	}
}

// fewItems is the maximum number of items of a list that is offered.
const fewItems = 16

// valueText returns the value of an attribute as a test of attributes accepts it. The bool is false
// if the value is not short.
func valueText(a *graphops.Attribute) (string, bool) {
	if _, deferred := a.Deferred(); deferred || a.RefName() != "" {
		return "", false
	}
	list := func(items []string) (string, bool) {
		return "[" + strings.Join(items, ",") + "]", len(items) <= fewItems
	}
	switch a.Kind() {
	case graphops.AttrInt:
		return strconv.FormatInt(a.Int(), 10), true
	case graphops.AttrFloat:
		return strconv.FormatFloat(float64(a.Float()), 'g', -1, 32), true
	case graphops.AttrString:
		return Quote(a.Text(), special), true
	case graphops.AttrInts:
		return list(texts(a.Ints(), func(v int64) string { return strconv.FormatInt(v, 10) }))
	default:
		return "", false
	}
}

// metadata adds the keys of metadata.
func (c *completer) metadata(string) {
	if _, ok := c.skip("=", false); !ok {
		c.addCounted(c.metadataCounts(), special)
	}
}
