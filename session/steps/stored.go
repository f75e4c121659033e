package steps

import (
	"lathe/session/text"
)

// kept is the part of a report that says where the result is stored. It is embedded as the last
// field. It is not part of the stored result.
type kept struct {
	Stored    string `json:"stored,omitempty"`     // path of the stored result
	NotStored string `json:"not_stored,omitempty"` // why it could not be stored
}

func (k kept) writeText(p *text.Printer) {
	if k.Stored != "" {
		p.Line("stored in %s", text.Clean(k.Stored))
	}
	if k.NotStored != "" {
		p.Line("warning: the result is not stored: %s", text.CleanLine(k.NotStored))
	}
}
