package opschema

import (
	"slices"
	"strings"
	"testing"
)

func embedded(t *testing.T) *table {
	t.Helper()
	x, err := index(text)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestTable reads every line of the embedded table.
func TestTable(t *testing.T) {
	x, schemas := embedded(t), 0
	for _, entries := range x.operators {
		for _, e := range entries {
			schemas++
			if _, err := x.parse(e); err != nil {
				t.Error(err)
			}
		}
	}
	if want := strings.Count(text, "\nop "); schemas != want {
		t.Errorf("%d schemas of %d are in the index", schemas, want)
	}
	for name, s := range x.sets {
		if _, err := s.types(); err != nil {
			t.Errorf("set %s: %v", name, err)
		}
		if n := strings.Count(text, " @"+name+"\n"); n < 2 {
			t.Errorf("set %s has %d users; it is there for several", name, n)
		}
	}
}

// TestLinesBelongToOneOperator finds that nothing of the table is in two
// operators, or in none.
func TestLinesBelongToOneOperator(t *testing.T) {
	got := 0
	for _, entries := range embedded(t).operators {
		for _, e := range entries {
			got += strings.Count(e.lines, "\n")
			if !strings.HasPrefix(e.lines, "op "+e.name+" ") || strings.Contains(e.lines, "\nop ") {
				t.Errorf("%s-%d has the lines %q", e.name, e.since, e.lines)
			}
		}
	}
	want := 0
	for line := range strings.Lines(text) {
		word, _, _ := strings.Cut(line, " ")
		if slices.Contains([]string{"op", "in", "out", "attr", "type"}, word) {
			want++
		}
	}
	if got != want {
		t.Errorf("%d lines belong to operators, expected %d", got, want)
	}
}

func TestMalformedTable(t *testing.T) {
	const start = "domain d 1\nop A 1\n"
	for _, c := range []struct{ table, want string }{
		{"op A 1\n", `line 1: "A" is not in a domain`},
		{"domain d 1\nop  1\n", `line 2: an operator needs a name`},
		{"domain d 1\nop A\n", `line 2: the version of "A": strconv.ParseInt: parsing "": invalid syntax`},
		{"in X:T\n", `line 1: "in X:T" is outside of an operator`},
		{start + "\nin X:T\n", `line 4: "in X:T" is outside of an operator`},
		{start + "op A 1\n", `line 3: versions of "A" are out of order: 1 comes after 1`},
		{"domain d 1\nop A one\n", `line 2: the version of "A": strconv.ParseInt: parsing "one": invalid syntax`},
		{"domain d 1\ndomain d 2\n", `line 2: domain "d": needs a version from 1 on, once`},
		{"domain d 0\n", `line 1: domain "d": needs a version from 1 on, once`},
		{"set S\n", `line 1: "set" needs a name and a value`},
		{"set S tensor(float)\nset S tensor(float)\n", `line 2: set "S" occurs twice`},
		{"output X T\n", `line 1: "output" is not one of from, set, domain, op, in, out, attr, type`},

		{"domain d 1\nop A 1 obsolete\n", `line 2: op of A-1: "obsolete" is not one of deprecated, function, runtime`},
		{start + "in X\n", `line 3: in of A-1: "X": needs a type after a colon`},
		{start + "in X:\n", `line 3: in of A-1: "X:": needs a type after a colon`},
		{start + "in  X:T\n", `line 3: in of A-1: "": needs a type after a colon`},
		{start + "in X~:T\n", `line 3: in of A-1: "X~:T": expected NAME, NAME? or NAME*N, with ~ after a number only`},
		{start + "out ?:T\n", `line 3: out of A-1: "?:T": expected NAME, NAME? or NAME*N, with ~ after a number only`},
		{start + "in X*:T\n", `line 3: in of A-1: "X*:T": the least number: strconv.ParseUint: parsing "": invalid syntax`},
		{start + "in X*1:T Y:T\n", `line 3: in of A-1: "Y:T" follows a variadic parameter`},
		{start + "in X:U\ntype T tensor(float)\n", `line 2: A-1: "U" is neither a type nor a variable: type "U": expected a form such as tensor(float)`},
		{start + "attr a number\n", `line 3: attr of A-1: "a": "number" is not a kind of attribute`},
		{start + "attr a int optional\n", `line 3: attr of A-1: "a": expected nothing, "required" or a default after "= ", not "optional"`},
		{start + "attr a int \n", `line 3: attr of A-1: "a": expected nothing, "required" or a default after "= ", not ""`},
		{start + "attr a int = x\n", `line 3: attr of A-1: "a": default x: invalid character 'x' looking for beginning of value`},
		{start + "attr a int = null\n", `line 3: attr of A-1: "a": default null: is not a value of the kind`},
		{start + "attr a graph = 1\n", `line 3: attr of A-1: "a": a default cannot be written for this kind of attribute`},
		{start + "attr a int\nattr a int\n", `line 4: attr of A-1: "a" occurs twice`},
		{start + "in X:T\nin Y:T\n", `line 4: in of A-1: occurs twice`},
		{start + "type T @S\n", `line 3: type of A-1: there is no set "S"`},
		{start + "type T \n", `line 3: type of A-1: type "": expected a form such as tensor(float)`},
		{start + "type T tensor(float\n", `line 3: type of A-1: type "tensor(float": expected a form such as tensor(float)`},
		{start + "type T tensor(Float)\n", `line 3: type of A-1: type "tensor(Float)": "Float" is not an element type`},
		{start + "type T tensor(float|)\n", `line 3: type of A-1: type "tensor(float|)": "" is not an element type`},
		{start + "type T seq(float)\n", `line 3: type of A-1: type "seq(float)": expected a form such as tensor(float)`},
		{start + "type T map(int64)\n", `line 3: type of A-1: type "map(int64)": a map needs a key and values, with a comma between them`},
		{start + "type T list(float)\n", `line 3: type of A-1: type "list(float)": "list" is not one of tensor, sparse_tensor, seq, optional, map`},
		{start + "type T tensor(float)\ntype T tensor(float)\n", `line 4: type of A-1: "T" occurs twice`},
	} {
		if err := readAll(c.table); err == nil || err.Error() != c.want {
			t.Errorf("%q:\n  %v\nexpected\n  %s", c.table, err, c.want)
		}
	}
}

// readAll is the first error of a table.
func readAll(text string) error {
	x, err := index(text)
	if err != nil {
		return err
	}
	for _, entries := range x.operators {
		for _, e := range entries {
			if _, err := x.parse(e); err != nil {
				return err
			}
		}
	}
	return nil
}
