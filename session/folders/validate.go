package folders

import (
	"context"
	"fmt"
	"slices"
	"time"

	"lathe/graphops"
	"lathe/graphops/folder"
	"lathe/graphops/roles"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/inputs"
	"lathe/session/reporting"
	"lathe/session/sides"
	"lathe/session/text"
)

// chainCases is how many cases with different seeds run through the whole folder.
const chainCases = 4

// Validation compares the models of two folders, each with its counterpart, on the same inputs: on
// generated ones, and on the values that earlier models of either folder made. A model is judged only
// by values that both sides get, so that it is not blamed for what an earlier one did.
type Validation struct {
	*sides.Comparison
	env    session.Env
	step   session.Step
	a, b   *folder.Folder
	report *ValidateReport
	same   map[string]bool // the models whose counterpart has the same content
	// made has what each model returned in each case, by port of folder A. The values of both folders
	// have the names of A.
	made [chainCases]map[folder.Port]madeBy
}

// madeBy are the values of one output, made by either side.
type madeBy [2]graphops.Value

// Validate compares two folders. step is named in errors.
func Validate(ctx context.Context, env session.Env, step session.Step, s *sides.Comparison) (session.Result, error) {
	if s.B == "" {
		return session.Result{}, session.UsageError(fmt.Sprintf("%s: %s is a folder with several models; name another folder to compare it with, or the file of one model", step.Name(), text.Clean(s.A)))
	}
	if !Is(s.A) || !Is(s.B) {
		return session.Result{}, session.UsageError(fmt.Sprintf("%s: one of %q and %q is a folder with several models; expected two folders, or two models", step.Name(), s.A, s.B))
	}
	if s.Generates() {
		return generate(ctx, env, step, s)
	}
	if err := Refused(step, s.A, validateOptions...); err != nil {
		return session.Result{}, err
	}
	v := &Validation{Comparison: s, env: env, step: step}
	var err error
	if v.a, err = Open(ctx, env, s.A); err != nil {
		return session.Result{}, err
	}
	if v.b, err = Open(ctx, env, s.B); err != nil {
		return session.Result{}, err
	}
	for i := range v.made {
		v.made[i] = map[folder.Port]madeBy{}
	}
	v.report = &ValidateReport{
		Schema: "lathe.validate/1", Kind: "folder", A: s.A, B: s.B, Members: []MemberVerdict{}, OnlyA: []string{}, OnlyB: []string{},
		Notes: []string{"the results are not stored for lathe history, which has results of single models"},
	}
	given, err := splitInputs(v.a, s.Input)
	if err != nil {
		return session.Result{}, err
	}
	if err := v.members(ctx, given); err != nil {
		return session.Result{}, err
	}
	v.report.judge()
	return session.Result{Report: v.report, No: !v.report.Pass}, nil
}

// validateOptions are the options of validate that apply to every model of a folder.
var validateOptions = []string{"rtol", "atol", "seed", "fill", "input", "input-limit", "no-store", "cases", "ep", "ep-option", "device", "opt", "threads", "inter-threads", "parallel", "no-arena", "no-memory-pattern", "deterministic", "session-config", "custom-ops", "timeout", "memory-limit", "start-timeout"}

// members compares every model of A with the one of the same name in B.
func (v *Validation) members(ctx context.Context, given map[string][]string) error {
	v.findSame(ctx)
	for _, m := range v.a.Members {
		other := v.b.Member(m.Name)
		if other == nil {
			v.report.OnlyA = append(v.report.OnlyA, m.Name)
			continue
		}
		row := MemberVerdict{Name: m.Name, A: m.File, B: other.File, Notes: []string{}}
		if err := v.member(ctx, m, other, given[m.Name], &row); err != nil {
			if ctx.Err() != nil {
				return err
			}
			row.Error = err.Error()
		}
		v.report.Members = append(v.report.Members, row)
	}
	for _, m := range v.b.Members {
		if v.a.Member(m.Name) == nil {
			v.report.OnlyB = append(v.report.OnlyB, m.Name)
		}
	}
	return ctx.Err()
}

