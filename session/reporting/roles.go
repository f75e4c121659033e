package reporting

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"lathe/graphops/roles"
	"lathe/session/text"
)

// Roles says what each input and output of a model is for, and by what that is known.
type Roles struct {
	Inputs  []RolePort `json:"inputs"`
	Outputs []RolePort `json:"outputs"`
	Pairs   []RolePair `json:"pairs"`
	Limits  []string   `json:"limits"` // what was not followed

	of *roles.Roles
}

// RolePort is an input or output with its role.
type RolePort struct {
	Name     string         `json:"name"`
	Role     string         `json:"role"`    // "unknown" if it was not recognized
	Content  string         `json:"content"` // of a past or present, "" if it is not known
	Pair     *int           `json:"pair"`    // the index in pairs
	Cross    bool           `json:"cross"`   // it belongs to the attention to an encoder
	By       string         `json:"by"`      // the strongest evidence: operator, structure, name, given or none
	Evidence []RoleEvidence `json:"evidence"`
	Assumed  []string       `json:"assumed"`
}

// RoleEvidence is a reason for a role.
type RoleEvidence struct {
	By   string `json:"by"`
	Text string `json:"text"`
}

// RolePair is a cache or state: an input before a run, and the output after it. One of them is null
// if the model lacks it.
type RolePair struct {
	Past    *string `json:"past"`
	Present *string `json:"present"`
	Content string  `json:"content"`
	Layer   int     `json:"layer"`
	Form    string  `json:"form"`
	Growth  string  `json:"growth"`
	Cross   bool    `json:"cross"`
	Window  int64   `json:"window"` // 0 if there is no limit
	Axis    *int    `json:"axis"`   // of the past, with the positions
}

// RolesOf makes roles a part of a report.
func RolesOf(r *roles.Roles) *Roles {
	out := &Roles{Inputs: rolePorts(r.Inputs), Outputs: rolePorts(r.Outputs), Pairs: []RolePair{}, Limits: OrEmpty(r.Limits), of: r}
	for i := range r.Pairs {
		p := &r.Pairs[i]
		pair := RolePair{Content: p.Content.String(), Layer: p.Layer, Form: p.Form.Name, Growth: p.Growth.String(), Cross: p.Cross, Window: p.Window}
		if p.Past != "" {
			pair.Past = &p.Past
		}
		if p.Present != "" {
			pair.Present = &p.Present
		}
		if p.Axis >= 0 {
			pair.Axis = &p.Axis
		}
		out.Pairs = append(out.Pairs, pair)
	}
	return out
}

func rolePorts(list []roles.Port) []RolePort {
	out := []RolePort{}
	for i := range list {
		p := &list[i]
		port := RolePort{Name: p.Name, Role: p.Kind.String(), Content: p.Content.String(), Cross: p.Cross, By: p.Source().String(), Evidence: []RoleEvidence{}, Assumed: OrEmpty(p.Assumed)}
		if p.Pair >= 0 {
			port.Pair = &p.Pair
		}
		for _, e := range p.Evidence {
			port.Evidence = append(port.Evidence, RoleEvidence{e.Source.String(), e.Text})
		}
		out = append(out, port)
	}
	return out
}

// maxRoleNames is how many names a line of roles has.
const maxRoleNames = 4

// WriteRoles writes a few lines about the roles of a language model.
func WriteRoles(w io.Writer, r *Roles) error {
	fmt.Fprintln(w, "roles")
	t := text.Table{}
	var unknown []string
	for _, side := range []struct {
		list []roles.Port
		word string
	}{{r.of.Inputs, "input"}, {r.of.Outputs, "output"}} {
		for _, k := range roles.Kinds() {
			names := portsOf(side.list, k)
			switch {
			case len(names) == 0 || k == roles.Past || k == roles.Present:
			case k == roles.Unknown:
				for _, name := range names {
					unknown = append(unknown, side.word+" "+name)
				}
			default:
				t.Add(k.Title(), someNames(names))
			}
		}
	}
	for _, row := range pairRows(r.of) {
		t.Add(row[0], row[1])
	}
	if len(unknown) > 0 {
		t.Add(roles.Unknown.Title(), someNames(unknown))
	}
	for _, line := range assumptions(r.of) {
		t.Add("assumed", line)
	}
	for _, line := range r.Limits {
		t.Add("not followed", text.CleanLine(line))
	}
	return t.WriteText(w, "  ")
}

