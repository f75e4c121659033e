package graphops

import (
	"fmt"
	"strings"
	"testing"
)

// FuzzNumbering compares the numbers of names with those of a map.
func FuzzNumbering(f *testing.F) {
	f.Add("a,b,a,,c", uint8(0))
	f.Add(strings.Repeat("x,", 40), uint8(3))
	f.Fuzz(func(t *testing.T, list string, room uint8) {
		names, want := newNumbering(int(room)), map[string]int32{}
		for _, name := range strings.Split(list, ",") {
			if n, ok := names.find(name); ok != (want[name] > 0) || ok && n+1 != want[name] {
				t.Fatalf("%q before it is added: %d, %t; want %d", name, n, ok, want[name]-1)
			}
			if want[name] == 0 {
				want[name] = int32(len(want)) + 1
			}
			if n := names.add(name); n+1 != want[name] || names.names[n] != name {
				t.Fatalf("%q: %d, want %d", name, n, want[name]-1)
			}
		}
		if n, ok := names.find("never, added"); ok || n != 0 {
			t.Errorf("a name that was not added: %d, %t", n, ok)
		}
	})
}

// TestNumberingGrows adds many more names than there was room for.
func TestNumberingGrows(t *testing.T) {
	names := newNumbering(0)
	for i := range 5_000 {
		if n := names.add(fmt.Sprint(i)); int(n) != i {
			t.Fatalf("name %d has the number %d", i, n)
		}
	}
	for i := range 5_000 {
		if n, ok := names.find(fmt.Sprint(i)); !ok || int(n) != i {
			t.Fatalf("name %d is found as %d, %t", i, n, ok)
		}
	}
}
