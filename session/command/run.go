package command

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lathe/graphops"
	"lathe/graphops/permit"
	"lathe/session"
	"lathe/session/preflight"
	"lathe/session/steps"
	"lathe/session/text"
	"lathe/session/trust"
)

// runCommand runs a recipe.
func (a *app) runCommand() *cobra.Command {
	var set []string
	var force, trusted bool
	cmd := &cobra.Command{
		Use:     "run RECIPE",
		Short:   "run the steps of a recipe",
		Example: "lathe run recipe.yaml --force",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return session.UsageError("expected lathe run RECIPE; --set model=FILE runs it on another model")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.replay(cmd.Context(), args[0], set, force, trusted)
		},
		ValidArgsFunction: func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
			return filesWith([]string{".yaml", ".yml"}, word)
		},
	}
	cmd.Flags().StringArrayVar(&set, "set", nil, "change a value of the recipe: `KEY=VALUE`, where KEY is model, STEP.OPTION or N.OPTION (of the N-th step)")
	cmd.Flags().BoolVar(&force, "force", false, "let every step replace existing files; those outside of the recipe's folder only with --trust")
	cmd.Flags().BoolVar(&trusted, "trust", false, "let the recipe do what its steps say: run a shell, programs, Python and libraries, and write anywhere")
	return cmd
}

// stepReport is the report of one step within the report of a recipe.
type stepReport struct {
	Step   string         `json:"step"`
	Report session.Report `json:"report"`
	No     bool           `json:"no"`
}

// replayReport is the report of lathe run.
type replayReport struct {
	Schema string       `json:"schema"`
	Recipe string       `json:"recipe"`
	Steps  []stepReport `json:"steps"`
}

func (a *app) replay(ctx context.Context, path string, set []string, force, trusted bool) error {
	recipe, err := session.OpenRecipe(path)
	if err != nil {
		return err
	}
	for i, s := range set {
		if err := session.RefuseSecond(set[:i], s); err != nil {
			return session.UsageError("--set " + err.Error())
		}
		if err := override(&recipe, s); err != nil {
			return err
		}
	}
	dir := filepath.Dir(path)
	list, err := prepare(recipe, path, dir, force)
	if err != nil {
		return err
	}
	if recipe.Model == "" {
		return session.UsageError(fmt.Sprintf("%s: names no model; write model: FILE or pass --set model=FILE", path))
	}
	if err := checkModel(recipe, path); err != nil {
		return err
	}
	if !trusted && !a.records().Has(path, recipe.Digest) {
		if ctx, err = a.consent(ctx, path, &trust.Question{Folder: dir, Steps: list, Given: givenBy(recipe, set), Force: force}); err != nil {
			return err
		}
	}
	plan, err := preflight.Check(ctx, list)
	if err != nil {
		return err
	}
	m, err := a.openModel(ctx, session.From(dir, recipe.Model))
	if err != nil {
		return err
	}
	if err := a.checkNamedRuntime(ctx); err != nil {
		return err
	}
	made, err := plan.Make(ctx)
	for _, folder := range made {
		a.remark("note", "made the folder "+folder)
	}
	if err != nil {
		return err
	}
	report := replayReport{Schema: "lathe.run/1", Recipe: path, Steps: []stepReport{}}
	no, unsaved := false, false
	for i, step := range list {
		r, err := a.replayStep(ctx, i, len(list), step, m)
		if err != nil {
			return fmt.Errorf("step %d, %w", i+1, session.InStep(step.Name(), err))
		}
		if r.Model != nil {
			m, unsaved = r.Model, true
		}
		if file, ok := session.WithRole(step, session.RoleModel); ok && len(file.Values()) > 0 && len(r.Files) > 0 {
			unsaved = false
		}
		no = no || r.No
		report.Steps = append(report.Steps, stepReport{step.Name(), r.Report, r.No})
	}
	if a.json {
		if err := json.NewEncoder(text.EscapeJSON(a.out)).Encode(report); err != nil {
			return err
		}
	}
	if unsaved {
		a.remark("warning", "the model that the last step made is not written to a file; add out: FILE to that step")
	}
	if no {
		return errNo
	}
	return nil
}

