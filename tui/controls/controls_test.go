package controls

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/cells"
)

func TestSpell(t *testing.T) {
	for key, want := range map[string]string{
		"enter": "Enter", "ctrl+p": "Ctrl-P", "alt+enter": "Alt-ENTER", "x": "x", "G": "G", "pgdown": "PgDn",
	} {
		if got := Spell(key); got != want {
			t.Errorf("Spell(%q) = %q, want %q", key, got, want)
		}
	}
	if names := KeyNames(); !slices.IsSorted(names) || !slices.Contains(names, "pgdown") {
		t.Errorf("the names of keys are %q", names)
	}
}

func TestWheel(t *testing.T) {
	if down, up, other := Wheel(tea.MouseWheelDown), Wheel(tea.MouseWheelUp), Wheel(tea.MouseLeft); down <= 0 || up != -down || other != 0 {
		t.Errorf("down %d, up %d, another button %d", down, up, other)
	}
}

// TestViewLine keeps the cursor among the cells, and what was pasted from the terminal.
func TestViewLine(t *testing.T) {
	line := NewLine()
	line, _ = line.Update(tea.PasteMsg{Content: strings.Repeat("long ", 20) + "\x1b[2Jend"})
	s, x := ViewLine(line, 20)
	if cells.Width(s) != 20 || x < 0 || x >= 20 || strings.Contains(s, "\x1b") || !strings.Contains(s, "end") {
		t.Errorf("%q with the cursor at %d", s, x)
	}
	line.CursorStart()
	if s, x := ViewLine(line, 20); x != 0 || !strings.HasPrefix(s, "long long") {
		t.Errorf("at the start: %q with the cursor at %d", s, x)
	}
}
