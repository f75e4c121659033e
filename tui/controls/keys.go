package controls

import (
	"maps"
	"slices"
	"strings"
)

var spellings = map[string]string{
	"up": "↑", "down": "↓", "left": "←", "right": "→", "pgdown": "PgDn", "pgup": "PgUp",
	"enter": "Enter", "esc": "Esc", "tab": "Tab", "shift+tab": "Shift-Tab", "space": "Space",
	"home": "Home", "end": "End", "f1": "F1", "backspace": "Backspace", "delete": "Del",
}

// Spell returns a key as it is written on a keyboard.
func Spell(key string) string {
	if s, ok := spellings[key]; ok {
		return s
	}
	for prefix, word := range map[string]string{"ctrl+": "Ctrl-", "alt+": "Alt-"} {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			return word + strings.ToUpper(Spell(rest))
		}
	}
	return key
}

// KeyNames returns the keys that are not characters, as tea.KeyPressMsg.String spells them.
func KeyNames() []string { return slices.Sorted(maps.Keys(spellings)) }
