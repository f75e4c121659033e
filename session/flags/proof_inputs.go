package flags

import (
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/proof"
	"lathe/session/text"
	"lathe/session/trial"
)

// ProofInputs has the options for the inputs of a proof.
type ProofInputs struct {
	Feeding Feeding
	memory  int64 // limit for a worker; 0 for none
}

// MemoryOption returns the option for the memory of a worker, for steps that have no other options
// for how models run.
func (p *ProofInputs) MemoryOption(when string) session.Option {
	return session.Grouped(session.GroupRuntime, session.Size(&p.memory, "memory-limit", when+"limit the memory of a worker process to this `SIZE`, such as 4G").WithDefault("no limit").AsRare())[0]
}

// limit returns the option for the memory of generated inputs.
func (f *Feeding) limit(when string) session.Option {
	return session.Size(&f.Limit, "input-limit", when+"limit all generated inputs together to this `SIZE`, such as 4G").WithDefault("128M").AsRare()
}

// Options returns these options. when is the prefix of their usage texts, such as "with --repair:
// ", or "".
func (p *ProofInputs) Options(when string) []session.Option {
	f := &p.Feeding
	return session.Grouped(session.GroupInputs,
		session.Path(&f.Data, "data", when+"check the result on the data in this path, in a format that run-model reads; generated values are added if the data has too few cases").OfFiles(inputs.FileKinds...).WithDefault("generated values").AsRare(),
		session.List(&f.Input, "input", when+"set one input in every run of the check: `NAME=WHAT`, WHAT a file, a tensor or a rule, such as x=cat.png, k=i64[1]{5}, x=zeros; repeat for several").Naming(session.NamesInput, "=").Holding(inputs.WithPath).OfFiles(inputs.FileKinds...).AsRare(),
		session.List(&f.Dim, "dim", when+"set the size of a free axis for the check: `SYMBOL=N`, or NAME:AXIS=N; repeat for several").WithDefault("chosen so that the model runs").Naming(session.NamesSymbol, "=").InParts(sizesIn).AsRare(),
		f.limit(when),
	)
}

// Refuse returns an error if one of the options is given although there is no proof.
func (p *ProofInputs) Refuse(why string) error {
	for _, o := range append(p.Options(""), p.MemoryOption("")) {
		if len(o.Values()) > 0 {
			return session.UsageError(fmt.Sprintf("--%s: is for a check, and %s", o.Name, why))
		}
	}
	return nil
}

// maxProofCases is the largest number of cases that a proof runs.
const maxProofCases = 16

// Of reads the inputs for a model. target is the output file, which must not be one of theirs.
func (p *ProofInputs) Of(m *graphops.Model, target string) (trial.Inputs, error) {
	f := p.Feeding
	if target != "" {
		if err := f.RefuseTarget(target); err != nil {
			return trial.Inputs{}, err
		}
	}
	fits, err := f.WithinMemory(m)
	if err != nil {
		return trial.Inputs{}, err
	}
	r, err := f.Request(m, 1, 0)
	if err != nil {
		return trial.Inputs{}, err
	}
	given, cases, err := inputs.Read(graphops.NamedTypes(m.Graph().FeedInputs()), r)
	if err != nil {
		return trial.Inputs{}, InputError(m, err)
	}
	on := trial.Inputs{MaxBytes: f.Limit, MemoryLimit: p.memory, Inputs: proof.Inputs{Sizes: r.Dims, Values: given.Values, Fills: given.Fills}}
	notes := append(given.Notes, cases.Notes...)
	if n := len(cases.Cases); n > maxProofCases {
		cases.Cases, fits = cases.Cases[:maxProofCases], false
	}
	if !fits {
		notes = append(notes, fmt.Sprintf("it ran only on the first %s of the data", text.Plural(len(cases.Cases), "case")))
	}
	for _, c := range cases.Cases {
		on.Data = append(on.Data, c.Feeds)
	}
	on.Note, on.From = strings.Join(notes, "; "), on.Source(m)
	return on, nil
}
