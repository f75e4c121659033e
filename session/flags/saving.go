package flags

import (
	"context"
	"fmt"
	"os"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/reporting"
	"lathe/session/text"
)

// Saving has the options for the file that a step writes its model to.
type Saving struct {
	Out   string
	Force bool
}

// NoCheckName is the name of the option that skips the check of a result.
const NoCheckName = "no-check"

// NoCheckOption returns the option that skips the check of a result, with a usage text for the
// step. The option is also accepted under an earlier name.
func NoCheckOption(p *bool, usage, formerly string) session.Option {
	return session.Switch(p, NoCheckName, usage).Formerly(formerly).In(session.GroupResult).AsRare()
}

// Options returns the options.
func (o *Saving) Options() []session.Option {
	return []session.Option{
		session.Path(&o.Out, "out", "write the model to `FILE`").WithDefault("nothing is written").WithShort("o").AsTarget().OfFiles(session.ModelFiles...).As(session.RoleModel).In(session.GroupResult).AsUsual(),
		session.Switch(&o.Force, "force", "replace FILE if it exists").As(session.RoleForce).In(session.GroupResult).AsUsual(),
	}
}

// CheckTarget returns the error that save would return first, so that it is reported before a long run.
func (o *Saving) CheckTarget(ctx context.Context) error {
	if o.Out == "" || o.Out == "-" {
		return nil
	}
	return graphops.CheckTarget(ctx, o.Out, graphops.WriteOptions{Overwrite: o.Force})
}

// CheckTargetAndInputs returns the error of check. It also returns an error if the output is a file that an
// option of the step reads, because the result must not replace an input.
func (o *Saving) CheckTargetAndInputs(ctx context.Context, s session.Command) error {
	to, err := os.Stat(o.Out)
	if o.Out == "" || o.Out == "-" || err != nil {
		return o.CheckTarget(ctx)
	}
	for _, option := range s.Options() {
		if option.Target {
			continue
		}
		for _, value := range option.Values() {
			same := false
			option.WithPath(value, func(path string) string {
				from, err := os.Stat(path)
				same = same || err == nil && os.SameFile(from, to)
				return path
			})
			if same {
				return session.UsageError(fmt.Sprintf("%s: is read by --%s; choose another name for the output", text.CleanLine(o.Out), option.LongFlag()))
			}
		}
	}
	return o.CheckTarget(ctx)
}

// Save writes the model to the file of --out. Without that option, it does nothing.
func (o *Saving) Save(ctx context.Context, env session.Env, m *graphops.Model, storage graphops.SaveOptions) (*reporting.SavedFile, error) {
	if o.Out == "" {
		return nil, nil
	}
	if o.Out == "-" {
		return nil, session.ErrStdoutInRecipe
	}
	total, err := graphops.SavedSize(m, storage)
	if err != nil {
		return nil, err
	}
	storage.Overwrite = o.Force
	storage.Progress = func(n int64) {
		env.Progress(session.Progress{Phase: "writing", Done: n, Total: total, Unit: "B"})
	}
	s, err := graphops.Save(ctx, m, o.Out, storage)
	if err != nil {
		return nil, err
	}
	return reporting.SavedFileOf(s), nil
}
