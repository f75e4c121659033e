package tui

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops/graphtest"
	"lathe/tui/controls/keytest"
)

// TestSpoken presses keys and checks the spoken text.
func TestSpoken(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	var out strings.Builder
	s := newSpoken(d.app, &out)
	hear := func() string {
		s.voice.end()
		heard := out.String()
		out.Reset()
		s.voice = newVoice(&out)
		return heard
	}
	listen := func(keys ...string) string {
		for _, k := range keys {
			_, cmd := s.Update(keytest.Press(t, k))
			d.perform(cmd)
		}
		s.Update(nil) // what followed
		return hear()
	}
	for _, c := range []struct {
		keys []string
		want string
	}{
		{nil, "nodes\r\ninput x, f32 1×4, row 1 of 10\r\n"},
		{[]string{"j", "j"}, "input mask, f32 1×4, row 2 of 10\r\nMatMul fc, f32 1×4, row 3 of 10\r\n"},
		{[]string{"k", "k", "k"}, "input mask, f32 1×4, row 2 of 10\r\ninput x, f32 1×4, row 1 of 10\r\n"},
		{[]string{"p"}, "first mark an output to keep, with Space\r\n"},
		{[]string{"b"}, "bench: does bench\r\nmodels: model.onnx. to measure\r\n"},
	} {
		if diff := cmp.Diff(c.want, listen(c.keys...)); diff != "" {
			t.Errorf("%q: %s", c.keys, diff)
		}
	}
}

// TestAnswersAreSpoken checks that the answer to a key is spoken when it arrives.
func TestAnswersAreSpoken(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	s := newSpoken(d.app, io.Discard)
	s.news(true)
	d.press("f")
	s.news(true)
	d.hold = true
	d.write("sig")
	if got := s.news(true); len(got) > 0 {
		t.Errorf("said %q before the answer", got)
	}
	d.resume()
	if got := strings.Join(s.news(false), "\n"); !strings.HasPrefix(got, "sig: Sigmoid") {
		t.Errorf("said %q", got)
	}
	if got := s.news(false); len(got) > 0 {
		t.Errorf("said %q again", got)
	}
}

// TestEverythingSpeaks opens every view of the goldens: each must have text for users who cannot
// see it.
func TestEverythingSpeaks(t *testing.T) {
	for _, v := range views {
		d := newDeskWith(t, testOptions(graphtest.Model(t, branchy)), 80, 24)
		d.press(strings.Fields(v.keys)...)
		at := d.app.focused().Pane
		if top := d.app.dialogs.Top(); top != nil {
			at = top
		}
		if strings.TrimSpace(at.Said()) == "" {
			t.Errorf("%s says nothing", v.name)
		}
		if strings.ContainsAny(at.Said(), "\x1b\r") {
			t.Errorf("%s says %q", v.name, at.Said())
		}
	}
}
