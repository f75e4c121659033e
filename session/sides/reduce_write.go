package sides

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"lathe/graphops"
	"lathe/graphops/permit"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/inputs"
	"lathe/session/reduce"
	"lathe/session/trial"
)

// reducedFiles returns the files of a submodel: the model, the model of the sound side, and the
// folder of inputs and outputs.
func (s *reducing) reducedFiles() (model, sound, data string) {
	extension := filepath.Ext(s.ReduceOut)
	stem := strings.TrimSuffix(s.ReduceOut, extension)
	return s.ReduceOut, stem + ".a" + extension, stem + ".test_data_set_0"
}

// checkTargets returns an error for files that exist or cannot be written.
func (s *reducing) checkTargets(ctx context.Context) error {
	model, sound, data := s.reducedFiles()
	for _, path := range []string{model, sound} {
		if err := graphops.CheckTarget(ctx, path, graphops.WriteOptions{Overwrite: s.Force}); err != nil {
			return err
		}
	}
	return s.checkData(data)
}

// refuseSources returns an error if a file to be written is one that the models or the inputs are
// read from.
func (j *reductionJob) refuseSources(models ...*graphops.Model) error {
	if j.step.ReduceOut == "" {
		return nil
	}
	model, sound, data := j.step.reducedFiles()
	for _, m := range models {
		if err := graphops.RefuseSources(m, model, sound); err != nil {
			return err
		}
	}
	for _, path := range []string{model, sound, data} {
		if err := j.step.RefuseTarget(path); err != nil {
			return err
		}
	}
	return nil
}

// refuseModels returns an error if a file to be written is one of the model files.
func (s *reducing) refuseModels(models []string) error {
	model, sound, _ := s.reducedFiles()
	for _, target := range []string{model, sound} {
		to, err := os.Stat(target)
		if err != nil {
			continue // there is no file to lose
		}
		for _, path := range models {
			if from, err := os.Stat(path); err == nil && os.SameFile(from, to) {
				return fmt.Errorf("%s: is a model that is compared; choose another name", target)
			}
		}
	}
	return nil
}

