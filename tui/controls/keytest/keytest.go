// Package keytest makes key presses for tests, from the bytes that a terminal sends.
package keytest

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// terminalBytes holds what a terminal sends for the keys that are not characters.
var terminalBytes = map[string]string{
	"enter": "\r", "esc": "\x1b", "tab": "\t", "shift+tab": "\x1b[Z", "space": " ", "backspace": "\x7f",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
	"delete": "\x1b[3~", "pgup": "\x1b[5~", "pgdown": "\x1b[6~", "f1": "\x1bOP",
}

// Bytes returns what a terminal sends for a key.
func Bytes(t testing.TB, key string) string {
	t.Helper()
	if b, ok := terminalBytes[key]; ok {
		return b
	}
	if c, ok := strings.CutPrefix(key, "ctrl+"); ok && len(c) == 1 {
		return string(rune(c[0] & 0x1f))
	}
	if len([]rune(key)) != 1 {
		t.Fatalf("no bytes are known for key %q", key)
	}
	return key
}

// Press returns the message for a key, which is spelled as in key tables.
func Press(t testing.TB, key string) tea.KeyPressMsg {
	t.Helper()
	var decoder uv.EventDecoder
	b := Bytes(t, key)
	n, event := decoder.Decode([]byte(b))
	press, ok := event.(uv.KeyPressEvent)
	if !ok || n != len(b) {
		t.Fatalf("key %q: %q is decoded as %T", key, b, event)
	}
	return tea.KeyPressMsg(press)
}