// member compares one model with its counterpart.
func (v *Validation) member(ctx context.Context, a, b *folder.Member, given []string, row *MemberVerdict) error {
	for _, m := range []*folder.Member{a, b} {
		if m.Err != nil {
			return m.Err
		}
	}
	if row.Identical = v.same[a.Name]; row.Identical && len(v.same) == len(v.a.Members) {
		return nil // no later model needs the values
	}
	s := *v.Comparison
	s.A, s.B, s.NoStore, s.Input = a.Path, b.Path, true, given
	pair, err := v.load(ctx, &s)
	if err != nil {
		return err
	}
	defer pair.Close()
	v.env.Progress(session.Progress{Phase: "comparing " + a.Name})
	if !row.Identical {
		if row.Own, err = v.judged(ctx, &s, pair, nil); err != nil {
			return err
		}
	}
	chains, err := v.chain(ctx, &s, a, pair, row)
	if err != nil {
		row.Notes = append(row.Notes, "not compared on the values of earlier models: "+err.Error())
		return ctx.Err()
	}
	if row.Identical || len(v.a.Into(a)) == 0 || len(chains[0]) == 0 {
		return nil
	}
	if row.OnA, err = v.judged(ctx, &s, pair, chains[0]); err == nil {
		row.OnB, err = v.judged(ctx, &s, pair, chains[1])
	}
	return err
}

// findSame finds the models whose counterpart has the same content.
func (v *Validation) findSame(ctx context.Context) {
	v.same = map[string]bool{}
	for _, m := range v.a.Members {
		other := v.b.Member(m.Name)
		if other == nil {
			continue
		}
		if content := contentOf(ctx, m); content != "" && content == contentOf(ctx, other) {
			v.same[m.Name] = true
		}
	}
}

// load loads both models of a comparison.
func (v *Validation) load(ctx context.Context, s *sides.Comparison) (*sides.Pairing, error) {
	a, err := s.Executor(v.env, s.A, "a", nil)
	if err != nil {
		return nil, err
	}
	b, err := s.Executor(v.env, s.B, "b", nil)
	if err != nil {
		return nil, err
	}
	pair := sides.PairOf(a, b)
	for _, x := range pair.Models {
		if err == nil {
			if err = x.Load(ctx); err != nil {
				err = fmt.Errorf("%s: %w", x.Path, err)
			}
		}
	}
	if err == nil {
		err = b.TakeInputsOf(a)
	}
	if err != nil {
		pair.Close()
		return nil, err
	}
	return pair, nil
}

// judged compares a pair on some cases, or on generated ones without cases.
func (v *Validation) judged(ctx context.Context, s *sides.Comparison, pair *sides.Pairing, only []inputs.Case) (*sides.Report, error) {
	one := *s
	one.Only = only
	r, err := one.Judge(ctx, v.env, pair, sides.AgainstModel, time.Now())
	if err != nil {
		return nil, err
	}
	report, ok := r.Report.(*sides.Report)
	if !ok {
		return nil, fmt.Errorf("the report is a %T", r.Report)
	}
	return report, nil
}

// chain runs both models of a pair on what the earlier models of their own folder made, and keeps
// their outputs. Inputs that no model makes are generated, the same for both. It returns the cases of
// either side.
func (v *Validation) chain(ctx context.Context, s *sides.Comparison, m *folder.Member, pair *sides.Pairing, row *MemberVerdict) (out [2][]inputs.Case, err error) {
	for i := range chainCases {
		wired, notes := v.wired(i, m)
		for _, name := range withoutPast(m) {
			value := graphops.TensorValue(tensor.FromSlice([]bool{false}, 1))
			wired[0][name], wired[1][name] = value, value
			notes = append(notes, name+" is false: the values of earlier models begin a sequence")
		}
		if i == 0 {
			row.Notes = append(row.Notes, notes...)
		}
		feeds, err := v.feeds(ctx, s, m, uint64(i), wired[0], pair.Models[0])
		if err != nil {
			return out, err
		}
		for side, x := range pair.Models {
			own := graphops.Feeds{}
			for name, value := range feeds {
				own[name] = value
				if w, ok := wired[side][name]; ok {
					own[name] = w
				}
			}
			got, err := x.Run(ctx, own)
			if err != nil {
				return out, fmt.Errorf("%s: %w", x.Path, err)
			}
			out[side] = append(out[side], inputs.Case{Name: caseName(side, i), Feeds: own})
			v.keep(i, side, m, got)
		}
	}
	row.Chain = v.apart(m)
	return out, nil
}

