package members

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lathe/session/folders"
	"lathe/tui/cells"
	"lathe/tui/config"
)

func report() *folders.Report {
	port := func(member, name string) folders.PortName { return folders.PortName{Member: member, Name: name} }
	return &folders.Report{
		Path: "models/t5", Layout: "optimum",
		Members: []folders.MemberReport{
			{Name: "encoder", File: "encoder_model.onnx", Bytes: 1000, Summary: "2 × transformer layer"},
			{Name: "decoder\x1b[2J", File: "decoder_model.onnx", Bytes: 2000, Summary: "2 × decoder layer"},
			{Name: "broken", File: "b.onnx", Error: "b.onnx: the file is empty"},
		},
		Wires: []folders.WireReport{
			{From: port("encoder", "last_hidden_state"), To: port("decoder\x1b[2J", "encoder_hidden_states"), Evidence: "name and type", Turn: "always"},
		},
		Callers: []folders.PortReport{{PortName: port("encoder", "input_ids"), About: "token ids"}},
		Unknown: []folders.PortReport{{PortName: port("decoder\x1b[2J", "odd")}},
	}
}

// open returns the list on a screen, after some keys. done is whether the last key left it.
func open(t *testing.T, w, h int, keys ...tea.KeyPressMsg) (a *app, done bool) {
	t.Helper()
	a = newApp(Options{Report: report(), NoColor: true, Settings: config.Config{}})
	a.Update(tea.WindowSizeMsg{Width: w, Height: h})
	for _, k := range keys {
		_, cmd := a.Update(k)
		done = cmd != nil
	}
	return a, done
}

var (
	down  = tea.KeyPressMsg{Code: tea.KeyDown}
	enter = tea.KeyPressMsg{Code: tea.KeyEnter}
	esc   = tea.KeyPressMsg{Code: tea.KeyEscape}
)

func TestViews(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {200, 50}, {40, 10}, {minWidth, minHeight}, {20, 3}} {
		a, _ := open(t, size[0], size[1])
		lines := strings.Split(a.View().Content, "\n")
		if len(lines) != size[1] {
			t.Errorf("%v: %d lines", size, len(lines))
		}
		for _, l := range lines {
			if cells.Width(l) > size[0] {
				t.Errorf("%v: the line %q is too wide", size, l)
			}
		}
		if strings.Contains(a.View().Content, "\x1b[2J") {
			t.Errorf("%v: a name reaches the terminal", size)
		}
	}
}

func TestWiresOfTheSelectedMember(t *testing.T) {
	a, _ := open(t, 100, 30)
	shown := ansi.Strip(a.View().Content)
	for _, want := range []string{"models/t5", "3 models", "encoder_model.onnx", "is read by", "from the caller", "input_ids"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is missing in\n%s", want, shown)
		}
	}
	a, _ = open(t, 100, 30, down)
	shown = ansi.Strip(a.View().Content)
	for _, want := range []string{"reads", "encoder.last_hidden_state → ", "not known where they come from", "odd"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is missing in\n%s", want, shown)
		}
	}
}

func TestChoice(t *testing.T) {
	if a, done := open(t, 80, 24, down, enter); !done || a.choice != "decoder_model.onnx" {
		t.Errorf("Enter chooses %q, leaves %v", a.choice, done)
	}
	if a, done := open(t, 80, 24, down, down, enter); done || a.choice != "" || !strings.Contains(a.View().Content, "the file is empty") {
		t.Errorf("Enter on a broken model chooses %q, leaves %v", a.choice, done)
	}
	if a, done := open(t, 80, 24, esc); !done || a.choice != "" {
		t.Errorf("Esc chooses %q, leaves %v", a.choice, done)
	}
}

func TestHelp(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}, {minWidth, minHeight}} {
		a, done := open(t, size[0], size[1], press('?'))
		shown := ansi.Strip(a.View().Content)
		if done || !strings.Contains(shown, " keys ") || size[1] > minHeight && !strings.Contains(shown, "leave with exit code 130") {
			t.Errorf("%v: ? leaves %v and shows\n%s", size, done, shown)
		}
		for _, l := range strings.Split(shown, "\n") {
			if cells.Width(l) > size[0] {
				t.Errorf("%v: the line %q is too wide", size, l)
			}
		}
	}
	for _, back := range []tea.KeyPressMsg{press('?'), esc, press('q'), down} {
		if a, done := open(t, 80, 24, press('?'), back); done || a.helping {
			t.Errorf("%s in the help leaves %v, stays in the help %v", back, done, a.helping)
		}
	}
}

func press(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Text: string(r)} }

func TestSelectedAgain(t *testing.T) {
	a := newApp(Options{Report: report(), Selected: "decoder_model.onnx"})
	if a.rows.Cursor != 1 {
		t.Errorf("the cursor is on row %d, expected the model that was left", a.rows.Cursor)
	}
}
