package cost_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"lathe/graphops/cost"
	"lathe/graphops/opschema"
)

// TestEveryOperatorIsPlaced holds the operators of the standard and of ONNX Runtime
// against testdata/without_products.txt, which lists those whose MACs are 0. An operator
// that is new there is looked at, and put into a table or into the list.
func TestEveryOperatorIsPlaced(t *testing.T) {
	b, err := os.ReadFile("testdata/without_products.txt")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		listed[strings.TrimSpace(line)] = true
	}
	for _, domain := range opschema.Domains() {
		for _, name := range opschema.Names(domain) {
			formula, uncounted := cost.Counted(domain, name)
			key := strings.TrimSpace(domain + " " + name)
			without := listed[key]
			delete(listed, key)
			switch n := count(formula, uncounted, without); {
			case n == 0:
				t.Errorf("%q has no formula and stands in no list: does it multiply matrices?", key)
			case n > 1:
				t.Errorf("%q stands in more than one list", key)
			}
		}
	}
	for key := range listed {
		t.Errorf("testdata/without_products.txt: %q is no operator", key)
	}
}

func count(claims ...bool) (n int) {
	for _, c := range claims {
		if c {
			n++
		}
	}
	return n
}

// TestNamesAreOperators finds mistakes in the tables' names, which would never match.
func TestNamesAreOperators(t *testing.T) {
	for _, op := range cost.Named() {
		if len(opschema.Versions(op[0], op[1])) == 0 {
			t.Errorf("no operator is called %q in domain %q", op[1], op[0])
		}
	}
}

// TestDocumentNamesEveryOperator holds docs/cost.md against the tables.
func TestDocumentNamesEveryOperator(t *testing.T) {
	b, err := os.ReadFile("../../docs/cost.md")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.FieldsFunc(string(b), func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	for _, op := range cost.Named() {
		if !slices.Contains(words, op[1]) {
			t.Errorf("docs/cost.md does not name %s %s", op[0], op[1])
		}
	}
}
