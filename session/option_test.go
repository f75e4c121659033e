package session_test

import (
	"fmt"
	"slices"
	"testing"

	"lathe/session"
)

func option(t *testing.T, s session.Step, name string) session.Option {
	t.Helper()
	for _, o := range s.Options() {
		if o.Name == name {
			return o
		}
	}
	t.Fatalf("no option %q", name)
	return session.Option{}
}

func TestOptionSet(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []string
		want   []string
		err    string
	}{
		{name: "word", values: []string{"a b"}, want: []string{"a b"}},
		{name: "word", values: []string{"a", "b"}, want: []string{"b"}},
		{name: "name", values: []string{"a,b", "c:0"}, want: []string{"a,b", "c:0"}},
		{name: "mode", values: []string{"slow"}, want: []string{"slow"}},
		{name: "mode", values: []string{"medium"}, err: `--mode: "medium" is not one of fast, slow`},
		{name: "mode", values: []string{"fas"}, err: `--mode: "fas" is not one of fast, slow; did you mean "fast"?`},
		{name: "mode", values: []string{"sloww"}, err: `--mode: "sloww" is not one of fast, slow; did you mean "slow"?`},
		{name: "n", values: []string{"7"}, want: []string{"7"}},
		{name: "n", values: []string{"0"}, err: `--n: "0" is not an integer of at least 1`},
		{name: "n", values: []string{"1e3"}, err: `--n: "1e3" is not an integer of at least 1`},
		{name: "x", values: []string{"0.5"}, want: []string{"0.5"}},
		{name: "x", values: []string{"NaN"}, err: `--x: "NaN" is not a number above 0`},
		{name: "x", values: []string{"-1"}, err: `--x: "-1" is not a number above 0`},
		{name: "y", values: []string{"0"}, want: []string{"0"}},
		{name: "y", values: []string{"1e-3"}, want: []string{"0.001"}},
		{name: "y", values: []string{"-1"}, err: `--y: "-1" is not a number of at least 0`},
		{name: "y", values: []string{"NaN"}, err: `--y: "NaN" is not a number of at least 0`},
		{name: "y", values: []string{"Inf"}, err: `--y: "Inf" is not a number of at least 0`},
		{name: "on", values: []string{"true"}, want: []string{"true"}},
		{name: "on", values: []string{"true", "false"}},
		{name: "on", values: []string{"yes"}, err: `--on: "yes" is neither true nor false`},
	} {
		o := option(t, &fakeStep{}, c.name)
		var err error
		for _, v := range c.values {
			if err = o.Set(v); err != nil {
				break
			}
		}
		switch {
		case c.err != "":
			if err == nil || err.Error() != c.err {
				t.Errorf("%s %q: error %v, want %s", c.name, c.values, err, c.err)
			}
		case err != nil:
			t.Errorf("%s %q: %v", c.name, c.values, err)
		case !slices.Equal(o.Values(), c.want):
			t.Errorf("%s %q: holds %q, want %q", c.name, c.values, o.Values(), c.want)
		}
		o.Reset()
		if len(o.Values()) != 0 {
			t.Errorf("%s: holds %q after Reset", c.name, o.Values())
		}
	}
}

// TestOptionListsDoNotShare checks that two steps filled from the same list do not write into each
// other's memory.
func TestOptionListsDoNotShare(t *testing.T) {
	a := &fakeStep{Names: make([]string, 1, 8)}
	b := &fakeStep{Names: a.Names}
	for _, s := range []*fakeStep{a, b} {
		if err := option(t, s, "name").Set("second"); err != nil {
			t.Fatal(err)
		}
	}
	if &a.Names[1] == &b.Names[1] {
		t.Error("both steps append to the same array")
	}
}

// A choice is suggested by its prefix, by similarity, or by one of its words.
func TestMeantChoice(t *testing.T) {
	for _, c := range []struct{ given, meant string }{
		{"swi", "swish"},
		{"fuse-qvk", "fuse-qkv"},
		{"attention", "fuse-attention"},
		{"atention", "fuse-attention"},
		{"fuze", ""}, // two are equally near
		{"transpose", ""},
		{"", ""},
	} {
		var v string
		o := session.Choice(&v, "pass", "a pass", "fuse-attention", "fuse-qkv", "swish")
		want := fmt.Sprintf("--pass: %q is not one of fuse-attention, fuse-qkv, swish", c.given)
		if c.meant != "" {
			want += fmt.Sprintf("; did you mean %q?", c.meant)
		}
		if err := o.Set(c.given); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", c.given, err, want)
		}
	}
}
