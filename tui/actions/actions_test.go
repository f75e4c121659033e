package actions

import (
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"lathe/tui/config"
	"lathe/tui/list"
)

// counter is an owner of actions.
type counter struct {
	n     int
	moved list.Motion
}

func (c *counter) add() tea.Cmd {
	c.n++
	return tea.Quit
}

func (c *counter) reset()             { c.n = 0 }
func (c *counter) move(m list.Motion) { c.moved = m }

func (c *counter) zeroRefusal() string {
	if c.n == 0 {
		return "it is zero"
	}
	return ""
}

func (c *counter) oddRefusal() string {
	if c.n%2 == 1 {
		return "it is odd"
	}
	return ""
}

func counterActions() []Action {
	type it = *counter
	return Moving(it.move, []Row[it]{
		New("add", "one more", []string{"+", "enter"}, it.add),
		Now("reset", "to zero", []string{"r"}, it.reset, it.zeroRefusal, it.oddRefusal),
	})
}

func newCounterKeymap(own ...config.Binding) *Keymap {
	return NewKeymap([]Table{{Place: "counter", Actions: counterActions()}}, own)
}

func TestActionsOfAnOwner(t *testing.T) {
	k, c := newCounterKeymap(), &counter{}
	reset := k.Meaning("counter", "r")
	if why := reset.Refusal(c); why != "it is zero" {
		t.Errorf("the first reason is %q", why)
	}
	if cmd := k.Meaning("counter", "enter").Do(c); cmd == nil || c.n != 1 {
		t.Errorf("adding leads to %d", c.n)
	}
	if why := reset.Refusal(c); why != "it is odd" {
		t.Errorf("the second reason is %q", why)
	}
	c.n = 4
	if why, cmd := reset.Refusal(c), reset.Do(c); why != "" || cmd != nil || c.n != 0 {
		t.Errorf("reset: %q, %d", why, c.n)
	}
	if k.Meaning("counter", "G").Do(c); c.moved != list.Bottom {
		t.Errorf("G moves %q", c.moved)
	}
	if k.Meaning("counter", "x") != nil || k.Meaning("elsewhere", "r") != nil {
		t.Error("a key without a meaning has one")
	}
	if !k.Find("counter", "page-up").Name.IsMotion() || reset.Name.IsMotion() {
		t.Error("motions and other actions are mixed up")
	}
}

func TestKeymapOfSettings(t *testing.T) {
	k := newCounterKeymap(config.Binding{Action: "add", Keys: []string{"j"}}, config.Binding{Place: "elsewhere", Action: "reset", Keys: []string{"x"}})
	if got := k.Key("counter", "add") + k.Key("counter", "reset") + k.Key("counter", "none"); got != "jr" {
		t.Errorf("the keys are %q", got)
	}
	if k.Meaning("counter", "+") != nil || k.Find("counter", "down").Key() != "↓" {
		t.Error("keys are not replaced")
	}
	if diff := cmp.Diff([]string{"settings: key j now does counter.add and no longer counter.down"}, k.Taken); diff != "" {
		t.Error(diff)
	}
	want := config.Action{Place: "counter", Name: "reset", Help: "to zero", Keys: []string{"r"}}
	if all := k.Settings(); !slices.ContainsFunc(all, func(a config.Action) bool { return cmp.Equal(a, want) }) {
		t.Errorf("the settings know %v", all)
	}
	if again := newCounterKeymap(); again.Key("counter", "add") != "+" {
		t.Error("the settings of one keymap change another")
	}
}
