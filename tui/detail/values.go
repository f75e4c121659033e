package detail

import (
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/theme"
)

// maxValues is how many inputs or outputs of one node are listed.
const maxValues = 500

// Values lists names with their types. note adds more about each.
func (d *description) values(title string, names []string, note func(name string) string) {
	if len(names) == 0 {
		return
	}
	d.Head(title)
	for i, name := range names {
		if i == maxValues {
			d.Add(theme.Faint, fmt.Sprintf("and %s more", text.Count(int64(len(names)-i))))
			return
		}
		if name == "" {
			d.Add(theme.Faint, fmt.Sprintf("%d  (left out)", i))
			continue
		}
		d.value(cells.Label(name), d.typeOf(name), note(name))
		d.declared(name)
	}
}

// value writes a name, its type and a note. All are on one line if they fit. Otherwise the type and
// the note are below the name, each on a line of its own only if they do not fit on one.
func (d *description) value(name, typ, note string) {
	about := strings.TrimSpace(typ + "  " + note)
	switch {
	case about == "":
		d.Add(theme.Plain, name)
	case cells.Width(name+"  "+about) <= d.W:
		d.Add(theme.Plain, name+"  "+about)
	case cells.Width("  "+about) <= d.W || typ == "" || note == "":
		d.Add(theme.Plain, name)
		d.Add(theme.Faint, "  "+about)
	default:
		d.Add(theme.Plain, name)
		d.Add(theme.Faint, "  "+typ)
		d.Add(theme.Faint, "  "+note)
	}
}

func (d *description) typeOf(name string) string {
	if d.ws.Wiring == nil {
		return ""
	}
	return d.ws.Wiring.TypeText(name)
}

// declared writes the type that the file declares for a value, if the inferred type contradicts it.
func (d *description) declared(name string) {
	w := d.ws.Wiring
	if w == nil {
		return
	}
	if id, ok := w.Index.Value(name); ok {
		if said, is := w.Types.Denied(d.ws.Outline.Place, id); is {
			d.Add(theme.Warning, "  the file declares "+graph.TypeText(said))
		}
	}
}

// source says where a value comes from.
func (d *description) source(name string) string {
	w := d.ws.Wiring
	if w == nil {
		return ""
	}
	id, ok := w.Index.Value(name)
	if !ok {
		return ""
	}
	switch t, row := w.Index.Initializer(id), w.Maker(id); {
	case t != nil && d.peeked[constant{false, name}] != "":
		return tensorNote(t) + ": " + d.peeked[constant{false, name}]
	case t != nil:
		return tensorNote(t)
	case w.Index.IsInitializer(id):
		return "sparse initializer"
	case row < 0:
		return "nothing in the graph computes it"
	case d.around.tells(upwards):
		return ""
	default:
		return "from " + d.rowText(row)
	}
}

func (d *description) rowText(row int) string {
	o := d.ws.Outline
	switch k, i := o.At(row); k {
	case graph.KindNode:
		return fmt.Sprintf("%d %s", i, o.Op(row))
	default:
		return "graph " + o.Op(row)
	}
}

func tensorNote(t *graphops.Tensor) string {
	size, err := t.ByteLen()
	if err != nil {
		return "initializer with an invalid shape"
	}
	s := "initializer, " + text.Bytes(size)
	if t.IsExternal() {
		s += ", in another file"
	}
	return s
}

// use says who reads a value.
func (d *description) use(name string) string {
	w := d.ws.Wiring
	if w == nil {
		return ""
	}
	id, ok := w.Index.Value(name)
	if !ok {
		return ""
	}
	rows := w.Readers(id)
	const few = 4
	words := make([]string, 0, few+1)
	for i, row := range rows {
		if i == few {
			words = append(words, fmt.Sprintf("%d more", len(rows)-few))
			break
		}
		words = append(words, d.rowText(row))
	}
	switch {
	case len(words) == 0:
		return "read by nothing"
	case d.around.tells(downwards):
		return ""
	}
	return "to " + strings.Join(words, ", ")
}

func (d *description) readers(name string) {
	if note := d.use(name); note != "" {
		d.Head("goes")
		d.Add(theme.Plain, note)
	}
}

func (d *description) maker(name string) {
	if note := d.source(name); note != "" {
		d.Head("comes")
		d.Add(theme.Plain, note)
	}
}
