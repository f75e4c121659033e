package launch

import (
	"errors"
	"io"
	"strings"

	"github.com/adrg/xdg"
	"github.com/spf13/pflag"

	"lathe/session"
	"lathe/session/command"
	"lathe/tui"
	"lathe/tui/config"
)

// display has the flags of the workbench, which override the settings file.
type display struct {
	theme                       string
	ascii, lines, inline, mouse bool

	set string // the theme of the settings file
}

func (d *display) addFlags(flags *pflag.FlagSet) {
	flags.Var(&command.ChoiceFlag{Value: &d.theme, Choices: config.Themes}, "theme", "draw the workbench in this `THEME`: "+strings.Join(config.Themes, ", "))
	flags.BoolVar(&d.ascii, "ascii", false, "draw the workbench with ASCII characters only")
	flags.BoolVar(&d.lines, "lines", false, "print lines instead of drawing a screen, for screen readers")
	flags.BoolVar(&d.inline, "no-alt-screen", false, "draw in the terminal's normal screen, so that the last view stays in the scrollback")
	flags.BoolVar(&d.mouse, "no-mouse", false, "do not use the mouse, so that the terminal can select text")
}

// settings returns the settings file with the flags applied. If the file cannot be read, it returns
// the defaults and a notice.
func (d *display) settings() (config.Config, []error) {
	c, err := config.Load(config.Path(xdg.ConfigHome), tui.Vocabulary())
	var notices []error
	if err != nil {
		notices = append(notices, err)
	}
	d.set = c.Theme
	c.Theme = rememberedTheme(d.set)
	if d.theme != "" {
		c.Theme = d.theme
	}
	c.ASCII = c.ASCII || d.ascii
	c.ScreenReader = c.ScreenReader || d.lines
	c.AltScreen = c.AltScreen && !d.inline
	c.Mouse = c.Mouse && !d.mouse
	return c, notices
}

// settingsReport has the current settings and the path of the settings file.
type settingsReport struct {
	Schema       string         `json:"schema"`
	Path         string         `json:"path"`
	Theme        string         `json:"theme"`
	ASCII        bool           `json:"ascii"`
	Mouse        bool           `json:"mouse"`
	AltScreen    bool           `json:"alt_screen"`
	ScreenReader bool           `json:"screen_reader"`
	Columns      []string       `json:"columns"`
	Keys         []settingsKeys `json:"keys"`
}

// settingsKeys are the keys for an action in one part of the workbench.
type settingsKeys struct {
	Place  string   `json:"place"`
	Action string   `json:"action"`
	Keys   []string `json:"keys"`
}

// WriteText writes a settings file that documents every setting and its default.
func (settingsReport) WriteText(w io.Writer) error { return config.WriteDefault(w, tui.Vocabulary()) }

// Settings implements command.Workbench.
func (*Workbench) Settings() (session.Report, error) {
	c, notices := (&display{}).settings()
	r := settingsReport{
		Schema: "lathe.config/1", Path: config.Path(xdg.ConfigHome), Theme: c.Theme, ASCII: c.ASCII, Mouse: c.Mouse,
		AltScreen: c.AltScreen, ScreenReader: c.ScreenReader, Columns: c.Columns,
	}
	for _, k := range tui.KeysOf(c) {
		r.Keys = append(r.Keys, settingsKeys{k.Place, k.Name, append([]string{}, k.Keys...)})
	}
	return r, errors.Join(notices...)
}