// portsOf returns the names of the ports with a role. It marks those that are known only by name.
func portsOf(list []roles.Port, k roles.Kind) []string {
	var out []string
	for i := range list {
		p := &list[i]
		if p.Kind != k {
			continue
		}
		name := text.Clean(p.Name)
		if p.Cross {
			name += " (of the encoder)"
		}
		switch p.Source() {
		case roles.ByName:
			name += " (by its name)"
		case roles.ByUser:
			name += " (given)"
		default:
		}
		out = append(out, name)
	}
	return out
}

// RoleText says in a line what an input or output is for. Names in it are as they are in the model.
func RoleText(r *roles.Roles, p *roles.Port) string {
	if p.Pair < 0 {
		return p.Kind.Title()
	}
	pair := &r.Pairs[p.Pair]
	words := []string{p.Kind.Title()}
	if p.Content != roles.NoContent {
		words[0] += " " + p.Content.String()
	}
	words = append(words, fmt.Sprintf("layer %d", pair.Layer), pair.Form.Title, pair.Growth.String())
	switch {
	case p.Kind == roles.Past && pair.Present != "":
		words = append(words, "continued by "+pair.Present)
	case p.Kind == roles.Present && pair.Past != "":
		words = append(words, "continues "+pair.Past)
	}
	return strings.Join(words, " · ")
}

// someNames lists the first names, and the number of the others.
func someNames(names []string) string {
	if len(names) <= maxRoleNames {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxRoleNames], ", "), len(names)-maxRoleNames)
}

// pairGroup are the properties that the pairs of one line share.
type pairGroup struct {
	form   *roles.Form
	growth roles.Growth
	cross  bool
	window int64
	axis   int
	past   bool
}

// pairRows returns a line for each group of caches that are alike: what they are, and the first of
// them.
func pairRows(r *roles.Roles) [][2]string {
	var order []pairGroup
	groups := map[pairGroup][]*roles.Pair{}
	for i := range r.Pairs {
		p := &r.Pairs[i]
		g := pairGroup{p.Form, p.Growth, p.Cross, p.Window, p.Axis, p.Past != ""}
		if groups[g] == nil {
			order = append(order, g)
		}
		groups[g] = append(groups[g], p)
	}
	var out [][2]string
	for _, g := range order {
		list := groups[g]
		what := "cache"
		if c := list[0].Content; c == roles.State || c == roles.ConvState {
			what = "state"
		}
		words := []string{fmt.Sprintf("%s, %s", text.Plural(len(list), "tensor"), layersOf(list)), g.form.Title, g.growth.String()}
		if g.cross && g.form.Name != "cross" {
			words = append(words, "of an encoder")
		}
		if g.window > 0 {
			words = append(words, fmt.Sprintf("window of %d", g.window))
		}
		first := list[0]
		names := text.Clean(cmp.Or(first.Past, first.Present))
		if first.Past != "" && first.Present != "" {
			names += " → " + text.Clean(first.Present)
		}
		if len(list) > 1 {
			names += " …"
		}
		out = append(out, [2]string{what, strings.Join(words, " · ") + " · " + names})
	}
	return out
}

// layersOf describes the layers of caches.
func layersOf(list []*roles.Pair) string {
	var layers []int
	for _, p := range list {
		layers = append(layers, p.Layer)
	}
	slices.Sort(layers)
	layers = slices.Compact(layers)
	first, last := layers[0], layers[len(layers)-1]
	switch {
	case len(layers) == 1:
		return fmt.Sprintf("layer %d", first)
	case last-first == len(layers)-1:
		return fmt.Sprintf("layers %d to %d", first, last)
	default:
		return fmt.Sprintf("%d of the layers %d to %d", len(layers), first, last)
	}
}

// assumptions returns the assumptions, each with the first port that it is about.
func assumptions(r *roles.Roles) []string {
	var order []string
	first, counts := map[string]string{}, map[string]int{}
	for _, list := range [][]roles.Port{r.Inputs, r.Outputs} {
		for i := range list {
			for _, s := range list[i].Assumed {
				if counts[s] == 0 {
					order = append(order, s)
					first[s] = text.Clean(list[i].Name)
				}
				counts[s]++
			}
		}
	}
	var out []string
	for _, s := range order {
		line := first[s]
		if counts[s] > 1 {
			line += fmt.Sprintf(" and %d more", counts[s]-1)
		}
		out = append(out, line+": "+text.CleanLine(s))
	}
	return out
}