// withoutPast returns the inputs that choose between a run with and one without a past. A run with a
// past does not read what an encoder made.
func withoutPast(m *folder.Member) (names []string) {
	for _, in := range m.Inputs() {
		p, one := m.Roles.Input(in.Name), len(in.Type.Shape) == 1 && in.Type.Elem == tensor.Bool
		if p != nil && p.Kind == roles.Branch && one {
			names = append(names, in.Name)
		}
	}
	return names
}

func caseName(side, i int) string {
	return fmt.Sprintf("values of %s, seed %d", []string{"A", "B"}[side], i)
}

// keep remembers the outputs of a model, in their order.
func (v *Validation) keep(i, side int, m *folder.Member, got []graphops.Got) {
	for _, g := range got {
		p := folder.Port{Member: m, Name: g.Name}
		made := v.made[i][p]
		made[side] = g.Value
		v.made[i][p] = made
	}
}

// wired returns the inputs of a model that earlier models made, by side. The notes say which wires
// were left out.
func (v *Validation) wired(i int, m *folder.Member) (out [2]graphops.Feeds, notes []string) {
	out[0], out[1] = graphops.Feeds{}, graphops.Feeds{}
	for _, w := range v.a.Into(m) {
		made, ok := v.made[i][w.From]
		switch {
		case w.Via != "":
			notes = append(notes, fmt.Sprintf("%s is generated: between it and %s is %s", w.To.Name, w.From, w.Via))
		case !ok:
			notes = append(notes, fmt.Sprintf("%s is generated: %s was not computed", w.To.Name, w.From))
		default:
			for side := range out {
				out[side][w.To.Name] = made[side]
			}
		}
	}
	for _, s := range v.a.Shared {
		if at := slices.IndexFunc(s.Ports, func(p folder.Port) bool { return p.Member == m }); at > 0 {
			if made, ok := v.made[i][s.Ports[0]]; ok {
				out[0][s.Ports[at].Name], out[1][s.Ports[at].Name] = made[0], made[1]
			}
		}
	}
	return out, compact(notes)
}

// feeds returns the inputs of a case: given values, and generated ones for the other inputs. It
// chooses sizes at which the model runs.
func (v *Validation) feeds(ctx context.Context, s *sides.Comparison, m *folder.Member, seed uint64, given graphops.Feeds, x *sides.Executor) (graphops.Feeds, error) {
	r, err := s.Request(m.Model, 1, 0)
	if err != nil {
		return nil, err
	}
	r.Seed += seed
	r.Options.Given, err = inTypes(given, m.Inputs())
	if err != nil {
		return nil, err
	}
	var out graphops.Feeds
	err = s.Fitted(ctx, v.env, m.Model, m.Inputs(), r, s.Timeout, func(c inputs.Cases) error {
		out = c.Cases[0].Feeds
		_, err := x.Run(ctx, out)
		return err
	})
	for name, value := range out {
		p := folder.Port{Member: m, Name: name}
		v.made[seed][p] = madeBy{value, value} // what other members share
	}
	return out, err
}

// inTypes converts values to the types of inputs, because the other folder may have wider ones.
func inTypes(in graphops.Feeds, types []graphops.NamedType) (graphops.Feeds, error) {
	out := graphops.Feeds{}
	for _, t := range types {
		value, ok := in[t.Name]
		if !ok {
			continue
		}
		if value.IsTensor() && value.Tensor.DType != t.Type.Elem {
			converted, err := inputs.Converted(value.Tensor, t.Type.Elem)
			if err != nil {
				return nil, fmt.Errorf("input %q: %w", t.Name, err)
			}
			value = graphops.TensorValue(converted)
		}
		out[t.Name] = value
	}
	return out, nil
}

// apart compares what the two folders as a whole make of the same inputs.
func (v *Validation) apart(m *folder.Member) (out []ChainReport) {
	for _, o := range m.Outputs() {
		row := ChainReport{Output: o.Name}
		for i := range v.made {
			row.add(v.made[i][folder.Port{Member: m, Name: o.Name}])
		}
		if row.Cases > 0 {
			out = append(out, row)
		}
	}
	return out
}

// verdictOf returns the verdict of a report, or "".
func verdictOf(r *sides.Report) compare.Verdict {
	if r == nil || r.Report == nil {
		return ""
	}
	return r.Verdict
}

// compact leaves out notes that differ only in numbers.
func compact(notes []string) (out []string) {
	seen := map[string]bool{}
	for _, n := range notes {
		if k := digitsToStar(n); !seen[k] {
			seen[k] = true
			out = append(out, n)
		}
	}
	return reporting.OrEmpty(out)
}
