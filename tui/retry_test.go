package tui

import (
	"context"
	"io"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/tui/forms"
)

// fruitless is the report of a step without a result.
type fruitless struct{ retry []session.Setting }

func (fruitless) WriteText(w io.Writer) error {
	_, err := io.WriteString(w, "not exported\n")
	return err
}

func (fruitless) WriteWhole(w io.Writer) error {
	_, err := io.WriteString(w, "not exported\ncaused by a long story\n")
	return err
}

func (r fruitless) Retry() []session.Setting { return r.retry }
func (fruitless) Wrong() (text, remedy string) {
	return "the model's code turns it into a constant", "give a larger example"
}

// fruitlessDesk has run a step with an option, without a result.
func fruitlessDesk(t testing.TB, retry ...session.Setting) *desk {
	t.Helper()
	o := testOptions(graphtest.Model(t, mismatched))
	o.Steps = func() []session.Step {
		var way string
		options := []session.Option{session.Text(&way, "way", "the `WAY` to go")}
		return []session.Step{&fakeStep{name: "broken", options: options, run: func(context.Context, session.Env, *graphops.Model) (session.Result, error) {
			return session.Result{Report: fruitless{retry}, No: true}, nil
		}}}
	}
	d := newDeskWith(t, o, 120, 40)
	failed(d)
	return d
}

func init() {
	effects[forms.PlaceResults]["retry"] = effect{
		func(d *desk) { *d = *fruitlessDesk(d.t, session.Setting{Name: "way", Values: []string{"legacy"}}) },
		shows("broken: does broken"),
	}
	effects[forms.PlaceResults]["unabridged"] = effect{func(d *desk) { *d = *fruitlessDesk(d.t) }, shows("caused by a long story")}
}

// TestRetry: suggested options are filled into the form, the failure is listed among the problems,
// and no retry is offered without a suggestion.
func TestRetry(t *testing.T) {
	d := fruitlessDesk(t, session.Setting{Name: "way", Values: []string{"legacy"}})
	d.press("n")
	if !opens(forms.PlaceForm)(d) {
		t.Fatalf("no form:\n%s", d.screen())
	}
	d.sees("legacy")
	d = fruitlessDesk(t)
	d.press("w").sees("caused by a long story")
	d.press("w").lacks("caused by a long story")
	d.press("n")
	d.sees("the report suggests no other options to try")
	d.press("esc").press("P")
	d.sees("broken has failed:")
	d.sees("the model's code turns it into a constant")
}

// improvable is the report of a step that made a model and knows a better way.
type improvable struct{ fruitless }

func (improvable) Wrong() (text, remedy string) { return "", "" }

// TestRetryOfAChange takes back the step that made the model, and runs it on the model before, with the
// suggested option.
func TestRetryOfAChange(t *testing.T) {
	o := testOptions(graphtest.Model(t, mismatched))
	var ran []string
	var on []*graphops.Model
	o.Steps = func() []session.Step {
		var way string
		options := []session.Option{session.Text(&way, "way", "the `WAY` to go")}
		return []session.Step{&fakeStep{name: "shrink", options: options, run: func(_ context.Context, _ session.Env, m *graphops.Model) (session.Result, error) {
			ran, on = append(ran, way), append(on, m)
			r := improvable{fruitless{[]session.Setting{{Name: "way", Values: []string{"better"}}}}}
			return session.Result{Model: graphops.Edit(m).Model(), Report: r}, nil
		}}}
	}
	d := newDeskWith(t, o, 120, 40)
	d.press(":").write("shrink").press("enter", "enter")
	ran, on = nil, nil // the form asks for previews
	d.press("n")
	if len(ran) != 1 || ran[0] != "better" || on[0] != d.app.ws.Session.Original() {
		t.Fatalf("ran %q, on the opened model: %v\n%s", ran, len(on) > 0 && on[0] == d.app.ws.Session.Original(), d.screen())
	}
	if h := d.app.ws.Session.History(); len(h) != 1 || h[0].Call.Options[0].Values[0] != "better" {
		t.Errorf("the steps are %v", h)
	}
}
