package origin

import "strings"

// signatureRepr parses the form that older versions of PyTorch write:
//
//	ExportGraphSignature(input_specs=[InputSpec(kind=<InputKind.PARAMETER: 2>, arg=TensorArgument(name='p_w'), target='w', persistent=None), …], output_specs=[…])
func signatureRepr(s string) (Signature, bool) {
	v, ok := parsePy(s)
	if !ok || v.kind != pyCall {
		return Signature{}, false
	}
	inputs, ok := specList(v, "input_specs")
	if !ok {
		return Signature{}, false
	}
	outputs, ok := specList(v, "output_specs")
	return Signature{inputs, outputs}, ok
}

func specList(v pyValue, key string) ([]Spec, bool) {
	list, ok := v.named(key)
	if !ok || list.kind != pyList {
		return nil, false
	}
	var out []Spec
	for _, item := range list.part {
		spec, ok := specOf(item)
		if !ok {
			return nil, false
		}
		out = append(out, spec)
	}
	return out, true
}

func specOf(v pyValue) (Spec, bool) {
	kind, hasKind := v.named("kind")
	arg, hasArg := v.named("arg")
	if !hasKind || !hasArg {
		return Spec{}, false
	}
	name, _ := arg.named("name")
	spec := Spec{Name: name.text}
	_, enum, _ := strings.Cut(kind.text, ".")
	enum, _, _ = strings.Cut(enum, ":")
	spec.Kind = Kind(enum)
	if target, ok := v.named("target"); ok && target.kind == pyString {
		spec.Target = target.text
	}
	if p, ok := v.named("persistent"); ok {
		if spec.Persistence, ok = asPersistence(p.text); !ok {
			return Spec{}, false
		}
	}
	return spec, enum != ""
}
