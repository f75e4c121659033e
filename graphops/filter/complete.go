package filter

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// Completion is a text that is offered for the cursor position.
type Completion struct {
	// From and To are the positions of the bytes in the expression that Text replaces.
	From, To int
	Text     string
	Help     string // an explanation; "" if the text explains itself
	Count    int    // how many nodes, values or constants have it; 0 if they are not counted
}

// maxCompletions is the maximum number of completions that are offered.
const maxCompletions = 100

// Complete returns the texts that can be inserted at cursor, a byte position in the expression.
// These are the names of fields, or, after a field, the texts that occur in the graph. Texts that
// begin with what is typed come before texts that contain it. More frequent texts come first. It
// can take as long as filtering all nodes. If the context is cancelled, it returns what it has
// found so far.
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

// locate returns the field whose text is being typed at the end of head, or nil, and the position
// at which this text begins.
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

// completer collects the completions for one position of an expression.
type completer struct {
	*Facts
	ctx      context.Context
	expr     string
	from, to int
	typed    string // the text up to the cursor, with quotes resolved
	prefix   []Completion
	inside   []Completion
}

// stand determines which part of the expression a completion replaces, and what is typed of it.
// item reports that it is the item of a field.
func (c *completer) stand(from, cursor int, item bool) {
	c.from = from
	rest := reader{expr: c.expr, at: from}
	if _, err := rest.text(item); err != nil {
		rest.at = len(c.expr)
	}
	c.to = max(rest.at, cursor)
	c.typed = resolved(c.expr[from:cursor])
}

// resolved returns a text without quotes and escapes, even if the last quote is not closed yet.
func resolved(s string) string {
	r := reader{expr: s}
	t, err := r.text(false)
	if err != nil {
		r = reader{expr: s + `"`}
		t, _ = r.text(false)
	}
	return t.s
}

// skip prepares the completion of what follows the first or the last occurrence of sign, and
// returns the text before it. ok is false if there is no sign before the cursor.
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

// add adds a completion if the text begins with what is typed or contains it. It returns false when
// there are enough completions.
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

// addCounted adds completions with their counts. A text that contains characters in special is put
// in quotes.
func (c *completer) addCounted(list []counted, special string) {
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

// sorted returns the completions, the most frequent first. Those without counts stay in the order
// in which they were added.
func (c *completer) sorted() []Completion {
	byCount := func(a, b Completion) int { return cmp.Compare(b.Count, a.Count) }
	slices.SortStableFunc(c.prefix, byCount)
	slices.SortStableFunc(c.inside, byCount)
	out := slices.Concat(c.prefix, c.inside)
	return out[:min(len(out), maxCompletions)]
}

// tests adds the fields, and, in the form op:NAME, the operators of the graph that begin with what
// is typed.
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
