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

// display is what flags say of the workbench, in place of the settings.
type display struct {
	theme                       string
	ascii, lines, inline, mouse bool
}

func (d *display) addFlags(flags *pflag.FlagSet) {
	flags.Var(&command.ChoiceFlag{Value: &d.theme, Choices: config.Themes}, "theme", "draw the workbench in this `THEME`: "+strings.Join(config.Themes, ", "))
	flags.BoolVar(&d.ascii, "ascii", false, "draw the workbench with ASCII characters only")
	flags.BoolVar(&d.lines, "lines", false, "print lines instead of drawing a screen, for screen readers")
	flags.BoolVar(&d.inline, "no-alt-screen", false, "draw in the terminal's normal screen, so that the last view stays in the scrollback")
	flags.BoolVar(&d.mouse, "no-mouse", false, "do not use the mouse, so that the terminal can select text")
}

// settings are those of the person's file, with what the flags say instead. A file
// that cannot be read is told, and the defaults hold.
func (d *display) settings() (config.Config, []error, error) {
	c, err := config.Load(config.Path(xdg.ConfigHome), tui.Vocabulary())
	var notices []error
	if err != nil {
		notices = append(notices, err)
	}
	if d.theme != "" {
		c.Theme = d.theme
	}
	c.ASCII = c.ASCII || d.ascii
	c.ScreenReader = c.ScreenReader || d.lines
	c.AltScreen = c.AltScreen && !d.inline
	c.Mouse = c.Mouse && !d.mouse
	return c, notices, nil
}

// settingsReport is the settings that hold, and where the file is looked for.
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

// settingsKeys are the keys of an action in a place.
type settingsKeys struct {
	Place  string   `json:"place"`
	Action string   `json:"action"`
	Keys   []string `json:"keys"`
}

// WriteText writes a file that documents every setting and says what holds
// without it.
func (settingsReport) WriteText(w io.Writer) error { return config.WriteDefault(w, tui.Vocabulary()) }

// Settings implements command.Workbench.
func (*Workbench) Settings() (session.Report, error) {
	c, notices, err := (&display{}).settings()
	r := settingsReport{
		Schema: "lathe.config/1", Path: config.Path(xdg.ConfigHome), Theme: c.Theme, ASCII: c.ASCII, Mouse: c.Mouse,
		AltScreen: c.AltScreen, ScreenReader: c.ScreenReader, Columns: c.Columns,
	}
	for _, k := range tui.KeysOf(c) {
		r.Keys = append(r.Keys, settingsKeys{k.Place, k.Name, append([]string{}, k.Keys...)})
	}
	return r, errors.Join(append(notices, err)...)
}
