package reporting

import (
	"lathe/session/text"
)

// Kept is the part of a report that says where the result is stored. It is embedded as the last
// field. It is not part of the stored result.
type Kept struct {
	Stored    string `json:"stored,omitempty"`     // path of the stored result
	NotStored string `json:"not_stored,omitempty"` // why it could not be stored
}

// Print writes where the result is stored, or why it is not.
func (k Kept) Print(p *text.Printer) {
	if k.Stored != "" {
		p.Line("stored in %s", text.Clean(k.Stored))
	}
	if k.NotStored != "" {
		p.Line("warning: the result is not stored: %s", text.CleanLine(k.NotStored))
	}
}
