package inputs

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJSON(t *testing.T) {
	tests := []struct{ inputs, text, want string }{
		{"x f32[b,2]", `{"x": [[1,2],[3,4.5]]}`, "f x=f32[2,2]{1,2,3,4.5}"},
		{"x i64[]", `{"x": 9007199254740993}`, "f x=i64[]{9007199254740993}"},
		{"x u64[1]", `{"x": [18446744073709551615]}`, "f x=u64[1]{18446744073709551615}"},
		{"x f64[3]", `{"x": ["NaN","Infinity","-Infinity"]}`, "f x=f64[3]{NaN,+Inf,-Inf}"},
		{"x bool[2]", `{"x": [true,false]}`, "f x=bool[2]{true,false}"},
		{"x str[2]", `{"x": ["a","ü"]}`, `f x=str[2]{"a","ü"}`},
		{"x f32[n]", `{"x": []}`, "f x=f32[0]{}"},
		{"x f32", `{"x": [[],[]]}`, "f x=f32[2,0]{}"},
		{"x u4[2]", `{"x": [1,15]}`, "f x=u4[2]{1,15}"},
		{"x seq(f32[n])", `{"x": [[1],[2,3]]}`, "f x=(f32[1]{1} f32[2]{2,3})"},
		{"x opt(i32[1])", `{"x": null}`, "f x=()"},
		{"x opt(i32[1])", `{"x": [4]}`, "f x=(i32[1]{4})"},
		{"x map(i64,f32)", `{"x": {"1": 2, "-3": 4}}`, "f x=(i64[2]{1,-3} f32[2]{2,4})"},
		{"x map(str,str)", `{"x": {"a": "b"}}`, `f x=(str[1]{"a"} str[1]{"b"})`},
		{"x seq(map(str,i64))", `{"x": [{"a": 1},{}]}`, `f x=((str[1]{"a"} i64[1]{1}) (str[0]{} i64[0]{}))`},
		{"x f32[]; y i8[1]", `[{"x":1,"y":[2]},{"y":[3],"x":4}]`, "f[0] x=f32[]{1} y=i8[1]{2}\nf[1] x=f32[]{4} y=i8[1]{3}"},
	}
	for _, c := range tests {
		types := declared(t, c.inputs)
		got, err := readJSON(strings.NewReader(c.text), "f", types, nil)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if diff := cmp.Diff(strings.Split(c.want, "\n"), showCases(types, got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestJSONRefuses(t *testing.T) {
	tests := []struct{ inputs, text, want string }{
		{"x f32[2]", ``, "unexpected EOF"},
		{"x f32[2]", `{"x": [1,2`, "unexpected EOF"},
		{"x f32[2]", `{"x": [1,2]} 3`, "3 after the last value"},
		{"x f32[2]", `5`, "expected an object with a value for each input"},
		{"x f32[2]", `[]`, "a list without cases"},
		{"x f32[2]", `[5]`, "case 0: got 5, expected an object"},
		{"x f32[2]", `{"schema": "lathe.bench/1", "runs": []}`, "is a result of lathe (lathe.bench/1); expected an object with a value for each input"},
		{"x f32[2]", `{"schema": 1}`, `no input is called "schema"; inputs are "x"`},
		{"x f32[2]", `{"other": 1}`, `no input is called "other"; inputs are "x"`},
		{"x f32[2]", `{}`, `no value for input "x"`},
		{"x f32[2]", `{"x": [1,2], "x": [1,2]}`, "two values"},
		{"x f32[2]", `{"x": [1,2,3]}`, `input "x" expects shape 2, got 3`},
		{"x f32[a,b]", `{"x": [[1,2],[3]]}`, "shape 1 beside shape 2"},
		{"x f32[a,b]", `{"x": [[1,2],3]}`, "shape scalar beside shape 2"},
		{"x f32[2]", `{"x": ["1","2"]}`, `input "x": got "1", expected an element of type f32`},
		{"x f32[2]", `{"x": [null]}`, "got null, expected an element of type f32"},
		{"x f32[2]", `"a"`, `begins with "a"; expected an object`},
		{"x f32[2]", `["a"]`, `case 0: got "a", expected an object`},
		{"x f32[2]", `{"x": [1,2]} "a"`, `"a" after the last value`},
		{"x seq(f32)", `{"x": "a"}`, `got "a", expected a value of type seq(f32)`},
		{"x f32[2]", `{"x": [1,2]} }`, "byte 13: invalid character '}'"},
		{"x map(str,f32)", `{"x": {"a": "b"}}`, `value of key "a": got "b", expected an element of type f32`},
		{"x f32[2]", `{"x": {"a":1}}`, "got {, expected an element of type f32"},
		{"x f32[1]", `{"x": [1e999]}`, "got 1e999, expected an element"},
		{"x i64[1]", `{"x": [1.5]}`, "got 1.5, expected an element of type i64"},
		{"x i8[1]", `{"x": [200]}`, "outside the range of i8"},
		{"x bool[1]", `{"x": [1]}`, "got 1, expected an element of type bool"},
		{"x c64[1]", `{"x": [1]}`, "type c64 cannot be written in JSON"},
		{"x seq(f32)", `{"x": 1}`, "got 1, expected a value of type seq(f32)"},
		{"x map(i64,f32)", `{"x": {"a": 1}}`, `got key "a", expected a key of type i64`},
		{"x map(i64,seq(f32))", `{"x": {"1": [1]}}`, "expected a value of type map"},
		{"x sparse(f32)[2]", `{"x": 1}`, "cannot be written in JSON"},
		{"x f32", `{"x": ` + strings.Repeat("[", 50_000), "nest deeper than 32"},
	}
	for _, c := range tests {
		_, err := readJSON(strings.NewReader(c.text), "f", declared(t, c.inputs), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60s: got %v, want %q", c.text, err, c.want)
		}
	}
}

func FuzzJSON(f *testing.F) {
	lists := []string{"x f32[b,2]", "x i64[]; y bool[n]", "x str", "x seq(f32[n])", "x map(i64,f32)", "x opt(seq(map(str,i64)))", "x u64[2]"}
	for i := range lists {
		for _, s := range []string{`{"x":[[1,2]]}`, `[{"x":1,"y":[true]}]`, `{"x":["a"]}`, `{"x":{"1":2}}`, `{"x":null}`, `{"x":[18446744073709551615,0]}`} {
			f.Add(s, uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, s string, list uint8) {
		types := declared(t, lists[int(list)%len(lists)])
		got, err := readJSON(strings.NewReader(s), "f", types, nil)
		if err == nil && !json.Valid([]byte(s)) {
			t.Error("not JSON, and read")
		}
		for _, c := range got.Cases {
			for _, v := range c.Feeds {
				if err := v.Check(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// TestJSONExpected checks that a member with the name of an output is its expected value.
func TestJSONExpected(t *testing.T) {
	types, outputs := declared(t, "x f32[2]"), declared(t, "y f32[2]; n i64[1]; z str[1]")
	c, err := readJSON(strings.NewReader(`[{"y": [1, 2.5], "x": [1, 2], "z": ["a"]}, {"x": [3, 4]}]`), "f", types, outputs)
	if err != nil || len(c.Cases) != 2 || len(c.Cases[0].Feeds) != 1 || len(c.Cases[0].Expected) != 2 || c.Cases[1].Expected != nil {
		t.Fatalf("got %+v, %v", c, err)
	}
	if got, _ := c.Cases[0].Expected["y"].Tensor.Literal(); got != "f32[2]{1,2.5}" {
		t.Errorf("got %s", got)
	}
	for text, want := range map[string]string{
		`{"x": [1, 2], "y": [1], "y": [1]}`: `"y" has two values`,
		`{"x": [1, 2], "n": [1.5]}`:         `output "n": `,
		`{"x": [1, 2], "q": [1.5]}`:         `no input is called "q"`,
		`{"y": [1, 2]}`:                     `no value for input "x"`,
	} {
		if _, err := readJSON(strings.NewReader(text), "f", types, outputs); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
