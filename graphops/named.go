package graphops

// NamedType is a value's name and type.
type NamedType struct {
	Name string
	Type Type
}

// NamedTypes lists the names and types of value infos.
func NamedTypes(list []*ValueInfo) []NamedType {
	out := make([]NamedType, len(list))
	for i, v := range list {
		out[i] = NamedType{v.name, v.Type()}
	}
	return out
}
