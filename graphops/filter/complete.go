package filter

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// Completion is something that can stand where the cursor is.
type Completion struct {
	// From and To are the bytes of the expression that Text takes the place of.
	From, To int
	Text     string
	Help     string // what it is; "" where the text says it
	Count    int    // how many nodes, values or constants have it; 0 where none are counted
}

// maxCompletions is how many are offered at once; nobody reads more.
const maxCompletions = 100

// Complete tells what can stand at the cursor, a byte of the expression: fields
// and operators, and behind a field what occurs in the graph. What begins with
// what is typed comes before what only holds it, then what is more frequent. It
// may take as long as a filter over all nodes; a context that is cancelled ends
// it early with what was found.
func (f *Facts) Complete(ctx context.Context, expr string, cursor int) []Completion {
	cursor = max(0, min(cursor, len(expr)))
	if len(expr) > maxLength {
		return nil
	}
	c := &completer{Facts: f, ctx: ctx, expr: expr}
	fd, from := locate(expr[:cursor])
	c.stand(from, cursor, fd != nil)
	if fd == nil {
		c.tests()
	} else if fd.offer != nil {
		fd.offer(c, c.typed)
	}
	return c.sorted()
}

// locate finds the field that the end of an expression stands behind, nil for
// none, and where the text that ends there begins.
func locate(head string) (*field, int) {
	p := &parser{reader{expr: head}, 0}
	for {
		for p.at < len(head) && (isSpace(head[p.at]) || strings.IndexByte("()|-!", head[p.at]) >= 0) {
			p.at++
		}
		from := p.at
		var fd *field
		if name, op := p.head(); op != "" && !p.isText(name, op) {
			if fd = fieldNamed(name); fd != nil {
				p.at += len(name) + len(op)
			}
		}
		for {
			if fd != nil {
				from = p.at
			}
			_, err := p.text(fd != nil)
			if err != nil || p.at == len(head) {
				return fd, from
			}
			if fd == nil || !p.another() {
				break
			}
		}
	}
}

// completer collects what can stand at one place of an expression.
type completer struct {
	*Facts
	ctx      context.Context
	expr     string
	from, to int
	typed    string // what stands there up to the cursor, quotes resolved
	prefix   []Completion
	inside   []Completion
}

// stand says what part of the expression is replaced.
func (c *completer) stand(from, cursor int, item bool) {
	c.from = from
	rest := reader{expr: c.expr, at: from}
	if _, err := rest.text(item); err != nil {
		rest.at = len(c.expr)
	}
	c.to = max(rest.at, cursor)
	c.typed = resolved(c.expr[from:cursor])
}

// resolved is a text as it is compared, its last quote closed or not.
func resolved(s string) string {
	r := reader{expr: s}
	t, err := r.text(false)
	if err != nil {
		r = reader{expr: s + `"`}
		t, _ = r.text(false)
	}
	return t.s
}

// skip leaves what stands up to a sign as it is and completes what follows.
func (c *completer) skip(sign string, last bool) (before string, ok bool) {
	raw := c.expr[c.from:c.to]
	i := strings.Index(raw, sign)
	if last {
		i = strings.LastIndex(raw, sign)
	}
	typed := strings.Index(c.typed, sign)
	if i < 0 || typed < 0 {
		return "", false
	}
	before = resolved(raw[:i])
	c.from += i + len(sign)
	if last {
		typed = strings.LastIndex(c.typed, sign)
	}
	c.typed = c.typed[typed+len(sign):]
	return before, true
}

// add offers text if it begins with what is typed or holds it. It reports whether
// more is wanted.
func (c *completer) add(text, help string, count int) bool {
	list := &c.inside
	switch {
	case hasPrefix(text, c.typed, !hasUpper(c.typed)):
		list = &c.prefix
	case !contains(text, c.typed, !hasUpper(c.typed)):
		return true
	}
	if len(*list) < maxCompletions {
		*list = append(*list, Completion{c.from, c.to, text, help, count})
	}
	return len(c.prefix) < maxCompletions
}

// addCounted offers what was counted, quoted where it must be.
func (c *completer) addCounted(list []Counted, special string) {
	for _, e := range list {
		if !c.addQuoted(e.Text, "", e.Count, special) {
			return
		}
	}
}

func (c *completer) addQuoted(text, help string, count int, special string) bool {
	n, m := len(c.prefix), len(c.inside)
	more := c.add(text, help, count)
	for _, list := range [][]Completion{c.prefix[n:], c.inside[m:]} {
		for i := range list {
			list[i].Text = Quote(list[i].Text, special)
		}
	}
	return more
}

// sorted is all that was added: the most frequent first where they are counted,
// else in the order of the graph.
func (c *completer) sorted() []Completion {
	byCount := func(a, b Completion) int { return cmp.Compare(b.Count, a.Count) }
	slices.SortStableFunc(c.prefix, byCount)
	slices.SortStableFunc(c.inside, byCount)
	out := slices.Concat(c.prefix, c.inside)
	return out[:min(len(out), maxCompletions)]
}

// tests offers fields, and as tests the operators of the graph that begin with
// what is typed.
func (c *completer) tests() {
	for _, f := range fields {
		sign := opHas
		if f.kind == takesNumbers && f.offer == nil {
			sign = opMore
		}
		if hasPrefix(f.name, c.typed, !hasUpper(c.typed)) {
			c.prefix = append(c.prefix, Completion{c.from, c.to, f.name + string(sign), f.help, 0})
		}
	}
	if c.typed == "" {
		return
	}
	before := len(c.prefix)
	c.addCounted(c.opCounts(), special)
	for i := range c.prefix[before:] {
		c.prefix[before+i].Text = "op:" + c.prefix[before+i].Text
	}
	c.inside = nil
}
