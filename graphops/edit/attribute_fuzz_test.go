package edit_test

import (
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
)

// FuzzAttributeValue types any text as the value of an attribute that is there, and
// of a new one. What is taken must be there when it is typed again, be read from the
// file as it was written, and leave the rest alone.
func FuzzAttributeValue(f *testing.F) {
	for _, s := range []string{"1", "-0.5e3", "nan", "[1,2]", "[0.5,inf]", `["a","b\"c"]`, "f32[2]{1,2}", `str[1]{"\xff"}`, "[]", "[a]", "SAME", "\xff", "i4[3]{1,2,-3}", "1e400"} {
		for kind := range 9 {
			f.Add(s, kind)
		}
	}
	const model = "input x f32\noutput y f32\ny = Foo(x) i=1 f=1.5 s='a' is=[1] fs=[1.5] ss=['a'] t={f32[1] 1}\n"
	names := []string{"i", "f", "s", "is", "fs", "ss", "t", "new", "ref"}
	f.Fuzz(func(t *testing.T, text string, kind int) {
		if kind < 0 || kind >= len(names) {
			return
		}
		m := graphtest.Model(t, model)
		o := edit.AttributeOptions{
			Nodes: []string{"#0"}, Typing: edit.Typing{Keep: true},
			Set: []edit.AttributeSetting{{Name: names[kind], Ref: names[kind] == "ref", Text: text}},
		}
		next, report, err := edit.Attributes(t.Context(), m, m.Places()[0], o)
		if err != nil {
			if !strings.HasPrefix(err.Error(), `node #0 (Foo): attribute "`+names[kind]+`": `) {
				t.Errorf("error %q", err)
			}
			return
		}
		read, err := graphops.Decode(graphtest.Encode(t, next))
		if err != nil {
			t.Fatal(err)
		}
		again, second, err := edit.Attributes(t.Context(), read, read.Places()[0], o)
		if err != nil || again != read || len(second.Changes) > 0 {
			t.Errorf("%v, then %v: %v", report.Changes, second, err)
		}
		for _, name := range names[:7] {
			was, _ := m.Graph().Nodes()[0].Attribute(name)
			is, ok := read.Graph().Nodes()[0].Attribute(name)
			if name != names[kind] && (!ok || is.Kind() != was.Kind()) {
				t.Errorf("attribute %q was touched", name)
			}
		}
	})
}
