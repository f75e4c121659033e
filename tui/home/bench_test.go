package home

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/controls/keytest"
)

// many is how many models the folder of the benchmarks has.
const many = 5000

// BenchmarkKey is one key and its picture in a folder of many models.
func BenchmarkKey(b *testing.B) {
	d := newDesk(b, testOptions(numbered(b, many)), 120, 40)
	down, up := keytest.Press(b, "down"), keytest.Press(b, "up")
	for b.Loop() {
		for _, k := range []tea.KeyPressMsg{down, up} {
			d.app.Update(k)
			_ = d.app.View()
		}
	}
}

// BenchmarkQuery is a letter, the search that follows, and its picture.
func BenchmarkQuery(b *testing.B) {
	d := newDesk(b, testOptions(numbered(b, many)), 120, 40)
	letter, back := keytest.Press(b, "4"), keytest.Press(b, "backspace")
	for b.Loop() {
		d.send(letter)
		_ = d.app.View()
		d.send(back)
	}
}

// BenchmarkFolder is all work for a folder of many models, from the first message to the last fact.
func BenchmarkFolder(b *testing.B) {
	o := testOptions(numbered(b, many))
	for b.Loop() {
		if d := newDesk(b, o, 120, 40); d.app.known != many {
			b.Fatalf("%d models are read", d.app.known)
		}
	}
}
