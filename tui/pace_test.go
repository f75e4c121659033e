package tui

import (
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
)

// pacedDesk has a terminal that is asked; commands that wait are held back.
func pacedDesk(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t, chain(t, 2000), 120, 40).press("3", "2") // the first move would also replace the overview
	d.app.pace.on, d.hold = true, true
	d.send(nil)
	d.app.Update(nil)
	return d
}

func (d *desk) drawn() string { return d.app.View().Content }

// TestPicturesWaitForTheTerminal pages down without an answer: after the first frame the others
// wait, and the last one is drawn with the answer.
func TestPicturesWaitForTheTerminal(t *testing.T) {
	d := pacedDesk(t)
	answer := func() { d.send(uv.PrimaryDeviceAttributesEvent{62}) }
	answer()
	if d.app.pace.flying != 0 || !d.app.pace.answers {
		t.Fatalf("after the answer %d bytes are on their way", d.app.pace.flying)
	}
	d.press("pgdown")
	first := d.drawn()
	for range 5 {
		d.press("pgdown")
		if d.drawn() != first {
			t.Fatal("a picture is sent though the last one is not drawn yet")
		}
	}
	answer()
	if want := d.app.picture().Content; d.drawn() != want || want == first {
		t.Error("the last picture does not come with the answer")
	}
}

// TestLateAnswer answers for the first of several frames: the terminal is asked again for the rest.
func TestLateAnswer(t *testing.T) {
	d := pacedDesk(t)
	d.press("pgdown", "pgdown")
	d.send(uv.PrimaryDeviceAttributesEvent{62})
	before := d.drawn()
	d.press("pgdown")
	if d.drawn() != before {
		t.Error("a picture is sent though those before are not drawn yet")
	}
	if d.app.pace.asked == 0 {
		t.Fatal("nobody asks whether they are")
	}
	d.send(uv.PrimaryDeviceAttributesEvent{62})
	if d.drawn() == before {
		t.Error("the picture waits for ever")
	}
}

// TestMovesDoNotWait sends several small frames at once.
func TestMovesDoNotWait(t *testing.T) {
	d := pacedDesk(t)
	d.send(uv.PrimaryDeviceAttributesEvent{62})
	for range 3 {
		before := d.drawn()
		if d.press("j"); d.drawn() == before {
			t.Fatal("a move waits")
		}
	}
}

// TestSilentTerminal never answers: nothing waits, and the terminal is not asked again.
func TestSilentTerminal(t *testing.T) {
	d := pacedDesk(t)
	for range 6 {
		before := d.drawn()
		if d.press("pgdown"); d.drawn() == before {
			t.Fatal("a picture waits for a terminal that has never answered")
		}
		d.send(silenceMsg{d.app.pace.ticket})
	}
	if got := d.app.pace.ticket; got != mayBeSilent {
		t.Errorf("it was asked %d times, want %d", got, mayBeSilent)
	}
}

// TestAnswersStop never answers again after the first answer: the frame is drawn when the time is
// over.
func TestAnswersStop(t *testing.T) {
	d := pacedDesk(t)
	d.send(uv.PrimaryDeviceAttributesEvent{62})
	d.press("pgdown", "pgdown")
	stuck := d.drawn()
	d.send(silenceMsg{d.app.pace.ticket - 1}) // of a question before
	if d.drawn() != stuck {
		t.Error("an old question's time lets a picture through")
	}
	d.send(silenceMsg{d.app.pace.ticket})
	if d.drawn() == stuck {
		t.Error("the picture waits for ever")
	}
}

func TestChanged(t *testing.T) {
	const at = len("\x1b[100;100H")
	for _, c := range []struct {
		from, to string
		want     int
	}{
		{"a\nb", "a\nb", 0},
		{"hello world", "hello there world", len("there ") + at},
		{"a\nbXb\nc", "a\nbYb\nc", 1 + at},
		{"", "new", 3 + at},
	} {
		if got := changed(c.from, c.to); got != c.want {
			t.Errorf("%q to %q is %d bytes, want %d", c.from, c.to, got, c.want)
		}
	}
}
