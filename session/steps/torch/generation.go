package torch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops/durable"
	"lathe/session"
	"lathe/session/text"
	"lathe/session/torch"
)

// taskModel is a model that a task exports: the file in the folder of the result, and what the bridge
// calls it.
type taskModel struct{ file, task string }

// models returns the models of a task that generates, in the order in which they run, and nil for
// other tasks. The names of the files are those of optimum, by which lathe FOLDER knows them.
//
// An encoder-decoder has two decoders, one for the first run and one that continues its cache, and not
// one that is merged from both: each is compared with PyTorch, and weights inside of If branches are
// not quantized.
func (s *Task) models() []taskModel {
	switch {
	case s.Task == torch.TextGeneration && s.NoPast:
		return []taskModel{{"model.onnx", torch.TextGeneration + torch.NoPast}}
	case s.Task == torch.TextGeneration:
		return []taskModel{{"model.onnx", torch.TextGeneration}}
	case s.Task == torch.Text2Text && s.NoPast:
		return []taskModel{{"encoder_model.onnx", torch.Text2Encoder}, {"decoder_model.onnx", torch.Text2Decoder + torch.NoPast}}
	case s.Task == torch.Text2Text:
		return []taskModel{{"encoder_model.onnx", torch.Text2Encoder}, {"decoder_model.onnx", torch.Text2Decoder}, {"decoder_with_past_model.onnx", torch.Text2WithPast}}
	}
	return nil
}

// exportOf returns the step that exports one of the models to a file.
func (s *Task) exportOf(m taskModel, out string) *Export {
	e := s.export()
	e.Task, e.Out = m.task, out
	return e
}

// generation exports the models of a task that generates. The result is a folder, or the file of the
// only model.
func (s *Task) generation(ctx context.Context, env session.Env, list []taskModel) (session.Result, error) {
	isFile := s.Out == "" || s.Out == "-" || slices.Contains(session.ModelFiles, strings.ToLower(filepath.Ext(s.Out)))
	switch {
	case isFile && len(list) > 1:
		return session.Result{}, session.UsageError(fmt.Sprintf("torch task %s: writes %s; --out names a new folder for them", s.Task, text.Plural(len(list), "model")))
	case isFile:
		return s.exportOf(list[0], s.Out).Run(ctx, env, nil)
	case s.Force:
		return session.Result{}, session.UsageError("--force: a folder is never replaced; name a new one, or leave out --force")
	}
	r := &generationReport{Schema: "lathe.torch-export/1", Kind: "folder", Path: s.Path, Members: []generationMember{}, Copied: []string{}}
	err := durable.WriteFolder(ctx, s.Out, func(temporary string) error {
		for _, m := range list {
			if err := s.member(ctx, env, m, temporary, r); err != nil {
				return err
			}
		}
		return s.companions(temporary, r)
	})
	if err != nil && !errors.Is(err, errNotExported) {
		return session.Result{}, err
	}
	r.Out = s.Out
	if err != nil {
		r.Out, r.Copied = "", []string{}
	}
	r.settle()
	return session.Result{Report: r, Files: r.files(), No: !r.OK}, nil
}

// errNotExported is the error of a model that was not exported. Its report has the reason.
var errNotExported = errors.New("not exported")

// member exports one model into the temporary folder.
func (s *Task) member(ctx context.Context, env session.Env, m taskModel, temporary string, r *generationReport) error {
	e := s.exportOf(m, filepath.Join(temporary, m.file))
	e.config = &r.config
	result, err := e.Run(ctx, env, nil)
	if err != nil {
		return err
	}
	report, ok := result.Report.(*torchReport)
	if !ok {
		return fmt.Errorf("%s: the report is a %T", m.file, result.Report)
	}
	r.Members = append(r.Members, generationMember{File: m.file, Report: report, no: result.No})
	if report.File == nil {
		return errNotExported
	}
	report.File.Move(temporary, s.Out)
	report.Model.Path = report.File.Where()
	return nil
}

// companionFiles are files beside a transformer that programs which generate read.
var companionFiles = []string{
	"config.json", "generation_config.json", "preprocessor_config.json", "processor_config.json", "chat_template.jinja", "chat_template.json",
	"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.json", "vocab.txt", "merges.txt",
	"tokenizer.model", "spiece.model", "source.spm", "target.spm", "sentencepiece.bpe.model", "normalizer.json",
}

// companions copies files that belong to the transformer. If it comes from code, its configuration is
// written.
func (s *Task) companions(to string, r *generationReport) error {
	if info, err := os.Stat(s.Path); err == nil && info.IsDir() {
		for _, name := range companionFiles {
			err := durable.CopyFile(filepath.Join(s.Path, name), filepath.Join(to, name), 0o666)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			r.Copied = append(r.Copied, name)
		}
	}
	if r.config == "" || slices.Contains(r.Copied, "config.json") {
		return nil
	}
	r.Made = "config.json"
	return os.WriteFile(filepath.Join(to, r.Made), []byte(r.config+"\n"), 0o666) //nolint:gosec // as any new file
}
