package store

import (
	"fmt"

	"lathe/bench"
)

// Modes is the part of the document of lathe quantize compare that a page shows.
type Modes struct {
	Inputs   string        `json:"inputs"`
	Original ModesRow      `json:"original"`
	Rows     []ModesRow    `json:"rows"`
	Advice   []ModesAdvice `json:"advice"`
}

// ModesRow is a mode, or the original.
type ModesRow struct {
	Mode   string `json:"mode"`
	Failed string `json:"failed"`
	Bytes  int64  `json:"bytes"`
	Error  *struct {
		SNR *bench.Number `json:"snr_db"`
	} `json:"error"`
	Time *struct {
		P50   bench.Number     `json:"p50_ms"`
		CI95  *[2]bench.Number `json:"ci95_ms"`
		Ratio *bench.Number    `json:"ratio"`
	} `json:"time"`
	Accuracy *struct {
		Top1 *Share `json:"top1"`
	} `json:"accuracy"`
}

// ModesAdvice is a mode to take, with the reason.
type ModesAdvice struct {
	For  string `json:"for"`
	Text string `json:"text"`
}

// Modes returns the document of a result of kind KindCompare. It returns an error for other kinds, and for
// numbers that are not valid.
func (r *Result) Modes() (*Modes, error) {
	if r.Kind != KindCompare {
		return nil, r.isNo(KindCompare)
	}
	m := &Modes{}
	if err := decode(r.Document, m); err != nil {
		return nil, err
	}
	for _, row := range append([]ModesRow{m.Original}, m.Rows...) {
		if row.Bytes < 0 || row.Bytes > mostBytes {
			return nil, fmt.Errorf("%d bytes is not a possible size of a model", row.Bytes)
		}
	}
	return m, nil
}