// ofSet matches the names of files in a test data set.
var ofSet = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(input|output)_[0-9]+\.pb$`) })

// checkData returns an error for a folder that must not be replaced, or that has other files than a
// test data set.
func (s *reducing) checkData(folder string) error {
	list, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !s.Force:
		return fmt.Errorf("%s: exists already; choose another name, or replace it with --force", folder)
	}
	for _, e := range list {
		if !ofSet().MatchString(e.Name()) || !e.Type().IsRegular() {
			return fmt.Errorf("%s: holds %q, which is not a file of a data set, and is not replaced; choose another name", folder, e.Name())
		}
	}
	return nil
}

// write writes the submodel and checks that the files show the problem. It does so even if the
// search was interrupted.
func (j *reductionJob) write(ctx context.Context, found *reduce.Result, sides reduce.Sides, r *reducedReport) error {
	if j.step.ReduceOut == "" {
		return nil
	}
	interrupted := ctx.Err() != nil
	ctx = context.WithoutCancel(ctx)
	model, sound, data := j.step.reducedFiles()
	if err := j.save(ctx, found.B, model, &r.Path, r); err != nil {
		return err
	}
	if found.A != nil && found.A != found.B {
		if err := j.save(ctx, found.A, sound, &r.SoundPath, r); err != nil {
			return err
		}
	}
	if len(found.Feeds) > 0 && len(inputTypes(found.Part)) > 0 {
		if err := j.saveData(ctx, data, found, r); err != nil {
			return err
		}
	}
	r.Again = j.again(found, r)
	if interrupted {
		return nil
	}
	return j.verify(ctx, found, sides, r)
}

func (j *reductionJob) save(ctx context.Context, m *graphops.Model, path string, to *string, r *reducedReport) error {
	o := flags.Saving{Out: path, Force: j.step.Force}
	file, err := o.Save(ctx, j.env, m, trial.StorageFor(m, m))
	if err != nil {
		return err
	}
	*to = file.Path
	r.files = append(r.files, file.Files()...)
	return nil
}

// saveData writes the values. It replaces an existing test data set.
func (j *reductionJob) saveData(ctx context.Context, folder string, found *reduce.Result, r *reducedReport) error {
	if err := j.step.checkData(folder); err != nil {
		return err
	}
	if list, err := os.ReadDir(folder); err == nil {
		if err := permit.ToWrite(ctx, folder, true); err != nil {
			return err
		}
		for _, e := range list {
			if err := os.Remove(filepath.Join(folder, e.Name())); err != nil {
				return err
			}
		}
		if err := os.Remove(folder); err != nil {
			return err
		}
	}
	files, err := inputs.Save(ctx, folder, inputTypes(found.Part), found.Feeds, graphops.WriteOptions{})
	r.files = append(r.files, files...)
	if err == nil {
		r.Data = folder
	}
	return err
}

// inputTypes returns the inputs of a part, in the order of side a.
func inputTypes(p reduce.Part) []graphops.NamedType {
	m := p.B
	if p.A != nil {
		m = p.A
	}
	return graphops.NamedTypes(m.Graph().FeedInputs())
}

// verify reads and runs the written files, and reports whether they show the problem.
func (j *reductionJob) verify(ctx context.Context, found *reduce.Result, sides reduce.Sides, r *reducedReport) error {
	j.env.Progress(session.Progress{Phase: "running what was written"})
	open := func(path string) (*graphops.Model, error) { return graphops.Open(path, graphops.OpenOptions{}) }
	p := reduce.Part{Feeds: found.Feeds}
	var err error
	if p.B, err = open(r.Path); err != nil {
		return err
	}
	switch {
	case r.SoundPath != "":
		if p.A, err = open(r.SoundPath); err != nil {
			return err
		}
	case found.A != nil:
		p.A = p.B
	}
	if r.Data != "" {
		cases, err := inputs.ReadCases(r.Data, inputTypes(p), inputs.FileOptions{})
		if err != nil {
			return err
		}
		p.Feeds = cases.Cases[0].Feeds
	}
	if r.Verified, err = sides.Shows(ctx, p, found.Symptom); err != nil {
		return err
	}
	if !r.Verified {
		r.Notes = append(r.Notes, "the written files do not show the problem: it depends on how the model is loaded, or it is not reproducible")
	}
	return nil
}

// again returns the shell command that runs the written files and shows the problem.
func (j *reductionJob) again(found *reduce.Result, r *reducedReport) string {
	again := *j.step
	again.caseOptions, again.layering, again.reducing = caseOptions{}, layering{}, reducing{}
	again.Feeding, again.Tolerance = flags.Feeding{}, j.tolerances(found)
	switch {
	case r.SoundPath != "":
		again.A, again.B = r.SoundPath, r.Path
		return again.again(j.env, r.Data)
	case found.A != nil:
		again.A, again.B = r.Path, ""
		if len(again.sides.A)+len(again.sides.B) == 0 && !again.Reference {
			again.sides.A = []string{"opt=disable"}
		}
		return again.again(j.env, r.Data)
	}
	said := again.sides.B
	if j.side == "a" {
		said = again.sides.A
	}
	own, err := ownOf(again.Execution, said)
	if err != nil {
		own.Execution = again.Execution
	}
	words := []string{"lathe", "run-model", session.QuotePath(absolute(r.Path))}
	if r.Data != "" {
		words = append(words, "--data", session.Quote(absolute(r.Data)))
	}
	_, flags := wordsOf(own.options(), true)
	for _, word := range j.env.Flags {
		flags = append(flags, session.Quote(word))
	}
	return strings.Join(append(words, flags...), " ")
}

// tolerances returns the given tolerances of outputs that the submodel has.
func (j *reductionJob) tolerances(found *reduce.Result) []string {
	var out []string
	for _, s := range j.step.Tolerance {
		for _, o := range found.B.Graph().Outputs() {
			if strings.HasPrefix(s, o.Name()+"=") {
				out = append(out, s)
			}
		}
	}
	return out
}
