package quantize

import (
	"context"

	"lathe/session"
	"lathe/session/folders"
)

// RunFolder implements session.OfFolder: it quantizes the models of a folder into a new one.
func (s *Quantize) RunFolder(ctx context.Context, env session.Env, path string) (session.Result, error) {
	return folders.Quantize(ctx, env, s, &s.Quantization, path)
}
