package tui

import (
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session/steps"
	"lathe/tui/forms"
)

// TestBatchOfAllInputs: two keys make the batch axis of all inputs dynamic, as one symbol.
func TestBatchOfAllInputs(t *testing.T) {
	o := testOptions(graphtest.Model(t, "input ids i64[1,8]\ninput mask i64[1,8]\ninput k i64[]\na: y = Add(ids, mask)\noutput y i64[1,8]"))
	o.Steps, o.Env.Runtime = steps.All, missingRuntime{}
	d := newDeskWith(t, o, 100, 30)
	d.press("a")
	d.sees("ids:0=batch", "mask:0=batch")
	d.press("enter", "esc")
	var got []string
	for _, v := range d.app.ws.Model().Graph().FeedInputs() {
		got = append(got, v.Name()+" "+v.Type().Declaration())
	}
	if s := strings.Join(got, ", "); s != "ids i64[batch,8], mask i64[batch,8], k i64[]" {
		t.Errorf("the inputs are %s\n%s", s, d.screen())
	}
}

// TestBatchProposals looks at what is proposed for other inputs.
func TestBatchProposals(t *testing.T) {
	for _, c := range []struct{ inputs, want string }{
		{"input a f32[2,4]\ninput b f32[3,4]\ninput c f32[2]", "a:0=batch c:0=batch"},
		{"input a f32[N,4]\ninput b f32[1,4]", "b:0=N"},
		{"input a f32[2*n,4]\ninput b f32[1,4]", "b:0=batch"},
		{"input a f32[1,batch]", "a:0=batch_2"},
		{"input a f32[n]\ninput b f32[?,2]", ""},
	} {
		o := testOptions(graphtest.Model(t, c.inputs+"\nz: y = Relu(a)\noutput y f32"))
		o.Steps = steps.All
		d := newDeskWith(t, o, 100, 30)
		d.perform(forms.OpenForm(d.app.ws, "axes"))
		if got := valuesOf(d, "dynamic"); got != c.want {
			t.Errorf("%q: proposed is %q, want %q", c.inputs, got, c.want)
		}
	}
}
