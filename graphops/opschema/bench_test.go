package opschema

import "testing"

// BenchmarkFirstFind is what the first question of a program costs: all that is
// read before an answer.
func BenchmarkFirstFind(b *testing.B) {
	for b.Loop() {
		x, err := index(text)
		if err != nil {
			b.Fatal(err)
		}
		versions := x.operators[operator{"", "If"}]
		if _, err := x.parse(versions[len(versions)-1]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	for b.Loop() {
		if _, ok := Find("", "Conv", 13); !ok {
			b.Fatal("not found")
		}
	}
}

// BenchmarkAll parses the whole table.
func BenchmarkAll(b *testing.B) {
	for b.Loop() {
		if err := readAll(text); err != nil {
			b.Fatal(err)
		}
	}
}
