package theme

import "testing"

func TestBefore(t *testing.T) {
	const grey, red Paint = "\x1b[38;5;240m", "\x1b[38;5;9m"
	for name, c := range map[string]struct {
		p       Paint
		s, rest string
		want    string
	}{
		"same style":          {grey, "│", grey.On("╭─╮") + " x", "\x1b[38;5;240m│╭─╮\x1b[m x"},
		"blanks between":      {grey, "│", "  " + grey.On("│") + " x", "\x1b[38;5;240m│  │\x1b[m x"},
		"another style":       {grey, "│", " " + red.On("│"), "\x1b[38;5;240m│\x1b[m \x1b[38;5;9m│\x1b[m"},
		"text between":        {grey, "│", " x" + grey.On("│"), "\x1b[38;5;240m│\x1b[m x\x1b[38;5;240m│\x1b[m"},
		"only blanks":         {grey, "│", "   ", "\x1b[38;5;240m│\x1b[m   "},
		"nothing in front":    {grey, "", " " + grey.On("│"), " \x1b[38;5;240m│\x1b[m"},
		"a theme of no color": {"", "│", " │", "│ │"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.p.Before(c.s, c.rest); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