// replayStep runs one step and prints its result immediately, so that a person can follow a long
// recipe.
func (a *app) replayStep(ctx context.Context, i, n int, step session.Step, m *graphops.Model) (session.Result, error) {
	env, done := a.env(ctx)
	defer done()
	if permit.To(ctx, permit.Library) != nil {
		env.RuntimeFrom = nil
	}
	defer env.Prepare(ctx, step)()
	r, err := step.Run(ctx, env, m)
	done()
	if err != nil || a.json {
		return r, err
	}
	fmt.Fprintf(a.out, "── %d/%d %s\n", i+1, n, text.CleanLine(step.Name()))
	if err := a.writeText(r.Report); err != nil {
		return r, err
	}
	_, err = fmt.Fprintln(a.out)
	return r, err
}

// prepare makes the steps of a recipe. It reports mistakes in all steps before the first one runs.
func prepare(recipe session.Recipe, path, dir string, force bool) ([]session.Step, error) {
	var list []session.Step
	for i, call := range recipe.Steps {
		step, ok := steps.New(call.Step)
		if !ok {
			return nil, session.UsageError(fmt.Sprintf("%s: %sunknown step %q; one of %s", path, call.Line(), call.Step, strings.Join(steps.Names(), ", ")))
		}
		if err := call.Apply(step, dir); err != nil {
			return nil, session.UsageError(fmt.Sprintf("%s: %v", path, err))
		}
		if force {
			if err := preflight.Overwrite(step); err != nil {
				return nil, err
			}
		}
		for _, o := range step.Options() {
			if o.Target && isSameFile(path, o.Values()) {
				return nil, fmt.Errorf("%s: step %d, %s: --%s is the recipe itself; choose another name", path, i+1, call.Step, o.Name)
			}
		}
		list = append(list, step)
	}
	return list, nil
}

// isSameFile reports whether one of the other paths is the same file as path.
func isSameFile(path string, others []string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(others, func(p string) bool {
		other, err := os.Stat(p)
		return err == nil && os.SameFile(info, other)
	})
}

// override applies a value of --set, KEY=VALUE, to a recipe.
func override(r *session.Recipe, s string) error {
	key, v, ok := strings.Cut(s, "=")
	if !ok {
		return session.UsageError(fmt.Sprintf("--set %q: expected KEY=VALUE", s))
	}
	if key == "model" {
		setModel(r, v)
		return nil
	}
	step, option, _ := strings.Cut(key, ".")
	hit := false
	for i := range r.Steps {
		if isSet(*r, key, i) {
			r.Steps[i].Set(option, v)
			hit = true
		}
	}
	if !hit {
		return session.UsageError(fmt.Sprintf("--set %q: the recipe has no step %q; KEY is model, STEP.OPTION or N.OPTION", s, step))
	}
	return nil
}

// setModel gives a recipe another model, also where a step reads the model by its name.
func setModel(r *session.Recipe, path string) {
	was := filepath.Clean(r.Model)
	for i := range r.Steps {
		step, ok := steps.New(r.Steps[i].Step)
		if !ok || r.Model == "" {
			continue
		}
		reads := map[string]bool{}
		for _, o := range step.Options() {
			reads[o.Name] = o.IsPath() && !o.Target
		}
		for _, set := range r.Steps[i].Options {
			for k, v := range set.Values {
				if reads[set.Name] && filepath.Clean(v) == was {
					set.Values[k] = path
				}
			}
		}
	}
	r.Model = path
}

// checkModel returns an error that says how to run a recipe on another model if its model does not exist.
func checkModel(recipe session.Recipe, path string) error {
	model := session.From(filepath.Dir(path), recipe.Model)
	if _, err := os.Stat(model); recipe.Model != "-" && os.IsNotExist(err) {
		return fmt.Errorf("%s: no such file; to run the steps on another model: lathe run %s --set model=FILE", text.CleanLine(model), session.QuotePath(path))
	}
	return nil
}

// isSet reports whether the key of a --set, STEP.OPTION or N.OPTION, means step i of a recipe.
func isSet(r session.Recipe, key string, i int) bool {
	step, _, ok := strings.Cut(key, ".")
	return ok && (r.Steps[i].Step == step || strings.HasPrefix(r.Steps[i].Step, step+" ") || strconv.Itoa(i+1) == step)
}
