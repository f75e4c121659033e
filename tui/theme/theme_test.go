package theme

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestLettered(t *testing.T) {
	for _, c := range []struct {
		s    string
		at   []int
		from int
		want string
	}{
		{"Relu", []int{0, 1}, 0, "[Re]lu"},
		{"größe", []int{7, 9}, 5, "gr[ö]ß[e]"},
		{"abc", nil, 0, "abc"},
		{"abc", []int{0, 1, 2}, 0, "[abc]"},
		{"", []int{3}, 3, ""},
	} {
		got := strings.NewReplacer("\x1b[1m", "[", ansi.ResetStyle, "]").Replace(Lettered(c.s, c.at, c.from, "", "\x1b[1m"))
		if got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		setting string
		isDark  bool
		want    Name
	}{
		{"auto", true, Dark},
		{"auto", false, Light},
		{"", false, Light},
		{"dark", false, Dark},
		{"high-contrast", false, HighContrast},
		{"none", true, None},
	} {
		if got := Of(c.setting, c.isDark); got != c.want {
			t.Errorf("Of(%q, %v) = %s, want %s", c.setting, c.isDark, got, c.want)
		}
	}
}
