package wire

import "testing"

func TestAllowCovers(t *testing.T) {
	file := File{Path: "a", Real: "/a", Bytes: 1}
	changed := file
	changed.Bytes = 2
	whole := &Allow{Files: []File{file}, Folders: []string{"/f"}, Written: []string{"/w"}, Listed: []string{"/l"}, Libraries: []string{"x.so"}, Providers: []string{"cpu"}, Scratch: true}
	for name, c := range map[string]struct {
		b    *Allow
		want bool
	}{
		"nothing":         {nil, true},
		"no need":         {&Allow{}, true},
		"itself":          {whole, true},
		"a file":          {&Allow{Files: []File{file}}, true},
		"a changed file":  {&Allow{Files: []File{changed}}, false},
		"another folder":  {&Allow{Folders: []string{"/f/g"}}, false},
		"another write":   {&Allow{Written: []string{"/f"}}, false},
		"another list":    {&Allow{Listed: []string{"/f"}}, false},
		"another library": {&Allow{Libraries: []string{"y.so"}}, false},
		"another device":  {&Allow{Providers: []string{"cuda"}}, false},
	} {
		if got := whole.Covers(c.b); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if (&Allow{}).Covers(&Allow{Scratch: true}) {
		t.Error("a folder of its own is covered by nothing")
	}
}
