package sides

import (
	"context"

	"lathe/session"
	"lathe/session/flags"
)

// store stores the result of a numerical comparison.
func (s *Comparison) store(ctx context.Context, env session.Env, report *Report) error {
	if len(report.of) == 0 || s.NoStore || env.Results == "" {
		return nil
	}
	r, notes := s.ResultOf(ctx, env, s, report.of)
	report.Notes = append(report.Notes, notes...)
	if err := flags.SetDocument(r, report); err != nil {
		return err
	}
	report.Kept = s.StoreResult(ctx, env, r)
	return nil
}
