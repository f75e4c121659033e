package modes

import (
	"context"
	"errors"
	"strings"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/text"
)

// Planned reports the size that each mode would give. It reads no weights and runs nothing.
func (s *Compare) Planned(ctx context.Context, m *graphops.Model) (*Report, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	c := &contest{Compare: s, original: m, name: nameOf(m)}
	if err := c.begin(); err != nil {
		return nil, err
	}
	for _, v := range s.chosen() {
		row := newRow(v.name)
		if err := c.draft(ctx, v, row); err != nil {
			return nil, session.InModel(m, err)
		}
		c.report.Rows = append(c.report.Rows, row)
	}
	c.report.Notes = append(c.report.Notes, "nothing was run yet: sizes only, as far as the structure shows them")
	return c.report, nil
}

func (c *contest) draft(ctx context.Context, v variant, row *Row) error {
	d, err := c.quantization(v).Draft(ctx, c.original, true)
	var usage session.UsageError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &usage):
		return err
	case errors.Is(err, quant.ErrNothing):
		row.Failed, row.NotApplied = reasonOf(c.original, err), true
	case err != nil:
		row.Failed = reasonOf(c.original, err)
	case d.Nothing != "":
		row.Failed, row.NotApplied = text.CleanLine(strings.TrimSpace(d.Nothing)), true
	default:
		row.Bytes, row.Ratio = d.After, tensor.Number(float64(d.After)/float64(max(d.Before, 1)))
		for i := range d.Candidates {
			if d.Candidates[i].Reason == "" {
				row.Quantized++
			}
		}
	}
	return nil
}
