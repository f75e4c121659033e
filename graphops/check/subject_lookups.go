package check

import (
	"slices"
	"sync"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// lookups are facts about the whole model that several rules need. Each is computed on first
// use.
type lookups struct {
	capacity capacity // of the selected runtime
	shapes   func() (*shape.Result, error)
	named    func() (*shape.Result, error) // with names for the axes of inputs that have none
	// errors in the elements in the file, for tensors that were checked
	stored map[*graphops.Tensor]error

	// Operators and the imports that determine their version.
	operators [][]called                              // by place, and the operator's number in its index
	imports   map[*graphops.Function]map[string]int64 // by function, nil for the model
	nearest   map[operator]string                     // hint with names similar to an unknown one
	alive     map[*graphops.Place]graphops.Reach      // what the outputs of a place depend on

	// Functions: of several with the same key the last one, which is the one that ONNX Runtime
	// uses.
	functions      map[graphops.FunctionKey]*graphops.Function
	functionPlaces func() map[graphops.FunctionKey]*graphops.Place // their contents
	// those that the main graph needs, directly or not
	called  func() map[graphops.FunctionKey]bool
	demands func() map[graphops.FunctionKey]*demands // what calls must give
	formals map[*graphops.Function]*declared         // their attributes
	// their names and overloads by domain
	domains func() map[string][]string
	used    func() used // which operators are used where

	// names has the names of all values, wherever they are defined or read. outside has only those
	// that neither the main graph nor its bodies define.
	names, outside func() map[string]bool
	offered        int                  // number of problems for which similar names were searched
	cleaned        map[string]numbering // of readable names, by kind

	// Stored tensors.
	tensors  func() []graphops.StoredTensor
	external func() externalData
	weighed  func() weighed
	small    map[constant]profiled // others that were read
	integers map[constant][]dim.Dim

	// Problems that are computed once for several rules. Each of these rules reports some of them.
	attributeFaults func() []Problem
	typing          func() *typing
	misdeclared     func() []misdeclaration
	retypings       func() map[spot]retyping
	typeCauses      func() map[int]*typeCause
	plainlyWrong    func() map[spot]bool
}

func newLookups(s *subject) *lookups {
	l := &lookups{
		capacity: capacityOf(s.Runtime),
		shapes:   sync.OnceValues(s.infer),
		named:    sync.OnceValues(s.inferNamed),
		stored:   map[*graphops.Tensor]error{},

		operators: make([][]called, len(s.model.Places())),
		imports:   map[*graphops.Function]map[string]int64{},
		nearest:   map[operator]string{},
		alive:     map[*graphops.Place]graphops.Reach{},

		functions:      map[graphops.FunctionKey]*graphops.Function{},
		functionPlaces: sync.OnceValue(s.findFunctionPlaces),
		called:         sync.OnceValue(s.findCalled),
		demands:        sync.OnceValue(s.findDemands),
		formals:        map[*graphops.Function]*declared{},
		domains:        sync.OnceValue(s.findDomains),
		used:           sync.OnceValue(s.findUsed),

		names:   sync.OnceValue(s.findNames),
		outside: sync.OnceValue(s.findDefinedOutside),
		cleaned: map[string]numbering{"value": {}, "node": {}},

		tensors:  sync.OnceValue(func() []graphops.StoredTensor { return slices.Collect(s.model.StoredTensors()) }),
		external: sync.OnceValue(s.lookOutside),
		weighed:  sync.OnceValue(s.weigh),
		small:    map[constant]profiled{},
		integers: map[constant][]dim.Dim{},

		attributeFaults: sync.OnceValue(s.findAttributeFaults),
		typing:          sync.OnceValue(s.checkTypes),
		misdeclared:     sync.OnceValue(s.findMisdeclared),
		retypings:       sync.OnceValue(s.findRetypings),
		typeCauses:      sync.OnceValue(s.findTypeCauses),
		plainlyWrong:    sync.OnceValue(s.findPlainlyWrong),
	}
	for _, f := range s.model.Functions() {
		l.functions[f.Key()] = f
	}
	return l
}

func (s *subject) findFunctionPlaces() map[graphops.FunctionKey]*graphops.Place {
	places := map[graphops.FunctionKey]*graphops.Place{}
	for _, p := range s.model.Places() {
		if p.Kind == graphops.FunctionBody {
			places[p.Function.Key()] = p
		}
	}
	return places
}

// findCalled follows the calls from the main graph.
func (s *subject) findCalled() map[graphops.FunctionKey]bool {
	places := map[graphops.FunctionKey][]*graphops.Place{}
	var todo []*graphops.Place
	for _, p := range s.model.Places() {
		if p.Function == nil {
			todo = append(todo, p)
			continue
		}
		key := p.Function.Key()
		places[key] = append(places[key], p)
	}
	called := map[graphops.FunctionKey]bool{}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, n := range p.Graph.Nodes() {
			if key := n.Calls(); s.functions[key] != nil && !called[key] {
				called[key] = true
				todo = append(todo, places[key]...)
			}
		}
	}
	return called
}

func (s *subject) findDomains() map[string][]string {
	names := map[string][]string{}
	for key := range s.functions {
		names[key.Domain] = append(names[key.Domain], withOverload(key))
	}
	for _, list := range names {
		slices.Sort(list)
	}
	return names
}

func (s *subject) findNames() map[string]bool {
	names := map[string]bool{}
	for _, p := range s.model.Places() {
		x := p.Graph.Index()
		for v := range x.Values() {
			names[x.Name(graphops.ValueID(v))] = true
		}
	}
	return names
}

// taken reports whether any value of the model has a name.
func (s *subject) taken(name string) bool { return s.names()[name] }

func (s *subject) findDefinedOutside() map[string]bool {
	names := map[string]bool{}
	for _, p := range s.model.Places() {
		if p.Function != nil {
			continue
		}
		for name := range defined(p.Graph) {
			names[name] = true
		}
	}
	return names
}
